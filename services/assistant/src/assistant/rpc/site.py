"""Converts a land unit's geometry to the site to divide, in metres of the territory's legal projection, and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely import MultiLineString, MultiPolygon, Polygon
from shapely.errors import ShapelyError
from shapely.geometry.base import BaseGeometry

from assistant.division.proposal import Site
from assistant.rpc.restrictions import closed_surfaces, rules_of
from landpartner.land.v1 import land_pb2

LAMBERT_93 = 2154
_OVERSEAS = {"971": 5490, "972": 5490, "977": 5490, "978": 5490, "973": 2972, "974": 2975, "976": 4471, "975": 4467}
"""EPSG codes by department. Source: décret n° 2000-1276 as amended. The fictional department 00 uses Lambert-93."""
DECIMALS = 7
METRIC_DECIMALS = 4
_REPAIR_ROUNDS = 4
_SLIVER_DEGREES2 = 1e-12
"""About 1 dm². Rounding may cut off parts of this size if a ring is thinner than a centimetre."""


@dataclass(frozen=True)
class ProjectedSite:
    """The site in metres, and the EPSG code of its projection."""

    site: Site
    projection: int


def site_of(unit: land_pb2.LandUnit) -> ProjectedSite | None:
    """The unit's outline, frontage, buildings and restrictions; None if it has no valid outline."""
    projection = _OVERSEAS.get(_department(unit), LAMBERT_93)
    outline = read_geometry(unit.geometry)
    if outline is None or outline.is_empty:
        return None
    has_frontage = unit.land.HasField("frontage_m")
    lines = read_geometry(unit.land.frontage) if has_frontage else None
    built = [read_geometry(item.geometry) for item in unit.buildings.items]
    closed = [read_geometry(surface) for surface in closed_surfaces(unit)]
    samples = unit.land.terrain.samples
    points = [shapely.Point(sample.position.longitude, sample.position.latitude) for sample in samples]
    whole, front, *other_shapes = transformed([outline, lines, *built, *closed, *points], 4326, projection)
    built, closed, points = _split(other_shapes, len(built), len(closed))
    frontage = None
    if front is not None:
        frontage = _lines(front)
    elif has_frontage and unit.land.frontage_m <= 0:
        frontage = MultiLineString()
    buildings = tuple(polygon for shape in built if shape is not None for polygon in _polygons(shape))
    site = Site(
        shapely.union_all(_polygons(whole)),
        frontage,
        buildings,
        closed=tuple(polygon for shape in closed if shape is not None for polygon in _polygons(shape)),
        rules=rules_of(unit),
        altitudes=tuple((p.x, p.y, sample.altitude_m) for p, sample in zip(points, samples, strict=True)),
    )
    return ProjectedSite(site, projection)


def to_geojson(shapes: Sequence[BaseGeometry], projection: int) -> list[bytes]:
    """GeoJSON in WGS84, rounded to a centimetre, exterior rings counter-clockwise (RFC 7946).

    Shared corners of neighbours are rounded to the same point. If rounding makes a ring cross itself, the ring is
    split there and slivers are dropped. All other corners stay where they are.
    """
    degrees = [_repaired(shape) for shape in _rounded(transformed(shapes, projection, 4326))]
    return [text.encode() for text in shapely.to_geojson(shapely.orient_polygons(degrees))]


def to_metric_geojson(shapes: Sequence[BaseGeometry]) -> list[bytes]:
    """GeoJSON in metres of the projection, rounded to a tenth of a millimetre, for the areas of fields."""
    rounded = shapely.transform(shapes, lambda points: np.round(points, METRIC_DECIMALS))
    return [text.encode() for text in shapely.to_geojson(rounded)]


def _repaired(degrees: BaseGeometry) -> BaseGeometry:
    for _ in range(_REPAIR_ROUNDS):
        if degrees.is_valid:
            break
        parts = [part for part in _polygons(degrees) if part.area > _SLIVER_DEGREES2]
        [degrees] = _rounded([parts[0] if len(parts) == 1 else MultiPolygon(parts)])
    return degrees


def _rounded(shapes: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    rounded: list[BaseGeometry] = shapely.transform(shapes, lambda points: np.round(points, DECIMALS)).tolist()
    return rounded


def _split(items: list[Any], first: int, second: int) -> tuple[list[Any], list[Any], list[Any]]:
    return items[:first], items[first : first + second], items[first + second :]


def _department(unit: land_pb2.LandUnit) -> str:
    if unit.land.department_code:
        return unit.land.department_code
    parcel_id = next(iter(unit.parcel_ids), "")
    return parcel_id[:3] if parcel_id.startswith("97") else parcel_id[:2]


def read_geometry(geojson: bytes) -> BaseGeometry | None:
    if not geojson:
        return None
    try:
        shape: BaseGeometry = shapely.from_geojson(geojson)
    except ShapelyError:
        return None
    return shape


def transformed(shapes: Sequence[BaseGeometry | None], source: int, target: int) -> list[Any]:
    """All shapes in one call, since the projection takes longer to begin than to transform their points."""
    transformer = _transformer(source, target)
    moved = shapely.transform(shapes, lambda points: np.column_stack(transformer.transform(points[:, 0], points[:, 1])))
    return list(moved)


@lru_cache(maxsize=16)
def _transformer(source: int, target: int) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def _lines(shape: BaseGeometry) -> MultiLineString:
    parts = shapely.get_parts(shape)
    return MultiLineString([part for part in parts if part.geom_type == "LineString"])


def _polygons(shape: BaseGeometry) -> list[Polygon]:
    parts = shapely.get_parts(shapely.make_valid(shape))
    return [part for part in parts if isinstance(part, Polygon) and part.area > 0]
