"""The streets of a BAN file, and how well typed words fit them.

Decides which queries have one right answer. It is independent of the service: it compares sets of words of the file.
"""

import csv
import gzip
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import OSA

TYPES = frozenset((
    "rue", "avenue", "boulevard", "place", "impasse", "allee", "chemin", "route", "quai", "square", "passage", "cite",
    "villa", "cours", "ruelle", "sentier", "sente", "residence", "lotissement", "hameau", "faubourg", "esplanade",
    "promenade", "cour", "voie", "galerie", "pont", "port", "porte", "parvis", "clos", "venelle", "traverse", "montee",
    "quartier", "lieudit", "hent", "straed", "chjassu", "caminu", "strada", "piazza", "corniche", "gasse",
))  # fmt: skip
SMALL = frozenset((
    "de", "la", "le", "les", "du", "des", "d", "l", "a", "au", "aux", "et", "en", "sur", "sous", "di", "da", "u", "i",
))  # fmt: skip
ABBREVIATED = {
    "boulevard": ("bd", "bld", "blvd", "boul"), "avenue": ("av", "ave"), "place": ("pl",), "rue": ("r",),
    "chemin": ("che", "chem", "ch"), "route": ("rte",), "impasse": ("imp",), "allee": ("all",), "square": ("sq",),
    "passage": ("pass", "psg"), "faubourg": ("fg", "fbg"), "residence": ("res",), "lotissement": ("lot",),
    "general": ("gal", "gen"), "marechal": ("mal",), "docteur": ("dr",), "commandant": ("cdt",), "colonel": ("col",),
    "president": ("pdt", "pres"), "professeur": ("pr", "prof"), "capitaine": ("cap", "cne"), "lieutenant": ("lt",),
    "sainte": ("ste",), "saint": ("st",), "grande": ("gde",), "grand": ("gd",), "quai": ("q",), "abbe": ("abb",),
    "cours": ("crs",), "sentier": ("sent",), "promenade": ("prom",), "quartier": ("quart", "qua"),
}  # fmt: skip
LONG = {short: word for word, shorts in ABBREVIATED.items() for short in shorts}
NUMBERS = {
    "premier": "1", "premiere": "1", "1er": "1", "1ere": "1", "ier": "1", "deux": "2", "second": "2", "trois": "3",
    "quatre": "4",
    "cinq": "5", "six": "6", "sept": "7", "huit": "8", "neuf": "9", "dix": "10", "onze": "11", "quatorze": "14",
}  # fmt: skip
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii",
         "xviii", "xix", "xx")  # fmt: skip
DISTRICT = re.compile(r"^(.*) (\d+)(?:er|e) Arrondissement$")

SLIP, INITIAL, OTHER_TYPE, NO_TYPE, EXTRA_WORD, MISSING_WORD = 0.3, 0.3, 0.6, 0.4, 1.0, 0.7
"""Costs of differences between typed words and a street's words."""
MARGIN, MARGIN_AROUND = 0.05, 0.25
"""Another street of the place fits as well within the first; one around the place fits better by the second."""
FAR = 1.6
"""Typed words with this cost for each street of a city name none of them: more than one extra or missing word."""


def unaccent(text: str) -> str:
    text = text.replace("œ", "oe").replace("Œ", "Oe").replace("æ", "ae")
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


@cache
def plain(text: str) -> str:
    """Lower case, no accents, letters and digits with single spaces."""
    return re.sub(r"[^a-z0-9]+", " ", unaccent(text).lower()).strip()


@cache
def canonical(text: str) -> tuple[str, tuple[str, ...]]:
    """The street type (or "") and the other words, without small words, abbreviations and ways to write numbers."""
    words = [LONG.get(word, word) for word in plain(text).replace("lieu dit", "lieudit").split()]
    at = next((i for i, word in enumerate(words[:2]) if word in TYPES and len(words) > i + 1), None)
    kind = "" if at is None else words[at]
    name = words if at is None else words[:at] + words[at + 1 :]
    large = [
        NUMBERS.get(w, str(ROMAN.index(w) + 1) if w in ROMAN and len(w) > 1 else w) for w in name if w not in SMALL
    ]
    return kind, tuple(large or name)


@dataclass(frozen=True)
class Place:
    code: str
    name: str
    """BAN's name, such as "Paris 18e Arrondissement"."""
    city: str
    """The city without its arrondissement."""
    district: int | None


@dataclass(frozen=True)
class Row:
    id: str
    number: str
    suffix: str
    street: str
    postcode: str
    place: Place
    postal_name: str
    former_name: str
    locality: str


@dataclass
class Street:
    name: str
    place: Place
    type: str
    words: tuple[str, ...]
    numbers: set[str] = field(default_factory=set)
    """Number and suffix, as BAN has them."""
    postcodes: set[str] = field(default_factory=set)


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter=";")


