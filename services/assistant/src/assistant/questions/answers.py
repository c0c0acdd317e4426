"""Answers the questions of a text: what cards of law and facts answer, and what they do not, with whom to ask."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

from assistant.law.asks import intent_of, kinds_of, things_of
from assistant.law.cards import Card, load_cards
from assistant.law.facts import value_of
from assistant.law.finder import Found as FoundCards
from assistant.law.finder import found, names_law, subjects_of, whom_to_ask
from assistant.questions import constraints, ground, market
from assistant.questions.development_tax import estimate
from assistant.questions.reading import (
    DIVISION,
    OTHER,
    ReadQuestion,
    ask_and_story,
    content_count,
    is_asked,
    is_heading,
    quote,
)
from assistant.questions.replies import PARCEL_CHANGE, Found, Gap, Statement, Subject, statement, tell
from assistant.questions.vocabulary import foreign_count
from assistant.questions.words import CLAIM, COMMAND, POSSIBLE, plain_text
from assistant.text import area, in_quotes, join, read_table, uncapitalized
from servicekit.languages import Text
from servicekit.parts import Attempt


class Topic(NamedTuple):
    """An intent: its heading, whom to ask if facts are missing, and the function that answers."""

    heading: Text
    ask: Text
    answer: Callable[[Subject], Found]
    is_of_facts: bool = False
    """No card of law answers it."""
    about: Collection[str] = ()
    """A text that names none of these subjects was misread: another intent's reason would mislead."""
    names: re.Pattern[str] = re.compile("")
    """A text without one of these words, in lower case without accents, was misread too."""
    kinds: Collection[str] = ()
    """The kinds of question that its facts answer, of those that most facts do not."""
    is_of_law: bool = False
    """Cards of law are its answer. They fit an ask that names nothing else."""
    things: Collection[str] | None = None
    """A text that names other things asks something else; None if it may name any."""


_ANSWERS: Mapping[str, Callable[[Subject], Found]] = {
    "risks": constraints.risks,
    "owners": constraints.owners,
    "building": ground.building,
    "layout": ground.layout,
    "slope": ground.slope,
    "buildings": ground.buildings,
    "value": market.value,
    "sales": market.sales,
    "permits": market.permits,
    "area": market.unit_area,
}
"""The intents that facts of the land answer, without cards of law."""
_SURVEYOR_AND_NOTARY = re.compile(r"\b(?:geometre|surveyor|notaire|notary)\b")


def _of_procedure(subject: Subject) -> tuple[Statement, ...]:
    """What a lotissement is, and who draws up the division and its deed if the text names them."""
    named = _SURVEYOR_AND_NOTARY.search(plain_text(subject.question))
    if named:
        return (Statement("boundary_survey", PARCEL_CHANGE), statement("boundary_survey.deed"))
    return subject.quote("lotissement_definition") if subject.is_lotissement else ()


_ADDITIONS: Mapping[str, Callable[[Subject], tuple[Statement, ...]]] = {
    "procedure": _of_procedure,
    "easements": lambda subject: (statement("private_easements.deeds"),),
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
        read = ground.written_rules(subject, *entry["rules"]) if "rules" in entry else ()
        quoted = (*read, *subject.quote(*checks), *law(cards, subject))
        if not quoted:
            return Text(*entry["reason"]) if "reason" in entry else subject.check(checks[0]).detail
        first = "lotissement_definition" if "lotissement" in plain_text(subject.question) else ""  # what one is
        statements = (*quoted, *_ADDITIONS.get(intent, _nothing)(subject))
        return tuple(sorted(statements, key=lambda item: item.code not in (first, "boundary_survey")))

    return Topic(
        Text(*entry["heading"]),
        Text(*entry["ask"]),
        _ANSWERS.get(intent, quoting),
        intent in _ANSWERS or "is_of_facts" in entry,
        entry.get("about", ()),
        re.compile(rf"\b(?:{entry.get('names', '')})"),
        entry.get("kinds", ()),
        "cards" in entry,
        entry.get("things"),
    )


TOPICS = {intent: _topic(intent, entry) for intent, entry in read_table("questions/topics.toml").items()}
INTENTS = (DIVISION, *TOPICS)
"""Every code of an intent."""


DIVISION_HEADING = Text("Division du terrain", "Dividing the land")


@dataclass(frozen=True)
class Reply:
    """A question that the facts answer. The answer about the whole division has no statements of its own."""

    question: ReadQuestion
    heading: Text
    statements: tuple[Statement, ...]
    cards: tuple[Card, ...] = ()
    is_doubtful: bool = False
    """The cards may be about something else."""
    topic: Text = DIVISION_HEADING
    """What it is about, where `heading` quotes the ask."""

    @property
    def title(self) -> Text:
        """The heading, with a line under it that says so if the cards are doubtful."""
        return tell("law.doubtful", ask=self.heading, whom=self.cards[0].whom) if self.is_doubtful else self.heading

    @property
    def is_of_division(self) -> bool:
        """Whether it is about the division: the text asks about it, or tells it."""
        is_told = self.question.intent == DIVISION and self.question.is_stated
        return self.heading is DIVISION_HEADING or is_told

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(statement.code for statement in self.statements))


