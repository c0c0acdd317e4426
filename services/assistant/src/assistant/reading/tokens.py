"""Splits a text into tagged words. Quantities are read first: numbers in figures and words, with units, ranges, bounds
and fractions. A token without a class has itself as its tag.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Generic, TypeVar

import text_to_num

from assistant.questions.words import FUNCTION_WORDS, SENTENCE, plain_text
from assistant.reading.languages import is_half_readable
from assistant.reading.patterns import Token
from assistant.reading.rewrites import FIRST_YEAR, LAST_YEAR, LEAST_AREA_M2, M2_PER_ARE, rewritten
from assistant.text import read_table

M = TypeVar("M")

_PIECE = re.compile(
    r"(?=\d)(?:\d{1,2}/(?:0?[1-9]|1[0-2])/(?:\d{4}|\d\d)\b|"
    r"\d(?:ere?|eme|e|nd|rd|st|th)\b|(?:\d+ ?ha ?)?\d+ ?a ?\d+ ?ca\b|\d+ ?ha ?\d+ ?a\b|\d{1,4}/\d{1,2}\b|"
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
_ONE_LOT, _OVEN = ["1", "lot", "de"], ["four", "a"]
_LARGEST = 1e12
_LEAST_YEAR, _PERCENT = 40, 100
"""Between these is a year that is told by its last two digits."""
_MOST_TAKEN_BACK = 8
"""A correction takes back so many words."""
_WORDS = {name: frozenset(words) for name, words in read_table("reading/tokens.toml")["words"].items()}
_MOST_WORDS = 4096
"""So many words are remembered with their phrases."""
_COUNTED = frozenset(("TIME", "PEOPLE"))
"""Units of which one is no amount: "un an", "un fils"."""


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
    tokens = rewritten(words, _classified(words, _numbers(text, pieces, words), _names(text, pieces)))
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


def approximate_areas(text: str, tokens: Sequence[Token]) -> tuple[tuple[int, int], ...]:
    """Where the text tells an area as an approximate one."""
    is_about = [
        token.tag == "OF" and plain_text(text[token.start : token.end]).replace("'", " ") in _WORDS["about"]
        for token in tokens
    ]
    tags = [*(token.tag for token in tokens), "", ""]
    return tuple(
        token[:2]
        for i, token in enumerate(tokens)
        if token.tag == "AREA"
        # "700 m² environ 500 m²": the word is of the second one
        and (any(is_about[max(0, i - 2) : i]) or (tags[i + 2] != "AREA" and any(is_about[i + 1 : i + 2])))
    )


def figures(text: str) -> set[float]:
    """Every figure that the text tells in digits or words: areas in m², lengths in m, ratios, numbers."""
    plain = plain_text(text)
    words = [*map(_Piece, _PIECE.findall(plain))]
    implied = read_table("reading/tokens.toml")["implied"].items()
    return {
        *(value for token in read_tokens(text) for value in (token.value, token.least, token.most) if value),
        *(float(f"{metres}.{centimetres}") for metres, centimetres in _METRES.findall(plain)),
        *map(_value, _DIGITS.findall(plain)),
        *(float(number.value) for name in _WORDS["languages"] for number in text_to_num.find_numbers(words, name, 0.0)),
        *(float(value) for phrase, value in implied if re.search(rf"\b{phrase}\b", plain)),
    }


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
                is_year = FIRST_YEAR <= number.value <= LAST_YEAR and before in _WORDS["before_years"]
                tag = "TIME" if is_year else "ONE" if number.value == 1 else "NUM"
                numbers[start] = Token(start, end, tag, number.value)
    for index, word in enumerate(words):
        if word[0].isdecimal() and word != "50/50" and word[-1] not in "dehrt":  # no phrase
            before, value = words[index - 1] if index else "", _value(word)
            tag = "AREA" if word[-1] == "a" else "ONE" if words[index : index + 3] == _ONE_LOT else "NUM"
            is_year = FIRST_YEAR <= value <= LAST_YEAR or (_LEAST_YEAR <= value < _PERCENT and before != "depuis")
            if "/" in word:
                is_day = word.count("/") > 1 or (
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
        return sum(float(size) * M2_PER_ARE ** "cah".index(unit) for size, unit in re.findall(r"(\d+) ?([cah])", word))
    if "/" in word:
        numerator, denominator, *_ = word.split("/")
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
    is_code &= not (text.isupper() and written.lower() in FUNCTION_WORDS)
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
            length, (tag, size) = (amount.tag in ("NUM", "ONE") and units.at(words, index, end)) or (0, ("", 0.0))
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


def _corrected(tokens: list[Token]) -> list[Token]:
    """Drops what a speaker takes back: the words from the last one of the same class as what follows."""
    result: list[Token] = []
    for index, token in enumerate(tokens):
        if token.tag == "FIX":
            place = next((i for i in range(index, len(tokens)) if tokens[i].tag not in ("FIX", ",", "OF")), index)
            number, tags = tokens[place], [other.tag for other in result[-_MOST_TAKEN_BACK:]]
            figure = next((other for other in reversed(result) if other.tag in ("NUM", "LENGTH", "AREA")), token)
            if number.tag == "NUM" and (figure.tag == "LENGTH" or number.value >= LEAST_AREA_M2):  # "4 m, no, 5"
                tokens[place] = number._replace(tag=figure.tag, value=number.value * figure.unit, unit=figure.unit)
            following, *pair = tokens[place].tag, *(other.tag for other in tokens[place : place + 2])
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