class Directory:
    """The addresses of a file."""

    def __init__(self, rows: Iterable[dict[str, str]]) -> None:
        self.rows: list[Row] = []
        self.streets: dict[tuple[str, str], Street] = {}
        """Streets by city code and plain name."""
        self.places: dict[str, Place] = {}
        self.by_postcode: dict[str, set[str]] = defaultdict(set)
        self.by_city: dict[str, set[str]] = defaultdict(set)
        """City codes by postcode, and by plain city name."""
        for row in rows:
            self._add(row)
        self.by_word: dict[str, list[Street]] = defaultdict(list)
        for street in self.streets.values():
            for word in {*street.words, "".join(street.words)}:
                self.by_word[word].append(street)
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for word in self.by_word:
            self._by_length[len(word)].append(word)
        self._near: dict[str, list[str]] = {}

    def _add(self, row: dict[str, str]) -> None:
        code, name = row["code_insee"], row["nom_commune"]
        place = self.places.get(code)
        if place is None:
            district = DISTRICT.match(name)
            city, number = (district[1], int(district[2])) if district else (name, None)
            place = self.places[code] = Place(code, name, city, number)
        street, postcode = row["nom_voie"], row["code_postal"]
        self.by_postcode[postcode].add(code)
        self.by_city[plain(place.city)].add(code)
        if not plain(street):
            return
        key = (code, plain(street))
        if key not in self.streets:
            self.streets[key] = Street(street, place, *canonical(street))
        self.streets[key].numbers.add(row["numero"] + row["rep"])
        self.streets[key].postcodes.add(postcode)
        former, postal = row.get("nom_ancienne_commune") or "", row.get("libelle_acheminement") or ""
        self.rows.append(
            Row(row["id"], row["numero"], row["rep"], street, postcode, place, postal, former, row.get("nom_ld") or "")
        )

    def street_of(self, row: Row) -> Street:
        return self.streets[row.place.code, plain(row.street)]

    def near_words(self, word: str) -> list[str]:
        """The words of the file within a third of the letters, and those with this initial."""
        if word not in self._near:
            if len(word) == 1:
                self._near[word] = [near for near in self.by_word if near[0] == word]
            else:
                most = _slips(word)
                lengths = range(len(word) - most, len(word) + most + 1)
                similar = [near for length in lengths for near in self._by_length[length]]
                matches = process.extract(word, similar, scorer=OSA.distance, score_cutoff=most, limit=None)
                self._near[word] = [near for near, _, _ in matches]
        return self._near[word]

    def fits(self, typed: str, codes: set[str]) -> dict[str, tuple[float, set[str]]]:
        """The streets of these communes that share a word with the text: their costs and communes by plain name."""
        kind, words = canonical(typed)
        glued = {a + b for a, b in pairwise(words)} | {"".join(words), kind + "".join(words)}
        streets: dict[str, tuple[float, set[str]]] = {}
        for word in {*words, *glued}:
            for near in self.near_words(word):
                for street in self.by_word[near]:
                    if street.place.code in codes:
                        name = plain(street.name)
                        if name not in streets:
                            streets[name] = cost(kind, words, street.type, street.words), set()
                        streets[name][1].add(street.place.code)
        return streets

    def is_clear(self, typed: str, name: str, codes: set[str], around: set[str]) -> bool:
        """Whether the street fits better than each other one of the communes, and not much worse than those around."""
        right = cost(*canonical(typed), *canonical(name))
        return all(
            price > right + MARGIN if at & codes else price > right - MARGIN_AROUND
            for other, (price, at) in self.fits(typed, codes | around).items()
            if other != plain(name)
        )

    def is_unknown(self, typed: str, codes: set[str]) -> bool:
        """Whether no street of these communes is similar."""
        return all(price >= FAR for price, _ in self.fits(typed, codes).values())


def _slips(word: str) -> int:
    return 0 if len(word) < 3 or word.isdigit() else max(1, len(word) // 3)


@cache
def _word_cost(typed: str, word: str) -> float | None:
    """None if the words differ."""
    if typed == word:
        return 0
    if len(typed) == 1 and word[0] == typed:
        return INITIAL
    if len(word) == 1 and typed[0] == word:
        return INITIAL
    if (typed.isdigit() or word.isdigit()) or not _slips(word):
        return None
    slips = OSA.distance(typed, word, score_cutoff=_slips(max(typed, word, key=len)))
    return SLIP * slips if slips <= _slips(max(typed, word, key=len)) else None


def cost(kind: str, typed: tuple[str, ...], street_kind: str, street: tuple[str, ...]) -> float:
    """The cost of the differences. Words may be in any order, and two of them may be glued."""
    same_type = 0 if kind == street_kind else NO_TYPE if not kind or not street_kind else OTHER_TYPE
    prices = [_cost_of_words(typed, street)]
    if prices[0] and len(typed) != len(street):
        prices += [SLIP + _cost_of_words(glued, street) for glued in _glued(typed)]
        prices += [SLIP + _cost_of_words(typed, glued) for glued in _glued(street)]
    return same_type + min(prices)


def _glued(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for i in range(len(words) - 1):
        yield (*words[:i], words[i] + words[i + 1], *words[i + 2 :])


def _cost_of_words(typed: tuple[str, ...], street: tuple[str, ...]) -> float:
    pairs = sorted(
        (price, i, j)
        for i, one in enumerate(typed)
        for j, two in enumerate(street)
        if (price := _word_cost(one, two)) is not None
    )
    extra, missing, total = set(range(len(typed))), set(range(len(street))), 0.0
    for price, i, j in pairs:
        if i in extra and j in missing:
            extra.remove(i)
            missing.remove(j)
            total += price
    return total + EXTRA_WORD * len(extra) + MISSING_WORD * len(missing)
