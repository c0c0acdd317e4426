"""Splits a text into tagged words. Quantities are read first: numbers in figures and words, with units, ranges, bounds
and fractions. A token without a class has itself as its tag.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Generic, NamedTuple, TypeVar

import text_to_num

from assistant.questions.words import SENTENCE, plain_text
from assistant.reading.languages import is_half_readable
from assistant.reading.patterns import Alphabet
from assistant.text import read_table

M = TypeVar("M")

_PIECE = re.compile(
    r"(?=\d)(?:\d(?:ere?|eme|e|nd|rd|st|th)\b|(?:\d+ ?ha ?)?\d+ ?a ?\d+ ?ca\b|\d+ ?ha ?\d+ ?a\b|\d{1,4}/\d{1,2}\b|"
    r"(?:(?<!lot )(?<![a-z])|(?<=macro.lot )|(?<=\bun lot )|(?<=\b1 lot ))\d{1,3}(?:[ .,]\d{3})+(?!\d)|"
    r"\d+(?:[.,]\d+)?)|"
    r"(?=[^\W\d_])(?:(?<!\d )(?<!\d)(?<!sq )\b(?:mme|mlle|mrs?|me|ms?)\.(?= ?[^\W\d])|"
    r"\b(?:env|approx|sup|surf|div|mais|acc|serv|parc|cad|indiv|prop|succ|raccord|gar|prof|pav)\.|"
    r"r ?(?:\+|plus) ?\d\b|m2\b|\b[tf][1-6]\b|[^\W\d_]+)|\n"
    r"|(?<=\d)[-–](?=\d)|(?<=\d\d )[-–](?= \d{3})|[^\w\s'’\-–—()\"«»*]"
)
_SHORT_SUBJECT = re.compile(r"^j(?=[b-df-hj-np-tv-z]{1,2}[aeiouy]\w)")
"""How "je" is written before a verb: "jgarde", "jveux"."""
_TELEPHONE = re.compile(r"\b0\d(?:[ .]?\d\d){4}\b")
_METRES = re.compile(r"\b(\d+) ?m(?:etres?)? ?(\d\d)\b")
_DIGITS = re.compile(r"\d{1,3}(?:[ .,]\d{3})+(?!\d)|\d+(?:[.,]\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[ .,]\d{3})+")
_BARE_M2: Mapping[str, tuple[float, float]] = {"NUM": (100.0, 9_999.0), "LENGTH": (200.0, math.inf)}
"""Between these, a bare number behind "lot de" is an area, and so are "mètres"."""
_FIRST_YEAR, _LAST_YEAR = 1800, 2099
_ONE_LOT, _OVEN = ["1", "lot", "de"], ["four", "a"]
_AMOUNTS = ("NUM", "ONE")
_LEAST_AREA_M2, _LEAST_STRIP_M2, _M2_PER_ARE = 50.0, 20.0, 100.0
"""A smaller bare number is no area: "de 3 à 400 m²"; a smaller rectangle is none."""
_HOUSE_SIDES_M = 4.0, 25.0
"""The shortest and the longest side of a house."""
_LEAST_SIDE_M, _LEAST_PRICE, _LEAST_SUM, _LARGEST = 10.0, 1000.0, 10_000.0, 1e12
"""A smaller number counts, as in "3 x 450"; a smaller one is no price; a smaller one behind "à vendre" is none."""
_LEAST_YEAR, _PERCENT = 40, 100
"""Between these is a year that is told by its last two digits."""
_LEAST_ALIKE = 0.25
"""A listed number without a unit is at least this share of the one with it, and not more than its inverse."""
_MOST_TAKEN_BACK, _NEAR_BOUND = 8, 5
"""A correction takes back so many words; a denial stands at most so many before the bound that it turns."""
_WORDS = {name: frozenset(words) for name, words in read_table("reading/tokens.toml")["words"].items()}
_MOST_WORDS = 4096
"""So many words are remembered with their phrases."""
_COUNTED = frozenset(("TIME", "PEOPLE"))
"""Units of which one is no amount: "un an", "un fils"."""


class Token(NamedTuple):
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


class _Piece(str, text_to_num.Token):  # type: ignore[misc]
    """A word for the reader of numbers."""

    def text(self) -> str:
        return str(self)


class Phrases(Generic[M]):
    """Phrases, each with its meaning."""

    def __init__(self, entries: Iterable[tuple[str, M]], plural: str = "") -> None:
        """`plural` is an ending without which a word is looked up that begins no phrase."""
        self._plural = plural
        self._by_first: dict[str, list[tuple[tuple[str, ...], M]]] = {}
        for phrase, meaning in entries:
            words = tuple(plain_text(phrase).split(" "))
            self._by_first.setdefault(words[0], []).append((words, meaning))
        self._options = lru_cache(_MOST_WORDS)(self._options_of)

    def _options_of(self, word: str) -> Mapping[str, Sequence[tuple[tuple[str, ...], M]]]:
        """The phrases that begin with a word by their second word, which a single word has not, the longest first."""
        keys = [word, *(f"{word[:length]}*" for length in range(len(word), 2, -1))]
        options = [option for key in keys for option in self._by_first.get(key, ())]
        if not options and self._plural and word.endswith(self._plural):
            return self._options_of(word.removesuffix(self._plural))
        by_second: dict[str, list[tuple[tuple[str, ...], M]]] = {}
        for phrase, meaning in sorted(options, key=lambda option: -len(option[0])):
            by_second.setdefault(phrase[1] if len(phrase) > 1 else "", []).append((phrase, meaning))
        return by_second

    def at(self, words: Sequence[str], index: int, end: int | None = None) -> tuple[int, M] | None:
        """How many words of the longest phrase begin here and end before `end`, and its meaning."""
        options = self._options(words[index])
        end = end or len(words)
        for phrase, meaning in options.get(words[index + 1], ()) if index + 1 < end else ():
            following = index + len(phrase)
            if following <= end and tuple(words[index + 1 : following]) == phrase[1:]:
                return len(phrase), meaning
        return (1, options[""][0][1]) if "" in options else None


@cache
def _units() -> Phrases[tuple[str, float]]:
    units = read_table("reading/tokens.toml")["units"]
    return Phrases((name, (tag, size)) for tag, sizes in units.items() for name, size in sizes.items())


@cache
def _classes() -> Phrases[tuple[str, float]]:
    table = read_table("reading/tokens.toml")
    values = ((word, (tag, value)) for tag, words in table["values"].items() for word, value in words.items())
    return Phrases(
        chain(values, ((text, (tag, 0.0)) for tag, texts in table["classes"].items() for text in texts)), "s"
    )


def read_tokens(text: str) -> list[Token]:
    """The tagged words in order. A word that its speaker corrects is left out."""
    pieces, words = _spelled(plain_text(text))
    tokens = _classified(words, _numbers(text, pieces, words), _names(text, pieces))
    row = _ALPHABET.row([token.tag for token in tokens])
    for pattern, rewrite in _REWRITES:
        is_rewritten = True
        while is_rewritten:
            is_rewritten = False
            for start, end in reversed([match.span() for match in pattern.finditer(row)]):
                if tokens_of := rewrite(words, tokens[start:end]):
                    tokens[start:end], is_rewritten = tokens_of, True
                    row = row[:start] + _ALPHABET.row([token.tag for token in tokens_of]) + row[end:]
    spans = [piece.span() for piece in pieces]
    tokens = [Token(spans[token.start][0], spans[token.end - 1][1], *token[2:]) for token in _corrected(tokens)]
    hidden = [part.span() for part in SENTENCE.finditer(text) if is_half_readable(part[0])]
    return [
        token._replace(tag="hidden") if hidden and any(start <= token.start < end for start, end in hidden) else token
        for token in tokens
    ]


def _spelled(plain: str) -> tuple[list[re.Match[str]], list[str]]:
    """The words of a text in full spelling, each with its piece of the text: "jgarde" is "j" and "garde"."""
    spellings = read_table("reading/tokens.toml")["spellings"]
    spelled = [
        (piece, word)
        for piece in _PIECE.finditer(_TELEPHONE.sub(lambda number: "x" * len(number[0]), plain))
        for word in spellings.get(piece[0]) or (("j", piece[0][1:]) if _SHORT_SUBJECT.match(piece[0]) else (piece[0],))
    ]
    return [piece for piece, _ in spelled], [word for _, word in spelled]


def figures(text: str) -> set[float]:
    """Every figure that the text tells in digits or words: areas in m², lengths in m, ratios, numbers."""
    plain = plain_text(text)
    tokens = read_tokens(text)
    told = {value for token in tokens for value in (token.value, token.least, token.most) if value}
    told |= {float(f"{metres}.{centimetres}") for metres, centimetres in _METRES.findall(plain)}
    told |= {_value(number) for number in _DIGITS.findall(plain)}
    words = [*map(_Piece, _PIECE.findall(plain))]
    spoken = (number for name in _WORDS["languages"] for number in text_to_num.find_numbers(words, name, 0.0))
    told |= {float(number.value) for number in spoken}
    implied = read_table("reading/tokens.toml")["implied"].items()
    return told | {float(value) for phrase, value in implied if re.search(rf"\b{phrase}\b", plain)}


@cache
def _number_words() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in read_table("reading/tokens.toml")["number_words"].items()}


def _numbers(text: str, pieces: Sequence[re.Match[str]], words: Sequence[str]) -> dict[int, Token]:
    """The numbers in words and figures, by their first word. Places count words until all tokens are made."""
    numbers: dict[int, Token] = {}
    for name, number_words in _number_words().items():
        places = [index for index, word in enumerate(words) if word in number_words]
        near = sorted({place + shift for place in places for shift in range(-1, 3)} & {*range(len(words))})
        for number in text_to_num.find_numbers([_Piece(words[index]) for index in near], name, 0.0) if near else ():
            start, end = near[number.start], near[number.end - 1] + 1
            if not number.is_ordinal and words[start] != "neuf" and words[start : start + 2] != _OVEN:
                before = words[start - 1] if start else ""
                is_year = _FIRST_YEAR <= number.value <= _LAST_YEAR and before in _WORDS["before_years"]
                tag = "TIME" if is_year else "ONE" if number.value == 1 else "NUM"
                numbers[start] = Token(start, end, tag, number.value)
    for index, word in enumerate(words):
        if word[0].isdecimal() and word != "50/50" and word[-1] not in "dehrt":  # no phrase
            before, value = words[index - 1] if index else "", _value(word)
            tag = "AREA" if word[-1] == "a" else "ONE" if words[index : index + 3] == _ONE_LOT else "NUM"
            is_year = _FIRST_YEAR <= value <= _LAST_YEAR or (_LEAST_YEAR <= value < _PERCENT and before != "depuis")
            if "/" in word:
                is_day = (
                    before in _WORDS["before_days"]
                    and word[0] != "1"
                    and _WORDS["of_wholes"].isdisjoint(words[index + 1 : index + 2])
                )
                is_split = sum(map(float, word.split("/"))) == _PERCENT  # "60/40"
                tag = "split" if is_split else "SHARE" if 0 < value < 1 and not is_day else "TIME"
            elif is_year and word.isdecimal() and before in _WORDS["before_years"]:
                tag = "TIME"
            numbers[index] = Token(index, index + 1, tag, value)
            is_named = index > 1 and (
                not _WORDS["lots"].isdisjoint(words[index - 3 : index - 1])
                or (before in _WORDS["labels"] and words[index - 2] in ",:;\n")
            )
            is_section = index and tag != "AREA" and not is_named and _is_section(text, *pieces[index - 1 : index + 1])
            road = text[pieces[index - 1].start() : pieces[index].end()].removesuffix(word) if index else ""
            if road in _WORDS["roads"] and words[max(0, index - 2)] in _WORDS["before_roads"]:  # "la D19"
                numbers[index - 1] = Token(index - 1, index + 1, "WAY")
            elif before == "l" and pieces[index - 1].end() == pieces[index].start():  # "lot L2"
                numbers[index - 1] = Token(index - 1, index, "LOT")
            elif is_section and (index + 1 == len(words) or not _units().at(words, index + 1)):
                numbers[index - 1] = Token(index - 1, index + 1, "REF", value)
        elif word[0] == "r" and word[-1].isdecimal():
            numbers[index] = Token(index, index + 1, "STOREYS", 1.0 + int(word[-1]))
    return numbers


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
    written, before = text[letters.start() : letters.end()], text[: letters.start()].lower()
    is_code = written.isalpha() and written.isupper() and len(written) <= 2 and number[0][0].isdecimal()  # noqa: PLR2004
    is_code &= written not in _WORDS["ambiguous"] or (
        before.endswith(("parcelle ", "parcelles ", "section "))
        or len(re.findall(rf"\b{written} \d{{3,4}}\b(?! ?(?:m|ca|a)\b|[.,]\d)", text)) > 1
    )
    return is_code or written in ("n", "no", "°", "numéro", "numero")


def _names(text: str, pieces: Sequence[re.Match[str]]) -> frozenset[str]:
    """The words that stand with a capital letter inside of a sentence, as names of people do."""
    return frozenset(
        piece[0]
        for before, piece in pairwise(pieces)
        if text[piece.start()].isupper()
        and (text[piece.start() + 1 : piece.end()].islower() or before[0] in _WORDS["titles"])
        and before[0] not in _WORDS["starts"]
    )


def _classified(words: Sequence[str], numbers: Mapping[int, Token], names: Collection[str]) -> list[Token]:
    """The numbers with their units, and words and phrases with their class."""
    tokens: list[Token] = []
    classes, units = _classes(), _units()
    index = end = 0
    while index < len(words):
        token = numbers.get(index)
        if token is None:
            if end <= index:
                end = next((place for place in range(index + 1, len(words)) if place in numbers), len(words))
            word = words[index]
            is_name = word in names
            length, meaning = classes.at(words, index, end) or (1, ("PERSON" if is_name else word, 0.0))
            is_thing = meaning[0] == "KEPTOUT" and words[index - 1] != ":"  # "Saint-Pierre-du-Bois", "Jean Moulin"
            if is_name and (is_thing or meaning[0] == "GETS" or (meaning[0] == "HOUSE" and words[index - 1] in names)):
                length, meaning = 1, ("PERSON", 0.0)
            token = Token(index, index + length, *meaning)
            amount = tokens[-1] if tokens else token
            length, (tag, size) = (amount.tag in _AMOUNTS and units.at(words, index, end)) or (0, ("", 0.0))
            is_verb = (
                words[index] == "are"
                and amount.value > 1
                and _WORDS["after_ares"].isdisjoint(words[index + 1 : index + 2])
            )  # "the other 3 are for sale"
            if length and not is_verb and (amount.tag == "NUM" or tag not in _COUNTED):
                token = Token(tokens.pop().start, index + length, tag, amount.value * size, size)
        tokens.append(token)
        index = token.end
    return tokens


def _part(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """A share told by a number, or a share of a unit: "two thirds", "half an acre"."""
    first, *_, last = tokens
    value, tag = first.value * last.value, "AREA" if last.tag == "UNIT" else "SHARE"
    is_part = tag == "AREA" or (words[last.start].isalpha() and value < 1)
    return [Token(first.start, last.end, tag, value, last.value if tag == "AREA" else 1.0)] if is_part else []


def _with_unit(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Gives a number of a list or a range the unit that follows: "480, 510 et 600 m²"."""
    number, link, *between, figure = tokens
    is_listed = words[link.start] in ("a", "to", "-", "–", "et", "and", "ou", "or", ",", "/")
    is_listed &= words[number.start].isalpha() == words[figure.start].isalpha()  # "pour les deux, 4 m"
    value = number.value * (figure.unit if figure.tag == "AREA" else 1)
    is_large = figure.tag == "LENGTH" or value >= _LEAST_AREA_M2
    is_large &= words[link.start] != "," or _LEAST_ALIKE <= value / (figure.value or 1) <= 1 / _LEAST_ALIKE
    sized = number._replace(tag=figure.tag, value=value, unit=figure.unit)
    return [sized, link, *between, figure] if is_listed and is_large else []


