"""What planning documents draw over a land unit: exact overlaps, in metres on the ground."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land.datasets import territory
from land.datasets.planning.records import PlanFeatureRecord, ZoneRecord
from land.units.geometry import Area, lines_of, polygons_of, to_geojson
from land.units.site import Shape

SLIVER_M2 = 1.0
SLIVER_RATIO = 0.01
"""A smaller share of the land unit is a sliver: there the outlines of plan and cadastre differ."""
MIN_LINE_M = 1.0
GEOMETRY_KINDS: Final = ("surface", "line", "point")
_DECIMALS = 1
_RATIO_DECIMALS = 4


class Drawn(Protocol):
    @property
    def geometry(self) -> bytes:
        """WKB, in degrees."""


class Figure(Drawn, Protocol):
    @property
    def geometry_kind(self) -> str:
        """One of GEOMETRY_KINDS."""


AnyFigure = TypeVar("AnyFigure", bound=Figure)
Sliver = tuple[str, float]
"""The label of an overlap that does not count, and its area in m²."""
Record = TypeVar("Record")


@dataclass(frozen=True)
class Overlap(Generic[Record]):
    """What a record draws on the land unit."""

    record: Record
    metric: BaseGeometry | None
    """The part on the land unit; None if a zone covers the whole of it."""
    projection: str
    area_m2: float | None = None
    """The area of a surface."""
    ratio: float | None = None
    """The share of the land unit that a surface has."""
    length_m: float | None = None
    """The length of a line."""

    def geojson(self) -> bytes:
        return b"" if self.metric is None else to_geojson(territory.to_degrees(self.metric, self.projection))


@dataclass(frozen=True)
class Zoning:
    zones: Sequence[Overlap[ZoneRecord]]
    """Largest first."""
    slivers: Sequence[Sliver]
    repaired: Sequence[str]
    """Labels of zones on the land unit whose outlines were invalid and were repaired."""
    covered_ratio: float
    """The share of the land unit that zones cover."""
    has_overlap: bool
    """Whether zones lie over each other by more than the imprecision of their outlines."""


def is_sliver(area_m2: float, whole_m2: float) -> bool:
    """Under 1 % of the land unit, or under 1 m² unless that is at least half of it."""
    ratio = area_m2 / whole_m2
    return ratio < SLIVER_RATIO or (area_m2 < SLIVER_M2 and ratio < 1 / 2)


def surface_on(record: Record, part: BaseGeometry, shape: Shape, *, is_whole: bool = False) -> Overlap[Record]:
    """The overlap of a surface whose part on the land unit is known, in metres."""
    ratio = round(min(1.0, part.area / shape.metric.area), _RATIO_DECIMALS)
    return Overlap(record, None if is_whole else part, shape.projection, round(part.area, _DECIMALS), ratio)


def zoning_of(records: Sequence[ZoneRecord], shape: Shape) -> Zoning:
    """Zones of one document with the same names, type and rules count as one zone, however many parts it has."""
    whole_m2 = shape.metric.area
    groups: dict[ZoneRecord, list[tuple[ZoneRecord, Area]]] = {}
    repaired = []
    for record, piece in zip(records, surfaces_on(records, shape), strict=True):
        key = record._replace(geometry=b"", is_repaired=False, document_type=None, approved_on=None)
        groups.setdefault(key, []).append((record, piece))
        if record.is_repaired and not piece.is_empty:
            repaired.append(record.label)
    zones, slivers, parts = [], [], []
    for key, group in groups.items():
        pieces = [piece for _, piece in group]
        part = shapely.union_all(pieces)
        if is_sliver(part.area, whole_m2):
            slivers.append((key.label, part.area))
            continue
        parts.append(part)
        zones.append(surface_on(group[0][0], polygons_of(part), shape, is_whole=pieces == [shape.metric]))
    zones.sort(key=lambda overlap: (-(overlap.area_m2 or 0.0), overlap.record.label, overlap.record.document_id))
    covered_m2 = shapely.union_all(parts).area
    shared_m2 = sum(part.area for part in parts) - covered_m2
    return Zoning(zones, slivers, repaired, covered_m2 / whole_m2, not is_sliver(shared_m2, whole_m2))


def features_of(
    records: Sequence[PlanFeatureRecord], shape: Shape
) -> tuple[list[Overlap[PlanFeatureRecord]], list[Sliver]]:
    """The features on the land unit by type, label and geometry kind, larger ones first; and slivers."""
    overlaps: list[Overlap[PlanFeatureRecord]] = []
    slivers = []
    for record, part in zip(records, parts_on(records, shape), strict=True):
        if record.geometry_kind == "surface" and is_sliver(part.area, shape.metric.area):
            slivers.append((record.label, part.area))
        elif overlap := overlap_of(record, part, shape):
            overlaps.append(overlap)
    return sorted(overlaps, key=_order), slivers


def overlap_of(record: AnyFigure, part: BaseGeometry, shape: Shape) -> Overlap[AnyFigure] | None:
    """The overlap of a figure, of which `parts_on` gave the part; None if it is not on the land unit."""
    match record.geometry_kind:
        case "surface":
            return surface_on(record, part, shape)
        case "line":
            line = lines_of(shapely.intersection(part, shape.line_reach))
            length_m = round(line.length, _DECIMALS)
            return None if line.length < MIN_LINE_M else Overlap(record, line, shape.projection, length_m=length_m)
    point = shapely.intersection(shape.metric, part)
    return None if point.is_empty else Overlap(record, point, shape.projection)


def _order(overlap: Overlap[PlanFeatureRecord]) -> tuple[str, str, str, int, float]:
    record = overlap.record
    kind = GEOMETRY_KINDS.index(record.geometry_kind)
    size = overlap.area_m2 or overlap.length_m or 0
    return record.type_code or "~", record.subtype_code or "", record.label, kind, -size


def surfaces_on(records: Sequence[Drawn], shape: Shape) -> list[Area]:
    """The part of each surface on the land unit, in metres. Cut in degrees, so that large zones are not projected
    whole: their straight lines are short enough for that (sources.features).
    """
    if not records:
        return []
    outlines = shapely.from_wkb(np.array([record.geometry for record in records], dtype=object))
    is_whole = shapely.covers(outlines, shape.degrees)
    cut = [polygons_of(piece) for piece in shapely.intersection(outlines[~is_whole], shape.degrees)]
    cut_pieces = iter(territory.all_to_metres(cut, shape.projection))
    return [shape.metric if contains_unit else next(cut_pieces) for contains_unit in is_whole]


def metric_of(records: Sequence[Drawn], shape: Shape) -> list[BaseGeometry]:
    return territory.all_to_metres([shapely.from_wkb(record.geometry) for record in records], shape.projection)


def parts_on(records: Sequence[Figure], shape: Shape) -> Iterator[BaseGeometry]:
    """The figures in metres, in order; the parts of surfaces on the land unit. All of a kind are computed together."""
    surfaces = iter(surfaces_on([record for record in records if record.geometry_kind == "surface"], shape))
    lines_and_points = iter(metric_of([record for record in records if record.geometry_kind != "surface"], shape))
    return (next(surfaces if record.geometry_kind == "surface" else lines_and_points) for record in records)
