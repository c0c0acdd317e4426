"""The index of a commune's streets, which finds exact and similar names.

Similar names are found by their words in any order: each typed word matches exactly, with errors, by sound or as an
initial. Rare words have more weight. Joined names are compared as well, to match words with missing or added spaces.
"""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz, process

from land.addresses.name_similarity import NameSimilarity, TypedName, compare, compare_joined, local_name, typed_name
from land.addresses.normalise import STREET_TYPE_WORDS, WRITTEN_NUMBERS
from land.addresses.stored_streets import StoredStreets
from land.addresses.vocabulary import Vocabulary
from land.addresses.word_similarity import corrected_type
from land.addresses.words import digits
from land.datasets.addresses.records import Street

MAX_TYPED_WORDS = 20
"""Longer than any street name; each word is compared with thousands."""
MAX_COMPARED = 24
MAX_STREETS = 8
MIN_MATCHED_SHARE = 0.5
"""Share of the greatest weight of matched words of a street: streets with less are not compared."""
MIN_RUN = 4
"""The letters of a name that is found inside a text."""
MIN_JOINED_PERCENT = 88.0


_GLUED_TYPE = re.compile(rf"({'|'.join(sorted(STREET_TYPE_WORDS, reverse=True))})([a-z]{{4,}})$")
""" "rueclichy", a street type without the space after it."""


