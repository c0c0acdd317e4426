"""The streets of a commune in the form that the search reads. A load writes it, so that no request prepares streets.

The form has texts, split into lines, and numbers of 4 bytes. A request decodes only the parts that it needs. An exact
name needs the names. A similar name also needs the words. Each street that is found needs its record.
"""

import json
import struct
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from typing import Literal
from zlib import crc32

from land.addresses.word_similarity import phonetic_key
from land.addresses.words import has_sound, joined
from land.datasets.addresses.records import NamedStreet, Street
from land.datasets.grouping import grouped

FORM_VERSION = 1
"""The store keeps it with each form. Increase it when the bytes of a form change, also because names are joined or
words sound otherwise. A form of another version is never read: it is made again from the rows of the streets.
"""
_HEADER = struct.Struct("<10I")
"""The numbers of entries, streets and words; then the sizes of the sections in bytes."""
_KEY_SHIFT = 32
_ENTRY = 2**_KEY_SHIFT - 1
_SILENT = "-"
"""The sound of words that are not found by their sound. No sound has this character."""
_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def encode(streets: Sequence[NamedStreet]) -> bytes:
    """The form of a commune's streets."""
    streets = sorted(streets, key=lambda named: named.street.id)
    entries = [(name, place) for place, named in enumerate(streets) for name in named.search_names]
    entries.sort(key=lambda entry: entry[0].count(" "))
    names = [name.split() for name, _ in entries]
    entries_with = grouped((word, entry) for entry, words in enumerate(names) for word in set(words))
    words = sorted(entries_with)
    records = [_to_json(named.street[1:]).encode() for named in streets]
    numbers = (
        [place for _, place in entries],
        accumulate((len(record) for record in records), initial=0),
        accumulate((len(entries_with[word]) for word in words), initial=0),
        chain.from_iterable(entries_with[word] for word in words),
    )
    sections = (
        *map(_lines, ([name for name, _ in entries], map(joined, names), words)),
        _lines([phonetic_key(word) if has_sound(word) else _SILENT for word in words]),
        b"".join(records),
        array("I", chain(*numbers)).tobytes(),
        array("Q", sorted(_key(name) + entry for entry, (name, _) in enumerate(entries))).tobytes(),
    )
    counts = len(entries), len(streets), len(words)
    return b"".join((_HEADER.pack(*counts, *map(len, sections)), *sections))


class StoredStreets:
    """Immutable. Each name of a street is a separate entry: first names of one word, then of two, and so on. Those with
    as many words are in order of the street. The place of a street is in order of its id.
    """

    def __init__(self, commune_code: str, form: bytes) -> None:
        self._commune_code = commune_code
        self._form = form
        counts_and_sizes: tuple[int, ...] = _HEADER.unpack_from(form)
        self.entry_count, self._street_count, self._word_count, *sizes = counts_and_sizes
        self._sections = list(pairwise(accumulate((_HEADER.size, *sizes))))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The canonical name of each entry."""
        return self._lines(0)

    @cached_property
    def joined_names(self) -> tuple[str, ...]:
        return self._lines(1)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The different words in alphabetical order."""
        return self._lines(2)

    def find_word(self, word: str) -> int | None:
        """The place of a word in `words`."""
        at = bisect_left(self.words, word, 0, self._word_count)
        return at if at < self._word_count and self.words[at] == word else None

    def has_longer_word(self, start: str) -> bool:
        """Whether a word starts with this one and is longer."""
        after = bisect_right(self.words, start, 0, self._word_count)
        return after < self._word_count and self.words[after].startswith(start)

    def entries_of(self, name: str) -> list[int]:
        """The entries with this name."""
        key, keys = _key(name), self._keys
        at, entries = bisect_left(keys, key), []
        while at < len(keys) and keys[at] - key <= _ENTRY:
            entry = keys[at] - key
            if self.names[entry] == name:
                entries.append(entry)
            at += 1
        return entries

    def place_of(self, entry: int) -> int:
        """The place of the entry's street."""
        return self._numbers[entry]

    def street(self, place: int) -> Street:
        start, _ = self._sections[4]
        at = self.entry_count + place
        record = self._form[start + self._numbers[at] : start + self._numbers[at + 1]]
        key, name, postcodes, *values = json.loads(record)
        return Street(self._commune_code, key, name, tuple(postcodes), *values)

    def count_with(self, word: int) -> int:
        """The number of entries whose name has the word."""
        at = self._starts + word
        return self._numbers[at + 1] - self._numbers[at]

    def entries_with(self, word: int) -> "array[int]":
        at, entries = self._starts + word, self._starts + self._word_count + 1
        return self._numbers[entries + self._numbers[at] : entries + self._numbers[at + 1]]

    def words_with_sound(self, key: str) -> list[str]:
        words, line, at = [], f"\n{key}\n", -1
        while (at := self._sounds.find(line, at + 1)) >= 0:
            words.append(self.words[self._sounds.count("\n", 0, at)])
        return words

    @cached_property
    def _sounds(self) -> str:
        """The sound of each word, between two line ends."""
        return f"\n{self._text(3)}\n"

    @cached_property
    def _numbers(self) -> "array[int]":
        return self._array("I", 5)

    @cached_property
    def _keys(self) -> "array[int]":
        """The keys of all names in order, each with its entry."""
        return self._array("Q", 6)

    @property
    def _starts(self) -> int:
        """The place where the numbers of the first entry of each word start."""
        return self.entry_count + self._street_count + 1

    def _array(self, kind: Literal["I", "Q"], section: int) -> "array[int]":
        start, end = self._sections[section]
        numbers = array(kind)
        numbers.frombytes(self._form[start:end])
        return numbers

    def _text(self, section: int) -> str:
        start, end = self._sections[section]
        return self._form[start:end].decode()

    def _lines(self, section: int) -> tuple[str, ...]:
        return tuple(self._text(section).split("\n"))


@lru_cache(maxsize=4_096)
def _key(name: str) -> int:
    """A number for a name, to which an entry can be added. Names with the same number are rare."""
    return crc32(name.encode()) << _KEY_SHIFT


def _lines(texts: Iterable[str]) -> bytes:
    return "\n".join(texts).encode()
