"""Writes a label as the parser reads it: numbers, postcodes and arrondissements as single words, without noise."""

import re
from collections.abc import Callable, Sequence

from text_to_num import alpha2digit

from land.addresses.normalise import (
    NUMBER_WORD,
    STREET_TYPE_WORDS,
    STREET_TYPES,
    district_name,
    fold,
    in_digits,
    roman_number,
)

MAX_RANGE = 40
"""The difference of the numbers at the ends of a range: twenty houses of one side."""
TYPE_WORDS = STREET_TYPE_WORDS | STREET_TYPES.keys()
_CONTACT = re.compile(
    r"\S+@\S+|\b(?:https?://|www\.)\S+|(?:\b(?:t[eé]l|fax|mobile)\w*[ .:]*)?(?<!\d)0[1-9](?:[ .-]?[0-9]{2}){4}(?!\d)"
)
_SPACE = re.compile(r"[\s+_]")
_JOINED = re.compile(
    r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|(?<=[0-9])(?!(?:bis|ter|quater)\b)(?=[a-zà-ÿA-Z])|(?<=[a-zà-ÿA-Z])(?=[0-9])"
)
"""Between words of a text without spaces: "12RueLepic75018Paris"."""
_PARENTHESES = re.compile(
    r"\((?!\s*(?:[0-9]{5}\b|[0-9]{1,2} ?(?:er|[eè]|[eè]me)\b)|[^)]*\barr(?:ondissement|d?t)?\b)[^)]*\)?"
)
_TYPE = f"(?:{'|'.join(sorted(TYPE_WORDS))})"
_SIDE = "(?:gauche|droite|face|gche|dte)"
_NOISE = re.compile(
    r"\b(?:(?:bp|cs|tsa) [0-9]+|cedex(?: [0-9]{1,2})?|boite postale [0-9]+|rdc"
    rf"|[0-9]+ ?(?:er|e|eme|ieme) (?:etage(?: {_SIDE})?|(?:et|etg) {_SIDE})"
    r"|[0-9]{1,2} ?(?:e|nd|rd|st|th)? ?(?:floor|stock|og|piso|andar|verdieping|izquierda)"
    r"|rez de chaussee|premier etage|(?:deuxieme|troisieme|quatrieme|cinquieme) etage"
    r"|(?:batiment|bat|bt|escalier|esc|appartement|appart|appt|apt|etage|interphone|digicode|hall|apartment|flat|interno|piso"
    r"|puerta|room|wohnung|bus|unit|suite|piano|scala|bloco)"
    rf" (?:n ?)?(?:[a-z]|[0-9]{{1,4}}[a-z]?(?! (?:bis |ter )?{_TYPE}\b)|[a-z][0-9]{{1,3}})"
    r"|(?:porte|boite|bal|lot|studio|local|bureau)"
    rf" (?:n ?)?(?:[a-ce-km-z]|[0-9]{{1,4}}[a-z]?(?! (?:bis |ter )?{_TYPE}\b)|[a-z][0-9]{{1,3}}))\b"
    r"|\bfrance$"
)
_LIST_NUMBER = re.compile(
    r"^\W*(?:[a-zéèà]+ )?(?:(?:n ?° ?)?[0-9]{1,3} ?(?:[)\]:]+|[.°]\)?|/ )|#[0-9]+ )\s*(?=(?:n ?° ?)?[0-9])",
    re.IGNORECASE,
)
"""The place of an address in a list, before its number: "2) 6 rue X"."""
_ROW_NUMBER_OR_RANGE = re.compile(
    r"^\W*(?:(?:[^\W\d]+ )?n ?° ?|[^\W\d]+ (?=[^;\t]*[;\t]))?([0-9]{1,4})( [-–] |, ?| ?[;\t]\s*)"
    r"(?=(?:n ?° ?)?([0-9]{1,4})(?: ?(?:bis|ter|quater|[a-z]))?,? *[^\W\d])",
    re.IGNORECASE,
)
"""A number of a row or a file, or the first number of a range or a list, before a house number."""
_ASIDE = re.compile(
    r"(?:\b[tTfF][1-9](?:bis)? )?\b[0-9]+(?:[.,][0-9]+)? ?m(?:²|2\b)"
    r"|\b[0-9]{1,2}(?:[/.][0-9]{1,2}[/.](?:19|20)[0-9]{2}| ?[hH] ?[0-9]{2})\b"
    r"|(?<!\bdu )(?<!\bde )\b(?:[mM](?:°|[éeÉE](?:tro|TRO)\b)|[rR](?:ER|er) [a-eA-E]\b) "
    r"[^,;()\n\d-]+?(?= *(?:[,;()\n-]| [0-9]{5}\b|$))"
)
"""The area of a flat, a day, a time, and the station near it."""
_CORNER = re.compile(
    r",? (?:[àa] l['’ ] ?angle|au coin|(?:acc[eè]s|entr[eé]e) par) (?=[adl])[^,;()\n0-9]+", re.IGNORECASE
)
"""After an address: the street at its corner, or of another entry."""
_KEYS = re.compile(r"(?:^|[|;&\n])[\w ]{1,20}=")
"""The names of the fields of an export: "num_voie=52|lib_voie=RUE X"."""
_SIGNS_OF_ASIDES = ("²", "m2", "/20", "/19", ".20", ".19", "°", "tro", "TRO", "RER", "rer")
_DECIMAL = re.compile(r"(?<![\w.,])([0-9]{1,5})[.,]0(?![\w.,])")
"""A whole number that a spreadsheet wrote with a decimal."""
_BOXED_POSTCODE = re.compile(rf"(?<![^\s|[])[0-9](?: ?(?:[|. -]|\]\[) ?[0-9]){{4}}\b(?! ?(?i:{_TYPE})\b)")
"""A postcode with each digit in a box of a form, and no houses of a range."""
_LETTERS_IN_POSTCODE = re.compile(r"(?<!\w)(?=(?:[OoIl]?[0-9]){3})[0-9OoIl]{5}(?!\w)")
_FIGURES_OF_LETTERS = str.maketrans("OoIl", "0011")
_CHANGED = re.compile("anci|nouv|ex[ .-]", re.IGNORECASE)
_FORMER_NUMBER = re.compile(
    r"\b(?:ancien(?:nement)?(?: au)?|ex)[. -]+(?:n(?:um[ée]ro|o)?[ °.]*)?[0-9]{1,4}(?: ?(?:bis|ter|quater))?\b"
    r"|\bnouveau (?=(?:n|[0-9]))",
    re.IGNORECASE,
)
_LATE_APOSTROPHE = re.compile(r"\b([dl])(\w)['’](?=\w)", re.IGNORECASE)
"""One letter too late: "quai dI'vry"."""
_RANGE = re.compile(r"(?<=[0-9]) ?(?:à|au|et (?:au|le)) ?(?:n ?° ?)?(?=[0-9])", re.IGNORECASE)
_BEFORE_RANGE = re.compile(
    r"\b(?:entre(?: le)?|du|de) (?:n ?° ?)?(?=[0-9]{1,4}(?: ?(?:bis|ter))?-[0-9])", re.IGNORECASE
)
_SUFFIX_BEFORE_RANGE = re.compile(r"([0-9]) ?a ?[-/] ?(?=[0-9])", re.IGNORECASE)
""" "64 a-66" starts at number 64 A, and "64 à 66" at 64. Without accents and signs both are alike."""
_SPACED_POSTCODE = re.compile(r"\b([0-9]{2}) ([0-9]{3})\b|\b([0-9]{3}) ([0-9]{2})\b")
_SPOKEN_POSTCODE = re.compile(r"\b([0-9]{2}) ((?:zero )+)([0-9]{1,2})\b")
""" "soixante-quinze zéro dix-huit". """
_COUNT = rf"({NUMBER_WORD}(?: (?:et )?{NUMBER_WORD})*)"
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
_LAST_ARRONDISSEMENT = 20


