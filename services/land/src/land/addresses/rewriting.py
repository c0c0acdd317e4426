"""Writes a label as the parser reads it: numbers, postcodes and arrondissements as single words, without noise."""

import re
from collections.abc import Callable

from land.addresses.normalise import STREET_TYPE_WORDS, STREET_TYPES, fold, roman_number

TYPE_WORDS = STREET_TYPE_WORDS | STREET_TYPES.keys()
_CONTACT = re.compile(
    r"\S+@\S+|\b(?:https?://|www\.)\S+|(?:\b(?:t[eé]l|fax|mobile)\w*[ .:]*)?(?<!\d)0[1-9](?:[ .-]?[0-9]{2}){4}(?!\d)"
)
_SPACE = re.compile(r"[\s+_]")
_JOINED = re.compile(
    r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|(?<=[0-9])(?!(?:bis|ter|quater)\b)(?=[a-zà-ÿA-Z])|(?<=[a-zà-ÿA-Z])(?=[0-9])"
)
"""Between words of a text without spaces: "12RueLepic75018Paris"."""
_PARENTHESES = re.compile(r"\((?!\s*[0-9]{5}\b)[^)]*\)?")
_NOISE = re.compile(
    r"\b(?:(?:bp|cs|tsa) [0-9]+|cedex(?: [0-9]{1,2})?|boite postale [0-9]+|[0-9]+ ?(?:er|e|eme|ieme) etage|rdc"
    r"|[0-9]{1,2} ?(?:e|nd|rd|st|th)? ?(?:floor|stock|og|piso|andar|verdieping|izquierda)"
    r"|rez de chaussee|premier etage|(?:deuxieme|troisieme|quatrieme|cinquieme) etage"
    r"|(?:batiment|bat|bt|escalier|esc|appartement|appart|appt|apt|etage|interphone|digicode|hall|apartment|flat|interno|piso"
    r"|puerta|room|wohnung|bus|unit|suite|piano|scala|bloco)"
    r" (?:n ?)?(?:[a-z]|[0-9]{1,4}[a-z]?|[a-z][0-9]{1,3})"
    r"|(?:porte|boite|bal|lot|studio|local|bureau) (?:n ?)?(?:[a-ce-km-z]|[0-9]{1,4}[a-z]?|[a-z][0-9]{1,3}))\b"
    r"|\bfrance$"
)
_SHORT_YEAR = re.compile(r"\b(mars|avril|mai|juin|juillet|aout|novembre) (1[48]|4[0-5]|62)\b")
_REPEATED = re.compile(r"\b([a-z]{3,}) (?=\1\b)")
_LIST_NUMBER = re.compile(
    r"^\W*(?:[a-zéèà]+ )?(?:(?:n ?° ?)?[0-9]{1,3} ?(?:[)\]:]+|[.°]\)?|/ )|#[0-9]+ )\s*(?=(?:n ?° ?)?[0-9])",
    re.IGNORECASE,
)
"""The place of an address in a list, before its number: "2) 6 rue X"."""
_LIST_NUMBER_OR_RANGE = re.compile(r"^\W*([0-9]{1,3}) [-–] (?=([0-9]{1,4})\b)")
_LATE_APOSTROPHE = re.compile(r"\b([dl])(\w)['’](?=\w)", re.IGNORECASE)
"""One letter too late: "quai dI'vry"."""
_RANGE = re.compile(r"(?<=[0-9]) ?à ?(?=[0-9])", re.IGNORECASE)
_SUFFIX_BEFORE_RANGE = re.compile(r"([0-9]) ?a ?[-/] ?(?=[0-9])", re.IGNORECASE)
""" "64 a-66" starts at number 64 A, and "64 à 66" at 64. Without accents and signs both are alike."""
_NUMBER_SIGN = re.compile(
    r"^(?:au|a) (?=[0-9])|\b(?:n|no|num|nr|nbr|numero) (?=[0-9])|\b(?:cp|code postal|fr?) (?=[0-9]{2} ?[0-9]{3}\b)"
)
_GLUED_SIGN = re.compile(r"\b(?:no?|num|numero)(?=[0-9]{1,4}\b)")
_FIGURE_FIRST = re.compile(
    r"\b([0-9]+)(bis|ter|quater|quinquies|[a-d])?(?!(?:e|er|eme|ieme|ere|iere|nd|nde|bis|ter|quater|quinquies)\b)([a-z]{3,})\b"
)
_GLUED_TYPE = re.compile(rf"\b([0-9]+)(bis|ter|quater|[a-d])?({'|'.join(sorted(TYPE_WORDS, reverse=True))})\b")
_SPACED_SUFFIX = re.compile(rf"\b([0-9]+) (bis|ter|quater)({'|'.join(sorted(TYPE_WORDS, reverse=True))})\b")
_FIGURE_LAST = re.compile(r"\b([a-z]{4,})([0-9]{1,4})\b")
_SPACED_POSTCODE = re.compile(r"\b([0-9]{2}) ([0-9]{3})\b|\b([0-9]{3}) ([0-9]{2})\b")
_COUNTING = {
    "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
    "dix": 10, "onze": 11, "douze": 12, "treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20,
    "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "cent": 100, "cents": 100,
}  # fmt: skip
_WORD = f"(?:{'|'.join(sorted(_COUNTING, reverse=True))})"
_COUNT = rf"({_WORD}(?: (?:et )?{_WORD})*)"
_TYPE = f"(?:{'|'.join(sorted(TYPE_WORDS))})"
_FOREIGN_TYPES = {
    "street": "rue", "strasse": "rue", "straat": "rue", "str": "rue", "calle": "rue", "via": "rue", "rua": "rue",
    "avenida": "avenue", "avda": "avenue", "viale": "avenue", "laan": "avenue", "bulevar": "boulevard",
    "plaza": "place", "piazza": "place", "praca": "place", "platz": "place", "plein": "place",
}  # fmt: skip
"""Street types of English, German, Dutch, Spanish, Italian and Portuguese."""
_FOREIGN_FIRST = re.compile(rf"\b(?:c (?=[a-z]{{4}})|({'|'.join(_FOREIGN_TYPES)})\b)")
_FOREIGN_LAST = re.compile(
    r"\b(?!(?:bis|ter|[a-c]) )((?:[a-z]+ ){0,4}?[a-z]{3,}?) ?(street|strasse|straat|laan|platz|plein)\b(?! [a-z]{4})"
)
_SPELLED_NUMBER = re.compile(
    rf"\b{_COUNT}(?=(?: bis| ter| quater)? {_TYPE}\b)|\b(?:numero|num|no|n|au) {_COUNT}\b|\b{_COUNT}(?=$| [0-9]{{5}}\b)"
)

