"""The vocabulary of questions: its phrases by intent, and the lookup of words with a typing error."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from assistant.text import read_table

IGNORED = "ignored"
LAND = "land"
"""The table of words about land. They show no intent."""
ELSEWHERE = "elsewhere"
"""The table of words about other matters. They show no intent either."""
NUMBER = "#"
"""The key of every number in figures."""
EXACT = frozenset(
    ("ignored", "persons", "construction_cost", "financing", "forecast", "neighbourhood", "dispute", "family", "lease",
     "guarantee", "evasion")
)  # fmt: skip
"""Intents whose words must be exact: they are many, and no fact answers them."""
LEAST_FUZZY = 5
"""Shorter words must be exact, since too many words differ from them by one letter."""
LEAST_REPLACED = 6
"""In shorter words no letter is replaced: "monde" is not "monte", nor "capitale" the beginning of "cavité"."""

_PREFIX = "*"


@dataclass(frozen=True)
class Phrase:
    """Words that show an intent, as keys of the vocabulary. A weak phrase counts only if nothing else is shown."""

    intent: str
    words: tuple[str, ...]
    is_weak: bool


@dataclass(frozen=True)
class Vocabulary:
    """Keys are words, or beginnings of words with a final `*`."""

    words: frozenset[str]
    prefixes: frozenset[str]
    misspelt: Mapping[str, tuple[str, ...]]
    """Keys by each form with one letter deleted."""
    phrases: Mapping[str, tuple[Phrase, ...]]
    """The phrases by their first key, longest first."""
    land: frozenset[str]
    """Keys of words about land."""
    elsewhere: frozenset[str]
    """Words about other matters of a town."""

    def keys(self, word: str) -> tuple[str, ...]:
        """The keys that fit the word: itself and its beginnings."""
        keys = (word,) if word in self.words else ()
        beginnings = (word[:length] for length in range(len(word), 1, -1))
        return (*keys, *(f"{beginning}{_PREFIX}" for beginning in beginnings if beginning in self.prefixes))

    def similar(self, word: str) -> tuple[str, ...]:
        """The keys that fit the word with one letter wrong, missing, added or swapped; the first letter is right."""
        if len(word) < LEAST_FUZZY:
            return ()
        keys: dict[str, None] = {}
        for length in range(LEAST_FUZZY, min(len(word), _LONGEST) + 1):
            form = word[:length]
            for key in {
                misspelt_key for shorter in (form, *_shortened(form)) for misspelt_key in self.misspelt.get(shorter, ())
            }:
                stem = key.removesuffix(_PREFIX)
                is_whole = key != stem or length == len(word)
                if is_whole and stem[0] == word[0] and _is_one_error(form, stem):
                    keys[key] = None
        return tuple(sorted(keys, key=lambda key: (-len(key), key)))


_LONGEST = 16
"""Keys are not longer."""


@cache
def load_vocabulary() -> Vocabulary:
    """Reads the file once."""
    table = read_table("questions/vocabulary.toml")
    land, elsewhere = (frozenset(table.pop(name)["words"]) for name in (LAND, ELSEWHERE))
    phrases = [
        Phrase(intent, tuple(text.split()), name == "weak")
        for intent, lists in table.items()
        for name, texts in lists.items()
        for text in texts
    ]
    keys = {word for phrase in phrases for word in phrase.words} | land
    corrected = land | {word for phrase in phrases if phrase.intent not in EXACT for word in phrase.words}
    misspelt: dict[str, tuple[str, ...]] = {}
    for key in sorted(corrected):
        stem = key.removesuffix(_PREFIX)
        if len(stem) >= LEAST_FUZZY:
            for form in {stem, *_shortened(stem)}:
                misspelt[form] = (*misspelt.get(form, ()), key)
    by_first: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        by_first.setdefault(phrase.words[0], []).append(phrase)
    return Vocabulary(
        words=frozenset(key for key in keys if not key.endswith(_PREFIX)),
        prefixes=frozenset(key.removesuffix(_PREFIX) for key in keys if key.endswith(_PREFIX)),
        misspelt=misspelt,
        phrases={
            key: tuple(sorted(phrases, key=lambda phrase: -len(phrase.words))) for key, phrases in by_first.items()
        },
        land=land,
        elsewhere=elsewhere,
    )


def _shortened(word: str) -> Iterator[str]:
    return (word[:index] + word[index + 1 :] for index in range(1, len(word)))


def _is_one_error(typed: str, right: str) -> bool:
    """Whether one change of a letter makes one word from the other: wrong, missing, added, or two swapped."""
    if abs(len(typed) - len(right)) > 1 or typed == right:
        return False
    start = next((i for i, (a, b) in enumerate(zip(typed, right, strict=False)) if a != b), min(len(typed), len(right)))
    tail, other = typed[start:], right[start:]
    is_replaced = tail[1:] == other[1:] and len(right) >= LEAST_REPLACED
    return (
        is_replaced or tail[1:] == other or tail == other[1:] or (tail[:2] == other[:2][::-1] and tail[2:] == other[2:])
    )
