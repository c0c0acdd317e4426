"""How a French word sounds, roughly: words that are written differently and said alike have the same key."""

import re
from functools import lru_cache

_RULES = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"ph", "f"),
        (r"sch|sh|ch", "$"),  # before h falls
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
def sound(word: str) -> str:
    """The key of a folded word. Words with digits are their own key."""
    if not word.isalpha():
        return word
    for pattern, replacement in _RULES:
        word = pattern.sub(replacement, word)
    return word
