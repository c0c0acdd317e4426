"""Planning documents: zones of the old quarter, and two of the generated town.

No document covers the hamlet of the absorbed commune: its rules are unknown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from demoland.geometry import Polygon, Ring, rectangle
from demoland.model import Parcel

TOWN_WEST_M = 0.0
"""The western edge of the generated town."""
MARGIN_M = 15.0
"""Metres between the outermost parcels and the limit of their zone."""
PUBLIC_M = 100.0
"""Metres between the outermost parcels and the limit of the commune."""


@dataclass(frozen=True)
class Zone:
    label: str
    long_label: str
    zone_type: str
    polygon: Polygon


_GARDENS = rectangle(-85, 55, -60, 95)
"""One parcel, and a hole in the zone around it."""
QUARTER_ZONES = (
    Zone("UA", "Centre ancien", "U", (rectangle(-270, 55, -100, 175),)),
    Zone("UB", "Faubourg", "U", (rectangle(-100, 15, TOWN_WEST_M, 175), _GARDENS)),
    Zone("1AU", "Secteur à urbaniser des Prés-Fleuris", "AUc", (rectangle(-270, 15, -100, 55),)),
    Zone("Nj", "Jardins", "N", (_GARDENS,)),
    Zone("A", "Terres agricoles", "A", (rectangle(-490, -50, -270, 175),)),
    Zone("N", "Vallon du ruisseau", "N", (rectangle(-490, 175, -270, 260),)),
)


@dataclass
class BoundingBox:
    """The smallest rectangle around parcels. It is empty, with west > east, before the first one."""

    west: float = inf
    south: float = inf
    east: float = -inf
    north: float = -inf

    def include(self, parcels: Iterable[Parcel]) -> None:
        for x, y in (point for parcel in parcels for outline, *_ in parcel.polygons for point in outline):
            self.west, self.east = min(self.west, x), max(self.east, x)
            self.south, self.north = min(self.south, y), max(self.north, y)


def territory_outline(town: BoundingBox, *parcel_groups: Iterable[Parcel]) -> Ring:
    """The limit of a commune around all its parcels. The ground between these and the limit is public."""
    whole = replace(town)
    for parcels in parcel_groups:
        whole.include(parcels)
    return rectangle(whole.west - PUBLIC_M, whole.south - PUBLIC_M, whole.east + PUBLIC_M, whole.north + PUBLIC_M)


def town_zones(town: BoundingBox, field_parcels: Iterable[Parcel]) -> list[Zone]:
    """One zone around the town, if it is not empty, and one around the fields north of it."""
    zones, fields = [], BoundingBox()
    fields.include(field_parcels)
    limit = fields.south - MARGIN_M
    if town.west < inf:
        limit = town.north + MARGIN_M
        outline = rectangle(TOWN_WEST_M, town.south - MARGIN_M, town.east + MARGIN_M, limit)
        zones.append(Zone("UC", "Quartiers récents", "U", (outline,)))
    outline = rectangle(fields.west - MARGIN_M, limit, fields.east + MARGIN_M, fields.north + MARGIN_M)
    return [*zones, Zone("A", "Terres agricoles", "A", (outline,))]