def unlisted(label: str) -> str:
    """The label without its place in a list, with spaces between words, one sign for ranges and the apostrophes of
    articles where they belong.
    """
    if _CHANGED.search(label):
        label = _FORMER_NUMBER.sub("", label)
    label = _KEYS.sub(" ", label)
    label = _CORNER.sub(lambda match: " " if any(map(str.isdigit, label[: match.start()])) else match[0], label)
    label = _LATE_APOSTROPHE.sub(r"\1'\2", label)
    if not _SPACE.search(label.strip()):
        label = _JOINED.sub(" ", label)
    label = _ROW_NUMBER_OR_RANGE.sub(_range_only, with_all_numbers(label))
    return _SUFFIX_BEFORE_RANGE.sub(r"\1a ", _BEFORE_RANGE.sub("", _RANGE.sub("-", label)))


def with_all_numbers(label: str) -> str:
    """The label with numbers and postcodes as people write them, and without its place in a list."""
    if any(sign in label for sign in _SIGNS_OF_ASIDES):
        label = _ASIDE.sub("", label)
    label = _LETTERS_IN_POSTCODE.sub(lambda match: match[0].translate(_FIGURES_OF_LETTERS), _DECIMAL.sub(r"\1", label))
    label = _BOXED_POSTCODE.sub(lambda match: re.sub(r"\D", "", match[0]), label)
    return _LIST_NUMBER.sub("", label)


