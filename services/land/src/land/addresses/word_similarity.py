"""Similarity of two words, by weighted edit distance and by sound.

In the edit distance, typing and scanning errors cost less than other edits. Such errors are a neighbouring key, or a
letter omitted, doubled or swapped: "fkeurs" is likely for "fleurs", but "nancy" is not for "lancry".
"""

import re
from functools import lru_cache
from itertools import accumulate, pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from land.addresses.normalise import STREET_TYPE_WORDS

_KEYBOARD_ROWS = ("azertyuiop", "qsdfghjklm", "wxcvbn")
_LOOK_ALIKE = ("o0", "l1", "i1", "il", "ec", "g9", "s5", "b6", "uv", "z2", "b8", "nr", "mr", "mn")
"""Letters that scanners confuse."""
_SOUND_ALIKE = ("iy", "sz", "ck", "kq", "cq", "cs", "gj", "ae", "ei", "ou", "dt", "bp", "fv", "mn", "ea", "oa")
_SUBSTITUTION = 1.4
_LIKELY_SUBSTITUTION = 0.85
_TRANSPOSITION = 0.85
_INSERTION = 0.95
"""The cost of an inserted or deleted letter."""
_DOUBLED = 0.5
_FIRST_LETTER = 0.15
"""Additional cost: errors in the first letter are rare."""
_MIN_TYPE_SIMILARITY = 0.65
"""One error in a word of three letters: "re" is "rue"."""
_SORTED_TYPES = sorted(STREET_TYPE_WORDS)


def _likely_pairs() -> frozenset[tuple[str, str]]:
    pairs = {(a, b) for row in _KEYBOARD_ROWS for a, b in pairwise(row)}
    for upper, lower in pairwise(_KEYBOARD_ROWS):
        for column, key in enumerate(lower):
            pairs |= {(key, upper[place]) for place in (column, column + 1) if place < len(upper)}
    pairs |= {(pair[0], pair[1]) for pair in (*_LOOK_ALIKE, *_SOUND_ALIKE)}
    return frozenset(pairs | {(b, a) for a, b in pairs})


_LIKELY = _likely_pairs()


@lru_cache(maxsize=65_536)
def edit_similarity(typed: str, word: str) -> float:
    """0 to 1: 1 minus the weighted edit distance per letter of the longer word."""
    insertions = [_insertion(word, to) for to in range(len(word))]
    before: list[float] = []
    above = [0.0, *accumulate(insertions)]
    for at, key in enumerate(typed):
        row = [above[0] + _insertion(typed, at)]
        deletion = _insertion(typed, at)
        for to, letter in enumerate(word):
            other = 0.0 if key == letter else _LIKELY_SUBSTITUTION if (key, letter) in _LIKELY else _SUBSTITUTION
            cost = min(above[to] + other, above[to + 1] + deletion, row[to] + insertions[to])
            if at and to and key == word[to - 1] and typed[at - 1] == letter:
                cost = min(cost, before[to - 1] + _TRANSPOSITION)
            row.append(cost)
        before, above = above, row
    cost = above[-1]
    if typed[:1] != word[:1]:
        cost += _FIRST_LETTER
    return max(0.0, 1.0 - cost / max(len(typed), len(word), 1))


@lru_cache(maxsize=4_096)
def corrected_type(word: str) -> str:
    """The street type that a misspelled word stands for; empty for another word."""
    near = process.extractOne(word, _SORTED_TYPES, scorer=OSA.normalized_similarity) if len(word) > 1 else None
    return near[0] if near and edit_similarity(word, near[0]) >= _MIN_TYPE_SIMILARITY else ""


def _insertion(word: str, at: int) -> float:
    return _DOUBLED if at and word[at - 1] == word[at] else _INSERTION


_SOUND_RULES = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"ph", "f"),
        (r"sch|sh|ch", "$"),  # before the rule that removes h
        (r"gn", "ni"),
        (r"(?<=[gq])u(?=[eiy])", ""),
        (r"qu|q|ck|k", "k"),
        (r"c(?=[eiy])", "s"),
        (r"c", "k"),
        (r"g(?=[eiy])", "j"),
        (r"h", ""),
        (r"eaux|eau|aux|au", "o"),
        (r"(?<=o)l[dt]$", ""),
        (r"ou", "w"),
        (r"oi|oy", "wa"),
        (r"(?:ain|ein|aim|in|im|yn|ym)(?![aeiouymn])", "1"),
        (r"ae|ai|ay|ei|ey|et$|er$|ez$", "E"),
        (r"oe|eu", "e"),
        (r"(?:an|am|en|em)(?![aeiouymn])", "2"),
        (r"y", "i"),
        (r"z", "s"),
        (r"(.)\1+", r"\1"),
        (r"(?<=..)(?:es|e|s|t|d|x|p)$", ""),
    )
]


@lru_cache(maxsize=65_536)
def phonetic_key(word: str) -> str:
    """The approximate French sound of a folded word, equal for words that sound the same. Words with digits are
    unchanged.
    """
    if not word.isalpha():
        return word
    for pattern, replacement in _SOUND_RULES:
        word = pattern.sub(replacement, word)
    return word
