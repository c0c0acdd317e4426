"""Finds the cards that answer a text: by its object and kind of question, or else by full text over words and messages.

Words of a text and of the cards are compared without accents by groups of synonyms, or else by their French and English
stems. The full text is SQLite's FTS5 with its ranking (BM25), in memory.
"""

import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, pairwise
from typing import NamedTuple

from snowballstemmer import stemmer

from assistant.law.asks import answers_kind, asked, kinds_of, plain
from assistant.law.cards import SUBJECTS, Card, load_cards
from assistant.questions.intent_model import IntentModel
from assistant.questions.words import FUNCTION_WORDS, WORD
from assistant.reading.tokens import Phrases
from assistant.text import read_table
from servicekit.languages import Text

CANDIDATE_COUNT = 12
STOP_WORDS = FUNCTION_WORDS.union(read_table("law/stop_words.toml")["words"])
"""Words without a meaning of their own."""
Stemmer = Callable[[str], str]
_FRENCH, _ENGLISH = (lru_cache(20_000)(stemmer(language).stemWord) for language in ("french", "english"))
_WEIGHTS = {"subjects": 0.5, "words": 1.5, "pairs": 0.5, "says": 1.0, "asked": 1.0}
"""How much the score of each column counts. Fitted to messages about every second card."""
LEAST_SCORE = 44.0
"""A lower score finds no card."""
_LEAST_LEAD = 10.0
"""A card that leads over the third by less is one of many that are near."""
_OF_OTHER_KIND = 0.8
"""How much the score counts of a card that does not tell of the kind of question."""
_LEAST_PAIRS = 2
_CLOSE = 0.8
"""A second card with this share of the first one's score is in doubt with it."""
_SURE = 100.0
"""The score that a card of the object and kind of question has in addition."""
_LETTERS, _LEAST_EXAMPLES = (4,), 5
"""The features of the learned model. More of them take longer to fit and find no more."""
_OF_MODEL = 3.0
"""How much the score of the learned model counts beside full text."""
_OF_CONTEXT = 0.8
"""How much the text around counts."""


class Candidate(NamedTuple):
    card: Card
    score: float


def found(text: str, context: str = "", subjects: Collection[str] = ()) -> tuple[Card, ...]:
    """The cards that answer the text: those of its object and kind of question, or else the best by full text; two, the
    shortest first, if they are close. None if three are close, or if the text names no subject of the best. In full
    text, cards count less that do not tell of the kind of question.
    """
    if (sure := asked(text, context)) is not None:
        return sure.cards
    if len(_terms(f"{text} {context}")[1]) < _LEAST_PAIRS:  # two words with a meaning tell no card from the others
        return ()
    kinds, named = kinds_of(text), subjects_of(f"{text} {context}").union(subjects)
    scores = _in_context(_scores(text, subjects), text, context, subjects)
    for card_id in scores:
        scores[card_id] *= 1.0 if answers_kind(load_cards()[card_id], kinds) else _OF_OTHER_KIND
    best = _best(scores)
    if not best or best[0].score < LEAST_SCORE or named.isdisjoint(best[0].card.subjects):
        return ()
    if best[0].score - sum(item.score for item in best[2:3]) < _LEAST_LEAD:
        return ()
    cards = [item.card for item in best[:2] if item.score >= _CLOSE * best[0].score]
    return tuple(sorted(cards, key=lambda card: len(card.says.fr)))


def candidates(text: str, context: str = "", subjects: Collection[str] = ()) -> list[Candidate]:
    """The twelve best cards, best first. `context` is the text in which this one stands; `subjects` are those that are
    known besides what the text names.
    """
    scores = _in_context(_scores(text, subjects), text, context, subjects)
    if (sure := asked(text, context)) is not None:
        for card in sure.cards:
            scores[card.id] += _SURE
    return _best(scores)


def _best(scores: Mapping[str, float]) -> list[Candidate]:
    best = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:CANDIDATE_COUNT]
    return [Candidate(load_cards()[card_id], score) for card_id, score in best]


def _in_context(
    own_scores: defaultdict[str, float], text: str, context: str, subjects: Collection[str]
) -> defaultdict[str, float]:
    """The scores of the text with those of the text around."""
    scores = own_scores.copy()
    if context and context != text:
        for card_id, score in _scores(context, subjects).items():
            scores[card_id] += _OF_CONTEXT * score
    return scores


def whom_to_ask(text: str) -> Text | None:
    """Whom most cards about the subjects of the text name; None if it names no subject."""
    subjects = subjects_of(text)
    whom = Counter(card.whom for card in load_cards().values() if not subjects.isdisjoint(card.subjects))
    return whom.most_common(1)[0][0] if whom else None


