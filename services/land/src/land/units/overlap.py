"""What planning documents draw over a land unit: exact overlaps, in metres on the ground."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

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
LINE_REACH_M = 0.2
"""A line this close to the boundary of the land unit counts as running along it."""
MIN_LINE_M = 1.0
GEOMETRY_KINDS: Final = ("surface", "line", "point")
_DECIMALS = 1
_RATIO_DECIMALS = 4


@dataclass(frozen=True)
class Piece:
    """The part of a zone or a feature on the land unit."""

    metric: BaseGeometry
    projection: str

    def geojson(self) -> bytes:
        return to_geojson(territory.to_degrees(self.metric, self.projection))


@dataclass(frozen=True)
class ZoneOverlap:
    zone: ZoneRecord
    area_m2: float
    ratio: float
    """The share of the land unit."""
    piece: Piece | None = None
    """None if the zone covers the whole land unit."""


@dataclass(frozen=True)
class PlanFeatureOverlap:
    feature: PlanFeatureRecord
    piece: Piece
    area_m2: float | None = None
    """The area of a surface."""
    length_m: float | None = None
    """The length of a line."""


@dataclass(frozen=True)
class Sliver:
    label: str
    area_m2: float


@dataclass(frozen=True)
class Zoning:
    zones: Sequence[ZoneOverlap]
    """Largest first."""
    slivers: Sequence[Sliver]
    repaired: Sequence[str]
    """Labels of zones on the land unit whose outlines were invalid and were repaired."""
    covered_ratio: float
    """The share of the land unit that zones cover."""
    has_overlap: bool
    """Whether zones lie over each other by more than the imprecision of their outlines."""


def is_sliver(area_m2: float, ratio: float) -> bool:
    """Under 1 % of the land unit, or under 1 m² unless that is at least half of it."""
    return ratio < SLIVER_RATIO or (area_m2 < SLIVER_M2 and ratio < 1 / 2)


def zoning_of(records: Sequence[ZoneRecord], shape: Shape) -> Zoning:
    """Zones of one document with the same names, type and rules count as one zone, however many parts it has."""
    whole_m2 = shape.metric.area
    groups: dict[ZoneRecord, list[Area]] = {}
    first: dict[ZoneRecord, ZoneRecord] = {}
    repaired = []
    for record, piece in zip(records, surfaces_on(records, shape), strict=True):
        key = record._replace(geometry=b"", is_repaired=False, document_type=None, approved_on=None)
        groups.setdefault(key, []).append(piece)
        first.setdefault(key, record)
        if record.is_repaired and not piece.is_empty:
            repaired.append(record.label)
    zones, slivers, clipped_pieces = [], [], []
    for key, pieces in groups.items():
        part = shapely.union_all(pieces)
        ratio = part.area / whole_m2
        if is_sliver(part.area, ratio):
            slivers.append(Sliver(key.label, part.area))
            continue
        clipped_pieces.append(part)
        drawn = None if pieces == [shape.metric] else Piece(polygons_of(part), shape.projection)
        zones.append(
            ZoneOverlap(first[key], round(part.area, _DECIMALS), round(min(1.0, ratio), _RATIO_DECIMALS), drawn)
        )
    zones.sort(key=lambda overlap: (-overlap.area_m2, overlap.zone.label, overlap.zone.document_id))
    covered_m2 = shapely.union_all(clipped_pieces).area
    shared_m2 = sum(part.area for part in clipped_pieces) - covered_m2
    has_overlap = not is_sliver(shared_m2, shared_m2 / whole_m2)
    return Zoning(zones, slivers, repaired, covered_m2 / whole_m2, has_overlap)


def features_of(records: Sequence[PlanFeatureRecord], shape: Shape) -> tuple[list[PlanFeatureOverlap], list[Sliver]]:
    """The features on the land unit by type, label and geometry kind, larger ones first; and slivers."""
    if not records:
        return [], []
    surfaces, lines, points = (
        [record for record in records if record.geometry_kind == kind] for kind in GEOMETRY_KINDS
    )
    overlaps: list[PlanFeatureOverlap] = []
    slivers = []
    for record, piece in zip(surfaces, surfaces_on(surfaces, shape), strict=True):
        if is_sliver(piece.area, piece.area / shape.metric.area):
            slivers.append(Sliver(record.label, piece.area))
        else:
            part = Piece(piece, shape.projection)
            overlaps.append(PlanFeatureOverlap(record, part, area_m2=round(piece.area, _DECIMALS)))
    reach = shape.metric.buffer(LINE_REACH_M) if lines else shape.metric
    for record, line in zip(lines, metric_of(lines, shape), strict=True):
        along = lines_of(shapely.intersection(line, reach))
        if along.length >= MIN_LINE_M:
            part = Piece(along, shape.projection)
            overlaps.append(PlanFeatureOverlap(record, part, length_m=round(along.length, _DECIMALS)))
    for record, point in zip(points, metric_of(points, shape), strict=True):
        if shapely.intersects(shape.metric, point):
            inside = Piece(shapely.intersection(shape.metric, point), shape.projection)
            overlaps.append(PlanFeatureOverlap(record, inside))
    return sorted(overlaps, key=_order), slivers


def _order(overlap: PlanFeatureOverlap) -> tuple[str, str, str, int, float]:
    record = overlap.feature
    kind = GEOMETRY_KINDS.index(record.geometry_kind)
    size = overlap.area_m2 or overlap.length_m or 0
    return record.type_code or "~", record.subtype_code or "", record.label, kind, -size


class Drawn(Protocol):
    @property
    def geometry(self) -> bytes: ...


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
