"""Buildings: those of the old quarter, drawn by hand, and a house on most generated lots."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from demoland.geometry import Point, Ring, behind_front
from demoland.model import Parcel
from demoland.quarter import RECORDS

BUILT_SHARE = 0.88
"""Share of the generated lots."""
ANNEXE_SHARE = 0.3
"""Houses with a light annexe behind them."""
DESCRIBED_SHARE = 0.85
"""Houses that the IGN matched with the tax files, the source of BD TOPO's attributes."""
SETBACK_M = 5.0
"""Distance from the street to the house."""
ANNEXE_DEPTH_M, ANNEXE_WIDTH_SHARE = 3.0, 0.2


@dataclass(frozen=True)
class TopoAttributes:
    """A building's attributes in BD TOPO."""

    usage: str = "Résidentiel"
    """One use, or two with a comma between them."""
    height_m: float | None = None
    storeys: int | None = None
    dwellings: int | None = None
    year: int | None = None
    rnb_id: str = ""


_UNKNOWN_USE = TopoAttributes("Indifférencié")


@dataclass(frozen=True)
class Building:
    ring: Ring
    topo: TopoAttributes | None = None
    """None if the building is not in BD TOPO."""
    is_light: bool = False
    is_in_cadastre: bool = True


QUARTER_BUILDINGS = tuple(
    Building(
        [(x, y) for x, y in item["ring"]],
        TopoAttributes(**item["topo"]) if "topo" in item else None,
        item.get("is_light", False),
        item.get("is_in_cadastre", True),
    )
    for item in RECORDS["buildings"]
)


def town_buildings(parcels: Iterable[Parcel], random: Random) -> Iterator[Building]:
    """A house on most parcels, some with an annexe. The first side of a parcel is its front."""
    for parcel in parcels:
        outline = parcel.polygons[0][0]
        front = outline[0], outline[1]
        if random.random() > BUILT_SHARE:
            continue
        depth_m, width_share = random.uniform(7.0, 9.5), random.uniform(0.45, 0.6)
        topo = _random_attributes(random) if random.random() < DESCRIBED_SHARE else _UNKNOWN_USE
        yield Building(_rectangle_behind(front, SETBACK_M, depth_m, width_share), topo)
        if random.random() < ANNEXE_SHARE:
            annexe = _rectangle_behind(front, SETBACK_M + depth_m, ANNEXE_DEPTH_M, ANNEXE_WIDTH_SHARE)
            yield Building(annexe, is_light=True)


def _random_attributes(random: Random) -> TopoAttributes:
    storeys = random.choice((1, 1, 2, 2, 2, 3))
    return TopoAttributes(
        height_m=round(2.7 * storeys + random.uniform(0.0, 1.5), 1),
        storeys=storeys,
        dwellings=1 if random.random() < 0.8 else random.randint(2, 6),  # noqa: PLR2004 - share of houses
        year=random.randint(1900, 2022),
    )


def _rectangle_behind(front: tuple[Point, Point], distance_m: float, depth_m: float, width_share: float) -> Ring:
    """A rectangle along the middle share of a front, at this distance behind it."""
    low, high = (1 - width_share) / 2, (1 + width_share) / 2
    corners = ((low, 0.0), (high, 0.0), (high, depth_m), (low, depth_m))
    return [behind_front(front, share, distance_m + behind_m) for share, behind_m in corners]