def _scores(text: str, subjects: Collection[str]) -> defaultdict[str, float]:
    """The score of each card that has a word or a subject of the text."""
    words, pairs = _terms(text)
    terms = {"subjects": [*map(_term, {*subjects, *subjects_of(text)})], "words": words, "pairs": pairs}
    scores: defaultdict[str, float] = defaultdict(float)
    for column, weight in _WEIGHTS.items():
        if column_terms := terms.get(column, words):
            query = f"{column} : ({' OR '.join(sorted(column_terms))})"
            for card_id, rank in load_index().execute(_SEARCH, (query,)):
                scores[card_id] -= weight * rank  # FTS5 ranks are negative
    for card_id, value in load_ask_model().guess(plain(text)).scores.items():
        scores[card_id] += _OF_MODEL * value
    return scores


def subjects_of(text: str) -> set[str]:
    """The subjects that a text names."""
    words_of_text = plain(text)
    return {subject for subject, words in _subject_words().items() if words.search(words_of_text)}


@cache
def _subject_words() -> dict[str, re.Pattern[str]]:
    return {
        subject: re.compile(rf"\b(?:{'|'.join(words)})\b".replace("*", r"\w*")) for subject, words in SUBJECTS.items()
    }


def _terms(text: str, stemmers: Sequence[Stemmer] = (_FRENCH, _ENGLISH)) -> tuple[list[str], list[str]]:
    """The words with a meaning, each as its group of synonyms or else by its stems; and each two that follow."""
    words = [word for word in WORD.findall(plain(text)) if word not in STOP_WORDS and not word.isdecimal()]
    terms = [[group] if (group := _group(word)) else [stem(word) for stem in stemmers] for word in words]
    pairs = (first[0] + second[0] for first, second in pairwise(terms))
    return list(dict.fromkeys(chain(*terms))), list(dict.fromkeys(pairs))


@lru_cache(20_000)
def _group(word: str) -> str:
    """The term of the word's synonyms; empty if it has none."""
    entry = _synonyms().at([word], 0)
    return f"group{entry[1]}" if entry else ""


@cache
def _synonyms() -> Phrases[int]:
    groups = enumerate(read_table("law/synonyms.toml")["groups"])
    return Phrases((word, number) for number, words in groups for word in words.split())


def _term(subject: str) -> str:
    """The word that stands for a subject in the index."""
    return f"subject{subject.replace('_', '')}"


_SEARCH = "SELECT id, rank FROM cards WHERE cards MATCH ?"


@cache
def load_index() -> sqlite3.Connection:
    """The full-text index over all cards. SQLite serializes its use by several threads."""
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(f"CREATE VIRTUAL TABLE cards USING fts5(id UNINDEXED, {', '.join(_WEIGHTS)})")
    index.executemany("INSERT INTO cards VALUES (?, ?, ?, ?, ?, ?)", map(_row, load_cards().values()))
    return index


def _row(card: Card) -> tuple[str, ...]:
    expressions = [*map(_terms, card.words)]
    french, english = _terms(card.says.fr, [_FRENCH]), _terms(card.says.en, [_ENGLISH])
    pairs = (*(pair for _, pairs in expressions for pair in pairs), *french[1], *english[1])
    words = (word for words, _ in expressions for word in words)
    asked = (word for ask in _asks_of(card.id) for word in _terms(ask)[0])
    columns = (map(_term, card.subjects), words, pairs, (*french[0], *english[0]), asked)
    return card.id, *map(" ".join, columns)


def _asks_of(card_id: str) -> Sequence[str]:
    return (*_messages().get(card_id, ()), *_written_asks().get(card_id, ()))


@cache
def _written_asks() -> Mapping[str, Sequence[str]]:
    return read_table("law/asks_of_cards.toml")


@cache
def load_ask_model() -> IntentModel:
    """The learned model of which card a text asks for. It is fitted once, in some seconds."""
    texts = (
        (plain(text), card.id)
        for card in load_cards().values()
        for text in (*card.words, *_asks_of(card.id), *card.says)
    )
    return IntentModel([*texts], _LETTERS, _LEAST_EXAMPLES)


@cache
def _messages() -> Mapping[str, Sequence[str]]:
    """Messages of people that ask for each card. The last one of a card is left for the tests."""
    files = resources.files("assistant").joinpath("law/messages").iterdir()
    entries = (entry for file in files for entry in json.loads(file.read_text(encoding="utf-8")))
    return {entry["card"]: entry["finds"][:-1] for entry in entries}
