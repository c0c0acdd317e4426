"""Text in the form that the patterns of this package match: lower case, without accents, with plain signs."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from text_to_num import Token, find_numbers

from land.regulation.patterns import patterns

_P = patterns("text")
_REPLACED_BY = {
    "geq": "≥",
    "leq": "≤",
    "percent": "%",
    "hyphen": "",
    "none": "",
    "latex": " ",
    "leaders": " ",
    "space": " ",
}
_SIGNS = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "`": "'",
        "´": "'",
        "–": "-",
        "—": "-",
        "−": "-",
        "‑": "-",
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "œ": "oe",
        "Œ": "oe",
        "⩾": "≥",
        "⩽": "≤",
        "\uf0b7": "•",
        "\uf0a7": "•",
        "▪": "•",
        "●": "•",
        "◦": "•",
        "·": "•",
        "►": "•",
        "▶": "•",
        "❖": "•",
        "➢": "•",
        "✓": "•",
    }
)


@cache
def _fold_character(character: str) -> str:
    if character in "²³°":
        return character
    parts = unicodedata.normalize("NFKD", character.translate(_SIGNS))
    return "".join(part for part in parts if not unicodedata.combining(part)).lower()


@dataclass(frozen=True)
class Folded:
    """A text as patterns match it, and for each of its characters the position in the original."""

    text: str
    positions: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Returns the span of the original text that a span of the folded text stands for."""
        return self.positions[start], self.positions[end - 1] + 1

    def with_words(self, spans: Sequence[tuple[int, int, str]]) -> "Folded":
        """Returns the text with other words at some spans, which are in order."""
        text, positions = self.text, self.positions
        for start, end, words in reversed(spans):
            text = text[:start] + words + text[end:]
            positions = positions[:start] + (positions[start],) * len(words) + positions[end:]
        return Folded(text, positions)


def _replaced(match: re.Match[str]) -> str:
    return _REPLACED_BY.get(str(match.lastgroup), "") if match.lastgroup != "character" else _fold_character(match[0])


class _Word(str, Token):  # type: ignore[misc]
    """A word for the reader of numbers."""

    def text(self) -> str:
        return str(self)


def _in_figures(text: str) -> list[tuple[int, int, str]]:
    """Returns the numbers from three on that stand in words: where, and in figures."""
    words = list(_P["word"].finditer(text)) if _P["spelled"].search(text) else []
    numbers = find_numbers([_Word(word[0]) for word in words], "fr", 0.0) if words else []
    return [
        (start, end, f"{number.value:.0f}")
        for number in numbers
        for start, end in [(words[number.start].start(), words[number.end - 1].end())]
        if not number.is_ordinal
        and number.value > 2
        and _P["spelled"].search(text, start, end)
        # "pour cent" is a unit, unless what follows is one: "une place pour cent mètres carrés".
        and not (
            text[start:end] in ("cent", "cents", "neuf")
            and _P["no_number"].search(text[:start])
            and not re.match(r" (?:m\b|m2|metres?|places?|logements?)", text[end:])
        )
    ]


@lru_cache(maxsize=8192)
def fold(raw: str) -> Folded:
    """Folds case, accents, signs, spaces, numbers in words, formulas, and words that a line's end cuts."""
    parts = [(character, match.start()) for match in _P["token"].finditer(raw) for character in _replaced(match)]
    kept = [part for before, part in pairwise([(" ", 0), *parts]) if part[0] != " " or before[0] != " "]
    text, positions = "".join(character for character, _ in kept), tuple(position for _, position in kept)
    folded = Folded(text, positions).with_words(_in_figures(text))
    for name, sign in (("percent", "%"), ("square_metres", "m²")):
        folded = folded.with_words([(*match.span(), sign) for match in _P[name].finditer(folded.text)])
    return folded


def plain(raw: str) -> str:
    """Returns the folded text alone, without spaces at its ends."""
    return fold(raw).text.strip()


def title_text(raw: str) -> str:
    """Returns a heading folded, with letters that are set apart put together again."""
    return plain(_P["spaced_letters"].sub(lambda match: match[0].replace(" ", ""), raw))


def one_line(raw: str) -> str:
    """Returns the text as a quote: its own characters with single spaces."""
    return " ".join(raw.split())
