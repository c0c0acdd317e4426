"""Answers the questions of a text: what the facts answer, and what they do not, with whom to ask."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assistant.questions import constraints, ground, market, principles
from assistant.questions.reading import OTHER, ReadQuestion
from assistant.questions.replies import Found, Gap, Statement, Subject
from assistant.questions.unanswerable import UNANSWERABLE
from servicekit.languages import Text

DIVISION = "division"
"""The question about the division as a whole. The whole study answers it."""


class Topic(NamedTuple):
    """An intent that facts can answer: its heading, and the function that answers."""

    heading: Text
    answer: Callable[[Subject], Found]


TOPICS: Mapping[str, Topic] = {
    "procedure": Topic(Text("Procédure à suivre", "Procedure to follow"), ground.procedure),
    "time_limits": Topic(Text("Délais", "Time limits"), principles.time_limits),
    "documents": Topic(Text("Pièces à déposer", "Documents to file"), principles.documents),
    "certificate": Topic(Text("Certificat d’urbanisme", "Planning certificate"), principles.certificate),
    "minimum_size": Topic(Text("Superficie minimale", "Minimum size"), ground.minimum_size),
    "access": Topic(Text("Accès", "Access"), ground.access),
    "easements": Topic(Text("Servitudes", "Easements"), constraints.easements),
    "risks": Topic(Text("Risques", "Risks"), constraints.risks),
    "value": Topic(Text("Valeur", "Value"), market.value),
    "building": Topic(Text("Ce qui peut être construit", "What may be built"), ground.building),
    "pool": Topic(Text("Piscine", "Pool"), principles.pool),
    "owners": Topic(Text("Propriétaires", "Owners"), constraints.owners),
    "permits": Topic(Text("Permis", "Permits"), market.permits),
    "sales": Topic(Text("Ventes du terrain", "Sales of the land"), market.sales),
    "taxes": Topic(Text("Taxes et frais", "Taxes and fees"), principles.taxes),
    "layout": Topic(Text("Lots possibles", "Possible lots"), ground.layout),
    "slope": Topic(Text("Pente", "Slope"), ground.slope),
    "networks": Topic(Text("Réseaux", "Networks"), ground.networks),
    "preemption": Topic(Text("Préemption", "Pre-emption"), constraints.preemption),
    "heritage": Topic(Text("Patrimoine", "Heritage"), constraints.heritage),
    "area": Topic(Text("Superficie", "Area"), market.unit_area),
    "buildings": Topic(Text("Bâtiments existants", "Existing buildings"), ground.buildings),
    "boundaries": Topic(Text("Limites et bornage", "Limits and boundary survey"), ground.boundaries),
    "soil": Topic(Text("Étude de sol", "Soil study"), ground.soil),
    "stay": Topic(Text("Sursis à statuer", "Stay of decision"), ground.stay),
}
INTENTS = (DIVISION, *TOPICS, *UNANSWERABLE)
"""Every code of an intent."""


@dataclass(frozen=True)
class Reply:
    """A question that the facts answer. The answer about the whole division has no statements of its own."""

    question: ReadQuestion
    heading: Text
    statements: tuple[Statement, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(statement.code for statement in self.statements))


@dataclass(frozen=True)
class Unanswered:
    question: ReadQuestion
    heading: Text
    gap: Gap


@dataclass(frozen=True)
class Replies:
    """The questions of one text, in order."""

    answered: tuple[Reply, ...]
    unanswered: tuple[Unanswered, ...]
    is_general: bool
    """The whole study belongs to the answer: the text asks about the division, or nothing in it was understood."""


DIVISION_HEADING = Text("Division du terrain", "Dividing the land")


def answer(questions: tuple[ReadQuestion, ...], subject: Subject) -> Replies:
    answered: list[Reply] = []
    unanswered: list[Unanswered] = []
    for question in questions:
        if question.intent == DIVISION:
            answered.append(Reply(question, DIVISION_HEADING, ()))
        elif topic := TOPICS.get(question.intent):
            statements = topic.answer(subject)
            if isinstance(statements, Gap):
                unanswered.append(Unanswered(question, topic.heading, statements))
            else:
                answered.append(Reply(question, topic.heading, statements))
        else:
            refusal = UNANSWERABLE[question.intent]
            unanswered.append(Unanswered(question, refusal.heading, refusal.gap))
    is_understood = any(question.intent != OTHER for question in questions)
    is_general = not is_understood or any(question.intent == DIVISION for question in questions)
    return Replies(tuple(answered), tuple(unanswered), is_general)
