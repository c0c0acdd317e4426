"""Rewrites rows of tags: quantities get their units, bounds and ranges, and words the class that their neighbours give
them. The rows are in `rewrites.toml`.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assistant.reading.patterns import Alphabet, Token
from assistant.text import read_table

Words = Sequence[str]
Tokens = list[Token]

_BARE_M2: Mapping[str, tuple[float, float]] = {"NUM": (100.0, 9_999.0), "LENGTH": (200.0, math.inf)}
"""Between these, a bare number behind "lot de" is an area, and so are "mètres"."""
FIRST_YEAR, LAST_YEAR = 1800, 2099
LEAST_AREA_M2, M2_PER_ARE = 50.0, 100.0
"""A smaller bare number is no area: "de 3 à 400 m²"."""
_LEAST_STRIP_M2, _LEAST_SIDE_M = 20.0, 10.0
"""A smaller rectangle is none, and a smaller number counts, as in "3 x 450"."""
_HOUSE_SIDES_M = 4.0, 25.0
"""The shortest and the longest side of a house."""
_LEAST_ALIKE = 0.25
"""A listed number without a unit is at least this share of the one with it, and not more than its inverse."""
_PERCENT, _ROUND_EUR = 100, 500
_TABLE = read_table("reading/rewrites.toml")
_SETS = {name: frozenset(words) for name, words in _TABLE["sets"].items()}
_NAMES = ("LOT", "LAND", "HOUSES")


def rewritten(words: Words, tokens: Tokens) -> Tokens:
    """The tokens after all rows, the first row first. Their places count words."""
    row = _ALPHABET.row([token.tag for token in tokens])
    for pattern, entry in _ROWS:
        while spans := [match.span() for match in pattern.finditer(row)]:
            before = row
            for start, end in reversed(spans):
                tokens[start:end] = told = _rewrite(entry, words, tokens[start:end]) or tokens[start:end]
                row = row[:start] + _ALPHABET.row([token.tag for token in told]) + row[end:]
            if row == before:
                break
    return tokens


def _rewrite(entry: Mapping[str, Any], words: Words, tokens: Tokens) -> Tokens:
    """What the tokens of a match become; nothing if the entry does not hold for them."""
    first, last = tokens[0], tokens[-1]
    told = ((words[tokens[int(place)].start], among) for place, among in entry.get("words", {}).items())
    if (
        not entry.get("least", -math.inf) <= last.value <= entry.get("most", math.inf)
        or ("digits" in entry and not words[last.end - 1].isdecimal())
        or any(word not in (_SETS[among] if isinstance(among, str) else among) for word, among in told)
    ):
        return []
    if "do" in entry:
        return _ACTIONS[entry["do"]](words, tokens)
    if "merge" in entry:
        return [last._replace(start=first.start, tag=entry["merge"] or first.tag)]
    return _retagged(tokens, {int(place) % len(tokens): tag for place, tag in entry["retag"].items()})


def _retagged(tokens: Tokens, tags: Mapping[int, str]) -> Tokens:
    return [token._replace(tag=tags.get(i, token.tag)) for i, token in enumerate(tokens)]


def _part(words: Words, tokens: Tokens) -> Tokens:
    """A share told by a number, or a share of a unit: "two thirds", "half an acre"."""
    first, *_, last = tokens
    value, tag = first.value * last.value, "AREA" if last.tag == "UNIT" else "SHARE"
    is_part = tag == "AREA" or (words[last.start].isalpha() and value < 1)
    return [Token(first.start, last.end, tag, value, last.value if tag == "AREA" else 1.0)] if is_part else []


def _and_a_half(_words: Words, tokens: Tokens) -> Tokens:
    first, *_, share = tokens
    unit = first.value if first.tag == "UNIT" else first.unit
    area = first._replace(end=share.end, tag="AREA", value=first.value + unit * share.value)
    return [area] if unit >= M2_PER_ARE else []


def _with_unit(words: Words, tokens: Tokens) -> Tokens:
    """Gives a number of a list or a range the unit that follows: "480, 510 et 600 m²"."""
    number, link, *between, figure = tokens
    is_listed = words[link.start] in ("a", "to", "-", "–", "et", "and", "ou", "or", ",", "/")
    is_listed &= words[number.start].isalpha() == words[figure.start].isalpha()  # "pour les deux, 4 m"
    value = number.value * (figure.unit if figure.tag == "AREA" else 1)
    is_large = figure.tag == "LENGTH" or value >= LEAST_AREA_M2
    is_large &= words[link.start] != "," or _LEAST_ALIKE <= value / (figure.value or 1) <= 1 / _LEAST_ALIKE
    sized = number._replace(tag=figure.tag, value=value, unit=figure.unit)
    return [sized, link, *between, figure] if is_listed and is_large else []


def _compound(_words: Words, tokens: Tokens) -> Tokens:
    """Hectares, ares and centiares behind each other: "4 ares 50", "un hectare douze"."""
    large, small, *after = tokens
    value = large.value + small.value * (large.unit / M2_PER_ARE if small.tag == "NUM" else 1)
    return [large._replace(end=small.end, value=value, unit=small.unit), *after] if large.unit > small.unit else []


def _range(words: Words, tokens: Tokens) -> Tokens:
    *before, least, link, most = tokens
    is_between = bool(before) and words[before[0].start] in ("entre", "between")
    is_list = bool(before) and (before[0].tag, before[0].value) == ("NUM", 2)  # two lots with an area each
    is_other = (link.tag == "FILLER" and words[link.start] not in ("ou", "or")) or (
        link.tag == "AND" and not is_between
    )
    area = least._replace(end=most.end, value=(least.value + most.value) / 2, least=least.value, most=most.value)
    if least.value >= most.value or most.least is not None or is_other or is_list:
        return []
    return [area._replace(start=before[0].start)] if is_between else [*before, area]


def _bounded(_words: Words, tokens: Tokens) -> Tokens:
    area, bound = sorted((tokens[0], tokens[-1]), key=lambda token: token.tag != "AREA")
    least, most = (area.value, None) if bound.tag.startswith(("LEAST", "ORMORE")) else (None, area.value)
    bounded = area._replace(start=tokens[0].start, end=tokens[-1].end, least=least, most=most)
    return [bounded] if area.least is None and area.most is None else []


def _two_bounds(_words: Words, tokens: Tokens) -> Tokens:
    """A lower and an upper bound of one area: "at least 500, no more than 600"."""
    first, *_, last = tokens
    least, most = first.least or last.least or 0.0, first.most or last.most or 0.0
    is_pair = (first.least is None) != (last.least is None) and (first.most is None) != (last.most is None)
    area = first._replace(end=last.end, value=(least + most) / 2, least=least, most=most)
    return [area] if is_pair and least < most and None in (first.least, first.most) else []


def _bare_range(words: Words, tokens: Tokens) -> Tokens:
    """Two bare numbers that bound an area: "one of 700 to 800"."""
    *before, least, link, most = _sized(words, tokens) or tokens
    is_year = FIRST_YEAR <= least.value < most.value <= LAST_YEAR
    return [] if {least.tag, most.tag} != {"AREA"} or is_year else [*before, least, link, most]


def _sized(_words: Words, tokens: Tokens) -> Tokens:
    """Bare numbers behind "lot de", and so many metres, are areas: "2 lots de 700", "450/480/520", "600 mètres"."""
    sized = [
        token._replace(tag="AREA") if least <= token.value <= most else token
        for token in tokens
        for least, most in [_BARE_M2.get(token.tag, (math.inf, math.inf))]
    ]
    return sized if sized != tokens else []


def _centimetres(words: Words, tokens: Tokens) -> Tokens:
    """Metres and centimetres: "6m50"."""
    metres, centimetres = tokens
    is_part = words[centimetres.start].isalpha() or len(words[centimetres.start]) == 2  # noqa: PLR2004
    is_part &= 10 <= centimetres.value < 100 and metres.value == int(metres.value)  # noqa: PLR2004
    value = metres.value + centimetres.value / 100
    return [metres._replace(end=centimetres.end, value=value)] if is_part else []


def _product(words: Words, tokens: Tokens, sides_m: tuple[float, float] = (0.0, math.inf)) -> Tokens:
    """The sides of a rectangle between these lengths: "20 m par 30"."""
    *before, first, link, second = tokens
    is_fitting = words[link.start] in _SETS["times"] and all(
        sides_m[0] <= side.value <= sides_m[1] for side in (first, second)
    )
    return [*before, Token(first.start, second.end, "AREA", first.value * second.value)] if is_fitting else []


def _percentages(_words: Words, tokens: Tokens) -> Tokens:
    """Two numbers that make a whole: "60 pour elle 40 pour moi"."""
    places = [i for i, token in enumerate(tokens) if token.tag in ("NUM", "PERCENT")]
    is_whole = sum(tokens[i].value for i in places) == _PERCENT
    return _retagged(tokens, dict.fromkeys(places, "PERCENT")) if is_whole else []


def _people(words: Words, tokens: Tokens) -> Tokens:
    """Somebody beside so many others: "mes deux frères et moi"."""
    *_, last = tags = [token.tag for token in tokens]
    others = tags.count("KIN") + (last != "KIN")
    is_counted = last == "KIN" or words[tokens[-1].start] in ("moi", "me", "i")
    return [tokens[0]._replace(end=tokens[-1].end, value=tokens[0].value + others)] if is_counted else []


_ACTIONS: Mapping[str, Callable[[Words, Tokens], Tokens]] = {
    "part": _part,
    "and_a_half": _and_a_half,
    "with_unit": _with_unit,
    "compound": _compound,
    "range": _range,
    "bounded": _bounded,
    "two_bounds": _two_bounds,
    "bare_range": _bare_range,
    "sized": _sized,
    "centimetres": _centimetres,
    "product": lambda words, tokens: (
        area
        if "LENGTH" in (tokens[0].tag, tokens[-1].tag)
        and (area := _product(words, tokens))
        and area[0].value >= _LEAST_STRIP_M2
        else []
    ),
    "house_sides": lambda words, tokens: [
        token._replace(tag="SIDES", least=sides_m[0], most=sides_m[1]) if token.tag == "AREA" else token
        for sides_m in [sorted((tokens[-3].value, tokens[-1].value))]
        for token in _product(words, tokens, _HOUSE_SIDES_M)
    ],
    "percentages": _percentages,
    "people": _people,
    "hide": lambda _, tokens: [token._replace(tag="hidden") for token in tokens],
    "correction": lambda words, tokens: (
        [token._replace(tag="FIX") if words[token.start] in ("no", "non") else token for token in tokens]
        if {words[token.start] for token in tokens[-2:]} & {"no", "non"}
        else []
    ),
    "rival": lambda _, tokens: [
        *(token._replace(tag="hidden") if token.tag in ("NUM", "LOT") else token for token in tokens[:-1]),
        tokens[-1],
        tokens[-1]._replace(tag="LOT"),
    ],
    "ordinal": lambda words, tokens: (
        [tokens[0], tokens[1]._replace(tag="ORD", value=round(1 / tokens[1].value))]
        if words[tokens[1].start].endswith(("ieme", "th"))
        else []
    ),
    "price": lambda _, tokens: (
        _retagged(tokens, {len(tokens) - 1: "MONEY"}) if tokens[-1].value % _ROUND_EUR == 0 else []
    ),
    "unit": lambda _, tokens: [tokens[1]._replace(tag="AREA", unit=tokens[1].value)],
    "ares": lambda words, tokens: (
        [tokens[0]._replace(end=tokens[1].end, tag="AREA", value=tokens[0].value * M2_PER_ARE, unit=M2_PER_ARE)]
        if words[tokens[0].start][0].isdecimal()
        else []
    ),
    "width_by_length": lambda _, tokens: [
        Token(tokens[0].start, tokens[-1].end, "AREA", tokens[0].value * tokens[3].value)
    ],
    "several": lambda _, tokens: (
        _retagged(tokens, {0: "several", len(tokens) - 1: "parcels"}) if tokens[0].tag == "NUM" else []
    ),
    "people_with_me": lambda _, tokens: [tokens[3]._replace(start=tokens[0].start, value=1 + tokens[3].value)],
    "sides": lambda _, tokens: (
        [tokens[0]._replace(end=tokens[2].end, tag="by")]
        if tokens[2].value < LEAST_AREA_M2 or tokens[0].value >= _LEAST_SIDE_M <= tokens[2].value
        else []
    ),
    "address": lambda words, tokens: (
        [tokens[0]._replace(end=tokens[1].end, tag="at")] if "rue" in words[tokens[1].start : tokens[1].end - 1] else []
    ),
    "fixed": lambda _, tokens: [tokens[0]._replace(end=tokens[-2].end, tag="FIXED"), tokens[-1]],
    "fixed_alike": lambda _, tokens: [
        tokens[0]._replace(end=tokens[-2].end, tag="FIXED"),
        tokens[-1],
        *(tokens[-1]._replace(tag=token.tag) for token in tokens[1:2] if token.tag in _NAMES),
    ],
    "upper_storeys": lambda _, tokens: [
        tokens[0]._replace(end=tokens[-1].end, tag="STOREYS", value=1 + tokens[-1].value)
    ],
    "footprint": lambda _, tokens: (
        _retagged(tokens, {0: "FOOTPRINT"}) if tokens[1].tag == "PERCENT" or tokens[1].value < 1 else []
    ),
    "list": lambda words, tokens: (
        _sized(words, tokens)
        if ":" in [words[token.start] for token in tokens[1:3]] and words[tokens[0].start] not in _SETS["parcels"]
        else []
    ),
    "play": lambda _, tokens: (
        [
            tokens[0]._replace(
                end=tokens[2].end, least=tokens[0].value - tokens[2].value, most=tokens[0].value + tokens[2].value
            )
        ]
        if tokens[2].value < tokens[0].value / 2
        else []
    ),
    "bound_of_each": lambda words, tokens: (
        [bounded[0]._replace(end=tokens[0].end), tokens[1]._replace(end=tokens[2].end)]
        if (bounded := _bounded(words, tokens[::2]))
        else []
    ),
}
_TAG = re.compile(r"[A-Za-z]+|[-–.,/±]|(?<!\?):")
_ALPHABET = Alphabet(tag for entry in _TABLE["rows"] for tag in _TAG.findall(entry["tags"]))
_ROWS = [
    (
        re.compile(_TAG.sub(lambda tag: _ALPHABET.row([tag[0]]), entry["tags"]).replace(" ", "").replace("_", ".")),
        entry,
    )
    for entry in _TABLE["rows"]
]