_CITY = "(paris|lyon|marseille)"
_ORDINAL_WORDS = (
    *("premier", "deuxieme", "troisieme", "quatrieme", "cinquieme", "sixieme", "septieme", "huitieme", "neuvieme"),
    *("dixieme", "onzieme", "douzieme", "treizieme", "quatorzieme", "quinzieme", "seizieme"),
    *("dix septieme", "dix huitieme", "dix neuvieme", "vingtieme"),
)
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS, 1)}
_ROMAN = r"(?:x{1,2}|x?i{1,3}|x?iv|x?vi{0,3}|x?ix)"
_FIGURES = r"[0-9]{1,2} ?(?:er|ere|eme|ieme|e|nd)"
_ORDINAL = rf"({_FIGURES}|{_ROMAN} ?(?:er|eme|ieme|e)?|{'|'.join(sorted(_ORDINALS, reverse=True))})"
_DISTRICT = "(?:arrondissement|arrondissment|arrondt|arrdt|arrond|ardt|arr)"
_ARRONDISSEMENTS = (
    re.compile(rf"\b{_CITY} (?:le |dans le )?{_ORDINAL}(?: {_DISTRICT})?(?![a-z0-9])"),
    re.compile(rf"\b{_CITY} ([0-9]{{1,2}}) {_DISTRICT}\b"),
)
_ARRONDISSEMENT_FIRST = re.compile(
    rf"\b(?:{_ORDINAL}|([0-9]{{1,2}})) {_DISTRICT}(?: (?:de |a )?{_CITY})?\b|\b({_FIGURES}) {_CITY}\b"
)
_LAST_ARRONDISSEMENT = 20


