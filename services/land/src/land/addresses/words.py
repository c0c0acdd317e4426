"""The words of canonical street names: which are types, numbers, codes or stop words, and names without spaces."""

import re
from collections.abc import Sequence

from land.addresses.normalise import CODE_MARK, STREET_TYPE_WORDS, WRITTEN_NUMBERS

_CONFUSED_TYPES = (
    *({"rue", "avenue", "boulevard", "cours", "voie"}, {"rue", "quai"}, {"boulevard", "quai"}),
    *({"rue", "route", "chemin", "ruelle", "voie"}, {"allee", "avenue"}, {"allee", "chemin"}),
    *({"rue", "hent", "straed"}, {"chemin", "route", "hent"}),
)
"""Street types that people confuse: those of a town, those of the country, those with trees, those of a language. A
square, a blind alley or a villa more often differs from a street of its name.
"""
PREPOSITIONS = frozenset(("aux", "d", "de", "des", "du"))
"""Words between a name and its complement: "Rue du Puits aux Loups" is not "Rue du Puits"."""
MIN_FUZZY_LENGTH = 3
"""Shorter words are matched exactly or by sound: one error turns most of them into another word."""
STOP_WORDS = frozenset(
    ("a", "au", "aux", "d", "de", "des", "dit", "du", "en", "et", "l", "la", "le", "les", "sous", "sur"),
)
QUALIFIERS = frozenset(
    (
        *("faubourg", "porte", "poterne", "barriere", "marche", "pont", "port", "gare", "parc"),
        *("vieux", "vieille", "ancien", "ancienne", "neuf", "neuve", "nouveau", "nouvelle"),
        *("petit", "petite", "petits", "petites", "grand", "grande", "grands", "grandes"),
        *("haut", "haute", "hauts", "hautes", "bas", "basse"),
    ),
)
"""Words that distinguish streets of one name: "Rue du Faubourg Saint-Honoré" is not "Rue Saint-Honoré". People seldom
leave them out, as they do a given name or a title.
"""
CODE = re.compile(rf"[0-9]+[a-z]+[0-9]+|{CODE_MARK}[a-z]+")
"""Paris's codes for private streets on a lot, "162P21 Rue des Poissonniers", and for unnamed ones, "Voie Cx/18"."""


def is_number(word: str) -> bool:
    """Whether a word is a number or a code, which only matches itself. ("D0UDEAUVILLE", a scanning error, is not.)"""
    return word.isdigit() or CODE.fullmatch(word) is not None


def are_confused(street_type: str, other_type: str) -> bool:
    """Whether people take one of two street types for the other."""
    return any({street_type, other_type} <= types for types in _CONFUSED_TYPES)


def codes(words: Sequence[str]) -> set[str]:
    """The codes in a name. "Villa Guizot" is not "1P1 Villa Guizot"."""
    return {word for word in words if CODE.fullmatch(word)}


def has_sound(word: str) -> bool:
    """Whether a word is found by its sound."""
    return len(word) > 1 and word not in STOP_WORDS


def type_of(words: Sequence[str]) -> str:
    """The street type at the start of a canonical name; empty without one."""
    return words[0] if len(words) > 1 and words[0] in STREET_TYPE_WORDS else ""


def joined(words: Sequence[str]) -> str:
    """A canonical name without spaces, type and stop words, and with its numbers as words."""
    content = words[1:] if type_of(words) else words
    content = [word for word in content if word not in STOP_WORDS] or content
    return "".join(WRITTEN_NUMBERS.get(word, word) for word in content)


def digits(words: Sequence[str]) -> str:
    """The digits of a name that are not written as words. Names with other digits are other streets."""
    return "".join(c for word in words if word not in WRITTEN_NUMBERS for c in word if c.isdigit())
