"""Finds the cards that answer an ask, by weights that are fitted to messages of people: `make law-weights`.

Each feature of a text has a weight for each card: words by groups of synonyms or else by their French and English
stems, two words that follow, and what the text names. A card is found if it leads far over those about anything else.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, islice, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from snowballstemmer import stemmer

from assistant.law.asks import MOST_CARDS, decisive, kinds_of, plain, things_of
from assistant.law.cards import SUBJECTS, Card, load_cards
from assistant.questions.words import FUNCTION_WORDS, WORD
from assistant.reading.tokens import Phrases
from assistant.text import read_table
from servicekit.languages import Text

CANDIDATE_COUNT, _NEAREST = 12, 4
STOP_WORDS = FUNCTION_WORDS.union(read_table("law/stop_words.toml")["words"])
"""Words without a meaning of their own."""
Stemmer = Callable[[str], str]
Scores = npt.NDArray[np.float64]
_FRENCH, _ENGLISH = (lru_cache(20_000)(stemmer(language).stemWord) for language in ("french", "english"))
_STEMMERS = (_FRENCH, _ENGLISH)
LEAST_LEAD, SURE_LEAD, CERTAIN_LEAD = 7.1, 12.0, 17.0
"""The least lead of the first card over the best about something else, that of a card which facts of the land do not
keep away, and that which leaves no doubt. A text that hardly names anything needs the second. Of asks that nothing was
fitted to, 3 % get a wrong card without doubt by the third, 4 % by the second.
"""
_LEAST_OF_NAMED = 3.0
"""The least lead of a card that what decides the ask names."""
_OTHERS = 5
"""The lead is the one over the mean of so many."""
_BESIDE = 0.65
"""A second card has a subject of the first, and at least this share of its score."""
_AROUND, _MOST_AHEAD, _BOTH = 2.0, 7.0, 0.1
"""The weight of the score of the text around, the most by which that score may exceed the ask's own, and the weight of
their product. The text around names the matter; the ask names one side of it.
"""
_ALONE = 1.4
"""How much a text counts that stands alone, so that its leads are as those of an ask with the text around it."""
_NAMING_WORDS = 2
"""A text with fewer known words with a meaning hardly names what it asks."""
_MOST_REMEMBERED = 64
"""So many texts are remembered with their scores: the text around is the same for all asks of a message."""


class Candidate(NamedTuple):
    card: Card
    score: float


class Weights(NamedTuple):
    """What each feature adds to the score of cards."""

    cards: tuple[str, ...]
    rows: Mapping[str, int]
    starts: npt.NDArray[np.uint32]
    """Where the weights of each row start, and the end of the last."""
    columns: npt.NDArray[np.uint16]
    """The card of each weight."""
    values: npt.NDArray[np.int8]


class Found(NamedTuple):
    cards: tuple[Card, ...] = ()
    is_sure: bool = False
    is_doubtful: bool = False
    """The cards may be about something else."""


def found(text: str, context: str = "", subjects: Collection[str] = ()) -> Found:
    """The one or two cards that answer the text, if it names something and the first leads far over those about
    anything else. `context` is the text in which this one stands; `subjects` are those that are known besides what it
    names.
    """
    deciding, hidden = decisive(text, context)
    best = [
        item
        for item in _ranked(text, context, subjects)
        if item.card.id not in hidden and not any(entry.refuses(item.card) for entry in deciding)
    ]
    if not best:
        return Found()
    subjects_of_first = set(best[0].card.subjects)
    others = (item.score for item in best if subjects_of_first.isdisjoint(item.card.subjects))
    lead = best[0].score - sum(islice(others, _OTHERS)) / _OTHERS
    names = {terms for terms in (*meanings(text), *meanings(context)) if len(terms[0]) > 1}
    # A text in another language has few known words.
    known_count = sum(not load_weights().rows.keys().isdisjoint(terms) for terms in names)
    least = LEAST_LEAD if known_count >= _NAMING_WORDS else SURE_LEAD
    is_named = any(entry.names(best[0].card) for entry in deciding)
    if lead < (_LEAST_OF_NAMED if is_named else least) or known_count <= len(names) / 2:
        return Found()
    beside = (
        item
        for item in best[1:MOST_CARDS]
        if not subjects_of_first.isdisjoint(item.card.subjects) and item.score >= _BESIDE * best[0].score
    )
    return Found((best[0].card, *(item.card for item in beside)), lead >= SURE_LEAD, lead < CERTAIN_LEAD)


@lru_cache(_MOST_REMEMBERED)
def names_law(text: str) -> bool:
    """Whether cards surely answer the text by its own words."""
    return found(text).is_sure


def candidates(text: str, context: str = "", subjects: Collection[str] = ()) -> list[Candidate]:
    """The twelve best cards, best first, also those that are far from an answer."""
    return _ranked(text, context, subjects)[:CANDIDATE_COUNT]


def _ranked(text: str, context: str, subjects: Collection[str]) -> list[Candidate]:
    scores = _scores(text, frozenset(subjects))
    if context.strip(" .,;") not in text:
        around = _scores(context, frozenset(subjects))
        own = scores.clip(0)
        scores = scores + _AROUND * np.minimum(around, own + _MOST_AHEAD) + _BOTH * own * around.clip(0)
    else:
        scores = _ALONE * scores
    ids = load_weights().cards
    return [Candidate(load_cards()[ids[i]], float(scores[i])) for i in np.argsort(-scores, kind="stable")]


@lru_cache(_MOST_REMEMBERED)
def _scores(text: str, subjects: frozenset[str]) -> Scores:
    """The score of each card, in standard deviations from the mean of all; zeros for a text without a known feature."""
    weights = load_weights()
    names = features(text) | {f"subject:{subject}" for subject in subjects}
    rows = sorted(weights.rows[name] for name in names if name in weights.rows)
    places = [slice(weights.starts[row], weights.starts[row + 1]) for row in rows]
    if not places:
        return np.zeros(len(weights.cards))
    columns = np.concatenate([weights.columns[place] for place in places])
    values = np.concatenate([weights.values[place] for place in places])
    sums = np.bincount(columns, values, len(weights.cards))
    return np.asarray((sums - sums.mean()) / (sums.std() or 1.0))


def features(text: str) -> set[str]:
    """What a text has that may tell which card answers it."""
    terms, words = meanings(text), WORD.findall(plain(text))
    return {
        *chain.from_iterable(terms),
        *(f"{first[0]} {second[0]}" for first, second in pairwise(terms)),
        *("+".join(pair) for pair in pairwise(words)),
        *(f"word:{_FRENCH(word)}" for word in words if word in STOP_WORDS),
        *(f"thing:{thing}" for thing in things_of(text)),
        *(f"subject:{subject}" for subject in subjects_of(text)),
        *(f"kind:{kind}" for kind in kinds_of(text)),
    }


@cache
def load_weights() -> Weights:
    """Reads the weights once. They have no sense for other cards than those that they were fitted for."""
    with resources.files("assistant").joinpath("law/weights.npz").open("rb") as file, np.load(file) as stored:
        names = stored["features"].tobytes().decode().split("\n")
        ids = stored["cards"].tobytes().decode().split("\n")
        rows = {name: row for row, name in enumerate(names)}
        return Weights(tuple(ids), rows, stored["starts"], stored["columns"], stored["values"])


def whom_to_ask(text: str, context: str = "") -> Text | None:
    """Whom the cards that are nearest to the text name, or to the text around; None if neither names a subject."""
    if not subjects_of(text):
        return whom_to_ask(f"{context} {text}") if subjects_of(context) else None
    whom: dict[Text, float] = {}
    for candidate in candidates(text)[:_NEAREST]:
        whom[candidate.card.whom] = whom.get(candidate.card.whom, 0.0) + candidate.score
    return max(whom, key=lambda name: whom[name], default=None)


def subjects_of(text: str) -> set[str]:
    """The subjects that a text names."""
    ask = plain(text)
    return {subject for subject, words in _subject_words().items() if words.search(ask)}


@cache
def _subject_words() -> dict[str, re.Pattern[str]]:
    return {
        subject: re.compile(rf"\b(?:{'|'.join(words)})\b".replace("*", r"\w*").replace(" ", "[ '-]"))
        for subject, words in SUBJECTS.items()
    }


@lru_cache(_MOST_REMEMBERED)
def meanings(text: str) -> tuple[tuple[str, ...], ...]:
    """The words with a meaning, each as its group of synonyms or else by its stems."""
    words = [word for word in WORD.findall(plain(text)) if word not in STOP_WORDS and not word.isdecimal()]
    return tuple((group,) if (group := _group(word)) else tuple(stem(word) for stem in _STEMMERS) for word in words)


@lru_cache(20_000)
def _group(word: str) -> str:
    """The term of the word's synonyms; empty if it has none."""
    entry = _synonyms().at([word], 0)
    return f"group{entry[1]}" if entry else ""


@cache
def _synonyms() -> Phrases[int]:
    groups = enumerate(read_table("law/synonyms.toml")["groups"])
    return Phrases((word, number) for number, words in groups for word in words.split())
