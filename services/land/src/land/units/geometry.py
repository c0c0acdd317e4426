"""Shapes of a land unit: union, GeoJSON as RFC 7946 wants it, measures in metres."""

from collections.abc import Sequence
from typing import Any

import orjson
import shapely
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Point, Polygon
from shapely.geometry.base import BaseGeometry

from land.datasets import territory

COORDINATE_DECIMALS = 7
"""About 1 cm, the precision of the plan. RFC 7946 §11.2 advises against more decimals."""
CONTIGUITY_TOLERANCE_M = 0.2
Area = Polygon | MultiPolygon


def from_wkb(wkb: bytes) -> Area:
    """The outline of a parcel record."""
    outline = shapely.from_wkb(wkb)
    assert isinstance(outline, Polygon | MultiPolygon)  # noqa: S101 (what records promise)
    return outline


def union(geometries: Sequence[Area]) -> Area:
    """One valid Polygon or MultiPolygon, exterior rings counter-clockwise, on the plan's own grid of 1e-7 degrees. Land
    that is narrower than this grid keeps its own coordinates.
    """
    merged = shapely.union_all(list(geometries), grid_size=10**-COORDINATE_DECIMALS)
    return polygons_of(shapely.union_all(list(geometries)) if merged.is_empty else merged)


def polygons_of(geometry: BaseGeometry) -> Area:
    """The polygonal parts of a geometry, oriented; empty where it has none."""
    if isinstance(geometry, Polygon) and not geometry.is_empty:
        return shapely.orient_polygons(geometry)
    parts = [part for part in shapely.get_parts(shapely.get_parts(geometry)) if isinstance(part, Polygon)]
    oriented = [shapely.orient_polygons(part) for part in parts if not part.is_empty]
    return oriented[0] if len(oriented) == 1 else MultiPolygon(oriented)


def lines_of(geometry: BaseGeometry) -> LineString | MultiLineString:
    """The linear parts of a geometry; empty where it has none."""
    parts = [part for part in shapely.get_parts(shapely.get_parts(geometry)) if isinstance(part, LineString)]
    return parts[0] if len(parts) == 1 else MultiLineString(parts)


def to_geojson(geometry: BaseGeometry) -> bytes:
    """A GeoJSON geometry, coordinates to 7 decimals."""
    return orjson.dumps({"type": geometry.geom_type, "coordinates": _coordinates(geometry)})


def _coordinates(geometry: BaseGeometry) -> list[object]:
    """As in GeoJSON, of points, lines, polygons and collections of them."""
    if isinstance(geometry, Polygon):
        return [] if geometry.is_empty else list(map(_coordinates, (geometry.exterior, *geometry.interiors)))
    if isinstance(geometry, LineString | Point):
        rounded: list[Any] = shapely.get_coordinates(geometry).round(COORDINATE_DECIMALS).tolist()
        return rounded[0] if isinstance(geometry, Point) else rounded
    return [_coordinates(part) for part in shapely.get_parts(geometry)]


def bbox(geometry: BaseGeometry) -> tuple[float, ...]:
    """west, south, east, north in degrees."""
    return tuple(round(value, COORDINATE_DECIMALS) for value in geometry.bounds)


def is_contiguous(metric: Area) -> bool:
    """Whether a geometry in metres is in one piece. Parts closer than 20 cm count as contiguous."""
    reach = CONTIGUITY_TOLERANCE_M / 2
    return isinstance(metric, Polygon) or isinstance(metric.buffer(reach, join_style="mitre"), Polygon)


def centroid(metric: Area, projection: str) -> tuple[float, float]:
    """longitude, latitude of the centroid of a geometry in metres."""
    point = territory.to_degrees(metric.centroid, projection)
    return round(point.x, COORDINATE_DECIMALS), round(point.y, COORDINATE_DECIMALS)
