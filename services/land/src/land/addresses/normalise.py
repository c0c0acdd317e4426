"""One form for the many ways to write the same French words: no accents, lower case, abbreviations written out.

The store keeps street names in this form, and queries are brought to it, so that both sides agree.
"""

import re
import unicodedata

_LIGATURES = str.maketrans(
    {"œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss", "’": "'", "ʼ": "'", "`": "'", "´": "'"}
)
_NOT_WORD = re.compile(r"[^a-z0-9]+")

STREET_TYPES = {
    "all": "allee", "av": "avenue", "ave": "avenue", "aven": "avenue", "bd": "boulevard", "bld": "boulevard",
    "blv": "boulevard", "blvd": "boulevard", "boul": "boulevard", "bvd": "boulevard", "car": "carrefour",
    "carr": "carrefour", "ch": "chemin", "che": "chemin", "chem": "chemin", "crs": "cours", "cite": "cite",
    "dom": "domaine", "esp": "esplanade", "fbg": "faubourg", "fg": "faubourg", "gr": "grande rue", "ham": "hameau",
    "imp": "impasse", "lot": "lotissement", "mte": "montee", "pas": "passage", "pass": "passage", "pl": "place",
    "prom": "promenade", "qu": "quai", "qrt": "quartier", "r": "rue", "res": "residence", "rpt": "rond point",
    "rte": "route", "ru": "rue", "sen": "sentier", "sent": "sentier", "sq": "square", "trav": "traverse",
    "vla": "villa", "zi": "zone industrielle", "za": "zone artisanale",
}  # fmt: skip
"""Abbreviated street types, as La Poste's and the cadastre's files write them. Only the first word is one."""

_WORDS = {
    "st": "saint", "ste": "sainte", "sts": "saints", "gal": "general", "gen": "general", "mal": "marechal",
    "mar": "marechal", "cdt": "commandant", "col": "colonel", "cne": "capitaine", "cap": "capitaine",
    "lt": "lieutenant", "dr": "docteur", "pr": "professeur", "prof": "professeur", "pdt": "president",
    "pres": "president", "me": "maitre", "mgr": "monseigneur", "nd": "notre dame", "vx": "vieux", "vlle": "vieille",
    "gd": "grand", "gde": "grande", "gds": "grands", "pt": "petit", "pte": "petite", "fg": "faubourg",
    "fbg": "faubourg", "bis": "bis", "av": "avenue", "ave": "avenue", "bd": "boulevard", "rte": "route",
    "lieut": "lieutenant", "adj": "adjudant", "sgt": "sergent", "cpl": "caporal", "amiral": "amiral", "pce": "prince",
}  # fmt: skip
"""Abbreviations of titles and common words inside a name."""


def fold(text: str) -> str:
    """Lower case without accents; anything but letters and digits becomes one space."""
    text = unicodedata.normalize("NFD", text.translate(_LIGATURES).lower())
    return _NOT_WORD.sub(" ", "".join(c for c in text if not unicodedata.combining(c))).strip()


def canonical_street(text: str) -> str:
    """A street's name folded, with its type and titles written out: "Av. Gal de Gaulle" gives
    "avenue general de gaulle".
    """
    words = fold(text).split()
    if not words:
        return ""
    head = STREET_TYPES.get(words[0], _WORDS.get(words[0], words[0])) if len(words) > 1 else words[0]
    return " ".join([head, *(_WORDS.get(word, word) for word in words[1:])])


def canonical_city(text: str) -> str:
    """A commune's name folded, without CEDEX, with Saint written out: "ST-DENIS CEDEX 2" gives "saint denis"."""
    words = fold(text).split()
    if "cedex" in words:
        words = words[: words.index("cedex")]
    return " ".join({"st": "saint", "ste": "sainte", "s": "sur" if len(words) > 1 else "s"}.get(w, w) for w in words)


_ARRONDISSEMENT = re.compile(r"^(paris|lyon|marseille) (\d{1,2}) ?(?:er|e|eme|ieme)?(?: arrondissement)?$")


def split_arrondissement(city: str) -> tuple[str, int | None]:
    """("paris", 18) for "paris 18e arrondissement" in canonical form; (city, None) for any other."""
    match = _ARRONDISSEMENT.match(city)
    return (match[1], int(match[2])) if match else (city, None)