def _compound(_words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Hectares, ares and centiares behind each other: "4 ares 50", "un hectare douze"."""
    large, small, *after = tokens
    value = large.value + small.value * (large.unit / _M2_PER_ARE if small.tag == "NUM" else 1)
    return [large._replace(end=small.end, value=value, unit=small.unit), *after] if large.unit > small.unit else []


def _range(words: Sequence[str], tokens: list[Token]) -> list[Token]:
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


def _bounded(_words: Sequence[str], tokens: list[Token]) -> list[Token]:
    area, bound = sorted((tokens[0], tokens[-1]), key=lambda token: token.tag != "AREA")
    least, most = (area.value, None) if bound.tag.startswith(("LEAST", "ORMORE")) else (None, area.value)
    bounded = area._replace(start=tokens[0].start, end=tokens[-1].end, least=least, most=most)
    return [bounded] if area.least is None and area.most is None else []


def _two_bounds(_words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """A lower and an upper bound of one area: "at least 500, no more than 600"."""
    first, *_, last = tokens
    least, most = first.least or last.least or 0.0, first.most or last.most or 0.0
    is_pair = (first.least is None) != (last.least is None) and (first.most is None) != (last.most is None)
    area = first._replace(end=last.end, value=(least + most) / 2, least=least, most=most)
    return [area] if is_pair and least < most and None in (first.least, first.most) else []


def _bare_range(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Two bare numbers that bound an area: "one of 700 to 800"."""
    *before, least, link, most = _sized(words, tokens) or tokens
    is_year = _FIRST_YEAR <= least.value < most.value <= _LAST_YEAR
    return [] if {least.tag, most.tag} != {"AREA"} or is_year else [*before, least, link, most]


def _sized(_words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Bare numbers behind "lot de", and so many metres, are areas: "2 lots de 700", "450/480/520", "600 mètres"."""
    sized = [
        token._replace(tag="AREA") if least <= token.value <= most else token
        for token in tokens
        for least, most in [_BARE_M2.get(token.tag, (math.inf, math.inf))]
    ]
    return sized if sized != tokens else []


def _centimetres(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Metres and centimetres: "6m50"."""
    metres, centimetres = tokens
    is_part = words[centimetres.start].isalpha() or len(words[centimetres.start]) == 2  # noqa: PLR2004
    is_part &= 10 <= centimetres.value < 100 and metres.value == int(metres.value)  # noqa: PLR2004
    value = metres.value + centimetres.value / 100
    return [metres._replace(end=centimetres.end, value=value)] if is_part else []


def _product(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """The sides of a rectangle: "20 m par 30"."""
    first, link, second = tokens
    area = Token(first.start, second.end, "AREA", first.value * second.value)
    is_product = words[link.start] in _WORDS["times"] and "LENGTH" in (first.tag, second.tag)
    return [area] if is_product and area.value >= _LEAST_STRIP_M2 else []


def _house_sides(words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """The sides of a house: "une maison de 10 x 12"."""
    *before, first, link, second = tokens
    is_house = words[link.start] in _WORDS["times"] and all(
        least <= side.value <= most for side in (first, second) for least, most in [_HOUSE_SIDES_M]
    )
    return [*before, Token(first.start, second.end, "SIDES", first.value * second.value)] if is_house else []


def _hidden(_words: Sequence[str], tokens: list[Token]) -> list[Token]:
    """Words that no rule reads: what is denied, what else might be, what stands instead."""
    return [token._replace(tag="hidden") for token in tokens]


_MEASURES = "[OF DET A]*[DIM WIDE HEIGHT away from WAY FRONT ALONG TOWN KEPTOUT]"
"""What a length is of."""
_ROWS = (
    ("ELSE [^.]*", _hidden),
    ("INSTEAD [^. ,]*", _hidden),
    (
        "NUM [LOT LAND HOUSES]?(?:OF NUM)?,?NOT ,?(?=NUM [LOT LAND HOUSES])",  # "five plots, no, six plots"
        lambda words, tokens: (
            [token._replace(tag="FIX") if words[token.start] in ("no", "non") else token for token in tokens]
            if {words[token.start] for token in tokens[-2:]} & {"no", "non"}
            else []
        ),
    ),
    (
        "[KIN PERSON NEIGHBOUR][FILLER SUBJ]*WANT NUM [LOT LAND HOUSES]?,?BUT?"
        "(?:ME|[SUBJ WE][FILLER WANT OF]*)NUM (?=[. , BUT]|$)",
        lambda _, tokens: [  # "my husband wants three lots, me two"
            *(token._replace(tag="hidden") if token.tag in ("NUM", "LOT") else token for token in tokens[:-1]),
            tokens[-1],
            tokens[-1]._replace(tag="LOT"),
        ],
    ),
    (
        "KIN[FILLER SUBJ WE PERSON]*RECEIVE (?=[^.]*[BACK FRONT NORTH EAST SOUTH WEST LEFT RIGHT BUILD])",  # their land
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="GIVE")],
    ),
    ("[KIN PERSON NEIGHBOUR BUYER TOWN][FILLER SUBJ]*WANT NUM [LOT LAND HOUSES]?,?(?=BUT)", _hidden),
    (
        "[KIN PERSON FILLER][THINK WANT SAID]OF?NUM (?:[^. ,])*,?[AND BUT]?"  # two choices: "Mr thinks 2, Mrs thinks 3"
        "MY?[KIN PERSON FILLER][THINK WANT SAID]OF?NUM (?:[^. ,])*",
        _hidden,
    ),
    ("NOT IN?[NUM AREA LENGTH SHARE PERCENT] [LOT LAND HOUSES]?", _hidden),
    (
        "LOT [NUM ONE] [AND ,]NUM (?![AREA SHARE PERCENT LENGTH NUM LOT OF EACH : , AND])",  # "lots 2 et 3 à vendre"
        lambda _, tokens: (
            [token._replace(tag="number") if token.value else token for token in tokens]
            if tokens[1].value < tokens[3].value < _LEAST_SIDE_M
            else []
        ),
    ),
    ("[NUM ONE] SHARE", _part),
    (
        "DET SHARE (?=FOR|WITH|FORME|FORSALE|BACK|FRONT)",  # a fifth lot, not a fifth of the land
        lambda words, tokens: (
            [tokens[0], tokens[1]._replace(tag="ORD", value=round(1 / tokens[1].value))]
            if words[tokens[0].start] in ("le", "la", "the") and words[tokens[1].start].endswith(("ieme", "th"))
            else []
        ),
    ),
    ("SHARE [OF DET A]*UNIT", _part),
    (
        "[DET A ONE]UNIT (?!AND)",
        lambda words, tokens: (
            [tokens[1]._replace(tag="AREA", unit=tokens[1].value)]
            if words[tokens[0].start] in ("a", "an", "un", "one") and tokens[1].value > _M2_PER_ARE
            else []
        ),
    ),
    ("LENGTH NUM (?![LOT LAND PARCEL TAB HOUSES])", _centimetres),
    (
        "NUM A (?=[. , AND]|$)",  # the short sign of ares: "18,42 a."
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[1].end, tag="AREA", value=tokens[0].value * _M2_PER_ARE, unit=_M2_PER_ARE)]
            if words[tokens[1].start] == "a" and words[tokens[0].start][0].isdecimal()
            else []
        ),
    ),
    (
        "[AREA UNIT]AND [A DET ONE]?SHARE",  # "an acre and a half"
        lambda _, tokens: (
            [tokens[0]._replace(end=tokens[-1].end, tag="AREA", value=tokens[0].value + unit * tokens[-1].value)]
            if (unit := tokens[0].value if tokens[0].tag == "UNIT" else tokens[0].unit) >= _M2_PER_ARE
            else []
        ),
    ),
    ("AREA AREA", _compound),
    ("AREA NUM (?!LOT)", _compound),
    ("NUM [^ ,](?:ONE OF|DET OF)?[AREA LENGTH]", _with_unit),
    (
        "(?<=[LOT TAB LAND HOUSES PARCEL : , OF AND BUILDABLE EACH WITH BACK FRONT KEEP SELL])NUM ,[AREA LENGTH]",
        _with_unit,
    ),
    (
        f"NOT {'(?:[^. , AREA NUM])?' * _NEAR_BOUND}LEASTOF (?=[AREA NUM SHARE])",  # "veut pas laisser plus de 700"
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="MOSTOF")],
    ),
    (
        f"[NOT REFUSED] {'(?:[^. , AREA NUM])?' * _NEAR_BOUND}MOSTOF (?=AREA)",  # "je refuse de vendre moins de 600 m²"
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="LEASTOF")],
    ),
    (
        "[^ . , : AND DET MY OF A WITH KEEP AREA NUM ONE LOT]HOUSE",
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[1].end)] if words[tokens[1].start] in ("existant", "existing") else []
        ),
    ),
    ("[HOUSE HOUSES BUILDING STOREYS][OF DET A ADJ FILLER , :]*[NUM LENGTH] _ [NUM LENGTH]", _house_sides),
    ("[NUM LENGTH] _ [NUM LENGTH] (?=ADJ*[HOUSE HOUSES BUILDING FOOTPRINT ONGROUND])", _house_sides),
    ("[NUM LENGTH] _ [NUM LENGTH] (?!LOT|LAND|TAB|PARCEL)", _product),
    (
        "LENGTH [WIDE DIM][ON x by par AND]LENGTH [DIM WIDE]?",  # "3 m de large sur 25 m de long"
        lambda _, tokens: [Token(tokens[0].start, tokens[-1].end, "AREA", tokens[0].value * tokens[3].value)],
    ),
    (f"(?<![A TO])(?:LENGTH [A TO - –])?LENGTH (?!{_MEASURES})", _sized),
    ("NUM [A TO - –]NUM (?![LOT LAND PARCEL TAB HOUSES NUM])", _bare_range),
    ("BETWEEN NUM AND NUM (?![LOT LAND PARCEL TAB HOUSES NUM])", _bare_range),
    ("[LEAST LEASTOF MOST MOSTOF] NUM (?![LOT LAND PARCEL TAB HOUSES NUM ADJ])", _sized),
    ("[LOT PARCEL TAB LAND GROUND BIT BUILDABLE ONE NUM] ADJ?OF OF?NUM", _sized),
    ("NUM [FRONT BACK NORTH EAST SOUTH WEST LEFT RIGHT] OF OF?NUM", _sized),
    (
        "[left right] (?=[SHARE LOT LAND GROUND BIT ONE one])",
        lambda _, tokens: [tokens[0]._replace(tag=tokens[0].tag.upper())],
    ),
    (
        "[WAY STREET](?:[OF DET]+[HOUSE HOUSES KEPTOUT OUTHOUSE TOWN GROUND PERSON]|PERSON)(?:PERSON)*",  # a name
        lambda _, tokens: [tokens[0]._replace(end=tokens[-1].end)],
    ),
    (
        "(?:[DIVIDE IN CREATE WANT MUST SELL DETACH GIVE BUY OF]_?_?_?)?"
        "NUM ADJ*LOT (?!, [ONE DET celle]|[BUILDABLE FORSALE TODETACH])",  # those of today
        lambda words, tokens: (
            [tokens[0]._replace(tag="several"), *tokens[1:]]
            if tokens[0].tag == "NUM" and words[tokens[-1].start] in _WORDS["parcels"]
            else []
        ),
    ),
    (
        "PEOPLE (?:, [MY DET]KIN)*AND(?:[ME FILLER SUBJ]|[MY DET]KIN) (?![KEEP GETS])",  # "mes deux frères et moi"
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[-1].end, value=tokens[0].value + tags.count("KIN") + (tags[-1] != "KIN"))]
            if (tags := [token.tag for token in tokens])[-1] == "KIN" or words[tokens[-1].start] in ("moi", "me", "i")
            else []
        ),
    ),
    ("ME AND MY PEOPLE", lambda _, tokens: [tokens[3]._replace(start=tokens[0].start, value=1 + tokens[3].value)]),
    (
        "NUM x NUM",  # the sides of the land or of a house: "70 x 40", "8 x 12"
        lambda _, tokens: (
            [tokens[0]._replace(end=tokens[2].end, tag="by")]
            if tokens[2].value < _LEAST_AREA_M2 or tokens[0].value >= _LEAST_SIDE_M <= tokens[2].value
            else []
        ),
    ),
    (
        "DET NUM (?=AREA)",  # a lot by its number: "le 7 (540 m²)"
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[1].end, tag="number")] if words[tokens[0].start] in ("le", "la") else []
        ),
    ),
    (
        "NUM WAY",  # an address: "12 rue du Puits"
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[1].end, tag="at")]
            if "rue" in words[tokens[1].start : tokens[1].end - 1]
            else []
        ),
    ),
    (
        "[KEEP GETS BUILD IBUILD CREATE WANT](?:[^. , MINE WITH AND LOT])*[ONE A] ADJ?HOUSE",  # one that is to come
        lambda words, tokens: (
            [*tokens[:-1], tokens[-1]._replace(tag="BUILDING")]
            if words[tokens[-1].start - 1] not in ("au", "aux")
            else []
        ),
    ),
    (
        "[BUILD IBUILD](?:[MY SELF FILLER])*HOUSE",
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="BUILDING")],
    ),
    (
        "[HOUSE KEPTOUT TOWN PERSON]WAY",
        lambda words, tokens: (
            [tokens[1]._replace(start=tokens[0].start)] if words[tokens[1].start] in ("lane", "road", "street") else []
        ),
    ),
    (
        "ALONG [DET OF MY]*(?:_)?WAY",
        lambda _, tokens: [tokens[0]._replace(end=tokens[-1].end, tag="FRONT")],
    ),
    (
        "[BACK FRONT][DET MY OF A]+ADJ?[OUTHOUSE KEPTOUT]",
        lambda words, tokens: (
            [tokens[0]._replace(tag="BEHIND"), *tokens[1:]]
            if words[tokens[0].start] in ("derriere", "devant", "behind", "beyond")
            else []
        ),
    ),
    (
        "(?<![DET MY ADJ OF A ONE NUM WITH])HOUSE",  # the verb: "le reste demeure en culture"
        lambda words, tokens: [tokens[0]._replace(tag="reste")] if words[tokens[0].start] == "demeure" else [],
    ),
    ("MY MY", lambda _, tokens: [tokens[0], tokens[1]._replace(tag="KIN")]),  # the word "son" behind "my"
    (
        "[CREATE WANT FILLER SUBJ WE AND ,]FORSALE (?=[DET MY ONE A NUM ADJ AREA SHARE])",
        lambda words, tokens: (
            [tokens[0], tokens[1]._replace(tag="SELL")] if words[tokens[1].start] in ("to", "pour") else []
        ),
    ),
    (
        "[WE SUBJ] COMMON (?=[IN DET MY FILLER HALVES EVEN BETWEEN])|COMMON (?=IN NUM)",  # the verb "partage"
        lambda words, tokens: (
            [*tokens[:-1], tokens[-1]._replace(tag="DIVIDE")] if words[tokens[-1].start].startswith("partage") else []
        ),
    ),
    (
        "TOWN [^. ,]?[^. ,]?[WANT SAID] [SELL DETACH DIVIDE]",  # it divides its own land
        lambda _, tokens: [
            tokens[0]._replace(tag="TOWNLAND"),
            *tokens[1:-2],
            tokens[-2]._replace(tag="WANT"),
            tokens[-1],
        ],
    ),
    (
        "SUBJ CREATE (?=[OF A FILLER JUST]*[LENGTH AREA])",
        lambda words, tokens: (
            [tokens[0], tokens[1]._replace(tag="mesure")] if words[tokens[1].start] in ("fait", "faisait") else []
        ),
    ),
    (
        "AND NUM [LOT LAND],?c FILLER NUM",  # "c'est plus trois terrains, c'est deux"
        lambda words, tokens: (
            [tokens[0]._replace(end=tokens[-2].end, tag="FIXED"), tokens[-1]]
            if words[tokens[0].start] == "plus"
            else []
        ),
    ),
    (
        "NUM [LOT LAND HOUSES]?,?BUT?[finalement enfin sorry wait attends attendez]NUM",  # "trois, enfin quatre"
        lambda _, tokens: [
            tokens[0]._replace(end=tokens[-2].end, tag="FIXED"),
            tokens[-1],
            *(tokens[-1]._replace(tag=token.tag) for token in tokens[1:2] if token.tag in ("LOT", "LAND", "HOUSES")),
        ],
    ),
    (
        "[PRICE offered offers asking paying paid pays paye paie soulte vaut worth propose proposes mentions espere "
        "esperons vise demande voudrait](?:[^. , NUM])?NUM (?!_?[LOT REF])",
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="MONEY")] if tokens[-1].value >= _LEAST_PRICE else [],
    ),
    (
        "NUM (?=[PRICE net])|(?:FORSALE|SELL) (?:[^. , NUM])?NUM (?=[. ,]|$)|NUM (?=[LEAST MOST])",
        lambda _, tokens: [*tokens[:-1], tokens[-1]._replace(tag="MONEY")] if tokens[-1].value >= _LEAST_SUM else [],
    ),
    ("[KEEP GETS SELL]OF?NUM (?=WITH[DET MY]HOUSE)", _sized),
    ("(?<=,)NUM (?=FORSALE(?:[. , AND]|$))", _sized),
    ("(?<![GIVE SAID])NUM (?=[FOR A TO][MY DET]KIN(?:[. , AND]|$))", _sized),
    (
        "NUM (?=ONGROUND)|FOOTPRINT OF?NUM",  # "90 au sol", "emprise 80"
        lambda _, tokens: (
            [*tokens[:-1], tokens[-1]._replace(tag="AREA")] if tokens[-1].value >= _LEAST_STRIP_M2 else []
        ),
    ),
    (
        "(?:^|(?<=[. ,]))[LOT LAND] (?=OF?OF?(?:LEAST|MOST|LEASTOF|MOSTOF)?AREA)",
        lambda words, tokens: (  # all lots: "des lots de 400 m²"
            [tokens[0]._replace(tag="several")] if words[tokens[0].start] in _WORDS["plural"] else []
        ),
    ),
    ("LENGTH (?=ONGROUND)", lambda _, tokens: [tokens[0]._replace(tag="AREA")]),
    (
        "DET NUM (?=[. , AND AREA FILLER SUBJ FOR STAY MUST]|$)",  # a parcel: "sur la 205"
        lambda words, tokens: (
            [tokens[1]._replace(start=tokens[0].start, tag="REF")]
            if words[tokens[0].start] in ("la", "les") and words[tokens[1].start].isdecimal() and _sized(words, tokens)
            else []
        ),
    ),
    (
        "ground AND [NUM ONE]",
        lambda _, tokens: [tokens[0]._replace(end=tokens[-1].end, tag="STOREYS", value=1 + tokens[-1].value)],
    ),
    (
        "FOR [A ONE]ADJ?HOUSE (?!KEEP)",  # a new one
        lambda words, tokens: (
            [*tokens[:-1], tokens[-1]._replace(tag="HOUSES")] if words[tokens[1].start] not in ("au", "aux") else []
        ),
    ),
    (
        "REF [AND , /]NUM (?![LOT LAND TAB HOUSES NUM])",  # "AB 45 et 46"
        lambda words, tokens: (
            [*tokens[:2], tokens[2]._replace(tag="REF")] if words[tokens[2].start].isdecimal() else []
        ),
    ),
    ("ON DET NUM (?=_NUM LOT)", lambda _, tokens: [*tokens[:2], tokens[2]._replace(tag="REF")]),
    ("NOT OF?BUILD (?=[. ,]|$)", lambda _, tokens: [tokens[0]._replace(end=tokens[-1].end, tag="NOBUILD")]),
    ("GIVE NUM (?=[A FOR TO](?:EACH|[MY DET][KIN NEIGHBOUR]))", _sized),
    (
        "(?:DETACH|GETS|LOT [NUM ONE A b c d e f](?:PERSON ,?)?|[HOUSE OUTHOUSE]AND|[HOUSE KEEP] [WITH ON]|"
        "HOUSE WE|NUM x) NUM",
        _sized,
    ),
    ("SELL NUM (?!x)", _sized),
    ("[LAND BUILT b c d e f] NUM (?=[. ,]|$)", _sized),
    (
        "MY [NUM PERCENT]",  # "CES 0,25", and not "ces 800"
        lambda words, tokens: (
            [tokens[0]._replace(tag="FOOTPRINT"), tokens[1]]
            if words[tokens[0].start] == "ces" and (tokens[1].tag == "PERCENT" or tokens[1].value < 1)
            else []
        ),
    ),
    (
        "HOUSE OF?NUM",  # "maison de 1974"
        lambda words, tokens: (
            [*tokens[:-1], tokens[-1]._replace(tag="TIME")]
            if _FIRST_YEAR <= tokens[-1].value <= _LAST_YEAR and words[tokens[-1].start].isdecimal()
            else []
        ),
    ),
    (
        "[SUBJ WE KIN PERSON]FILLER?WANT [FILLER OF]?NUM "
        "(?=[. , FRONT BACK NORTH EAST SOUTH WEST LEFT RIGHT FOR]|OF[. ,]|$)",
        _sized,
    ),
    ("NUM (?=[EACH WHOLE]|OF(?:[. , LAND GROUND EACH]|$)|DET [ORD ALL])", _sized),
    ("NUM ADJ?[LOT LAND] NUM [, AND]NUM (?:[, AND]NUM)*(?![LOT LAND TAB HOUSES])", _sized),
    ("NUM /NUM (?:/NUM)*", _sized),
    (
        "LOT FILLER?_NUM [, AND]NUM (?:[, AND]NUM)*",  # "trois lots : 700, 750 et 800"
        lambda words, tokens: (
            _sized(words, tokens)
            if ":" in [words[token.start] for token in tokens[1:3]] and words[tokens[0].start] not in _WORDS["parcels"]
            else []
        ),
    ),
    ("(?<=[LOT . ,])NUM (?=[LEAST MOST ORMORE ORLESS](?:[. , FOR BUT OF hidden]|$))", _sized),
    ("AREA AND NUM (?=[. ,]|$)", _sized),
    ("LOT [FRONT BACK NORTH EAST SOUTH WEST LEFT RIGHT] NUM (?=[. , FOR FORSALE AND BUILDABLE]|$)", _sized),
    ("[FILLER BETWEEN]?AREA [A TO AND - – FILLER] AREA", _range),
    ("AREA /AREA (?=EACH)", _range),
    ("NUM [LOT TAB PARCEL LAND] [OF BUILDABLE]*AREA /AREA (?!/)", _range),
    (
        "AREA [OF ±](?:NUM|AREA)",  # "640 m² ± 20"
        lambda words, tokens: (
            [
                tokens[0]._replace(
                    end=tokens[2].end,
                    least=tokens[0].value - tokens[2].value,
                    most=tokens[0].value + tokens[2].value,
                )
            ]
            if words[tokens[1].start] in ("±", "give", "plus", "+") and tokens[2].value < tokens[0].value / 2
            else []
        ),
    ),
    (
        "[NUM PERCENT](?:[^. , NUM PERCENT AREA])?(?:[^. , NUM PERCENT AREA])?,?NUM (?=FOR|FORME|A|TO|KIN|ME)",
        lambda _, tokens: (  # "60 pour elle 40 pour moi"
            [tokens[0]._replace(tag="PERCENT"), *tokens[1:-1], tokens[-1]._replace(tag="PERCENT")]
            if tokens[0].value + tokens[-1].value == _PERCENT
            else []
        ),
    ),
    (
        "ME NUM ,?[MY FILLER SUBJ]*(?:KIN|PERSON)?NUM",  # "moi 70 lui 30"
        lambda _, tokens: (
            [token._replace(tag="PERCENT") if token.tag == "NUM" else token for token in tokens]
            if tokens[1].value + tokens[-1].value == _PERCENT
            else []
        ),
    ),
    ("[LEAST LEASTOF] AREA", _bounded),
    ("[MOST MOSTOF] AREA", _bounded),
    ("AREA (?:, )?[LEAST ORMORE MOST ORLESS]", _bounded),
    ("AREA ,?[BUT AND]?AREA", _two_bounds),
    (
        "c [, AND]OF",
        lambda words, tokens: [*tokens[:2], tokens[2]._replace(tag="d")] if words[tokens[2].start] == "d" else [],
    ),
    (
        "AREA [EACH ADJ] [LEAST ORMORE MOST ORLESS]",  # "500 m² chacun mini"
        lambda words, tokens: (
            [bounded[0]._replace(end=tokens[0].end), tokens[1]._replace(end=tokens[2].end)]
            if (bounded := _bounded(words, tokens[::2]))
            else []
        ),
    ),
)
"""Rows of tags that are rewritten, in this order: regular expressions with tags for letters, `_` is any."""
_TAG = re.compile(r"[A-Za-z]+|[-–.,/±]|(?<!\?):")
_ALPHABET = Alphabet(tag for pattern, _ in _ROWS for tag in _TAG.findall(pattern))
_REWRITES = [
    (re.compile(_TAG.sub(lambda tag: _ALPHABET.row([tag[0]]), pattern).replace(" ", "").replace("_", ".")), rewrite)
    for pattern, rewrite in _ROWS
]


