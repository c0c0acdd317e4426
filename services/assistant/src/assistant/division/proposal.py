"""The result of drawing: proposals of lots with their assumptions, or the reason why there are none."""

from dataclasses import dataclass
from typing import Literal

from shapely import MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import Layout

Method = Literal["perpendicular_cut", "parallel_cut", "envelope_cut"]
Access = Literal["frontage", "strip", "landlocked", "unknown"]
"""How a lot reaches the way: unknown if the frontage is not known."""
Violation = Literal["small_lot", "landlocked", "narrow_frontage", "building_setback", "nothing_buildable"]

DEFAULT_LOT_COUNT = 2
MAX_LOT_COUNT = 6


@dataclass(frozen=True)
class Assumptions:
    """Assumed figures, since the local regulation is not read. Metres and m²."""

    access_strip_m: float = 4.0
    """Width of the access strip of a rear lot."""
    setback_m: float = 3.0
    """Distance between buildings and lot boundaries. The minimum of the national rules for a building that is not on
    the boundary itself (Code de l'urbanisme R111-17).
    """
    minimum_width_m: float = 8.0
    """Diameter of a circle that must fit into every lot."""
    minimum_lot_m2: float = 60.0
    """No smaller lot is drawn."""
    usual_lot_m2: float = 200.0
    """A smaller lot is drawn and marked as small."""


@dataclass(frozen=True)
class Site:
    """The land unit to divide, in metres of the territory's legal projection."""

    unit: BaseGeometry
    frontage: MultiLineString | None
    """The boundary on a public way: empty if there is none, None if it is not known."""
    buildings: tuple[Polygon, ...]


@dataclass(frozen=True)
class Lot:
    id: str
    shape: Polygon
    area_m2: float
    frontage_m: float | None
    access: Access
    strip_m2: float
    compactness: float
    """Isoperimetric quotient, 0 to 1."""
    buildable_area_m2: float
    """The area inside the setback, without access strip and existing buildings."""
    has_existing_building: bool
    is_built: bool
    """The lot has an existing house, so it is not a building plot. Sheds do not count."""
    violations: tuple[Violation, ...]


@dataclass(frozen=True)
class Proposal:
    rank: int
    method: Method
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
    """At most three proposals, best first. If there are none, `reason` is the code of the reason."""

    lot_count: int
    proposals: tuple[Proposal, ...]
    reason: str | None
    assumptions: Assumptions
    is_bare: bool = True
    """No existing building was known on the site."""

    def layout(self) -> Layout:
        """The result for the checks."""
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
