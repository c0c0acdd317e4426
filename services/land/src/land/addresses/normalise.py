"""Canonical forms of street and commune names: lower case, no accents, abbreviations written out.

An import writes street names to the store in this form, and a query is converted to it before lookup.
"""

import re
import unicodedata
from functools import lru_cache

from text_to_num import alpha2digit

_LIGATURES = str.maketrans({"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss"})
_NOT_WORD = re.compile(r"[^a-z0-9]+")

STREET_TYPES = {
    "all": "allee", "av": "avenue", "ave": "avenue", "aven": "avenue", "bd": "boulevard", "bld": "boulevard",
    "blv": "boulevard", "blvd": "boulevard", "boul": "boulevard", "bvd": "boulevard", "car": "carrefour",
    "carr": "carrefour", "ch": "chemin", "che": "chemin", "chem": "chemin", "crs": "cours", "cite": "cite",
    "dom": "domaine", "esp": "esplanade", "fbg": "faubourg", "fg": "faubourg", "gr": "grande rue", "ham": "hameau",
    "imp": "impasse", "lot": "lotissement", "mte": "montee", "pas": "passage", "pass": "passage", "pl": "place",
    "prom": "promenade", "qu": "quai", "qrt": "quartier", "r": "rue", "res": "residence", "rpt": "rond point",
    "rte": "route", "ru": "rue", "sen": "sentier", "sent": "sentier", "sq": "square", "trav": "traverse",
    "vla": "villa", "zi": "zone industrielle", "za": "zone artisanale", "hameaux": "hameau",
}  # fmt: skip
"""Abbreviated street types, as in La Poste's and the cadastre's files. They are expanded as the first word only."""
_SINGULAR_TYPES = (
    *(
        "allee",
        "arcade",
        "avenue",
        "balcon",
        "berge",
        "boulevard",
        "carrefour",
        "chaussee",
        "chemin",
        "cite",
        "corniche",
    ),
    *("domaine", "escalier", "esplanade", "faubourg", "galerie", "impasse", "jardin", "lotissement", "montee", "parc"),
    *("passage", "passerelle", "place", "placette", "pont", "port", "porte", "promenade", "quai", "quartier", "rampe"),
    *("residence", "rocade", "route", "rue", "ruelle", "sente", "sentier", "square", "terrasse", "traverse"),
    *("venelle", "villa", "voie"),
)
STREET_TYPES |= {f"{street_type}s": street_type for street_type in _SINGULAR_TYPES}
STREET_TYPE_WORDS = frozenset(
    (
        "allee", "allees", "arcade", "arcades", "avenue", "balcon", "berge", "boulevard", "carrefour", "chaussee",
        "chemin", "cite", "clos", "corniche", "cour", "cours", "domaine", "escalier", "esplanade", "faubourg",
        "galerie", "hameau", "impasse", "jardin", "lieu", "lotissement", "mail", "montee", "parc", "parvis",
        "passage", "passerelle", "place", "placette", "pont", "port", "porte", "promenade", "quai", "quartier",
        "rampe", "residence", "rocade", "rond", "route", "rue", "ruelle", "sente", "sentier", "square", "terrasse",
        "traverse", "venelle", "villa", "voie",
        "hent", "straed", "plasenn",  # Breton
        "strada", "stretta", "caminu", "chjassu", "carrughju", "piazza", "salita", "vicolu",  # Corsican
        "strasse", "gasse", "weg",  # Alsatian
    )
)  # fmt: skip

_WORDS = {
    "st": "saint", "ste": "sainte", "sts": "saints", "gal": "general", "gen": "general", "mal": "marechal",
    "mar": "marechal", "cdt": "commandant", "col": "colonel", "cne": "capitaine", "cap": "capitaine",
    "cnl": "colonel", "abe": "abbe", "lt": "lieutenant", "dr": "docteur", "pr": "professeur", "prof": "professeur",
    "pdt": "president",
    "pres": "president", "me": "maitre", "mgr": "monseigneur", "nd": "notre dame", "vx": "vieux", "vlle": "vieille",
    "gd": "grand", "gde": "grande", "gds": "grands", "pt": "petit", "pte": "petite", "fg": "faubourg",
    "fbg": "faubourg", "bis": "bis", "av": "avenue", "bd": "boulevard", "rte": "route",
    "lieut": "lieutenant", "adj": "adjudant", "sgt": "sergent", "cpl": "caporal", "amiral": "amiral", "pce": "prince",
}  # fmt: skip
"""Abbreviations of titles and common words."""