@dataclass(frozen=True)
class Unanswered:
    question: ReadQuestion
    heading: Text
    gap: Gap


class OpenAsk(NamedTuple):
    """What rules do not answer for sure: the person's words, the text to search with, and what is told beside it."""

    words: str
    text: str
    story: str
    subjects: tuple[str, ...]
    facts: str = ""
    """The heading of the facts of the land that answer it without a card."""


@dataclass(frozen=True)
class Replies:
    """The questions of one text, in order."""

    answered: tuple[Reply, ...]
    unanswered: tuple[Unanswered, ...]
    is_general: bool
    """The whole study belongs to the answer: the text asks about the division, or nothing in it was understood."""
    costs: tuple[Statement, ...] = ()
    """The costs that a study states."""
    is_possible_asked: bool = False
    """The text asks whether something is possible: the verdict says so."""
    open_asks: tuple[OpenAsk, ...] = ()
    """What a language model may choose cards of law for."""

    @property
    def is_of_division(self) -> bool:
        """Whether the text asks about the division, or nothing."""
        return not (self.answered or self.unanswered) or any(reply.is_of_division for reply in self.answered)

    @property
    def is_verdict_asked(self) -> bool:
        """Whether the verdict is the reply: the text asks about the division, or only tells it."""
        is_asked = any(reply.is_of_division and not reply.question.is_stated for reply in self.answered)
        is_alone = not any(reply.statements for reply in self.answered)
        return self.is_general and (self.is_possible_asked or is_asked or is_alone)


Choice = Mapping[str, tuple[Card, ...]]
NO_CHOICE: Choice = {}


MOST_WORDS = 120
"""The longest reply in which a card of law stands."""
_COSTS = Text("les coûts", "the costs")
_NOT_ANSWERED = Text(
    "Ni les données ni les règles de droit réunies ici n’y répondent.",
    "Neither the data nor the law collected here answers it.",
)
_FAILED = Text("Le service a rencontré un défaut.", "The service met a defect.")
_ANSWERED_BY = Text("À demander à : {whom}.", "Whom to ask: {whom}.")
_NOT_OF_FACTS = frozenset({"who_pays", "order", "documents", "why", "may"})
"""Kinds of question that facts of the land do not answer."""
_OF_NEIGHBOUR = re.compile(
    r"\b(?:voisine?s?|neighbou?rs?) (?:veu[tx]|va|vont|construi\w+|refuse|bati\w*|wants?|will|builds?|built|plans)\b"
)
"""An ask about what a neighbour does."""
_MOST_FOREIGN_WORDS = 1
"""An ask with more words that nobody uses to ask for its intents asks for something else."""
_MOST_FOREIGN_WORDS_OF_SURE = 4
"""What an ask may have of them that surely has the object and the kind of the facts."""
_OF_DRAWING = ("layout", "procedure")
"""Intents of asks that the study answers if the text tells a division. No card replaces that reply."""
_OF_STUDY = frozenset({"procedure", "permit", "declaration", "minimum_size", "density", "remainder", "surveyor"})
"""Subjects of cards that the study of a division answers itself."""
_SUBJECTS_OF_PROJECT = {
    "has_lease": "lease",
    "owners": "indivision",
    "is_for_neighbour": "neighbour_sale",
    "demolishes_house": "demolition",
}
"""The subject that a told member of the project adds."""


