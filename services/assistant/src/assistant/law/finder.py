"""Finds the cards that answer a text: by its object and kind of question, or else by full text over words and messages.

Words of a text and of the cards are compared without accents by groups of synonyms, or else by their French and English
stems. The full text ranks cards by BM25. A card must have most of what the text names: a near card answers nothing.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise
from math import inf, log, nan
from typing import NamedTuple

from snowballstemmer import stemmer

from assistant.law.asks import (
    MOST_CARDS,
    Asked,
    asked,
    decisive,
    is_covered,
    plain,
    things,
    things_of,
)
from assistant.law.cards import SUBJECTS, Card, load_cards
from assistant.questions.words import FUNCTION_WORDS, WORD
from assistant.reading.tokens import Phrases
from assistant.text import read_table
from servicekit.languages import Text

CANDIDATE_COUNT, _NEAREST = 12, 4
STOP_WORDS = FUNCTION_WORDS.union(read_table("law/stop_words.toml")["words"])
"""Words without a meaning of their own."""
Stemmer = Callable[[str], str]
_FRENCH, _ENGLISH = (lru_cache(20_000)(stemmer(language).stemWord) for language in ("french", "english"))
_WEIGHTS = {"subjects": 0.5, "words": 1.5, "pairs": 0.5, "says": 1.0, "asked": 1.0, "phrases": 0.3}
"""How much the score of each column counts. Fitted to messages about every second card."""
_SATURATION, _OF_LENGTH = 0.6, 0.4
"""The parameters k1 and b of BM25."""
LEAST_SCORE, _GOOD_SCORE = 36.0, 56.0
"""A lower score finds no card. A card with a good score needs no coverage."""
_MOST_OF_OTHERS = 0.85
"""The next card about something else may have at most this share of the score."""
_LEAST_SUPPORT, _LEAST_SUPPORT_OF_SECOND, LEAST_SHARED = 0.75, 0.4, 0.3
"""The least shares: of the best score for the card of an entry, of it for a second card, and of what the text names. A
card with less was found by a word with another meaning.
"""
_LEAST_COVERAGE = 0.6
"""A card that has less of what the text names is only near."""
_MOST_RARITY = 4.5
"""How much a word counts at most for what a card must have: one that no card has may be a name or an error."""
_OF_THING, _OF_TOLD_THING = 4.0, 2.0
"""How much a thing of the ask, or one that is told around it, counts by its rarity."""
_LEAST_NAMINGS = 2
"""A card has a thing that so many of its asks name."""
_NAMING_WORDS = 2
"""A text with fewer words with a meaning hardly names what it asks."""
_CLOSE = 0.7
"""A second card with this share of the first one's score, and one of its subjects, is in doubt with it."""
_OF_CONTEXT = ((3, 1.0), (6, 0.7), (inf, 0.45))
"""How much the text around counts for an ask of at most so many words with a meaning."""
_BOTH = re.compile(r"\b(?:les (?:deux|2)|both|(?:chacun|each)(?: of them)?)\W*$")
"""How an ask about two things ends."""
_OF_SUBJECT = "subject {}"
"""The word that stands for a subject in the index."""


class Candidate(NamedTuple):
    card: Card
    score: float


def found(
    text: str, context: str = "", subjects: Collection[str] = (), given: Collection[Card] = ()
) -> tuple[Card, ...]:
    """The cards that answer the text: those of its object and kind of question, if full text supports them. Where
    there are none, the best by full text, or two that are close.

    `given` are the cards that answer other asks of the text. Of the cards of the object and kind of question, they
    count only if there is no other.
    """
    best = _ranked(text, context, subjects)
    sure = asked(text, context)
    cards = _of_both(best, text, context) if best and _BOTH.search(plain(text)) else ()
    cards = cards or (_surely(sure, best, text, context, given) if sure and best else ())
    return cards or (_best_by_text(best, text, context) if best else ())


def _of_both(best: Sequence[Candidate], text: str, context: str) -> tuple[Card, ...]:
    """The best card of each of the things of an ask about two of them; none if only one is surely found."""
    named = things_of(text)
    named = named if len(named) > 1 else things_of(f"{context} {text}")
    firsts = (next((item for item in best if item.card.id in cards_with(thing)), None) for thing in named)
    items = sorted({item for item in firsts if item and item.score >= _LEAST_SUPPORT * best[0].score}, key=best.index)
    return tuple(item.card for item in items[:MOST_CARDS]) if len(items) > 1 else ()