def _corrected(tokens: list[Token]) -> list[Token]:
    """Drops what a speaker takes back: the words from the last one of the same class as what follows."""
    result: list[Token] = []
    for index, token in enumerate(tokens):
        if token.tag == "FIX":
            place = next((i for i in range(index, len(tokens)) if tokens[i].tag not in ("FIX", ",", "OF")), index)
            number, tags = tokens[place], [other.tag for other in result[-_MOST_TAKEN_BACK:]]
            figure = next((other for other in reversed(result) if other.tag in ("NUM", "LENGTH", "AREA")), token)
            if number.tag == "NUM" and (figure.tag == "LENGTH" or number.value >= _LEAST_AREA_M2):  # "4 m, no, 5"
                tokens[place] = number._replace(tag=figure.tag, value=number.value * figure.unit, unit=figure.unit)
            following = tokens[place].tag
            pair = [other.tag for other in tokens[place : place + 2]]
            alike = [i for i, tag in enumerate(tags) if tag == following]
            count = len(tags) - next((i for i in alike if tags[i : i + 2] == pair), alike[-1]) if alike else 0
            start = [*result, token][len(result) - count].start
            lots = [other for other in result[len(result) - count :] if other.tag in ("LOT", "LAND", "HOUSES")]
            if (
                following == "NUM"
                and lots
                and not any(other.tag in ("LOT", "LAND") for other in tokens[place + 1 : place + 3])
            ):
                tokens.insert(place + 1, tokens[place]._replace(tag=lots[0].tag))
            result = [*result[: len(result) - count], Token(start, token.end, "FIXED")]
        else:
            result.append(token)
    return result
