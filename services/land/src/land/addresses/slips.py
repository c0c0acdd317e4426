"""How well one word can be a slip for another: what fingers and scanners do costs less than what they do not.

A slip puts a neighbouring key in, leaves a letter out, doubles it, or swaps two. Another letter altogether is rather
another word: "fkeurs" is a slip for "fleurs" while "nancy" is none for "lancry", though both are two edits at most.
"""

from functools import lru_cache
from itertools import accumulate, pairwise

_ROWS = ("azertyuiop", "qsdfghjklm", "wxcvbn")
_LOOK_ALIKE = ("o0", "l1", "i1", "il", "ec", "g9", "s5", "b6", "uv", "z2", "b8", "nr", "mr", "mn")
"""Letters that scanning takes for each other."""
_SOUND_ALIKE = ("iy", "sz", "ck", "kq", "cq", "cs", "gj", "ae", "ei", "ou", "dt", "bp", "fv", "mn", "ea", "oa")
_OTHER_LETTER = 1.4
_LIKELY_LETTER = 0.85
_TRANSPOSITION = 0.85
_ONE_LETTER = 0.95
"""Left out or put in."""
_DOUBLED = 0.5
_FIRST_LETTER = 0.15
"""More: slips spare the beginning of a word."""


def _likely_pairs() -> frozenset[tuple[str, str]]:
    pairs = {(a, b) for row in _ROWS for a, b in pairwise(row)}
    for upper, lower in pairwise(_ROWS):
        for column, key in enumerate(lower):
            pairs |= {(key, upper[place]) for place in (column, column + 1) if place < len(upper)}
    pairs |= {(pair[0], pair[1]) for pair in (*_LOOK_ALIKE, *_SOUND_ALIKE)}
    return frozenset(pairs | {(b, a) for a, b in pairs})


_LIKELY = _likely_pairs()


@lru_cache(maxsize=65_536)
def likeness(typed: str, word: str) -> float:
    """0 to 1: 1 less the cost of the cheapest slips per letter of the longer word."""
    left_out = [_one_letter(word, to) for to in range(len(word))]
    before: list[float] = []
    above = [0.0, *accumulate(left_out)]
    for at, key in enumerate(typed):
        row = [above[0] + _one_letter(typed, at)]
        put_in = _one_letter(typed, at)
        for to, letter in enumerate(word):
            other = 0.0 if key == letter else _LIKELY_LETTER if (key, letter) in _LIKELY else _OTHER_LETTER
            cost = min(above[to] + other, above[to + 1] + put_in, row[to] + left_out[to])
            if at and to and key == word[to - 1] and typed[at - 1] == letter:
                cost = min(cost, before[to - 1] + _TRANSPOSITION)
            row.append(cost)
        before, above = above, row
    cost = above[-1]
    if typed[:1] != word[:1]:
        cost += _FIRST_LETTER
    return max(0.0, 1.0 - cost / max(len(typed), len(word), 1))


def _one_letter(word: str, at: int) -> float:
    """What a letter of one word that the other has not costs."""
    return _DOUBLED if at and word[at - 1] == word[at] else _ONE_LETTER
