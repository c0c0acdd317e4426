"""The index of a commune's streets, which finds exact and similar names.

Similar names are found by their words in any order: each typed word matches exactly, with errors, by sound or as an
initial. Rare words have more weight. Joined names are compared as well, to match words with missing or added spaces.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from sys import intern

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from land.addresses.name_similarity import (
    NameSimilarity,
    TypedName,
    compare,
    compare_joined,
    digits,
    joined,
    typed_name,
)
from land.addresses.vocabulary import MIN_FUZZY_LENGTH, STOP_WORDS, Vocabulary, without_lists
from land.addresses.word_similarity import edit_similarity
from land.normalise import STREET_TYPE_WORDS
from land.records.addresses import Street

MAX_TYPED_WORDS = 20
"""Longer than any street name; each word is compared with thousands."""
MAX_COMPARED = 24
MIN_MATCHED_SHARE = 0.5
"""Of the greatest weight of matched words of a street: streets with less are not compared."""
MIN_TYPE_SIMILARITY = 0.65
"""One error in a word of three letters."""
MIN_JOINED_PERCENT = 88.0
_SORTED_TYPES = sorted(STREET_TYPE_WORDS)


class StreetIndex:
    """Immutable. Each name of a street is a separate entry.

    The index of similar names takes four times as long to build as the exact index. It is built at its first use:
    most communes of a postcode never need it.
    """

    def __init__(self, streets: Sequence[Street]) -> None:
        self._streets = [street for street in streets for _ in street.search_names]
        self._names = [name for street in streets for name in street.search_names]
        exact: dict[str, list[int]] = {}
        for index, name in enumerate(self._names):
            exact.setdefault(name, []).append(index)
        self._exact = without_lists(exact)

    def __len__(self) -> int:
        return len(self._names)

    def find_exact(self, name: str) -> list[Street]:
        """Streets with exactly this canonical name."""
        return [self._streets[index] for index in self._exact.get(name, ())]

    def find_similar(self, name: str) -> list[tuple[NameSimilarity, Street]]:
        """Streets with a name similar to this canonical one, each once, the most similar first."""
        return self._similar.find(name)

    @cached_property
    def _similar(self) -> "_SimilarNames":
        return _SimilarNames(self._streets, self._names)


class _SimilarNames:
    """Words are interned: communes share them, and the cache holds hundreds of thousands of names."""

    def __init__(self, streets: Sequence[Street], names: Sequence[str]) -> None:
        self._streets = streets
        self._names = [tuple(map(intern, name.split())) for name in names]
        self._joined = [joined(words) for words in self._names]
        self._vocabulary = Vocabulary(self._names)

    def find(self, name: str) -> list[tuple[NameSimilarity, Street]]:
        typed = name.split()
        if len(typed) > MAX_TYPED_WORDS:
            return []
        best: dict[str, tuple[NameSimilarity, Street]] = {}
        for words in self._with_corrected_type(typed):
            for index, similarity in self._compare(typed_name(words, self._vocabulary)).items():
                street = self._streets[index]
                if street.id not in best or similarity.similarity > best[street.id][0].similarity:
                    best[street.id] = (similarity, street)
        return sorted(best.values(), key=lambda item: (-item[0].similarity, item[1].id))

    def _with_corrected_type(self, typed: Sequence[str]) -> Iterator[Sequence[str]]:
        """The typed name, then the name with a misspelled street type corrected: "avneue de clichy"."""
        yield typed
        if len(typed) > 1 and len(typed[0]) >= MIN_FUZZY_LENGTH and typed[0] not in self._vocabulary.names_with:
            near = process.extractOne(typed[0], _SORTED_TYPES, scorer=OSA.normalized_similarity)
            if near and edit_similarity(typed[0], near[0]) >= MIN_TYPE_SIMILARITY:
                yield [near[0], *typed[1:]]

    def _compare(self, typed: TypedName) -> dict[int, NameSimilarity]:
        """Similarities by entry, of the entries that share the most weight with the typed name."""
        words = typed.words
        head = words[0] if words and words[0] in STREET_TYPE_WORDS else ""
        content = {word for word in words if word != head and word not in STOP_WORDS}
        is_type_only = list(words) == [head]
        if is_type_only:  # "sentier" may be "Rue du Sentier"
            content = {head}
        if not content:  # "rue de la" matches any street
            return {}
        matched: dict[int, float] = {}
        for word in sorted(content):
            for other, similarity in typed.similar[word].items():
                weight = similarity * self._vocabulary.weight(other)
                for index in self._vocabulary.names_with[other]:
                    if is_type_only and self._names[index][0] == head:
                        continue
                    matched[index] = matched.get(index, 0.0) + weight
        least = MIN_MATCHED_SHARE * max(matched.values(), default=0.0)
        likely = [index for index, weight in matched.items() if weight >= least]
        likely.sort(key=lambda index: (-matched[index], len(self._names[index]), index))
        found = {index: compare(typed, self._names[index], self._vocabulary) for index in likely[:MAX_COMPARED]}
        for index, name_similarity in self._compare_joined(typed):
            if index not in found or name_similarity.similarity > found[index].similarity:
                found[index] = name_similarity
        return found

    def _compare_joined(self, typed: TypedName) -> Iterator[tuple[int, NameSimilarity]]:
        """Entries whose joined name is almost the typed one, with the same digits."""
        matches = process.extract(
            joined(typed.words), self._joined, scorer=fuzz.ratio, limit=MAX_COMPARED, score_cutoff=MIN_JOINED_PERCENT
        )
        typed_digits = digits(typed.words)
        for _, percent, index in matches:
            if digits(self._names[index]) == typed_digits:
                yield int(index), compare_joined(typed, self._names[index], float(percent))
