"""Texts in French and English with formatted quantities, and the splitting of text into sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from servicekit.languages import Language, Text

_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bart\.)(?<!\bn°\.)(?<!\bM\.)(?<!\betc\.)(?:[*_»)\]]*)(?P<gap>[ \u00a0]+)(?=[A-ZÀ-ÖØ-Þ«\"*_\[(])"
    r"|(?P<line>\n+)"
)
_NARROW_SPACE, _SPACE = "\u202f", "\u00a0"
_MONTHS = {
    "fr": [
        "janvier", "février", "mars", "avril", "mai", "juin",
        "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    ],
    "en": [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ],
}  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """A number with its unit and decimals. `unit` may be empty, `%` or `€`."""

    value: float
    unit: str = ""
    decimals: int = 0

    def read(self, language: Language) -> str:
        number = f"{self.value:,.{self.decimals}f}"
        if language == "fr":
            number = number.replace(",", _NARROW_SPACE).replace(".", ",")
            return f"{number}{_SPACE}{self.unit}" if self.unit else number
        if self.unit == "€":
            return f"€{number}"
        if self.unit == "%":
            return f"{number}%"
        return f"{number}{_SPACE}{self.unit}" if self.unit else number


@dataclass(frozen=True)
class Day:
    """A date in ISO format. An invalid date is printed unchanged."""

    iso: str

    def read(self, language: Language) -> str:
        try:
            day = date.fromisoformat(self.iso)
        except ValueError:
            return self.iso
        first = "1er" if language == "fr" and day.day == 1 else str(day.day)
        return f"{first} {_MONTHS[language][day.month - 1]} {day.year}"


Readable = Text | Quantity | Day | str | int


def say(fr: str, en: str, **values: Readable) -> Text:
    """Fills both templates (`{name}`) with the values, formatted for each language."""
    return Text(fr.format(**_read(values, "fr")), en.format(**_read(values, "en")))


def _read(values: dict[str, Readable], language: Language) -> dict[str, str]:
    return {name: str(v) if isinstance(v, str | int) else v.read(language) for name, v in values.items()}


def join(texts: Sequence[Text], separator: str = " ") -> Text:
    return Text(separator.join(t.fr for t in texts), separator.join(t.en for t in texts))


def listed(texts: Sequence[Text]) -> Text:
    """An enumeration: `a, b et c`, `a, b and c`."""
    if len(texts) < 2:  # noqa: PLR2004 (no list)
        return texts[0] if texts else Text("", "")
    head, last = join(texts[:-1], ", "), texts[-1]
    return Text(f"{head.fr} et {last.fr}", f"{head.en} and {last.en}")


def area(value: float) -> Quantity:
    return Quantity(value, "m²")


def metres(value: float) -> Quantity:
    return Quantity(value, "m", 0 if value >= 100 or value == int(value) else 1)  # noqa: PLR2004 (reads better so)


def percent(ratio: float) -> Quantity:
    return Quantity(ratio * 100, "%")


def euros(value: float) -> Quantity:
    return Quantity(value, "€")


def split_sentences(text: str) -> list[str]:
    """The sentences in order, each with its trailing white space. Joined, they are the text."""
    pieces, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        pieces.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces
