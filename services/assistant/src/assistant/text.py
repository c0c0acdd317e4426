"""Texts in French and English with formatted quantities, and the splitting of text into sentences."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from servicekit.languages import Text

_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bart\.)(?<!\bn°\.)(?<!\bM\.)(?<!\betc\.)(?:[*_»)\]]*)(?P<gap>[ \u00a0]+)(?=[A-ZÀ-ÖØ-Þ«\"*_\[(])"
    r"|(?P<line>\n+)"
)
_NARROW_SPACE, _SPACE = "\u202f", "\u00a0"
_SQUARE_METRES = re.compile(r"(?<=\d) ?m2\b")
_GREETING = re.compile(
    r"^\W*(?:bonjour|bonsoir|salut|coucou|hello|hi|dear \w+|madame|monsieur)\b[\s,.!:;]+", re.IGNORECASE
)
_BEFORE_MARKS = re.compile(r"(?<=\S)\s+(?=[?!;])")
"""English has no space there."""
MONTHS = {
    "fr": [
        "janvier", "février", "mars", "avril", "mai", "juin",
        "juillet", "août", "septembre", "octobre", "novembre", "décembre",
    ],
    "en": [
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ],
}  # fmt: skip


def quantity(value: float, unit: str = "", decimals: int = 0) -> Text:
    """A number with its unit and decimals. `unit` may be empty, `%` or `€`."""
    english = f"{value:,.{decimals}f}"
    french = english.replace(",", _NARROW_SPACE).replace(".", ",")
    if not unit:
        return Text(french, english)
    english_text = {"€": f"€{english}", "%": f"{english}%"}.get(unit, f"{english}{_SPACE}{unit}")
    return Text(f"{french}{_SPACE}{unit}", english_text)


def in_quotes(words: str) -> Text:
    """The words of a person in quotation marks, on one line, without a greeting before them."""
    line = _SQUARE_METRES.sub(f"{_SPACE}m²", _GREETING.sub("", " ".join(words.split())))
    return Text(f"« {line} »", f"“{_BEFORE_MARKS.sub('', line)}”")


def day(iso: str) -> Text:
    """A date in ISO format. An invalid date stays unchanged."""
    try:
        date_ = date.fromisoformat(iso)
    except ValueError:
        return Text(iso, iso)
    number = str(date_.day)
    french, english = (MONTHS[language][date_.month - 1] for language in ("fr", "en"))
    first = "1er" if number == "1" else number
    return Text(f"{first} {french} {date_.year}", f"{number} {english} {date_.year}")


def say(fr: str, en: str, **values: object) -> Text:
    """Fills both templates (`{name}`) with the values. A text fills each with its language."""
    return Text(fr, en).format(**values)


def join(texts: Sequence[Text], separator: str = " ") -> Text:
    return Text(separator.join(t.fr for t in texts), separator.join(t.en for t in texts))


def listed(texts: Sequence[Text]) -> Text:
    """An enumeration: `a, b et c`, `a, b and c`."""
    if len(texts) < 2:  # noqa: PLR2004 (no list)
        return texts[0] if texts else Text("", "")
    head, last = join(texts[:-1], ", "), texts[-1]
    return Text(f"{head.fr} et {last.fr}", f"{head.en} and {last.en}")


def lots_named(ids: Sequence[str]) -> Text:
    return listed([Text(f"lot {id_}", f"lot {id_}") for id_ in ids])


def capitalized(text: Text) -> Text:
    """The text as it begins a sentence."""
    return Text(*(words[:1].upper() + words[1:] for words in text))


def uncapitalized(text: Text) -> Text:
    """The text as it stands inside of a sentence."""
    return Text(*(words[:1].lower() + words[1:] for words in text))


def clause(text: Text) -> Text:
    """The first sentence as it stands inside of another one."""
    return uncapitalized(Text(*(split_sentences(words)[0].rstrip().removesuffix(".") for words in text)))


def span(texts: Sequence[Text]) -> Text:
    """From the first text to the last one, or the text itself if they are equal."""
    first, last = texts[0], texts[-1]
    return first if first == last else say("{first} à {last}", "{first} to {last}", first=first, last=last)


def area(value: float) -> Text:
    return quantity(value, "m²")


def metres(value: float) -> Text:
    return quantity(value, "m", 0 if value >= 100 or value == int(value) else 1)  # noqa: PLR2004 (reads better so)


def percent(ratio: float) -> Text:
    return quantity(ratio * 100, "%")


def share_of_land(ratio: float) -> Text:
    """The share of the land that something covers. "100 %" would not say of what."""
    if round(ratio, 2) >= 1:
        return Text("tout le terrain", "all of the land")
    return say("{share} du terrain", "{share} of the land", share=percent(ratio))


def with_share(name: Text, ratio: float) -> Text:
    """The name of something with the share of the land that it covers, unless that is negligible or a line."""
    if round(ratio, 2) == 0:
        return name
    return say("{name} sur {share}", "{name} on {share}", name=name, share=share_of_land(ratio))


def euros(value: float) -> Text:
    return quantity(value, "€")


@cache
def read_table(path: str) -> Mapping[str, Any]:
    """Reads a TOML file of this package."""
    return tomllib.loads((resources.files("assistant") / path).read_text(encoding="utf-8"))


class Sentences:
    """The sentences of a TOML file of this package: by table and name, the French and the English text."""

    def __init__(self, path: str) -> None:
        self._texts = {
            f"{table}.{name}": Text(*pair) for table, pairs in read_table(path).items() for name, pair in pairs.items()
        }

    def __call__(self, *keys: str, **values: object) -> Text:
        """The sentences with these keys, in order, filled with the values. A text fills each with its language."""
        text = self._texts[keys[0]] if len(keys) == 1 else self.join(" ", keys)
        return text.format(**values) if values else text

    def join(self, separator: str, keys: Sequence[str]) -> Text:
        """The parts of a sentence, not filled yet."""
        return join([self._texts[key] for key in keys], separator)


def split_sentences(text: str) -> list[str]:
    """The sentences in order, each with its trailing white space. Joined, they are the text."""
    pieces, start = [], 0
    for match in _SENTENCE_END.finditer(text):
        pieces.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        pieces.append(text[start:])
    return pieces
