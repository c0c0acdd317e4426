"""Answers the questions of a text: what cards of law and facts answer, and what they do not, with whom to ask."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.law.cards import SUBJECTS, Card, load_cards
from assistant.law.facts import value_of
from assistant.law.finder import LEAST_BEFORE_FACTS, LEAST_SCORE, found, subjects_of, whom_to_ask
from assistant.questions import constraints, ground, market
from assistant.questions.development_tax import estimate
from assistant.questions.reading import DIVISION, OTHER, ReadQuestion, is_asked
from assistant.questions.replies import Found, Gap, Statement, Subject, statement
from assistant.questions.words import COMMAND, plain_text
from assistant.text import read_table
from servicekit.languages import Text
from servicekit.parts import Attempt


class Topic(NamedTuple):
    """An intent: its heading, whom to ask if facts are missing, and the function that answers."""

    heading: Text
    ask: Text
    answer: Callable[[Subject], Found]
    subjects: Collection[str] = SUBJECTS
    """Those of the cards that may answer it."""
    cards: Collection[Card] = ()
    """What the answer quotes, if no other card is found."""
    has_facts: bool = False
    about: Collection[str] = ()
    """A text that names none of these subjects was misread: another intent's reason would mislead."""


_ANSWERS: Mapping[str, Callable[[Subject], Found]] = {
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
"""The intents that facts of the land answer, without cards of law."""
_ADDITIONS: Mapping[str, Callable[[Subject], tuple[Statement, ...]]] = {
    "procedure": lambda subject: subject.quote("lotissement_definition") if subject.is_lotissement else (),
    "easements": lambda subject: (statement("private_easements.deeds"),),
    "layout": ground.lots,
    "soil": lambda subject: (statement("soil_data.limits"),),
    "taxes": lambda subject: estimate(subject.facts.unit),
    "pool": lambda subject: (statement("plan_regulation.pool"),),
}
"""What topics add to the checks and cards that they quote."""


def _nothing(_: Subject) -> tuple[Statement, ...]:
    return ()


def _topic(intent: str, entry: Mapping[str, Sequence[str]]) -> Topic:
    cards = [load_cards()[card_id] for card_id in entry.get("cards", ())]

    def quoting(subject: Subject) -> Found:
        """What the checks found, the cards and the additions; else why there is nothing."""
        checks = entry.get("checks", ())
        quoted = (*subject.quote(*checks), *law(cards, subject))
        if not quoted:
            return Text(*entry["reason"]) if "reason" in entry else subject.check(checks[0]).detail
        return (*quoted, *_ADDITIONS.get(intent, _nothing)(subject))

    subjects = () if intent in _ANSWERS else entry.get("subjects", SUBJECTS)
    return Topic(
        Text(*entry["heading"]),
        Text(*entry["ask"]),
        _ANSWERS.get(intent, quoting),
        subjects,
        cards,
        "checks" in entry,
        entry.get("about", ()),
    )


TOPICS = {intent: _topic(intent, entry) for intent, entry in read_table("questions/topics.toml").items()}
INTENTS = (DIVISION, *TOPICS)
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


MOST_WORDS = 120
"""The longest reply in which a card of law stands."""
_COSTS = Text("les coûts", "the costs")
_NOT_ANSWERED = Text("Aucune donnée et aucune fiche de droit n’y répond.", "No data and no card of law answers it.")
_FAILED = Text("Le service a rencontré un défaut.", "The service met a defect.")
_ANSWERED_BY = Text("Répond : {whom}.", "Who answers: {whom}.")
_DOUBT = Text("Compris comme : {heading}", "Understood as: {heading}")
"""The heading of a reply to a part of the text that is not surely about this."""
_OF_STUDY = frozenset({"procedure", "permit", "declaration", "minimum_size", "density", "remainder", "surveyor"})
"""Subjects of cards that the study of a division answers itself."""
_SUBJECTS_OF_PROJECT = {
    "has_lease": "lease",
    "owners": "indivision",
    "is_for_neighbour": "neighbour_sale",
    "demolishes_house": "demolition",
}
"""The subject that a told member of the project adds."""


def law(cards: Iterable[Card], subject: Subject) -> Iterator[Statement]:
    """What the cards say, what the fact of the land that decides means for them, the next step, and whom to ask."""
    for card in cards:
        yield Statement("law", card.says, card.articles)
        value = value_of(card.fact, subject.facts, subject.assessment, subject.division)
        if value and value in card.values:
            yield Statement("law", card.values[value])
        step = Text(*(text[:1].lower() + text[1:] for text in card.next))
        yield statement("law.next", next=step, whom=card.whom)


def answer(questions: tuple[ReadQuestion, ...], subject: Subject) -> Replies:
    asks = [question for question in questions if question.intent != DIVISION] or questions
    texts = [subject.question if [question] == [*asks] else question.text for question in questions]
    replies = [_reply(question, text, subject) for question, text in zip(questions, texts, strict=True)]
    is_understood = any(question.intent != OTHER for question in questions)
    costs: tuple[Statement, ...] = ()
    with Attempt(_COSTS):
        costs = _costs(subject)
    return Replies(
        tuple(reply for reply in replies if isinstance(reply, Reply)),
        tuple(reply for reply in replies if isinstance(reply, Unanswered)),
        is_general=not is_understood or any(reply.heading is DIVISION_HEADING for reply in replies),
        costs=costs,
    )


def _reply(question: ReadQuestion, text: str, subject: Subject) -> Reply | Unanswered:
    """The reply of cards and facts. `text` is what cards are sought with."""
    topic = TOPICS.get(question.intent)
    heading = topic.heading if topic else DIVISION_HEADING
    cards: tuple[Card, ...] = ()
    statements: Found = _FAILED
    with Attempt(heading):
        cards = _cards(question, text, subject)
        statements = topic.answer(subject) if topic and not (cards and question.is_doubtful) else ()
        if cards:
            gap = [Statement("law", statements)] if isinstance(statements, Text) and topic and topic.has_facts else []
            of_facts = () if isinstance(statements, Text) else [[item] for item in statements if item.code != "law"]
            statements = _shortened([gap, *(law([card], subject) for card in cards), *of_facts])
    if isinstance(statements, Text):
        if topic is None:
            return Reply(question, heading, ())
        if statements is not _FAILED and topic.about and subjects_of(text).isdisjoint(topic.about):
            topic, statements = TOPICS[OTHER], _NOT_ANSWERED
        whom = whom_to_ask(text) if topic is TOPICS[OTHER] else None
        ask = _ANSWERED_BY.format(whom=whom) if whom else topic.ask
        return Unanswered(question, _quoted(question), Gap(statements, ask))
    if cards:
        heading = _quoted(question)
    elif question.is_doubtful:
        heading = _DOUBT.format(heading=heading)
    return Reply(question, heading, statements)


def _cards(question: ReadQuestion, text: str, subject: Subject) -> tuple[Card, ...]:
    """The cards that answer this. The study and facts of the land answer their own questions."""
    topic, is_division = TOPICS.get(question.intent), question.intent == DIVISION
    if is_division and not (is_asked(question) and "?" in text):
        return ()
    among: Collection[str] = SUBJECTS
    least_score = LEAST_SCORE
    if topic and not question.is_doubtful:
        among, least_score = topic.subjects, LEAST_BEFORE_FACTS if topic.has_facts else LEAST_SCORE
    project = subject.division.project
    told = [name for member, name in _SUBJECTS_OF_PROJECT.items() if getattr(project, member)]
    cards = found(text, subject.question, told, among, least_score)
    if topic and not question.is_doubtful and all(card in topic.cards for card in cards):
        return ()
    return tuple(card for card in cards if not (is_division and _OF_STUDY.intersection(card.subjects)))


def _shortened(parts: Iterable[Iterable[Statement]]) -> tuple[Statement, ...]:
    """The statements of each part up to the first one that would make the reply too long."""
    kept: list[Statement] = []
    for part in parts:
        for item in part:
            if sum(len(kept_item.text.fr.split()) for kept_item in (*kept, item)) > MOST_WORDS:
                break
            kept.append(item)
    return tuple(kept)


def _quoted(question: ReadQuestion) -> Text:
    """The person's own words, without what has a meaning in Markdown. An order about the answer is not repeated."""
    if COMMAND.match(plain_text(question.text)):
        return TOPICS[OTHER].heading
    words = " ".join(re.sub(r"[^\w\s'’,;:.?!%€²()/+-]|_", " ", question.text).split())
    return Text(f"« {words} »", f"“{words}”")


def _costs(subject: Subject) -> tuple[Statement, ...]:
    """The development tax of a division that makes building plots, if its rates are loaded, and costs without data."""
    has_plots = subject.division.layout().building_plot_count
    return (*estimate(subject.facts.unit), statement("taxes.amounts")) if has_plots else ()
