"""Reads from a question how many lots it asks for, their areas, and whether the house is kept."""

import re

from assistant.division.proposal import Wish

MAX_QUESTION_LENGTH = 2000
_MAX_SIZES = 12
_M2_PER_ARE, _M2_PER_HA = 100.0, 10_000.0

_WORDS = {
    "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
    "dix": 10, "onze": 11, "douze": 12,
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_PLURALS = "|".join(word for word, value in _WORDS.items() if value > 1)
_NUMBER = rf"(?P<number>\d{{1,3}}|{_PLURALS})"
_ANY_NUMBER = rf"(?P<count>\d{{1,2}}|{'|'.join(sorted(_WORDS, key=len, reverse=True))})"
_ADJECTIVE = r"(?:nouveaux |nouveau |petits |petit |autres |autre |other |new |building |beaux |beau |small )*"
_NOUN = r"(?:lots?|parcelles?|terrains?|parts?|parties?|plots?|parcels?|pieces?)"
_AREA = (
    r"(?P<area>\d{1,3}(?:[ .,]\d{3})+|\d+(?:[.,]\d{1,2})?) ?"
    r"(?P<unit>m2|m²|m 2|mètres carrés|metres carres|sqm|sq\.? ?m|square met(?:re|er)s?|ares?\b|ha\b|hectares?)"
)
_ABOUT = (
    r"(?:d[' ]environ |de |d'|d[' ]à peu près |autour de |of about |of around |of |about |around |with |chacun de "
    r"|environ |de l'ordre de |d'une superficie de |d'une surface de |faisant |à bâtir de |à bâtir d'environ )*"
)
_DETACH = r"(?:d[ée]tach\w*|vend\w*|c[ée]d\w*|sell\w*|detach\w*|garde\w*|lotir)"
_HOUSE = r"(?:maison|habitation|pavillon|villa|house|home)"
_KEEP = r"(?:gard\w*|conserv\w*|laiss\w*|rest\w*|keep\w*|kept|retain\w*|leav\w*)"

_COUNTED = re.compile(rf"\b{_NUMBER} {_ADJECTIVE}{_NOUN}\b")
_DIVIDED = re.compile(
    rf"\b(?:divis\w*|partag\w*|coup\w*|d[ée]coup\w*|s[ée]par\w*|split\w*|divid\w*|cut\w*)\b[^.?!]{{0,60}}?"
    rf"\b(?:en|in|into) {_NUMBER}\b(?! ?(?:m|m2|m²|ans|mois|years|months|days|jours|%))"
)
_SIZED_LOT = re.compile(
    rf"\b(?:dont )?{_ANY_NUMBER} {_ADJECTIVE}(?:lots?|parcelles?|plots?|parcels?|parts?) (?:à bâtir )?{_ABOUT}{_AREA}"
)
_SIZED_BEFORE = re.compile(rf"\b{_ANY_NUMBER} {_AREA} {_ADJECTIVE}(?:lots?|plots?|parcels?)\b")
_SIZED_OF = re.compile(rf"\b(?:dont|including|of which) {_ANY_NUMBER} {_ABOUT}{_AREA}")
_DETACHED = re.compile(
    rf"\b{_DETACH}\b (?:{_ANY_NUMBER} {_ADJECTIVE}(?:terrains?|morceaux?|bandes?|pieces?|lands?) )?{_ABOUT}{_AREA}"
)
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

_BESIDE_HOUSE = re.compile(
    r"\b(?:reste|restant|rest|remainder|faire|créer|creer|vendre|détacher|detacher|make|create|sell|detach)\b[^.?!;]*$"
)
"""The counted lots are those beside the house."""


def parse_wish(question: str) -> Wish:
    """Reads "diviser en 3 lots", "un lot d'environ 500 m²", "two plots of 400 m2 and the rest", "garder la maison avec
    600 m²". The rules use nothing else of the question.
    """
    text = re.sub(r"\s+", " ", question.casefold().replace("’", "'").replace("²", "2"))
    house_m2 = None
    for pattern in _HOUSE_SIZE:
        if match := pattern.search(text):
            house_m2 = _area_m2(match)
            text = text[: match.start()] + " ; " + text[match.end() :]
            break
    keeps_house = house_m2 is not None or _KEPT_HOUSE.search(text) is not None
    sizes: list[float] = []
    sized_all = 0
    for pattern in (_TO_DETACH, _SIZED_LOT, _SIZED_BEFORE, _SIZED_OF, _DETACHED):
        while match := pattern.search(text):
            count = _number(match["count"] or "1")
            sizes += [_area_m2(match)] * count
            sized_all = max(sized_all, count)
            text = text[: match.start()] + " ; " + text[match.end() :]
            if len(sizes) > _MAX_SIZES:
                break
    counted = _COUNTED.search(text) or _DIVIDED.search(text)
    requested = None if counted is None else _number(counted["number"])
    if counted is not None and keeps_house and _BESIDE_HOUSE.search(text[: counted.end()]):
        requested = _number(counted["number"]) + 1
    if requested is None and sized_all > 1 and not re.search(r"\b(?:reste|restant|rest|remainder|remaining)\b", text):
        requested = sized_all + (house_m2 is not None)
    if requested is None and not sizes and re.search(r"\b1 (?:lot|plot)\b", text):
        requested = 1
    return Wish(requested, tuple(sizes[:_MAX_SIZES]), house_m2, keeps_house)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS[text]


def _area_m2(match: re.Match[str]) -> float:
    text = match["area"]
    is_grouped = re.fullmatch(r"\d{1,3}(?:[ .,]\d{3})+", text) is not None
    value = float(re.sub(r"[ .,]", "", text) if is_grouped else text.replace(",", "."))
    unit = match["unit"]
    return value * (_M2_PER_HA if unit.startswith("h") else _M2_PER_ARE if unit.startswith("are") else 1.0)