def _range_only(match: re.Match[str]) -> str:
    """The match if it starts a range or a list: the numbers of one side of a street, "5 - 9". Otherwise "5 - " is left
    out. A tabulator and a semicolon end a field.
    """
    is_field = not {"\t", ";"}.isdisjoint(match[2])
    return match[0] if not is_field and is_range(int(match[1]), int(match[3])) else ""


def is_range(first: int, last: int) -> bool:
    """Whether two numbers may be the ends of a range: houses of one side of a street."""
    return 0 < last - first <= MAX_RANGE and (last - first) % 2 == 0


def rewritten(label: str, is_postcode: Callable[[str], bool]) -> str:
    """The folded label with figures apart from words, known postcodes and arrondissements in one form, and without
    floors, doors and post office boxes.
    """
    text = fold(_PARENTHESES.sub(" ", _CONTACT.sub(" ", label.lower())))
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = _SPACED_POSTCODE.sub(lambda match: _postcode(match, is_postcode), text)
    text = in_digits(" ".join(_NOISE.sub(" ", text).split()))
    return _SPOKEN_POSTCODE.sub(lambda match: f"{match[1]}{'0' * len(match[2].split())}{match[3]}", text)


def in_french(text: str) -> str:
    """The rewritten label with a foreign street type in French, before the name."""
    text = _FOREIGN_LAST.sub(lambda match: f"{_FOREIGN_TYPES[match[2]]} {match[1]}", text)
    return _FOREIGN_FIRST.sub(lambda match: _FOREIGN_TYPES.get(match[1], "rue "), text)


def _apart(match: re.Match[str]) -> str:
    return " ".join(filter(None, match.groups()))


def _counted(match: re.Match[str]) -> str:
    """The value of a number in words: "quatre vingt dix sept" is 97."""
    return str(alpha2digit(match[1] or match[2] or match[3], "fr", threshold=0))


def _postcode(match: re.Match[str], is_postcode: Callable[[str], bool]) -> str:
    postcode = "".join(filter(None, match.groups()))
    return postcode if is_postcode(postcode) else match[0]


def _arrondissement_last(match: re.Match[str]) -> str:
    return _arrondissement(match[1], match[2]) or match[0]


