"""The plan of the first commune's old quarter, and that of any generated town. Metres, as in `quarter`.

The hamlet of the commune that was absorbed is not in the plan: what rules apply there is not known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from demoland.plan import Plot, Point, Ring, rectangle


@dataclass(frozen=True)
class Zone:
    label: str
    long_label: str
    zone_type: str
    rings: tuple[Ring, ...]
    """The outline, then its holes."""


@dataclass(frozen=True)
class Prescription:
    label: str
    type_code: str
    subtype_code: str
    geometry: str
    """Polygon, LineString or Point."""
    points: tuple[Point, ...]


GARDENS = rectangle(-85, 55, -60, 95)
"""One parcel: a hole in the zone around it."""
EAST_M = 0.0
"""Where the generated town begins."""

ZONES = (
    Zone("UA", "Centre ancien", "U", (rectangle(-270, 55, -100, 175),)),
    Zone("UB", "Faubourg", "U", (rectangle(-100, 15, EAST_M, 175), GARDENS)),
    Zone("1AU", "Secteur à urbaniser des Prés-Fleuris", "AUc", (rectangle(-270, 15, -100, 55),)),
    Zone("Nj", "Jardins", "N", (GARDENS,)),
    Zone("A", "Terres agricoles", "A", (rectangle(-490, -50, -270, 175),)),
    Zone("N", "Vallon du ruisseau", "N", (rectangle(-490, 175, -270, 260),)),
)
PRESCRIPTIONS = (
    Prescription(
        "Emplacement réservé n° 1 : élargissement de la rue du 8 Mai 1945", "05", "01", "Polygon",
        tuple(rectangle(-150, 92, -85, 97)),
    ),
    Prescription("Bois du vallon", "01", "00", "Polygon", tuple(rectangle(-485, 176, -430, 255))),
    Prescription("Haie à préserver", "07", "04", "LineString", ((-485, 60), (-272, 60))),
    Prescription("Puits de l'Ancien Couvent", "07", "01", "Point", ((-180, 160),)),
)  # fmt: skip
_ROOM_M = 15.0
"""Between the outermost lots and the limit of their zone."""


@dataclass
class Extent:
    """The room that plots take, as they come."""

    west: float = inf
    south: float = inf
    east: float = -inf
    north: float = -inf

    def add(self, plots: Sequence[Plot]) -> None:
        for x, y in (point for plot in plots for part in plot.parts for ring in part for point in ring):
            self.west, self.east = min(self.west, x), max(self.east, x)
            self.south, self.north = min(self.south, y), max(self.north, y)


def zones_of_town(town: Extent, fields: Extent) -> list[Zone]:
    """Two zones around what was generated: the town, and the fields north of it."""
    zones = []
    limit = fields.south - _ROOM_M
    if town.west < inf:
        limit = town.north + _ROOM_M
        outline = rectangle(EAST_M, town.south - _ROOM_M, town.east + _ROOM_M, limit)
        zones.append(Zone("UC", "Quartiers récents", "U", (outline,)))
    outline = rectangle(fields.west - _ROOM_M, limit, fields.east + _ROOM_M, fields.north + _ROOM_M)
    return [*zones, Zone("A", "Terres agricoles", "A", (outline,))]