def _surely(
    sure: Asked, best: Sequence[Candidate], text: str, context: str, given: Collection[Card]
) -> tuple[Card, ...]:
    """The cards of the object and kind of question that full text supports."""
    fitting = [item for item in best if item.card in sure.cards]
    fitting = [item for item in fitting if item.card not in given] or fitting
    if not fitting:
        return ()
    first, score = fitting[0]
    most = next(item.score for item in best if item.card == first or item.card not in given)
    is_named = score >= _GOOD_SCORE or _coverage(text, first) >= LEAST_SHARED
    is_supported = is_named and score >= _LEAST_SUPPORT * most
    is_decided = sure.condition_count > 1 and any(entry.names(first) for entry in decisive(text, context))
    return tuple(
        item.card
        for item in fitting[:MOST_CARDS]
        if (item.card == first and is_decided) or (is_supported and item.score >= _LEAST_SUPPORT_OF_SECOND * most)
    )


def _ranked(text: str, context: str, subjects: Collection[str]) -> list[Candidate]:
    """The cards with a score, best first, without those about another case than the one that decides the ask."""
    deciding, covers = decisive(text, context), is_covered(text, context)
    return [
        item
        for item in _best(_scores(text, context, subjects), len(load_cards()))
        if covers(item.card) and not any(entry.refuses(item.card) for entry in deciding)
    ]


def _best_by_text(best: Sequence[Candidate], text: str, context: str) -> tuple[Card, ...]:
    """The best one or two of the ranked cards, if they lead over what is about something else."""
    first, score = best[0]
    counts = Counter(card_id for thing in things_of(f"{text} {context}") for card_id in cards_with(thing))
    of_others = max(
        (
            item.score
            for item in best
            if set(first.subjects).isdisjoint(item.card.subjects) and counts[item.card.id] >= counts[first.id]
        ),
        default=0.0,
    )
    is_near = _coverage(text, first) >= _LEAST_COVERAGE
    is_far = score < _GOOD_SCORE and not is_near
    if is_far or score < LEAST_SCORE or of_others > _MOST_OF_OTHERS * score:
        return ()
    second = (item.card for item in best[1:2] if item.score >= _CLOSE * score)
    cards = (first, *(card for card in second if not set(first.subjects).isdisjoint(card.subjects)))
    return () if own_share(text, *cards) < LEAST_SHARED else cards


@cache
def cards_with(thing: str) -> frozenset[str]:
    """The cards whose statement, words or two of whose asks name the thing."""
    words, (statements, asks) = things()[thing], _plain_texts()
    named = {card_id for card_id, text in statements.items() if words.search(text)}
    asked_for = {card_id for card_id, text in asks.items() if len(words.findall(text)) >= _LEAST_NAMINGS}
    return frozenset(named | asked_for)


@cache
def _plain_texts() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The statement and the words of each card, and its asks."""
    statements = {card.id: plain(" . ".join((*card.says, *card.words))) for card in load_cards().values()}
    return statements, {card_id: plain(" . ".join(asks)) for card_id, asks in _asks().items()}


def _coverage(text: str, *of: Card) -> float:
    """The share of the text's words with a meaning that one of the cards has, the rare ones counting more."""
    has, all_words = 0.0, 0.0
    for terms in meanings(text):
        cards = [load_index().get(term, {}) for term in terms]
        rarity = min(_MOST_RARITY, *(_rarity(len(ids)) for ids in cards))
        all_words += rarity
        has += rarity * any(card.id in ids for ids in cards for card in of)
    return has / all_words if all_words else 0.0


def own_share(text: str, *cards: Card) -> float:
    """The share of what the text itself names that the cards have; not a number if it hardly names anything."""
    return _coverage(text, *cards) if sum(len(terms[0]) > 1 for terms in meanings(text)) >= _NAMING_WORDS else nan


def candidates(text: str, context: str = "", subjects: Collection[str] = ()) -> list[Candidate]:
    """The twelve best cards by full text, best first. `context` is the text in which this one stands; `subjects` are
    those that are known besides what the text names.
    """
    return _best(_scores(text, context, subjects))


def _best(scores: Mapping[str, float], count: int = CANDIDATE_COUNT) -> list[Candidate]:
    best = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:count]
    return [Candidate(load_cards()[card_id], score) for card_id, score in best]


def whom_to_ask(text: str, context: str = "") -> Text | None:
    """Whom the cards that are nearest to the text name, or to the text around; None if neither names a subject."""
    if not subjects_of(text):
        return whom_to_ask(f"{context} {text}") if subjects_of(context) else None
    whom: defaultdict[Text, float] = defaultdict(float)
    for candidate in candidates(text)[:_NEAREST]:
        whom[candidate.card.whom] += candidate.score
    return max(whom, key=lambda name: whom[name], default=None)