_DEPENDS = ("Cela dépend", "That depends")


def law(cards: Sequence[Card], subject: Subject) -> Iterator[Statement]:
    """What the cards say; then the next steps."""
    return chain(chain.from_iterable(_said(card, subject) for card in cards), map(_next_step, cards))


def _next_step(card: Card) -> Statement:
    """What to do next, and whom to ask."""
    return statement("law.next", next=uncapitalized(card.next), whom=card.whom)


def _said(card: Card, subject: Subject) -> Iterator[Statement]:
    """What the card says, and what the fact of the land that decides means for it: first, where all depends on it."""
    meaning = card.values.get(value_of(card.fact, subject.facts, subject.assessment, subject.division) or "")
    said = [Statement("law", card.says, card.articles), *([Statement("law", meaning)] if meaning else [])]
    return reversed(said) if card.says.fr.startswith(_DEPENDS) else iter(said)


def answer(questions: tuple[ReadQuestion, ...], subject: Subject, chosen: Choice = NO_CHOICE) -> Replies:
    """Answers each question. `chosen` are the cards that a language model has chosen by the words of asks, and none for
    other words that they leave unanswered.
    """
    texts = {question.text for question in questions}
    questions = (*questions, *(ReadQuestion(OTHER, words) for words in chosen if words not in texts))
    intents: defaultdict[str, list[str]] = defaultdict(list)
    for question in questions:
        intents[question.text].append(question.intent)
    all_replies = [_reply(question, subject, intents[question.text], chosen) for question in questions]
    open_asks: dict[str, OpenAsk] = {}
    for reply in all_replies:
        text, story = ask_and_story(reply.question, subject.question)
        facts = reply.topic.en if isinstance(reply, Reply) and reply.statements and not reply.cards else ""
        if isinstance(reply, Unanswered) or reply.cards or (facts and _is_told(reply.question, text, story)):
            ask = reply.question.text
            open_asks[ask] = OpenAsk(ask, text, story, reply.question.subjects, facts)
    replies = _merged(all_replies)
    is_understood = any(reply.question.intent != OTHER or isinstance(reply, Reply) for reply in replies)
    costs: tuple[Statement, ...] = ()
    with Attempt(_COSTS):
        costs = _costs(subject)
    return Replies(
        (*_told_area(subject), *(reply for reply in replies if isinstance(reply, Reply))),
        tuple(reply for reply in replies if isinstance(reply, Unanswered)),
        is_general=not is_understood or any(isinstance(reply, Reply) and reply.is_of_division for reply in replies),
        costs=costs,
        is_possible_asked=bool(POSSIBLE.search(plain_text(subject.question))),
        open_asks=tuple(open_asks.values()),
    )


def _merged(replies: Sequence[Reply | Unanswered]) -> list[Reply | Unanswered]:
    """The replies in order. Asks with the same answer get it once, under the words of all."""
    merged: dict[object, Reply | Unanswered] = {}
    for reply in replies:
        key = reply.statements or reply.heading if isinstance(reply, Reply) else (reply.heading, reply.gap)
        earlier = merged.get(key)
        if earlier is None:
            merged[key] = reply
            continue
        if isinstance(earlier, Reply) and isinstance(reply, Reply) and not reply.is_doubtful:
            earlier = replace(earlier, is_doubtful=False)
        if reply.question.text not in earlier.heading.fr and earlier.heading != reply.heading:
            earlier = replace(earlier, heading=join([earlier.heading, reply.heading]))
        merged[key] = earlier
    return [*merged.values()]


def _of_cards(cards: Sequence[Card], subject: Subject) -> tuple[Statement, ...]:
    """What stands before the cards, what they say and what facts mean for them, and the next steps. What the cards say,
    and what stands before them, has room before all else.
    """
    additions = [*chain.from_iterable(_BESIDE_CARDS[card.id](subject) for card in cards if card.id in _BESIDE_CARDS)]
    said = [*additions, *chain.from_iterable(_said(card, subject) for card in cards), *map(_next_step, cards)]
    first = {item.text for item in additions} | {card.says for card in cards}
    kept = _shortened(sorted(said, key=lambda item: item.text not in first))
    return tuple(item for item in said if item in kept)


