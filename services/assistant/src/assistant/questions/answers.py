"""Answers the questions of a text: what the facts answer, and what they do not, with whom to ask."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.questions import constraints, ground, market, principles
from assistant.questions.reading import DIVISION, OTHER, ReadQuestion
from assistant.questions.replies import Found, Gap, Statement, Subject
from assistant.questions.unanswerable import UNANSWERABLE
from assistant.text import read_table
from servicekit.languages import Text
from servicekit.parts import Attempt


class Topic(NamedTuple):
    """An intent that facts can answer: its heading, whom to ask if they are missing, and the function that answers."""

    heading: Text
    ask: Text
    answer: Callable[[Subject], Found]


def _quoting(checks: Sequence[str], add: Callable[[Subject], tuple[Statement, ...]]) -> Callable[[Subject], Found]:
    """Answers with what the checks found, and then with what `add` returns."""

    def answer(subject: Subject) -> Found:
        quoted = subject.quote_or_reason(*checks)
        return quoted if isinstance(quoted, Text) else (*quoted, *add(subject))

    return answer


_ANSWERS: Mapping[str, Callable[[Subject], Found]] = {
    "time_limits": principles.time_limits,
    "documents": principles.documents,
    "certificate": principles.certificate,
    "pool": principles.pool,
    "taxes": principles.taxes,
    "risks": constraints.risks,
    "owners": constraints.owners,
    "building": ground.building,
    "slope": ground.slope,
    "buildings": ground.buildings,
    "value": market.value,
    "sales": market.sales,
    "permits": market.permits,
    "area": market.unit_area,
}
_ADDITIONS: Mapping[str, Callable[[Subject], tuple[Statement, ...]]] = {
    "procedure": lambda subject: subject.quote("lotissement_definition") if subject.is_lotissement else (),
    "easements": lambda subject: principles.principles("private_easements"),
    "layout": ground.lots,
    "soil": lambda subject: principles.principles("soil_data"),
}
"""What topics that quote checks add to them."""


def _topic(intent: str, entry: Mapping[str, Sequence[str]]) -> Topic:
    answer = _ANSWERS.get(intent) or _quoting(entry["checks"], _ADDITIONS.get(intent, lambda subject: ()))
    return Topic(Text(*entry["heading"]), Text(*entry.get("ask", ("", ""))), answer)


TOPICS = {intent: _topic(intent, entry) for intent, entry in read_table("questions/topics.toml").items()}
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
    costs: tuple[Statement, ...] = ()
    """The costs that a study states."""


DIVISION_HEADING = Text("Division du terrain", "Dividing the land")


_COSTS = Text("les coûts", "the costs")
_FAILED = Text("Le service a rencontré un défaut.", "The service met a defect.")
_DOUBT = Text("Compris comme : {heading}", "Understood as: {heading}")
"""The heading of a reply to a part of the text that is not surely about this."""


def answer(questions: tuple[ReadQuestion, ...], subject: Subject) -> Replies:
    answered: list[Reply] = []
    unanswered: list[Unanswered] = []
    for question in questions:
        if question.intent == DIVISION:
            answered.append(Reply(question, DIVISION_HEADING, ()))
        elif topic := TOPICS.get(question.intent):
            statements: Found = _FAILED
            heading = _DOUBT.format(heading=topic.heading) if question.is_doubtful else topic.heading
            with Attempt(topic.heading):
                statements = topic.answer(subject)
            if isinstance(statements, Text):
                unanswered.append(Unanswered(question, heading, Gap(statements, topic.ask)))
            else:
                answered.append(Reply(question, heading, statements))
        else:
            refusal = UNANSWERABLE[question.intent]
            unanswered.append(Unanswered(question, refusal.heading, refusal.gap))
    is_understood = any(question.intent != OTHER for question in questions)
    is_general = not is_understood or any(question.intent == DIVISION for question in questions)
    costs: tuple[Statement, ...] = ()
    with Attempt(_COSTS):
        costs = principles.costs(subject)
    return Replies(tuple(answered), tuple(unanswered), is_general, costs)
