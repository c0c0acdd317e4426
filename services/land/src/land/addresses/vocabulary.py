"""The words of a commune's street names: the weight of each, and those similar to a typed word."""

import math
from collections.abc import Mapping, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from land.addresses.normalise import STREET_TYPE_WORDS
from land.addresses.stored_streets import StoredStreets
from land.addresses.word_similarity import edit_similarity, phonetic_key
from land.addresses.words import MIN_FUZZY_LENGTH, STOP_WORDS, has_sound, is_number

MAX_SIMILAR_WORDS = 12
MIN_WORD_SIMILARITY = 0.57
"""Two errors in a word of five letters."""
_MIN_PLAIN_SIMILARITY = 0.58
"""The similarity by the unweighted edit distance, which selects the words to compare."""
MAX_REMEMBERED = 8
"""Typed words whose similar words are remembered: one query looks for the same words in several ways."""
_SAME_SOUND = 0.92
_SHORT_SAME_SOUND = 0.8
"""The similarity of words of two or three letters, which share their sound with many: "box" and "beaux"."""
_WITH_ARTICLE = 0.98
_ARTICLES = frozenset(("d", "l"))
"""Written without apostrophe: "lharmonie"."""
_TYPE_WEIGHT = 0.3
_STOP_WORD_WEIGHT = 0.02
_FREQUENT_WEIGHT = 0.3


class Vocabulary:
    """Immutable, except that it remembers what it computed."""

    def __init__(self, streets: StoredStreets) -> None:
        self._streets = streets
        self._weights = _Weights(streets)
        self._similar: dict[str, Mapping[str, float]] = {}

    def entries_with(self, word: str) -> Sequence[int]:
        """The entries whose name has the word."""
        at = self._streets.find_word(word)
        return () if at is None else self._streets.entries_with(at)

    def weight(self, word: str) -> float:
        """1 for a word of one name, less for frequent words, least for stop words."""
        return self._weights[word]

    def weights(self, name: Sequence[str]) -> list[float]:
        """The weights of the words of a name. A street type at its start has little."""
        weights = [*map(self._weights.__getitem__, name)]
        if name[0] in STREET_TYPE_WORDS:
            weights[0] = _TYPE_WEIGHT
        return weights

    def has_longer_word(self, start: str) -> bool:
        """Whether a word starts with this one and is longer."""
        return self._streets.has_longer_word(start)

    def similar_words(self, word: str) -> Mapping[str, float]:
        """Words of the commune that a typed word may stand for, with their similarity from 0 to 1."""
        similar = self._similar.get(word)
        if similar is None:
            if len(self._similar) >= MAX_REMEMBERED:
                self._similar.clear()
            similar = self._similar[word] = self._find_similar(word)
        return similar

    def _find_similar(self, word: str) -> Mapping[str, float]:
        similar = {word: 1.0} if self._streets.find_word(word) is not None else {}
        if word in STREET_TYPE_WORDS or is_number(word):
            return similar
        if len(word) < MIN_FUZZY_LENGTH:
            if has_sound(word):
                alike = self._streets.words_with_sound(phonetic_key(word))
                similar |= dict.fromkeys(alike, _SHORT_SAME_SOUND) | similar
            return similar
        near = process.extract(
            word,
            self._streets.words,
            scorer=OSA.normalized_similarity,
            score_cutoff=_MIN_PLAIN_SIMILARITY,
            limit=None,
        )
        fuzzy = [other for other, _, _ in near if len(other) >= MIN_FUZZY_LENGTH and not is_number(other)]
        for other in fuzzy[:MAX_SIMILAR_WORDS]:
            if (similarity := edit_similarity(word, other)) >= MIN_WORD_SIMILARITY:
                similar.setdefault(other, similarity)
        for other in self._streets.words_with_sound(phonetic_key(word)):
            similar[other] = max(similar.get(other, 0.0), _SAME_SOUND)
        if word[0] in _ARTICLES and self._streets.find_word(word[1:]) is not None:
            similar[word[1:]] = _WITH_ARTICLE
        return similar


class _Weights(dict[str, float]):
    """Computes the weight of a word at its first use."""

    def __init__(self, streets: StoredStreets) -> None:
        super().__init__()
        self._streets = streets

    def __missing__(self, word: str) -> float:
        weight = self[word] = _STOP_WORD_WEIGHT if word in STOP_WORDS else self._weigh(word)
        return weight

    def _weigh(self, word: str) -> float:
        at = self._streets.find_word(word)
        count = 0 if at is None else self._streets.count_with(at)
        if count <= 1:
            return 1.0
        rarity = 1 - math.log(count) / math.log(self._streets.entry_count + 1)
        return _FREQUENT_WEIGHT + (1 - _FREQUENT_WEIGHT) * rarity
