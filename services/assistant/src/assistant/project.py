"""The project that a question tells: its lots, its way, its house, who builds, and the rules that it states.

`read_project` is the only reader. Drawing, checks, procedure and answer follow what it returns.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from assistant.text import read_table

MAX_QUESTION_LENGTH = 2000
_MAX_SIZES = 12
_M2_PER_ARE, _M2_PER_HA = 100.0, 10_000.0
_LARGEST = 100.0
"""Larger figures in metres or percent are not rules of a plan."""

Unfollowed = Literal["dwellings", "dimensions"]
"""What a project may tell and a study cannot follow."""
UNFOLLOWED: tuple[Unfollowed, ...] = get_args(Unfollowed)


@dataclass(frozen=True)
class Project:
    """What is told is set; None, False or empty if the question does not tell it."""

    lot_count: int | None = None
    """The number of lots, with the plot of a kept house."""
    sizes_m2: tuple[float, ...] = ()
    """Areas of the lots to detach. What is left over makes the other lots."""
    house_m2: float | None = None
    """Area that the house keeps."""
    keeps_house: bool = False
    demolishes_house: bool = False
    has_even_lots: bool = False
    has_shared_way: bool | None = None
    """False if the question excludes a shared way."""
    shared_way_m: float | None = None
    """Width of the shared way."""
    is_for_neighbour: bool = False
    """A neighbour buys the land to enlarge land of their own: no lot is for building."""
    has_one_builder: bool = False
    """Whoever divides also builds on the lots."""
    has_separate_plots: bool = False
    """The parcels do not touch."""
    setback_m: float | None = None
    footprint_ratio: float | None = None
    height_m: float | None = None
    unfollowed: tuple[Unfollowed, ...] = ()


_WORDS = {
    "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
    "dix": 10, "onze": 11, "douze": 12,
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_PLURALS = "|".join(word for word, value in _WORDS.items() if value > 1)
_NUMBER = rf"(?P<number>\d{{1,3}}|{_PLURALS})"
_ANY_NUMBER = rf"(?P<count>\d{{1,2}}|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_ADJECTIVE = (
    r"(?:nouveaux |nouveau |petits |petit |autres |autre |other |new |building |beaux |beau |small |equal |even "
    r"|identical |separate |belles |petites |nouvelles |family |detached )*"
)
_NOUN = r"(?:lots?|parcelles?|terrains?|parts?|parties?|plots?|parcels?|pieces?|morceaux)"
_AREA = (
    r"(?P<area>\d{1,3}(?:[ .,]\d{3})+|\d+(?:[.,]\d{1,2})?) ?"
    r"(?P<unit>m2|m²|m 2|mètres carrés|metres carres|sqm|sq\.? ?m|square met(?:re|er)s?|ares?\b|ha\b|hectares?)"
)
_ABOUT = (
    r"(?:d[' ]environ |de |d'|d[' ]à peu près |autour de |of about |of around |of |about |around |with |chacun de "
    r"|environ |de l'ordre de |d'une superficie de |d'une surface de |faisant |à bâtir de |à bâtir d'environ )*"
)
_DETACH = r"(?:d[ée]tach\w*|vend\w*|c[éeè]d\w*|sell\w*|detach\w*|garde\w*|lotir)"
_HOUSE = r"(?:maison|habitation|pavillon|villa|house|home)"
_KEEP = r"(?:gard\w*|conserv\w*|laiss\w*|rest\w*|keep\w*|kept|retain\w*|leav\w*)"

_COUNTED = re.compile(rf"\b{_NUMBER} {_ADJECTIVE}{_NOUN}\b")
_DIVIDED = re.compile(
    rf"\b(?:divis\w*|partag\w*|coup\w*|d[ée]coup\w*|s[ée]par\w*|split\w*|divid\w*|cut\w*)\b[^.?!]{{0,60}}?"
    rf"\b(?:en|in|into) {_NUMBER}\b(?! ?(?:m|m2|m²|ans|mois|years|months|days|jours|%))"
)
_THOUGHT = re.compile(
    rf"\b(?:pens\w+|song\w+|imagin\w+|disons|vis\w+|thinking|thought|say) (?:à |en |of |about )?{_NUMBER}\b(?! ?[%\d])"
    r"(?! ?(?:m|m2|ans?|mois|euros?|years?|months?)\b)"
)
"""A bare number counts where the text speaks of lots."""
_SPEAKS_OF_LOTS = re.compile(rf"\b{_NOUN}\b")
_SIZED_LOT = re.compile(
    rf"\b(?:dont )?{_ANY_NUMBER} {_ADJECTIVE}"
    r"(?:lots?|parcelles?|plots?|parcels?|parts?|terrains(?= (?:à bâtir|constructibles))) (?:à bâtir |constructibles )?"
    rf"{_ABOUT}{_AREA}"
)
_SIZED_BEFORE = re.compile(rf"\b{_ANY_NUMBER} {_AREA} {_ADJECTIVE}(?:lots?|plots?|parcels?)\b")
_SIZED_OF = re.compile(rf"\b(?:dont|including|of which) {_ANY_NUMBER} {_ABOUT}{_AREA}")
_DETACHED = re.compile(
    rf"\b{_DETACH}\b (?:{_ANY_NUMBER} {_ADJECTIVE}(?:terrains?|morceaux?|bandes?|pieces?|lands?) )?{_ABOUT}{_AREA}"
)
_WISHED = re.compile(
    rf"\b(?:veux|voudr\w+|voulons|souhait\w+|créer|creer|faire) {_ANY_NUMBER} {_ADJECTIVE}terrains? {_ABOUT}{_AREA}"
)
_PART = re.compile(
    rf"\b(?:d[ée]tach\w*|vend\w*|c[éeè]d\w*|sell\w*|detach\w*) (?:{_ANY_NUMBER} )?[^.?!;\d]{{0,25}}?"
    rf"\b(?:jardin|fond|bout|partie|garden|part)\b(?: (?:du|de mon|of my|of our|of the) (?:terrain|garden|land))?"
    rf"(?:,| \(| :|,? soit| d'environ| environ| about| around) ?{_ABOUT}{_AREA}"
)
"""A part of the land, with its area behind a comma or a word that tells one: "un bout du jardin, environ 300 m²"."""
_OWNED = re.compile(
    re.sub(
        r"\?P<\w+>",
        "?:",
        rf"\b(?:j'ai|nous avons|on a|poss[èé]d\w*|own|have|ma|notre|my|our) (?:{_ANY_NUMBER} )?{_ADJECTIVE}"
        rf"(?:(?:parcelles?|plots?|parcels?) {_ABOUT}{_AREA}|{_AREA} (?:plots?|parcels?)\b)"
        r"(?! (?:à vendre|à détacher|à céder|to sell|for sale)\b)",
    )
)
"""The land itself with its area, which is no wished lot."""
_TO_DETACH = re.compile(
    rf"\b{_ANY_NUMBER} {_ADJECTIVE}terrains? {_ABOUT}{_AREA} (?:est |serait )?à (?:détacher|detacher|vendre|céder)"
)
_BETWEEN = r"(?:(?!\b(?:lots?|parcelles?|plots?|parcels?|vend|sell|d[ée]tach|divis|split))[^.?!;\d])"
_HOUSE_SIZE = (
    re.compile(rf"\b{_KEEP}{_BETWEEN}{{0,30}}\b{_HOUSE}\b{_BETWEEN}{{0,40}}?\b{_ABOUT}{_AREA}"),
    re.compile(rf"\b{_HOUSE}\b{_BETWEEN}{{0,20}}\b{_KEEP}{_BETWEEN}{{0,20}}?\b{_ABOUT}{_AREA}"),
    re.compile(rf"\b{_AREA} (?:pour|avec|around|for|with) (?:la |the |ma |my |notre |our )?{_HOUSE}\b"),
)
_IS_KEPT = r"(?:gard[ée]|conserv[ée]|kept|retained|à gard|à conserv)"
_KEPT_HOUSE = re.compile(rf"\b{_KEEP}\b[^.?!;]{{0,30}}\b{_HOUSE}\b|\b{_HOUSE}\b[^.?!;]{{0,20}}\b{_IS_KEPT}")


def _filled(pattern: str) -> str:
    for name, fragment in {**_TABLE["fragments"], "number": _NUMBER}.items():
        pattern = pattern.replace(f"{{{name}}}", fragment)
    return pattern


_TABLE = read_table("project.toml")
_PATTERNS = {
    name: [re.compile(_filled(pattern)) for pattern in patterns] for name, patterns in _TABLE["patterns"].items()
}

_BESIDE_HOUSE = re.compile(
    r"\b(?:reste|restant|rest|remainder|fai(?:re|t|s|sons)|créer|creer|vendre|détacher|detacher|make|create|sell|detach)\b[^.?!;]*$"
)
"""The counted lots are those beside the house."""
_WITH_HOUSE = re.compile(rf" ?(?::|,? dont|,? including|\()[^.?!;]{{0,30}}\b{_HOUSE}\b")
"""The house is one of the counted lots, which stand before."""


def read_project(question: str) -> Project:
    """Reads "diviser en 3 lots", "6 houses with a shared driveway", "two plots of 400 m2 and the rest", "garder la
    maison avec 600 m²", "je cède 30 m² à mon voisin", "12 lots égaux", "5 m de recul et 30 % d’emprise".
    """
    text = re.sub(r"\s+", " ", question.casefold().replace("’", "'").replace("²", "2"))
    excludes_way = _tells("no_shared_way", text)
    demolishes = _tells("demolished_house", text) and not _tells("not_demolished", text)
    is_to_build = _tells("to_build", text) and not _tells("not_to_build", text)
    is_for_neighbour = _tells("neighbour", text) and not is_to_build
    count, sizes, house_m2, keeps_house = _read_lots(text)
    if is_for_neighbour:
        count, sizes = (None if sizes else count), sizes[:1]
    percent = _figure("footprint_percent", text)
    return Project(
        lot_count=count,
        sizes_m2=sizes,
        house_m2=None if demolishes else house_m2,
        keeps_house=keeps_house and not demolishes,
        demolishes_house=demolishes,
        has_even_lots=_tells("even_lots", text) and not sizes,
        has_shared_way=False if excludes_way else _tells("shared_way", text) or None,
        shared_way_m=None if excludes_way else _figure("shared_way_m", text),
        is_for_neighbour=is_for_neighbour,
        has_one_builder=_tells("one_builder", text),
        has_separate_plots=_tells("separate_plots", text),
        setback_m=_figure("setback_m", text),
        footprint_ratio=_figure("footprint_ratio", text) if percent is None else percent / 100,
        height_m=_figure("height_m", text),
        unfollowed=tuple(name for name in UNFOLLOWED if _tells(name, text)),
    )


def _search(name: str, text: str) -> re.Match[str] | None:
    return next((match for pattern in _PATTERNS[name] if (match := pattern.search(text))), None)


def _tells(name: str, text: str) -> bool:
    return _search(name, text) is not None


def _figure(name: str, text: str) -> float | None:
    match = _search(name, text)
    value = 0.0 if match is None else float(match["v"].replace(",", "."))
    return value if 0 < value <= _LARGEST else None


def _read_lots(text: str) -> tuple[int | None, tuple[float, ...], float | None, bool]:
    """The number of lots, their areas, the area of the kept house, and whether it is kept."""
    house_m2, text = None, _OWNED.sub(" ; ", text)
    for pattern in _HOUSE_SIZE:
        if match := pattern.search(text):
            house_m2 = _area_m2(match)
            text = text[: match.start()] + " ; " + text[match.end() :]
            break
    keeps_house = house_m2 is not None or _KEPT_HOUSE.search(text) is not None
    sizes: list[float] = []
    sized_all = 0
    for pattern in (_TO_DETACH, _SIZED_LOT, _SIZED_BEFORE, _SIZED_OF, _DETACHED, _WISHED, _PART):
        while match := pattern.search(text):
            count = _number(match["count"] or "1")
            sizes += [_area_m2(match)] * count
            sized_all = max(sized_all, count)
            text = text[: match.start()] + " ; " + text[match.end() :]
            if len(sizes) > _MAX_SIZES:
                break
    counted = _COUNTED.search(text) or _DIVIDED.search(text) or _houses(text)
    if counted is None and not sizes and _SPEAKS_OF_LOTS.search(text):
        counted = _THOUGHT.search(text)
    requested = None if counted is None else _number(counted["number"])
    if counted is not None and keeps_house and _BESIDE_HOUSE.search(text[: counted.end()]):
        requested = _number(counted["number"]) + (_WITH_HOUSE.match(text[counted.end() :]) is None)
    if requested is None and sized_all > 1 and not re.search(r"\b(?:reste|restant|rest|remainder|remaining)\b", text):
        requested = sized_all + (house_m2 is not None)
    if requested is None and not sizes and re.search(r"\b1 (?:lot|plot)\b", text):
        requested = 1
    return requested, tuple(sizes[:_MAX_SIZES]), house_m2, keeps_house


def _houses(text: str) -> re.Match[str] | None:
    """The number of houses to build; None if they exist already, or if there is only one."""
    return next(
        (
            match
            for match in _PATTERNS["houses"][0].finditer(text)
            if _number(match["number"]) > 1 and not _tells("standing", text[: match.start()])
        ),
        None,
    )


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS[text]


def _area_m2(match: re.Match[str]) -> float:
    text = match["area"]
    is_grouped = re.fullmatch(r"\d{1,3}(?:[ .,]\d{3})+", text) is not None
    value = float(re.sub(r"[ .,]", "", text) if is_grouped else text.replace(",", "."))
    unit = match["unit"]
    return value * (_M2_PER_HA if unit.startswith("h") else _M2_PER_ARE if unit.startswith("are") else 1.0)