def _arrondissement_first(match: re.Match[str]) -> str:
    ordinal, figure, city, glued, city_after, *alone = match.groups()
    return _arrondissement(city or city_after or "", next(filter(None, (ordinal, figure, glued, *alone)))) or match[0]


def _arrondissement(city: str, ordinal: str) -> str:
    """Such as "paris 18e", or "18e" without a city; empty for no arrondissement's number."""
    ordinal = ordinal.strip()
    digits = "".join(filter(str.isdigit, ordinal))
    number = _ORDINALS.get(ordinal) or int(digits or roman_number(re.sub(r" ?(?:er|eme|e)$", "", ordinal)))
    return f"{city} {district_name(number)}".lstrip() if 0 < number <= _LAST_ARRONDISSEMENT else ""


_RULES: Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = (
    (re.compile(r"\b(?:no?|num|numero)(?=[0-9]{1,4}\b)"), ""),
    (
        re.compile(
            r"^(?:au|a) (?=[0-9])|\b(?:n|no|num|nr|nbr|numero) (?=[0-9])"
            r"|\b(?:cp|code postal|fr?) (?=[0-9]{2} ?[0-9]{3}\b)"
        ),
        "",
    ),
    # Words of dictated texts.
    (re.compile(r"\b(?:euh|heu|hum|virgule) "), ""),
    (re.compile(r"(?<=[0-9a-z] )(?:ld|lieu ?dit) (?=[a-z])"), ""),
    (re.compile(r"\bp ?(?=(?:[1-9]|1[0-9]|20)(?:e|eme|er)?$)"), "paris "),
    (re.compile(r"\b([a-z]{3,}) (?=\1\b)"), ""),
    (re.compile(r"\b(mars|avril|mai|juin|juillet|aout|novembre) (1[48]|4[0-5]|62)\b"), r"\1 19\2"),
    (re.compile(rf"\b([0-9]+) (bis|ter|quater)({'|'.join(sorted(TYPE_WORDS, reverse=True))})\b"), _apart),
    (re.compile(rf"\b([0-9]+)(bis|ter|quater|[a-d])?({'|'.join(sorted(TYPE_WORDS, reverse=True))})\b"), _apart),
    (
        re.compile(
            r"\b([0-9]+)(bis|ter|quater|quinquies|[a-d])?(?!(?:e|er|eme|ieme|ere|iere|nd|nde|bis|ter|quater|quinquies)\b)([a-z]{3,})\b"
        ),
        _apart,
    ),
    (re.compile(r"\b([a-z]{4,})([0-9]{1,4})\b"), r"\1 \2"),
    (
        re.compile(
            rf"\b{_COUNT}(?=(?: bis| ter| quater)? {_TYPE}\b)"
            rf"|\b(?:numero|num|no|n|au) {_COUNT}\b|\b{_COUNT}(?=$| [0-9]{{5}}\b)"
        ),
        _counted,
    ),
    (re.compile(rf"\b{_CITY} (?:le |dans le )?{_ORDINAL}(?: {_DISTRICT})?(?![a-z0-9])"), _arrondissement_last),
    (re.compile(rf"\b{_CITY} ([0-9]{{1,2}}) {_DISTRICT}\b"), _arrondissement_last),
    # An arrondissement before its city, or without it.
    (
        re.compile(
            rf"(?:\bdans le )?\b(?:{_ORDINAL}|([0-9]{{1,2}})) {_DISTRICT}(?: (?:de |a )?{_CITY})?\b"
            rf"|\b({_FIGURES}) {_CITY}\b"
            rf"|\bdans le {_ORDINAL}(?![a-z0-9])|(?<=[a-z] )({_FIGURES}|{_ROMAN}eme|{_ROMAN}e)$"
            rf"|^(?:le )?({_FIGURES}|{_ROMAN}eme|{_ROMAN}e)(?= [0-9])"
        ),
        _arrondissement_first,
    ),
)
"""What is replaced in the folded label, one after the other."""
