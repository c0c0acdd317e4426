"""The words of a commune's street names: the weight of each, and those similar to a typed word."""

import math
import re
from collections.abc import Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from land.addresses.word_similarity import edit_similarity, phonetic_key
from land.normalise import CODE_MARK, STREET_TYPE_WORDS

MAX_SIMILAR_WORDS = 12
MIN_WORD_SIMILARITY = 0.57
"""Two errors in a word of five letters."""
_MIN_PLAIN_SIMILARITY = 0.58
"""Of the unweighted edit distance, which selects the words to compare."""
MIN_FUZZY_LENGTH = 3
"""Shorter words are matched exactly or by sound: one error turns most of them into another word."""
_SAME_SOUND = 0.92
_SHORT_SAME_SOUND = 0.8
"""For words of two or three letters, which share their sound with many: "box" and "beaux"."""
_TYPE_WEIGHT = 0.3
_STOP_WORD_WEIGHT = 0.02
_FREQUENT_WEIGHT = 0.3
STOP_WORDS = frozenset(
    ("a", "au", "aux", "d", "de", "des", "dit", "du", "en", "et", "l", "la", "le", "les", "sous", "sur"),
)
CODE = re.compile(rf"[0-9]+[a-z]+[0-9]+|{CODE_MARK}[a-z]+")
"""Paris's codes for private streets on a lot, "162P21 Rue des Poissonniers", and for unnamed ones, "Voie Cx/18"."""


def is_number(word: str) -> bool:
    """Whether a word is a number or a code, which only matches itself. ("D0UDEAUVILLE", a scanning error, is not.)"""
    return word.isdigit() or CODE.fullmatch(word) is not None


class Vocabulary:
    """Immutable."""

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        self._name_count = len(names)
        self._weights: dict[int, float] = {}  # by number of names with the word
        by_word: dict[str, list[int]] = {}
        for position, words in enumerate(names):
            for word in set(words):
                by_word.setdefault(word, []).append(position)
        self.names_with = without_lists(by_word)
        """Positions of names by word."""
        self._by_sound: dict[str, list[str]] = {}
        for word in self.names_with:
            if len(word) > 1 and word not in STOP_WORDS:
                self._by_sound.setdefault(phonetic_key(word), []).append(word)
        self._long_words = [word for word in self.names_with if len(word) >= MIN_FUZZY_LENGTH and not is_number(word)]

    def weight(self, word: str, place: int = 1) -> float:
        """1 for a word of one name, less for frequent words, least for stop words and for a leading street type."""
        if word in STOP_WORDS:
            return _STOP_WORD_WEIGHT
        if place == 0 and word in STREET_TYPE_WORDS:
            return _TYPE_WEIGHT
        count = len(self.names_with.get(word, ()))
        if count <= 1:
            return 1.0
        if count not in self._weights:
            rarity = 1 - math.log(count) / math.log(self._name_count + 1)
            self._weights[count] = _FREQUENT_WEIGHT + (1 - _FREQUENT_WEIGHT) * rarity
        return self._weights[count]

    def similar_words(self, word: str) -> Mapping[str, float]:
        """Words of the commune that a typed word may stand for, with their similarity from 0 to 1."""
        similar = {word: 1.0} if word in self.names_with else {}
        if word in STREET_TYPE_WORDS or is_number(word):
            return similar
        if len(word) < MIN_FUZZY_LENGTH:
            if len(word) > 1 and word not in STOP_WORDS:
                similar |= dict.fromkeys(self._by_sound.get(phonetic_key(word), ()), _SHORT_SAME_SOUND) | similar
            return similar
        near = process.extract(
            word,
            self._long_words,
            scorer=OSA.normalized_similarity,
            score_cutoff=_MIN_PLAIN_SIMILARITY,
            limit=MAX_SIMILAR_WORDS,
        )
        for other, _, _ in near:
            if (similarity := edit_similarity(word, other)) >= MIN_WORD_SIMILARITY:
                similar.setdefault(other, similarity)
        for other in self._by_sound.get(phonetic_key(word), ()):
            similar[other] = max(similar.get(other, 0.0), _SAME_SOUND)
        return similar


def without_lists(positions: Mapping[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """The same with tuples: the garbage collector skips tuples of numbers and would traverse millions of lists."""
    return {key: tuple(found) for key, found in positions.items()}