def unlisted(label: str) -> str:
    """The label without its place in a list, with spaces between words, one sign for ranges and the apostrophes of
    articles where they belong.
    """
    label = _LATE_APOSTROPHE.sub(r"\1'\2", label)
    if not _SPACE.search(label.strip()):
        label = _JOINED.sub(" ", label)
    label = _LIST_NUMBER_OR_RANGE.sub(_range_only, _LIST_NUMBER.sub("", label))
    return _SUFFIX_BEFORE_RANGE.sub(r"\1a ", _RANGE.sub("-", label))


def _range_only(match: re.Match[str]) -> str:
    """The match if it starts a range: the numbers of one side of a street, "5 - 9". Otherwise "5 - " is left out."""
    first, last = int(match[1]), int(match[2])
    return match[0] if first < last and first % 2 == last % 2 else ""


def rewritten(label: str, is_postcode: Callable[[str], bool]) -> str:
    """The folded label with figures apart from words, known postcodes and arrondissements in one form, and without
    floors, doors and post office boxes.
    """
    text = _NUMBER_SIGN.sub("", _GLUED_SIGN.sub("", fold(_PARENTHESES.sub(" ", _CONTACT.sub(" ", label.lower())))))
    text = _SHORT_YEAR.sub(r"\1 19\2", _REPEATED.sub("", text))
    text = _FIGURE_FIRST.sub(_apart, _GLUED_TYPE.sub(_apart, _SPACED_SUFFIX.sub(_apart, text)))
    text = _FIGURE_LAST.sub(r"\1 \2", text)
    text = _SPELLED_NUMBER.sub(_counted, text)
    for pattern in _ARRONDISSEMENTS:
        text = pattern.sub(lambda match: _arrondissement(match[1], match[2]) or match[0], text)
    text = _ARRONDISSEMENT_FIRST.sub(_arrondissement_first, text)
    text = _SPACED_POSTCODE.sub(lambda match: _postcode(match, is_postcode), text)
    return " ".join(_NOISE.sub(" ", text).split())


def in_french(text: str) -> str:
    """The rewritten label with a foreign street type in French, before the name."""
    text = _FOREIGN_LAST.sub(lambda match: f"{_FOREIGN_TYPES[match[2]]} {match[1]}", text)
    return _FOREIGN_FIRST.sub(lambda match: _FOREIGN_TYPES.get(match[1], "rue "), text)


def _apart(match: re.Match[str]) -> str:
    return " ".join(filter(None, match.groups()))


def _counted(match: re.Match[str]) -> str:
    """The value of a number in words: "quatre vingt dix sept" is 97."""
    number = 0
    for word in (match[1] or match[2] or match[3]).split():
        value = _COUNTING.get(word, 0)
        if value == 100:  # noqa: PLR2004 (multiplies)
            number = max(number, 1) * value
        elif value == 20 and number % 100 == 4:  # noqa: PLR2004 (four times twenty)
            number += 76
        else:
            number += value
    return str(number)


def _postcode(match: re.Match[str], is_postcode: Callable[[str], bool]) -> str:
    postcode = "".join(filter(None, match.groups()))
    return postcode if is_postcode(postcode) else match[0]


def _arrondissement_first(match: re.Match[str]) -> str:
    ordinal, figure, city, glued, city_after = match.groups()
    return _arrondissement(city or city_after or "paris", ordinal or figure or glued) or match[0]


def _arrondissement(city: str, ordinal: str) -> str:
    """Such as "paris 18e"; empty for no arrondissement's number."""
    ordinal = ordinal.strip()
    digits = "".join(filter(str.isdigit, ordinal))
    number = _ORDINALS.get(ordinal) or int(digits or roman_number(re.sub(r" ?(?:er|eme|e)$", "", ordinal)))
    return f"{city} {number}{'er' if number == 1 else 'e'}" if 0 < number <= _LAST_ARRONDISSEMENT else ""
