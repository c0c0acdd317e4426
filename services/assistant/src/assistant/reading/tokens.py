"""Splits a text into tagged words. Quantities are read first: numbers in figures and words, with units, ranges, bounds
and fractions. A token without a class has itself as its tag.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic, TypeVar

import text_to_num

from assistant.questions.words import plain_text
from assistant.text import read_table

M = TypeVar("M")

_PIECE = re.compile(
    r"(?:\d+ ?ha ?)?\d+ ?a ?\d+ ?ca\b|\d+ ?ha ?\d+ ?a\b|"
    r"\d{1,4}/\d{1,2}\b|\d{1,3}(?:[ .,]\d{3})+(?![\d])|\d+(?:[.,]\d+)?|r ?\+ ?\d\b|m2\b|[^\W\d_]+|\n"
    r"|(?<=\d)[-–](?=\d)|(?<=\d\d )[-–](?= \d{3})|[^\w\s'’\-–—()\"«»*]"
)
_GROUPED = re.compile(r"\d{1,3}(?:[ .,]\d{3})+")
_LEAST_AREA_M2 = 50.0
"""A smaller bare number is no area: "de 3 à 400 m²"."""
_LEAST_BARE_M2, _MOST_BARE_M2 = 100.0, 9_999.0
"""A bare number behind "lot de" is an area between these: "2 lots de 700"."""
_LARGEST = 1e12
_YEARS = range(1800, 2100)
_M2_PER_ARE = 100.0
_LOTS = (["lot"], ["lots"], ["plot"])
"""Behind these, a letter is the name of a lot: "lot B 520 m²"."""
_EACH = frozenset(("chacun", "chacune", "each"))
_LEAST_COUNTED_M2 = 200.0
"""So many "mètres chacun" are m²."""


@dataclass(frozen=True)
class Token:
    """A word, a phrase or a quantity: its place in the text, its tag, and the value of a quantity (m², m, a ratio)."""

    start: int
    end: int
    tag: str
    value: float = 0.0
    unit: float = 1.0
    """The size of the unit of an area in m²."""
    least: float | None = None
    """The lower bound of a range; None for a plain value."""
    most: float | None = None


class _Piece(text_to_num.Token):  # type: ignore[misc]
    """A word for the reader of numbers."""

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word


@dataclass(frozen=True)
class Phrases(Generic[M]):
    """Phrases by their first word, each with its meaning."""

    by_first: Mapping[str, Sequence[tuple[tuple[str, ...], M]]]

    @classmethod
    def of(cls, entries: Iterator[tuple[str, M]]) -> "Phrases[M]":
        by_first: dict[str, list[tuple[tuple[str, ...], M]]] = {}
        for phrase, meaning in entries:
            words = tuple(phrase.split(" "))
            by_first.setdefault(words[0], []).append((words, meaning))
        return cls(by_first)

    def at(self, words: Sequence[str], index: int) -> tuple[int, M] | None:
        """How many words of the longest phrase begin here, and its meaning."""
        word = words[index]
        keys = [word, *(f"{word[:length]}*" for length in range(len(word), 2, -1))]
        options = (option for key in keys for option in self.by_first.get(key, ()))
        fitting = [(len(p), m) for p, m in options if tuple(words[index + 1 : index + len(p)]) == p[1:]]
        return max(fitting, key=lambda option: option[0], default=None)

    def ending(self, words: Sequence[str], end: int) -> int:
        """How many words of a phrase end here; 0 for none."""
        return next((n for n in (4, 3, 2, 1) if end >= n and (fit := self.at(words, end - n)) and fit[0] == n), 0)


@dataclass(frozen=True)
class _Table:
    units: Phrases[tuple[str, float]]
    fractions: Mapping[str, float]
    bounds: Mapping[str, Phrases[str]]
    corrections: Phrases[str]
    classes: Phrases[str]


@cache
def _table() -> _Table:
    table = read_table("reading/tokens.toml")
    units = ((name, (tag, size)) for tag, sizes in table["units"].items() for name, size in sizes.items())
    return _Table(
        Phrases.of(units),
        table["fractions"],
        {name: Phrases.of((text, name) for text in texts) for name, texts in table["bounds"].items()},
        Phrases.of((text, "FIX") for text in table["corrections"]["words"]),
        Phrases.of((text, tag) for tag, texts in table["classes"].items() for text in texts),
    )


def read_tokens(text: str) -> list[Token]:
    """The tagged words in order. A word that its speaker corrects is left out."""
    pieces = list(_PIECE.finditer(plain_text(text)))
    words = [piece[0] for piece in pieces]
    tokens = _classified(_joined(_with_units(_numbers(text, pieces, words), words), words), words)
    return [_placed(token, pieces) for token in _corrected(_with_bare_areas(tokens), words)]


def _with_bare_areas(tokens: list[Token]) -> list[Token]:
    """A bare number behind "lot de" or "maison sur" is an area: "2 lots de 700"."""
    for index in range(2, len(tokens)):
        token, link, noun = tokens[index], tokens[index - 1], tokens[index - 2]
        is_sized = link.tag == "OF" and noun.tag in ("LOT", "TAB", "LAND", "BUILDABLE")
        is_sized |= link.tag == "WITH" and noun.tag in ("HOUSE", "KEEP")
        if token.tag == "NUM" and is_sized and _LEAST_BARE_M2 <= token.value <= _MOST_BARE_M2:
            tokens[index] = replace(token, tag="AREA")
    return tokens


def _placed(token: Token, pieces: Sequence[re.Match[str]]) -> Token:
    return replace(token, start=pieces[token.start].start(), end=pieces[token.end - 1].end())


def _numbers(text: str, pieces: Sequence[re.Match[str]], words: Sequence[str]) -> list[Token]:
    """A token for each word, with numbers read. Places count words until all tokens are made."""
    spoken: dict[int, tuple[int, float]] = {}
    for language in ("en", "fr"):
        for number in text_to_num.find_numbers([_Piece(word) for word in words], language, 0.0):
            if not number.is_ordinal:
                spoken[number.start] = (number.end, number.value)
    tokens: list[Token] = []
    index = 0
    while index < len(words):
        word, end = words[index], index + 1
        if word[0].isdecimal():
            tag, value = "ONE" if [word, *words[end : end + 2]] == ["1", "lot", "de"] else "NUM", _value(word)
            if "/" in word:
                tag = "SHARE" if 0 < value < 1 else "REF"
            elif (
                value in _YEARS and word.isdecimal() and (index and words[index - 1] in ("en", "in", "depuis", "since"))
            ):
                tag = "TIME"
            elif (
                index
                and words[index - 2 : index - 1] not in _LOTS
                and _is_section(text, *pieces[index - 1 : index + 1])
            ):
                tag = "REF"
                tokens.pop()
                index -= 1
            tokens.append(Token(index, end, "AREA" if word[-1] == "a" else tag, value))
        elif word[0] == "r" and "+" in word:
            tokens.append(Token(index, end, "STOREYS", 1.0 + int(word[-1])))
        elif index in spoken and words[index] != "neuf":
            end, value = spoken[index]
            tokens.append(Token(index, end, "ONE" if value == 1 else "NUM", value))
        else:
            tokens.append(Token(index, end, word))
        index = end
    return tokens


def _value(word: str) -> float:
    if word[-1] == "a":  # "1 ha 8 a 50 ca"
        return sum(float(size) * _M2_PER_ARE ** "cah".index(unit) for size, unit in re.findall(r"(\d+) ?([cah])", word))
    if "/" in word:
        numerator, denominator = word.split("/")
        return float(numerator) / (float(denominator) or 1.0)
    value = float(re.sub(r"[ .,]", "", word) if _GROUPED.fullmatch(word) else word.replace(",", "."))
    return min(value, _LARGEST)


def _is_section(text: str, letters: re.Match[str], number: re.Match[str]) -> bool:
    """Whether this is the number of a parcel: "AB 45", "n° 12"."""
    written = text[letters.start() : letters.end()]
    is_code = written.isalpha() and written.isupper() and len(written) <= 2 and number[0].isdecimal()  # noqa: PLR2004
    return (is_code and written not in ("M", "A", "R")) or written in ("n", "no", "°", "numéro", "numero")


def _with_units(tokens: list[Token], words: Sequence[str]) -> list[Token]:
    """Joins numbers and units, "4 a 50 ca", "un hectare douze", "half an acre" and fractions."""
    table, result, index = _table(), [], 0
    starts = {token.start: place for place, token in enumerate(tokens)}
    while index < len(tokens):
        token = tokens[index]
        end = token.end
        if token.tag in ("NUM", "ONE", "SHARE") and end < len(words):
            unit = table.units.at(words, end)
            if token.tag == "SHARE":  # half an acre, a third of an acre
                while end < len(words) - 1 and words[end] in ("of", "an", "a", "d"):
                    end += 1
                unit = table.units.at(words, end)
                unit = unit if unit and unit[1][0] == "AREA" else None
                end = end if unit else token.end
            fraction = table.fractions.get(words[end]) if end < len(words) and token.tag != "SHARE" else None
            if fraction is not None and token.value * fraction < 1:
                token, end = Token(token.start, end + 1, "SHARE", token.value * fraction), end + 1
            elif unit is not None and not (token.tag == "ONE" and unit[1][0] in ("TIME", "PEOPLE")):
                end += unit[0]
                token = Token(token.start, end, unit[1][0], token.value * unit[1][1], unit[1][1])
                if (
                    token.tag == "LENGTH"
                    and token.value >= _LEAST_COUNTED_M2
                    and not _EACH.isdisjoint(words[end : end + 2])
                ):
                    token = replace(token, tag="AREA")
        elif token.tag in table.fractions:
            tokens[index] = replace(token, tag="SHARE", value=table.fractions[token.tag])
            continue
        last = result[-1] if result else token
        is_bare = token.tag == "NUM" and words[end : end + 1] not in _LOTS  # "4 ares 50", "un hectare douze"
        if (
            (last.tag, last.end) == ("AREA", token.start)
            and last.unit > token.unit
            and (is_bare or token.tag == "AREA")
        ):
            value = last.value + token.value * (last.unit / _M2_PER_ARE if is_bare else 1)
            token = replace(token, start=last.start, tag="AREA", value=value)
            result.pop()
        result.append(token)
        index = starts.get(end, len(tokens)) if end > token.start else index + 1
    return result


def _joined(tokens: list[Token], words: Sequence[str]) -> list[Token]:
    """Gives numbers of a list or range the unit that follows, and joins ranges and bounds."""
    for index in range(len(tokens) - 3, -1, -1):
        token, link, after = tokens[index : index + 3]
        is_range = link.tag in ("a", "to", "-", "–", "et", "and", "ou", "or", ",", "/")
        if (
            token.tag == "NUM"
            and after.tag in ("AREA", "LENGTH")
            and is_range
            and (after.tag == "LENGTH" or token.value >= _LEAST_AREA_M2)
        ):
            tokens[index] = replace(token, tag=after.tag)
        is_product = link.tag in ("par", "x", "by", "*") and "LENGTH" in (token.tag, after.tag)
        if is_product and {token.tag, after.tag} <= {"NUM", "LENGTH"}:  # "20 m par 30"
            tokens[index : index + 3] = [Token(token.start, after.end, "AREA", token.value * after.value)]
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        trio = tokens[index : index + 3]
        between = bool(result) and result[-1].tag in ("entre", "between")
        if (
            len(trio) == 3  # noqa: PLR2004 (value, link, value)
            and token.tag == trio[2].tag == "AREA"
            and token.value < trio[2].value
            and (trio[1].tag in ("a", "to", "-", "–") or (between and trio[1].tag in ("et", "and")))
        ):
            if between:
                result.pop()
            token = Token(
                token.start, trio[2].end, "AREA", (token.value + trio[2].value) / 2, 1.0, token.value, trio[2].value
            )
            index += 2
        elif token.tag == "AREA":
            token, removed, skipped = _bounded(token, words)
            while removed and result and result[-1].end > token.start:
                result.pop()
            index += sum(other.start < token.end for other in tokens[index + 1 : index + 4]) if skipped else 0
        result.append(token)
        index += 1
    return result


def _bounded(token: Token, words: Sequence[str]) -> tuple[Token, int, int]:
    """The area with its bound, and how many words of the bound precede and follow it."""
    bounds = _table().bounds
    before_by_name = {name: bounds[f"{name}_before"].ending(words, token.start) for name in ("most", "least")}
    for name in sorted(
        before_by_name, key=before_by_name.__getitem__, reverse=True
    ):  # "no less than" is no "less than"
        least, most = (token.value, None) if name == "least" else (None, token.value)
        if before := before_by_name[name]:
            return replace(token, start=token.start - before, least=least, most=most), before, 0
        after = bounds[f"{name}_after"].at(words, token.end) if token.end < len(words) else None
        if after:
            return replace(token, end=token.end + after[0], least=least, most=most), 0, after[0]
    return token, 0, 0


def _classified(tokens: list[Token], words: Sequence[str]) -> list[Token]:
    """Gives words and phrases their class."""
    classes, corrections = _table().classes, _table().corrections
    numbers = {token.start for token in tokens if token.tag.isupper()}
    result, index = [], 0
    while index < len(tokens):
        token = tokens[index]
        if token.tag.isupper():
            result.append(token)
            index += 1
            continue
        correction, phrase = corrections.at(words, token.start), classes.at(words, token.start)
        length, tag = (correction[0], "FIX") if correction else phrase or (1, token.tag)
        if not numbers.isdisjoint(range(token.start, token.start + length)):
            length, tag = 1, (classes.at(words[: token.start + 1], token.start) or (1, token.tag))[1]
        result.append(Token(token.start, token.start + length, str(tag)))
        index += length
    return result


def _corrected(tokens: list[Token], words: Sequence[str]) -> list[Token]:
    """Drops what a speaker takes back: the words from the last one of the same class as what follows."""
    result: list[Token] = []
    for index, token in enumerate(tokens):
        if token.tag != "FIX":
            result.append(token)
            continue
        following = next((other for other in tokens[index + 1 :] if other.tag not in (",", "OF")), None)
        places = [place for place, other in enumerate(result) if following is not None and other.tag == following.tag]
        start = result[places[-1]].start if places and len(result) - places[-1] <= 8 else token.start  # noqa: PLR2004
        if start != token.start:
            del result[places[-1] :]
        result.append(Token(start, token.end, "FIXED"))
    return result