def _scores(text: str, context: str, subjects: Collection[str]) -> Mapping[str, float]:
    """The score of each card that has a word or a subject of the text or of the text around."""
    scores: defaultdict[str, float] = defaultdict(float)
    of_context = next(share for most, share in _OF_CONTEXT if len(meanings(text)) <= most)
    for part, share in ((text, 1.0), ("" if context == text else context, of_context)):
        words, pairs = _terms(part)
        named = map(_OF_SUBJECT.format, {*subjects, *subjects_of(part)} if part else ())
        for term in (*named, *words, *pairs, *dict.fromkeys(_phrases(part))):
            for card_id, value in load_index().get(term, {}).items():
                scores[card_id] += share * value
    for things_named, weight in ((things_of(text), _OF_THING), (things_of(context) - things_of(text), _OF_TOLD_THING)):
        for ids in map(cards_with, things_named):
            for card_id in ids & scores.keys():
                scores[card_id] += weight * _rarity(len(ids))
    return scores


def subjects_of(text: str) -> set[str]:
    """The subjects that a text names."""
    return {subject for subject, words in _subject_words().items() if words.search(plain(text))}


@cache
def _subject_words() -> dict[str, re.Pattern[str]]:
    return {
        subject: re.compile(rf"\b(?:{'|'.join(words)})\b".replace("*", r"\w*").replace(" ", "[ '-]"))
        for subject, words in SUBJECTS.items()
    }


def meanings(text: str, stemmers: Sequence[Stemmer] = (_FRENCH, _ENGLISH)) -> list[tuple[str, ...]]:
    """The words with a meaning, each as its group of synonyms or else by its stems."""
    words = [word for word in WORD.findall(plain(text)) if word not in STOP_WORDS and not word.isdecimal()]
    return [(group,) if (group := _group(word)) else tuple(stem(word) for stem in stemmers) for word in words]


def _terms(text: str, stemmers: Sequence[Stemmer] = (_FRENCH, _ENGLISH)) -> tuple[list[str], list[str]]:
    """The words with a meaning, and each two that follow."""
    terms = meanings(text, stemmers)
    pairs = dict.fromkeys(f"{first[0]} {second[0]}" for first, second in pairwise(terms))
    return list(dict.fromkeys(chain(*terms))), list(pairs)


def _phrases(text: str) -> list[str]:
    """Each two words that follow, also those without a meaning of their own, which tell who asks and what."""
    return ["+".join(pair) for pair in pairwise(WORD.findall(plain(text)))]


@lru_cache(20_000)
def _group(word: str) -> str:
    """The term of the word's synonyms; empty if it has none."""
    entry = _synonyms().at([word], 0)
    return f"group{entry[1]}" if entry else ""


@cache
def _synonyms() -> Phrases[int]:
    groups = enumerate(read_table("law/synonyms.toml")["groups"])
    return Phrases((word, number) for number, words in groups for word in words.split())


@cache
def load_index() -> Mapping[str, Mapping[str, float]]:
    """What each term adds to the score of each card that has it."""
    index: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    columns_by_card = {card.id: _columns(card) for card in load_cards().values()}
    for column, weight in _WEIGHTS.items():
        counts = {card_id: Counter(columns[column]) for card_id, columns in columns_by_card.items()}
        usual_length = sum(count.total() for count in counts.values()) / len(counts)
        card_counts = Counter(chain.from_iterable(counts.values()))
        for card_id, terms in counts.items():
            length = 1 - _OF_LENGTH + _OF_LENGTH * terms.total() / usual_length
            for term, count in terms.items():
                frequency = count * (1 + _SATURATION) / (count + _SATURATION * length)
                index[term][card_id] += weight * _rarity(card_counts[term]) * frequency
    return index


def _rarity(card_count: int) -> float:
    """How much a term tells that so many cards have."""
    return log(1 + (len(load_cards()) - card_count + 0.5) / (card_count + 0.5))


def _columns(card: Card) -> Mapping[str, Sequence[str]]:
    expressions = [*map(_terms, card.words)]
    french, english = _terms(card.says.fr, [_FRENCH]), _terms(card.says.en, [_ENGLISH])
    asks = _asks().get(card.id, ())
    return {
        "subjects": [*map(_OF_SUBJECT.format, card.subjects)],
        "words": [word for words, _ in expressions for word in words],
        "pairs": [*(pair for _, pairs in expressions for pair in pairs), *french[1], *english[1]],
        "says": [*french[0], *english[0]],
        "asked": [word for ask in asks for word in _terms(ask)[0]],
        "phrases": [phrase for text in (*asks, *card.words) for phrase in _phrases(text)],
    }


@cache
def _asks() -> Mapping[str, Sequence[str]]:
    """Messages of people that ask for each card. The last message of a card is left for the tests."""
    files = resources.files("assistant").joinpath("law/messages").iterdir()
    entries = (entry for file in files for entry in json.loads(file.read_text(encoding="utf-8")))
    asks = {entry["card"]: entry["finds"][:-1] for entry in entries}
    return asks | {
        card_id: [*asks.get(card_id, ()), *texts] for card_id, texts in read_table("law/asks_of_cards.toml").items()
    }