class StreetIndex:
    """Immutable."""

    def __init__(self, streets: StoredStreets) -> None:
        self._streets = streets
        self._vocabulary = Vocabulary(streets)

    def __len__(self) -> int:
        """The number of names."""
        return self._streets.entry_count

    def find_exact(self, name: str) -> list[Street]:
        """Streets with exactly this canonical name."""
        streets = self._streets
        entries = streets.entries_of(name)
        return [streets.street(streets.place_of(entry)) for entry in entries] if entries else []

    def has_whole(self, joined_name: str) -> bool:
        """Whether these are all letters of a name, except those of its type and its stop words."""
        return joined_name in self._streets.joined_names

    def find_runs(self, first: Sequence[str], later: Sequence[str], most_words: int) -> Iterator[tuple[int, int, str]]:
        """Names in a text: start, end and name, each the longest from its start and in no other. `first` and `later`
        have the canonical form of each word at the start of a name and inside it.
        """
        streets = self._streets
        has_later = [all(streets.find_word(part) is not None for part in word.split()) for word in later]
        covered = 0
        for start, name in enumerate(first):
            longest = 0
            for end in range(start + 1, min(len(first), start + most_words) + 1):
                if end > start + 1:
                    if not has_later[end - 1]:
                        break
                    name = f"{name} {later[end - 1]}"  # noqa: PLW2901 (grows with its end)
                if len(name) >= MIN_RUN and not name.isdigit() and streets.entries_of(name):
                    longest, published = end, name
            if longest > covered:
                covered = longest
                yield start, longest, published

    def find_joined(self, letters: str, least: int) -> Iterator[tuple[str, int]]:
        """Names whose joined letters are in a text, with their place in it, the longest first."""
        for name in sorted(self._streets.names, key=len, reverse=True):
            if len(joined := name.replace(" ", "")) >= least and (at := letters.find(joined)) >= 0:
                yield name, at

    def find_similar(self, name: str) -> list[tuple[NameSimilarity, Street]]:
        """Returns at most MAX_STREETS streets with a name similar to this canonical one, the most similar first."""
        typed = typed_name(name)
        if len(typed.words) > MAX_TYPED_WORDS:
            return []
        best: dict[int, NameSimilarity] = {}
        for corrected in self._with_corrected_type(typed):
            for entry, similarity in self._compare(corrected).items():
                place = self._streets.place_of(entry)
                if place not in best or similarity.similarity > best[place].similarity:
                    best[place] = similarity
        likely = sorted((-similarity.similarity, place) for place, similarity in best.items())[:MAX_STREETS]
        return [(best[place], self._streets.street(place)) for _, place in likely]

    def _with_corrected_type(self, typed: TypedName) -> Iterator[TypedName]:
        """The typed name, then the name with a misspelled or glued type corrected: "avneue de clichy", "rueclichy"."""
        yield typed
        words = typed.words
        if words and self._streets.find_word(words[0]) is None:
            if len(words) > 1 and (kind := corrected_type(words[0])):
                yield typed_name(" ".join([kind, *words[1:]]))
            if glued := _GLUED_TYPE.match(words[0]):
                yield typed_name(" ".join([*glued.groups(), *words[1:]]))

    def _compare(self, typed: TypedName) -> dict[int, NameSimilarity]:
        """Similarities by entry, of the entries that share the most weight with the typed name."""
        if not typed.content:  # "rue de la" matches any street
            return {}
        similarities = {}
        local, weights = local_name(typed, self._vocabulary), self._vocabulary.weights
        matched = self._matched_weights(typed) if local.least_name_ratio <= 1.0 else {}
        for entry in self._likely(matched):
            name = self._streets.names[entry].split()
            name_weights = weights(name)
            if matched[entry] + local.uncounted < local.least_name_ratio * sum(name_weights):
                continue  # too much of the name has no match
            if similarity := compare(local, name, name_weights):
                similarities[entry] = similarity
        for entry, similarity in self._compare_joined(typed):
            if entry not in similarities or similarity.similarity > similarities[entry].similarity:
                similarities[entry] = similarity
        return similarities

    def _matched_weights(self, typed: TypedName) -> dict[int, float]:
        """The weight of the matching words of each entry."""
        matched: dict[int, float] = {}
        for word in typed.content:
            for other, similarity in self._vocabulary.similar_words(word).items():
                weight = similarity * self._vocabulary.weight(other)
                for entry in self._vocabulary.entries_with(other):
                    matched[entry] = matched.get(entry, 0.0) + weight
        if typed.is_type_only:
            [head] = typed.words
            starting = [entry for entry in matched if f"{self._streets.names[entry]} ".startswith(f"{head} ")]
            for entry in starting:
                del matched[entry]
        return matched

    def _likely(self, matched: dict[int, float]) -> list[int]:
        """The entries to compare: those with the greatest weight, and of equal ones the shortest names."""
        least = MIN_MATCHED_SHARE * max(matched.values(), default=0.0)
        likely = [entry for entry, weight in matched.items() if weight >= least]
        if len(likely) <= MAX_COMPARED:
            return likely
        likely.sort(key=matched.__getitem__, reverse=True)
        last = matched[likely[MAX_COMPARED - 1]]
        greater = [entry for entry in likely if matched[entry] > last]
        equal = [entry for entry in likely if matched[entry] == last]
        return [*greater, *sorted(equal)[: MAX_COMPARED - len(greater)]]

    def _compare_joined(self, typed: TypedName) -> Iterator[tuple[int, NameSimilarity]]:
        """Entries whose joined name is almost the typed one, with the same digits."""
        matches = process.extract(
            typed.joined,
            self._streets.joined_names,
            scorer=fuzz.ratio,
            limit=MAX_COMPARED,
            score_cutoff=MIN_JOINED_PERCENT,
        )
        for _, percent, entry in matches:
            name = self._streets.names[entry]
            words = name.split()
            similarity = compare_joined(typed, words, float(percent)) if digits(words) == typed.digits else None
            if similarity and _may_be_joined(typed, typed_name(name), similarity.edits):
                yield int(entry), similarity


def _may_be_joined(typed: TypedName, name: TypedName, edits: int) -> bool:
    """Whether two names may differ in their spaces. Names with as many words are also compared word by word, unless
    numbers are in letters. So at most one letter differs, and no first one is replaced: "Yann Le Gall" is neither
    "Anne Le Gall" nor "Lann-gall".
    """
    if len(typed.content) != len(name.content) or not WRITTEN_NUMBERS.keys().isdisjoint(name.content):
        return True
    is_start_equal = [word[0] for word in typed.content] == [word[0] for word in name.content]
    return edits == 0 or (edits == 1 and (is_start_equal or len(typed.joined) != len(name.joined)))