def _reply(
    question: ReadQuestion,
    subject: Subject,
    intents: Collection[str],
    chosen: Choice,
) -> Reply | Unanswered:
    """The reply of cards, or else of facts. `intents` are all that its text asks for."""
    text, story = ask_and_story(question, subject.question)
    topic = TOPICS.get(question.intent)
    heading = topic.heading if topic else DIVISION_HEADING
    best = FoundCards()
    statements: Found = _FAILED
    with Attempt(heading):
        intent = "" if question.intent == DIVISION else intent_of(text)
        topic = TOPICS.get(intent) if intent else topic
        heading = topic.heading if topic else DIVISION_HEADING
        is_of = (
            topic is not None
            and (topic.things is None or is_heading(question) or things_of(f"{text} {story}").issubset(topic.things))
            and _is_of(topic, question, intents, text)
        )
        is_for_facts = topic is not None and topic.is_of_facts and is_of
        is_layout = question.intent == "layout" and not question.is_doubtful
        is_of_drawing = subject.division.project.tells_lots and (
            intent in _OF_DRAWING or (is_layout and topic is TOPICS["layout"])
        )
        if question.text in chosen and (chosen[question.text] or not intent):
            best = FoundCards(chosen[question.text], is_sure=True)
        elif not intent or "may" in kinds_of(question.text):
            is_told = _is_told(question, text, story)
            best = _cards(question, text, subject, subject.question if is_told or not is_of else "")
            is_short = is_of and content_count(plain_text(question.text)) <= 1
            if is_of_drawing or ((is_for_facts or is_short or intent) and not (best.is_sure and is_told)):
                best = FoundCards()
        if best.cards:
            statements = _of_cards(best.cards, subject)
            if (is_for_facts or intent) and topic and not isinstance(facts := topic.answer(subject), Text):
                statements += facts
        elif (
            topic is None
            or is_of
            or is_of_drawing
            or (
                intent
                and (_NOT_OF_FACTS & kinds_of(question.text)).issubset(topic.kinds)
                and foreign_count(question.text, [intent]) <= _MOST_FOREIGN_WORDS_OF_SURE
            )
        ):
            statements = topic.answer(subject) if topic else ()
        else:
            statements = _NOT_ANSWERED
    if not isinstance(statements, Text):
        is_quoted = best.cards or (topic is not None and is_asked(question))
        asked = quoted(question) if is_quoted else heading
        return Reply(question, asked, statements, best.cards, bool(best.cards) and best.is_doubtful, heading)
    if topic is None:
        return Reply(question, heading, ())
    topic = TOPICS[OTHER] if statements is _NOT_ANSWERED else topic
    whom = whom_to_ask(text, story) if topic is TOPICS[OTHER] else None
    gap = Gap(statements, _ANSWERED_BY.format(whom=whom) if whom else topic.ask)
    return Unanswered(question, quoted(question), gap)


_BOUGHT = re.compile(
    r"\b(?:achet\w*|acqui\w*|herit\w*|recu|proprietaires?|bought|acquired|inherited|owned|habit\w*|lived?|"
    r"dans la maison) .{0,25}?\b((?:19|20)\d\d)\b"
)
"""The year since which somebody says to own the land."""
_TAX_FREE_YEARS, _LEVY_FREE_YEARS = 22, 30
"""After how many years of ownership a gain on land is free of income tax, and of social levies (CGI, art. 150 VC)."""


def _held_since(subject: Subject) -> Iterator[Statement]:
    """What the told year of purchase means for the tax on the gain."""
    if told := _BOUGHT.search(plain_text(subject.question)):
        years = datetime.now(UTC).year - int(told[1])
        levied = "law.gain_levies" if years > _TAX_FREE_YEARS else "law.gain_taxed"
        yield statement("law.gain_free" if years > _LEVY_FREE_YEARS else levied, year=told[1])


