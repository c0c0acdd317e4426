"""What a drawn division is: proposals of lots, the assumptions they rest on, or the reason why there are none."""

from dataclasses import dataclass

from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import Layout

DEFAULT_LOT_COUNT = 2
MAX_LOT_COUNT = 6


@dataclass(frozen=True)
class Assumptions:
    """Figures that the drawing takes for granted, since the local regulation was not read. Metres and m²."""

    access_strip_m: float = 4.0
    """Width of the strip by which a rear lot reaches the way."""
    setback_m: float = 3.0
    """Distance kept between buildings and lot boundaries; the national rules' minimum for a building that does not
    stand on the boundary itself (Code de l'urbanisme R111-17).
    """
    minimum_width_m: float = 8.0
    """Diameter of a circle that every lot must hold."""
    minimum_lot_m2: float = 60.0
    """Below this no lot is drawn."""
    usual_lot_m2: float = 200.0
    """Below this a lot is drawn, and said to be small."""


@dataclass(frozen=True)
class Ground:
    """The unit to divide, in metres of the territory's legal projection."""

    unit: BaseGeometry
    frontage: MultiLineString | None
    """The boundary on a public way; empty where there is none, None where it is not known."""
    buildings: tuple[Polygon, ...]


@dataclass(frozen=True)
class Lot:
    id: str
    shape: Polygon
    area_m2: float
    frontage_m: float | None
    access: str
    """frontage, strip, landlocked, or unknown where the frontage is."""
    strip_m2: float
    compactness: float
    """Isoperimetric quotient, 0 to 1."""
    buildable_area_m2: float
    """What the setback leaves, without strip and existing buildings."""
    has_existing_building: bool
    is_built: bool
    """What stands there is more than a shed, so that the lot is no building plot."""
    violations: tuple[str, ...]
    """small_lot, landlocked, narrow_frontage, building_setback or nothing_buildable."""


@dataclass(frozen=True)
class Proposal:
    rank: int
    method: str
    """perpendicular_cut, parallel_cut or envelope_cut."""
    lots: tuple[Lot, ...]
    score: float

    @property
    def violation_count(self) -> int:
        return sum(len(lot.violations) for lot in self.lots)

    @property
    def smallest_lot_m2(self) -> float:
        return min(lot.area_m2 for lot in self.lots)

    @property
    def largest_lot_m2(self) -> float:
        return max(lot.area_m2 for lot in self.lots)

    @property
    def area_ratio(self) -> float:
        return self.largest_lot_m2 / self.smallest_lot_m2

    @property
    def access_strip_m2(self) -> float:
        return sum(lot.strip_m2 for lot in self.lots)


@dataclass(frozen=True)
class Division:
    """At most three proposals, best first; where there are none, `reason` is a code that says why."""

    lot_count: int
    proposals: tuple[Proposal, ...]
    reason: str | None
    assumptions: Assumptions
    is_bare: bool = True
    """No existing building stands on the ground that was drawn on, as far as it was known."""

    def layout(self) -> Layout:
        """What the checks need to know of it."""
        if not self.proposals:
            is_drawn = None if self.reason == "no_geometry" else False
            return Layout(self.lot_count, is_drawn, self.reason)
        best = self.proposals[0]
        return Layout(
            lot_count=self.lot_count,
            is_drawn=True,
            built_lot_count=sum(lot.is_built for lot in best.lots),
            is_bare=self.is_bare,
            violation_count=best.violation_count,
        )
