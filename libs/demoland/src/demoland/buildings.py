"""Buildings: those of the old quarter, drawn by hand, and a house on most generated lots."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from demoland.geometry import Point, Ring, behind_front, rectangle
from demoland.model import Parcel

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


def _at(west: float, south: float, east: float, north: float, topo: TopoAttributes) -> Building:
    return Building(rectangle(west, south, east, north), topo)


def _house(storeys: int, height_m: float, year: int, rnb_id: str = "") -> TopoAttributes:
    return TopoAttributes(height_m=height_m, storeys=storeys, dwellings=1, year=year, rnb_id=rnb_id)


QUARTER_BUILDINGS: tuple[Building, ...] = (
    # A house with its veranda.
    _at(-256, 120, -244, 130, _house(2, 5.1, 1978, "D3M100000001")),
    Building(rectangle(-254, 130, -248, 134), is_light=True),
    # A block of flats with a shop on the ground floor.
    _at(-238, 110, -224, 128, TopoAttributes("Résidentiel, Commercial et services", 13.5, 4, 12, 1966, "D3M100000002")),
    # Across the limit of two parcels.
    _at(-212, 112, -198, 124, _house(2, 5.4, 1934, "D3M100000003")),
    # Too new for the cadastre.
    Building(
        rectangle(-232, 65, -214, 85), TopoAttributes(height_m=12.8, storeys=4, dwellings=14, year=2025),
        is_in_cadastre=False,
    ),
    # Published with its corners in the wrong order.
    Building([(-46, 112), (-34, 124), (-34, 112), (-46, 124)], _UNKNOWN_USE),
    _at(-182, 109, -170, 119, _house(1, 4.9, 1955)),
    _at(-182, 132, -170, 142, _house(2, 6.0, 2004, "D3M100000004")),
    _at(-161, 109, -149, 119, _house(1, 4.4, 1949)),
    _at(-140, 110, -128, 120, _house(2, 6.3, 1991, "D3M100000005")),
    _at(-255, 62, -245, 74, _house(1, 4.6, 1962)),
    _at(-208, 75, -194, 91, TopoAttributes("Commercial et services, Résidentiel", 8.2, 2, 1, 1923)),
    _at(-186, 75, -174, 89, _house(2, 7.1, 1987)),
    _at(-102, 75, -92, 87, _house(1, 4.7, 1971)),
    Building(rectangle(-80, 70, -72, 76), is_light=True),
    _at(-40, 75, -28, 87, _house(2, 5.8, 1998, "D3M100000006")),
    _at(-240, 35, -228, 45, _house(2, 5.0, 1983)),
    # The hamlet, and a farm.
    _at(-212, -75, -200, -64, _house(2, 5.5, 1887)),
    _at(-172, -80, -156, -66, TopoAttributes("Agricole", 6.9)),
    _at(-240, -76, -230, -66, _house(1, 4.3, 1902)),
    _at(-330, 20, -290, 45, TopoAttributes("Agricole", 8.0)),
)  # fmt: skip


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