NUMBER_WORDS = {
    "premier": "1", "premiere": "1", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "six": "6", "sept": "7",
    "huit": "8", "neuf": "9", "dix": "10", "onze": "11", "douze": "12", "treize": "13", "quatorze": "14",
    "quinze": "15", "seize": "16", "vingt": "20", "trente": "30", "quarante": "40", "cinquante": "50", "cent": "100",
}  # fmt: skip
WRITTEN_NUMBERS = {digits: word for word, digits in reversed(NUMBER_WORDS.items())}
NUMBER_WORD = f"(?:{'|'.join((*NUMBER_WORDS, 'un', 'une', 'soixante', 'mille', 'vingts', 'cents'))})"
_NUMBER_IN_WORDS = re.compile(rf"\b{NUMBER_WORD}(?: (?:et )?{NUMBER_WORD})+\b")
_ORDINAL = re.compile(r"(\d{1,3})(?:i?er|i?ere|r|e|em|i?eme|nd|nde)")
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})(?:er|ere|eme)?|(i)e")
_ROMAN_DIGITS = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
_ROAD = re.compile(r"\b(?:r ?|route )?(?:([dn])|(d)epartementale|(n)ationale) ?(?=[0-9]{1,4}\b)")
"""A numbered road: "RD 906", "D906", "Route Départementale 906"."""
_LETTER_NUMERALS = frozenset(("i", "v", "x"))
"""The number of a king or a pope in one letter, at the end of a name: "Rue François I"."""
_LOCALITY = re.compile(r"^(?:lieudit|ld) ")
NAMESAKE = re.compile(r" *(?:\(.*| / .*)")
"""What only tells streets of one name apart: "Route de Dieppe (Bracquemont)"."""
_CODED_WAY = re.compile(r"voie(?: (?:[a-z]{1,2}|[0-9]{1,2}))+")
"""A street with a code for a name, such as Paris's "Voie Cx/18"."""
CODE_MARK = "~"
"""Marks letters of a street code, so that the "d" of "Voie D/9" differs from that of "d'Alésia"."""
_BRETON_CH = re.compile(r"c h\b|\bc h")
"""The letter "c'h", as in "Roc'h" and "Kerc'hoat"."""
_GLUED_POSTCODE = re.compile(r"([a-z])(\d{5})(?!\d)")


def fold(text: str) -> str:
    """Lower case without accents. Other characters than letters and digits become one space, and a space is added
    between a word and a postcode.
    """
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFD", text.translate(_LIGATURES).lower())
        text = "".join(c for c in text if not unicodedata.combining(c))
    text = _NOT_WORD.sub(" ", text).strip()
    return _GLUED_POSTCODE.sub(r"\1 \2", _BRETON_CH.sub("ch", text))


@lru_cache(maxsize=8_192)
def canonical_street(text: str) -> str:
    """The folded name with type and titles written out and numbers in digits: "Av. Gal Leclerc" gives "avenue general
    leclerc", "Rue Henri IV" and "rue henri quatre" give "rue henri 4".
    """
    text = _ROAD.sub(lambda match: f"{match[1] or match[2] or match[3]} ", fold(text))
    words = _LOCALITY.sub("lieu dit ", in_digits(text)).split()
    if not words:
        return ""
    if _CODED_WAY.fullmatch(" ".join(words)):
        return " ".join([words[0], *(word if word.isdigit() else CODE_MARK + word for word in words[1:])])
    if len(words) > 2 and words[-1] in _LETTER_NUMERALS:  # noqa: PLR2004 (a type, a name and its number)
        words[-1] = str(roman_number(words[-1]))
    head = STREET_TYPES.get(words[0], _WORDS.get(words[0], words[0])) if len(words) > 1 else words[0]
    return " ".join([_digits(head), *(_digits(_WORDS.get(word, word)) for word in words[1:])])


def in_digits(text: str) -> str:
    """The folded text with each number of several words in digits: "trente six ponts" gives "36 ponts"."""
    return _NUMBER_IN_WORDS.sub(lambda match: str(alpha2digit(match[0], "fr")), text)


def _digits(word: str) -> str:
    """A number word, an ordinal or a Roman numeral of two or more letters in digits; other words unchanged."""
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if match := _ORDINAL.fullmatch(word):
        return match[1]
    return str(number) if len(word) > 1 and (number := roman_number(word)) else word


def roman_number(word: str) -> int:
    """The value of a Roman numeral up to 39, also of an ordinal, "ier" or "xeme"; 0 for another word."""
    match = _ROMAN.fullmatch(word)
    return 0 if match is None else 10 * len(match[1] or "") + _ROMAN_DIGITS[match[2] or match[3] or ""]


_SAINTS = {"st": "saint", "ste": "sainte"}
_CITY_WORDS = {"s": "sur", "ss": "sous"}


@lru_cache(maxsize=8_192)
def canonical_city(text: str) -> str:
    """The folded name without CEDEX and with Saint written out: "ST-DENIS CEDEX 2" gives "saint denis"."""
    words = fold(text).split()
    if "cedex" in words:
        words = words[: words.index("cedex")]
    replacements = _CITY_WORDS if len(words) > 1 else {}
    return " ".join(replacements.get(word, _SAINTS.get(word, word)) for word in words)


_ARRONDISSEMENT = re.compile(r"^(paris|lyon|marseille) (\d{1,2}) ?(?:er|e|eme|ieme)?(?: arrondissement)?$")


def split_arrondissement(city: str) -> tuple[str, int | None]:
    """("paris", 18) for the canonical name "paris 18e arrondissement"; (city, None) for any other."""
    match = _ARRONDISSEMENT.match(city)
    return (match[1], int(match[2])) if match else (city, None)


def district_name(number: int) -> str:
    """The number of an arrondissement as it is written: "1er", "18e"."""
    return f"{number}{'er' if number == 1 else 'e'}"