_BESIDE_CARDS: Mapping[str, Callable[[Subject], Iterable[Statement]]] = {
    "capital_gain_garden_plot": _held_since,
    "capital_gain_years_held": _held_since,
    "density_written_rules": ground.written_rules,
    "way_width": ground.access_width,
}
"""What stands before a card, from the facts and the text."""


_LAND_OF = re.compile(
    r"\b(?:terrain|parcelle|propriete|land|plot|property) (?:fait |mesure |is |measures )?(?:de |of )?"
    r"(\d{1,3}(?:[ .,]?\d{3})+|\d{3,5}) ?(?:m2|metres? carres?|sqm|sq m|square met)"
)
_OTHER_AREA = 0.05
"""A told area that differs by more than this share of the land's is another one."""


def _told_area(subject: Subject) -> Iterator[Reply]:
    """One sentence if the text tells another area of the land than the cadastre has."""
    told, known = _LAND_OF.search(plain_text(subject.question)), subject.facts.cadastral_area_m2
    told_m2 = float(re.sub(r"\D", "", told[1])) if told else 0.0
    if told and known and abs(told_m2 - known) > _OTHER_AREA * known and not subject.division.project.lots:
        text = statement("unit_area.told", told=area(told_m2), known=area(known))
        yield Reply(ReadQuestion(DIVISION, quote(told[0])), TOPICS["area"].heading, (text,))


def _is_of(topic: Topic, question: ReadQuestion, intents: Collection[str], with_told: str) -> bool:
    """Whether the topic answers this: the reading is sure, the text names its subject and hardly anything else, and the
    topics of its intents tell of that kind.
    """
    if topic is TOPICS[OTHER]:
        return False
    text = question.text
    whole = with_told if topic.is_of_law and not is_heading(question) else text
    is_named = topic.names.search(plain_text(text)) and not (topic.about and subjects_of(text).isdisjoint(topic.about))
    kinds = {kind for intent in intents if intent in TOPICS for kind in TOPICS[intent].kinds}
    return (
        not question.is_doubtful
        and bool(is_named)
        and not _OF_NEIGHBOUR.search(plain_text(with_told))  # the facts are of this land
        and not CLAIM.search(plain_text(text))  # somebody's word asks whether it is so
        and foreign_count(whole, intents) <= (0 if topic.is_of_law else _MOST_FOREIGN_WORDS)
        and (_NOT_OF_FACTS & kinds_of(question.words or text)).issubset(kinds)
    )


def _is_told(question: ReadQuestion, text: str, story: str) -> bool:
    """Whether the text tells something besides its asks."""
    return bool(story.rpartition("?")[2].strip()) or len(text) > len(question.words or question.text)


def _cards(question: ReadQuestion, text: str, subject: Subject, context: str) -> FoundCards:
    """The cards that answer this. The study and facts of the land answer their own questions."""
    is_division = question.intent == DIVISION
    if is_division and not (question.text.endswith("?") and names_law(question.text)):
        return FoundCards()
    told = [name for member, name in _SUBJECTS_OF_PROJECT.items() if getattr(subject.division.project, member)]
    best = found(text, context, (*told, *question.subjects))
    is_of_study = is_division and any(_OF_STUDY.issuperset(card.subjects) for card in best.cards)
    return FoundCards() if is_division and (is_of_study or not best.is_sure) else best


def _shortened(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements without those that would make the reply too long."""
    kept: list[Statement] = []
    for item in statements:
        if sum(len(kept_item.text.fr.split()) for kept_item in (*kept, item)) <= MOST_WORDS:
            kept.append(item)
    return tuple(kept)


def quoted(question: ReadQuestion) -> Text:
    """The person's own words, without what has a meaning in Markdown. An order about the answer is not repeated."""
    if COMMAND.match(plain_text(question.text)):
        return TOPICS[OTHER].heading
    return in_quotes(re.sub(r"[^\w\s'’,;:.?!%€²()/+-]|_", " ", question.words or question.text))


def _costs(subject: Subject) -> tuple[Statement, ...]:
    """The development tax of a division that makes building plots, if its rates are loaded, and costs without data."""
    has_plots = subject.division.layout().building_plot_count
    return (*estimate(subject.facts.unit), statement("taxes.amounts")) if has_plots else ()
