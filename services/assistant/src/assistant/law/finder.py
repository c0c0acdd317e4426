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

from assistant.law.asks import MOST_CARDS, asked, decisive, plain
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
LEAST_SCORE = 34.0
"""A lower score finds no card."""
_LEAST_SUPPORT, _LEAST_SUPPORT_OF_SECOND, LEAST_SHARED = (0.8, 0.6, 0.5), 0.4, 0.3
"""A card of the object and kind of question with less of the best score (by the conditions of its entry), or of what
the text names, was found by a word with another meaning.
"""
_LEAST_COVERAGE = 0.55
"""A card that has less of what the text names is only near. Fitted to messages whose right card was left out."""
_MOST_RARITY = 4.5
"""How much a word counts at most for what a card must have: one that no card has may be a name or an error."""
_LEAST_LEAD = 4.0
"""A card that leads over the third by less is one of many that are near."""
_GOOD_SCORE, _HIGH_SCORE = 44.0, 60.0
"""A card with the first score needs no coverage, since a long text names much else. One with the second needs none of
the subjects that the text names.
"""
_MOST_OF_OTHERS, _LEAST_COVERAGE_OF_DOMINANT, _LEAST_DOMINANT, _LEAST_OWN_OF_DOMINANT = 0.73, 0.55, (28.0, 42.0), 0.1
"""A card dominates if the next about something else has at most this share of its score. It needs this coverage and the
first score, or the second score and, beside a text around, a little of what the text itself names.
"""
_NAMING_WORDS, _LEAST_OWN = 2, 0.35
"""A text with so many words with a meaning names what it asks: a card that has less of that answers something that is
told around it.
"""
_LEAST_WORDS = 5
"""A text with fewer words with a meaning is not clear without the text around."""
_CLOSE = 0.7
"""A second card with this share of the first one's score, and one of its subjects, is in doubt with it."""
_OF_CONTEXT = ((3, 1.0), (6, 0.7), (inf, 0.45))
"""How much the text around counts for an ask of at most so many words with a meaning."""
_OF_SUBJECT = "subject {}"
"""The word that stands for a subject in the index."""


class Candidate(NamedTuple):
    card: Card
    score: float


def found(
    text: str, context: str = "", subjects: Collection[str] = (), given: Collection[Card] = ()
) -> tuple[Card, ...]:
    """The cards that answer the text: those of its object and kind of question, if full text supports them, with the
    best by full text if that has more of what the text names. Where there are none, the best by full text, or two that
    are close.

    There is none if three are close, if the text names no subject of the best card, if that card has too little of what
    the text names, or if it answers another case than the one that decides the ask.

    `given` are the cards that answer other asks of the text. Of the cards of the object and kind of question, they
    count only if there is no other, and full text adds none of them.
    """
    deciding = decisive(text, context)
    scores = _scores(text, context, subjects)
    best = [item for item in _best(scores) if not any(decides.refuses(item.card) for decides in deciding)]
    if not best:
        return ()
    if (sure := asked(text, context)) and sure.cards:
        support = {card.id: scores.get(card.id, 0.0) / best[0].score for card in sure.cards}
        sure_cards = [card for card in sure.cards if card not in given] or [*sure.cards]
        if len(sure_cards) > MOST_CARDS:  # several entries are met
            sure_cards = sorted(sure_cards, key=lambda card: -support[card.id])[:MOST_CARDS]
        first = max(sure_cards, key=lambda card: support[card.id])
        conditions = min(sure.condition_count, len(_LEAST_SUPPORT))
        is_shared = first == best[0].card or _coverage(text, first) >= LEAST_SHARED
        is_decided = any(decides.names(first) for decides in deciding)
        is_supported = support[first.id] >= _LEAST_SUPPORT[conditions - 1] and (
            is_shared or conditions == len(_LEAST_SUPPORT)
        )
        if cards := tuple(
            card
            for card in sure_cards
            if (card == first and conditions > 1 and is_decided)
            or (is_supported and support[card.id] >= _LEAST_SUPPORT_OF_SECOND)
        ):
            by_text = _best_by_text(best, text, context, subjects)[:1] if len(cards) == 1 else ()
            is_nearer = bool(by_text) and _coverage(text, *by_text) > _coverage(text, *cards)
            return (*cards, *(card for card in by_text if is_nearer and card not in given))
    return _best_by_text(best, text, context, subjects)


def _best_by_text(best: Sequence[Candidate], text: str, context: str, subjects: Collection[str]) -> tuple[Card, ...]:
    """The best one or two of the candidates, if the text names hardly anything that they lack."""
    first, score = best[0]
    third = sum(item.score for item in best[2:3])
    is_pair = any(not set(first.subjects).isdisjoint(item.card.subjects) for item in best[1:2])
    of_others = third if is_pair else sum(item.score for item in best[1:2])
    own = own_share(text, first)
    share = _coverage(text if len(meanings(text)) >= _LEAST_WORDS else f"{text} {context}", first)
    is_about_it = not subjects_of(f"{text} {context}").union(subjects).isdisjoint(first.subjects)
    is_dominant = of_others <= _MOST_OF_OTHERS * score and (
        (score >= _LEAST_DOMINANT[0] and share >= _LEAST_COVERAGE_OF_DOMINANT and own >= _LEAST_OWN)
        or (score >= _LEAST_DOMINANT[1] and not own < (_LEAST_OWN_OF_DOMINANT if context else _LEAST_OWN))
    )
    is_far = score < _GOOD_SCORE and share < _LEAST_COVERAGE
    if not is_dominant and (score < LEAST_SCORE or score - third < _LEAST_LEAD or own < _LEAST_OWN or is_far):
        return ()
    if score < _HIGH_SCORE and not is_about_it:
        return ()
    second = (item.card for item in best[1:2] if item.score >= _CLOSE * score)
    return (first, *(card for card in second if not set(first.subjects).isdisjoint(card.subjects)))


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


def _best(scores: Mapping[str, float]) -> list[Candidate]:
    best = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:CANDIDATE_COUNT]
    return [Candidate(load_cards()[card_id], score) for card_id, score in best]


def whom_to_ask(text: str) -> Text | None:
    """Whom the cards that are nearest to the text name; None if it names no subject."""
    whom: defaultdict[Text, float] = defaultdict(float)
    for candidate in candidates(text)[:_NEAREST] if subjects_of(text) else ():
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
