"""The result of drawing: proposals of lots with their assumptions, or the reason why there are none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from shapely import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from assistant.assessment.facts import LEAST_HOUSE_M, Layout
from assistant.division.access import width_of
from assistant.division.house import house_on
from assistant.geojson import Projection
from assistant.project import Project
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text

Method = Literal[
    "perpendicular_cut", "parallel_cut", "envelope_cut", "shared_way", "flag_lots", "corner_cut", "detached_lots",
    "kept_house",
]  # fmt: skip
Access = Literal["frontage", "strip", "right_of_way", "shared_way", "landlocked", "unknown"]
"""How a lot reaches the way: unknown if the frontage is not known."""
Violation = Literal[
    "small_lot", "landlocked", "narrow_frontage", "building_setback", "no_house_fits", "closed_land",
    "narrow_neck", "wished_size", "uneven",
]  # fmt: skip
Role = Literal["building_plot", "closed_land", "kept_house", "neighbour_plot", "rest"]
"""A plot for a neighbour, what is left of the land, and closed land are not for building."""
Missing = Literal["buildings", "zones", "risks"]
"""What may change where a lot can be built on, and is not known of the land."""
SideKind = Literal["way", "neighbour", "lot", "shared_way", "unknown"]
"""What is on the other side. Unknown is the boundary of a unit whose frontage is not known."""
Turning = Literal["none", "hammerhead", "circle"]
Term = Literal["evenness", "wishes", "compactness", "buildable", "access_land", "rules"]

LAMBERT_93 = 2154
DEFAULT_LOT_COUNT = 2
MAX_LOT_COUNT = 12
_FAR = 0.1
"""A lot is far from its wished area if it differs by more than this share of it."""


@dataclass(frozen=True)
class Assumptions:
    """Figures that are assumed where nothing states them. Metres and m²."""

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
    shared_way_m: float = 5.0
    """Width of a way that serves several lots: two cars pass. A fire engine needs 3 m (arrêté du 31 janvier 1986)."""
    turning_arm_m: float = 8.0
    """Longest arm of a hammerhead, from the edge of the way. On narrow land it is shorter, at least 4 m."""
    turning_radius_m: float = 11.0
    """Radius of the turning circle of a long way: the radius of fire engines (arrêté du 31 janvier 1986, art. 4)."""
    house_plot_m2: float = 500.0
    """Area that a kept house gets, if the question states none."""
    house_width_m: float = 8.0
    """Width of the house that a lot for building has room for."""
    house_depth_m: float = 8.0
    """Its other side. Both follow from the footprint if the project states one."""

    @property
    def house_sides_m(self) -> tuple[float, float]:
        return self.house_width_m, self.house_depth_m


@dataclass(frozen=True)
class StatedRules:
    """Figures that a prescription of the plan, the question or the regulation as read states. None if none does."""

    setback_m: float | None = None
    """Distance to the boundaries with neighbours."""
    way_setback_m: float | None = None
    """Distance to ways."""
    footprint_ratio: float | None = None
    """Share of a plot that buildings may cover."""
    height_m: float | None = None
    access_strip_m: float | None = None
    """Width of an access."""
    read: Mapping[str, Text] = field(default_factory=dict)
    """Of the figures that only the regulation states: the sentence that names its rule and page, by their names."""


@dataclass(frozen=True)
class NeighbourParcel:
    """A parcel beside land with little frontage, and its own boundary on a way near the land."""

    parcel_id: str
    shape: Polygon
    frontage: MultiLineString
    owners: tuple[land_pb2.Owner, ...] = ()
    """The owners that are legal persons."""


@dataclass(frozen=True)
class Site:
    """The land unit to divide, in metres on the ground."""

    unit: BaseGeometry
    frontage: MultiLineString | None
    """The boundary on a public way: empty if there is none, None if it is not known."""
    buildings: tuple[Polygon, ...]
    closed: tuple[BaseGeometry, ...] = ()
    """Surfaces where a zone, a prescription or an easement forbids to build."""
    protected: tuple[BaseGeometry, ...] = ()
    """The surroundings of monuments, sites and heritage sites."""
    rules: StatedRules = StatedRules()
    read_figures: Mapping[str, tuple[float, Text]] = field(default_factory=dict)
    """The certain figures of the regulation, by their names in `rules`, each with the sentence that names its rule."""
    is_judged_whole: bool = False
    """Whether the footprint of the regulation is a share of the whole unit, and not of each lot."""
    house_sides_m: tuple[float, float] | None = None
    """The sides of the house to build, if they are told."""
    altitudes: tuple[tuple[float, float, float], ...] = ()
    """Samples of the ground: x, y and altitude."""
    missing: tuple[Missing, ...] = ()
    declared_m2: float | None = None
    """The area that the cadastre declares."""
    projection: Projection = LAMBERT_93
    neighbours: tuple[NeighbourParcel, ...] = ()
    has_road: bool = True
    """Whether the frontage, if there is one, is on a road: else on paths and open ground, which may be private."""
    open_frontage: MultiLineString = field(default_factory=MultiLineString)
    """The boundary on paths and on open ground beside that on roads: whether these are public is not known."""


@dataclass(frozen=True)
class Side:
    """One straight side of a lot, or several that make one line."""

    line: LineString
    kind: SideKind

    @property
    def length_m(self) -> float:
        return self.line.length


@dataclass(frozen=True)
class SharedWay:
    shape: Polygon
    width_m: float
    length_m: float
    """The length from the street to its end."""
    turning: Turning
    turning_radius_m: float | None = None
    """Only of a circle."""


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
    envelope: BaseGeometry
    """The area for a building: inside the setbacks, without access strip, buildings and closed surfaces."""
    buildable_area_m2: float
    """Area of the envelope, at most what a stated footprint allows."""
    has_existing_building: bool
    is_built: bool
    """The lot has an existing house, so it is not a building plot. Sheds do not count."""
    violations: tuple[Violation, ...]
    reach_m: float | None = None
    """What it has on the way or on its access, or the width of its right of way; None if the frontage is not known."""
    role: Role = "building_plot"
    is_misshapen: bool = False
    """A ribbon, an L or a shape with a tail, without its access strip."""
    wished_m2: float | None = None
    bounds_m2: tuple[float, float] | None = None
    """Between these, any area is as wished; None if the wish is `wished_m2` itself."""
    sides: tuple[Side, ...] = ()
    """The sides in order, the outline first and then the holes. Only measured for proposals."""
    mean_slope_percent: float | None = None
    closed_area_m2: float = 0.0
    """The area under closed surfaces. Only measured for proposals."""
    protected_area_m2: float | None = None
    """The area in protected surroundings; None if none has an outline. Only measured for proposals."""
    right_of_way: Polygon | None = None
    """The ground of other lots over which the lot reaches the way."""
    largest_house_m: tuple[float, float] | None = None
    """Sides of the largest house on a lot without room for the assumed one. Only measured for proposals."""
    told_house_m: tuple[float, float] | None = None
    """Sides of the house that the project tells, if it is a lot for building and has room for it."""
    building_gap_m: float = math.inf
    """From its buildings to the nearest other lot."""
    purpose: Text = field(default_factory=lambda: Text("", ""))
    """The holder, use and position that the project gives to this lot; empty without any."""

    @property
    def lacking_m2(self) -> float:
        """The area that it lacks to have the wished one; below 0 if it has too much."""
        least, most = self.bounds_m2 or (self.wished_m2 or 0.0, self.wished_m2 or math.inf)
        return min(max(self.area_m2, least), most) - self.area_m2


def access_width_m(lot: Lot, way: SharedWay | None, strip_m: float) -> float:
    """Width of what a lot has on the way, of its strip, of its right of way or of the shared way."""
    if lot.right_of_way is not None:
        return width_of(lot.right_of_way)
    if lot.access == "shared_way" and way is not None:
        return way.width_m
    front_m = lot.frontage_m or 0.0
    return min(strip_m, front_m) if lot.strip_m2 else front_m


@dataclass(frozen=True)
class ScoreTerm:
    name: Term
    value: float
    """0 to 1."""
    weight: float
    detail: Text


@dataclass(frozen=True)
class Proposal:
    rank: int
    method: Method
    lots: tuple[Lot, ...]
    terms: tuple[ScoreTerm, ...]
    shared_way: SharedWay | None = None
    missing: tuple[Missing, ...] = ()

    @property
    def score(self) -> float:
        return sum(term.value * term.weight for term in self.terms)

    @property
    def violation_count(self) -> int:
        return sum(len(lot.violations) for lot in self.lots)

    @property
    def lot_without_house_count(self) -> int:
        return sum("no_house_fits" in lot.violations for lot in self.lots)

    def lots_without(self, house_m: float) -> int:
        """The lots of those without a house that have no room for one of these sides either."""
        lots = [lot for lot in self.lots if "no_house_fits" in lot.violations]
        return sum(house_on(lot.envelope, (house_m, house_m)) is None for lot in lots)

    @property
    def misses_lots(self) -> bool:
        """Whether a lot is far from its wished area, or is closed and is not what wished lots leave over."""
        has_wishes = any(lot.wished_m2 is not None and lot.role != "kept_house" for lot in self.lots)
        return any(
            (lot.wished_m2 is not None and abs(lot.lacking_m2) > _FAR * lot.wished_m2)
            or (lot.role == "closed_land" and (lot.wished_m2 is not None or not has_wishes))
            for lot in self.lots
        )

    @property
    def smallest_lot_m2(self) -> float:
        return min(lot.area_m2 for lot in self.lots)

    @property
    def largest_lot_m2(self) -> float:
        return max(lot.area_m2 for lot in self.lots)


@dataclass(frozen=True)
class Division:
    """The best proposals, three at most, best first. If there are none, `reason` is the code of the reason."""

    lot_count: int
    proposals: tuple[Proposal, ...]
    reason: str | None
    assumptions: Assumptions
    is_bare: bool = True
    """No existing building was known on the site."""
    limitations: tuple[Text, ...] = field(default=())
    """Why the lots are not those of the question."""
    faults: tuple[Text, ...] = ()
    """The names of the other violations of the first proposal's lots."""
    rules: StatedRules = StatedRules()
    project: Project = field(default_factory=Project)
    misplaced: Mapping[int, str] = field(default_factory=dict)
    """The numbers of the wished lots that the first proposal has elsewhere than wished, with the code of the reason."""
    widest_m: float = 0.0
    """Diameter of the largest circle on the land; 0 if a lot has room for the house, or the land has no outline."""

    def layout(self, number: int = 0) -> Layout:
        """The result for the checks, by default with the first proposal."""
        if not self.proposals:
            is_drawn = None if self.reason in ("no_geometry", "failed") else False
            return Layout(
                self.lot_count,
                is_drawn,
                self.reason,
                widest_m=self.widest_m,
                house_m=self.assumptions.house_sides_m,
                setback_m=self.assumptions.setback_m,
                has_shared_way=bool(self.project.has_shared_way),
                project=self.project,
            )
        best = self.proposals[number]
        is_house_unseen = bool(self.project.keeps_house) and self.is_bare  # it stands on one of them
        is_sized = bool(self.project.sizes_m2) or self.project.house_m2 is not None
        plots = [lot for lot in best.lots if lot.role == "building_plot"]
        in_need = [lot for lot in best.lots if lot.role in ("building_plot", "kept_house")]
        reached = [lot for lot in in_need if lot.access not in ("unknown", "landlocked")]
        strip_m = self.assumptions.access_strip_m
        protected_m2 = [lot.protected_area_m2 for lot in plots if lot.protected_area_m2 is not None]
        return Layout(
            lot_count=self.lot_count,
            is_drawn=True,
            built_lot_count=sum(lot.is_built for lot in best.lots),
            closed_lot_count=sum(lot.role == "closed_land" for lot in best.lots),
            lot_without_house_count=max(0, best.lot_without_house_count - is_house_unseen),
            house_m=self.assumptions.house_sides_m,
            widest_m=self.widest_m,
            setback_m=self.assumptions.setback_m,
            is_setback_assumed=self.rules.setback_m is None,
            largest_house_m=max((lot.largest_house_m for lot in best.lots if lot.largest_house_m), default=(0.0, 0.0)),
            small_house_count=sum(min(lot.largest_house_m or (0.0,)) >= LEAST_HOUSE_M for lot in best.lots),
            gap_m=min((lot.building_gap_m for lot in best.lots if "building_setback" in lot.violations), default=None),
            limitations=self.limitations,
            faults=self.faults,
            drops_areas=is_sized and all(lot.wished_m2 is None for lot in best.lots),
            rights_of_way_m={lot.id: width_of(lot.right_of_way) for lot in in_need if lot.right_of_way is not None},
            far_lots=tuple(lot.id for lot in plots if lot.access not in ("frontage", "unknown")),
            access_m=min((access_width_m(lot, best.shared_way, strip_m) for lot in reached), default=None),
            protected_lots=tuple(lot.id for lot in best.lots if (lot.protected_area_m2 or 0.0) > 1),
            protected_ratio=sum(protected_m2) / sum(lot.area_m2 for lot in plots) if protected_m2 else None,
            room_m2=max((lot.buildable_area_m2 for lot in best.lots if lot.is_built), default=0.0),
            is_bare=self.is_bare,
            violation_count=best.violation_count,
            has_shared_way=best.shared_way is not None or bool(self.project.has_shared_way),
            project=self.project,
        )
