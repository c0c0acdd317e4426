"""Geometries as GeoJSON, and in metres of a projection."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

Projection = int | str
"""An EPSG code, or a PROJ definition."""
WGS84 = 4326
DECIMALS = 7
METRIC_DECIMALS = 4
_REPAIR_ROUNDS = 4
_SLIVER_DEGREES2 = 1e-12
"""About 1 dm². Rounding may cut off parts of this size if a ring is thinner than a centimetre."""


def read_geometry(geojson: bytes) -> BaseGeometry | None:
    """The shape; None if the text is empty or no valid GeoJSON."""
    return shapely.from_geojson(geojson, on_invalid="ignore") if geojson else None


def transformed(shapes: Sequence[BaseGeometry | None], source: Projection, target: Projection) -> list[Any]:
    """All shapes in one call, since the projection takes longer to begin than to transform their points."""
    transformer = _transformer(source, target)
    moved = shapely.transform(shapes, lambda points: np.column_stack(transformer.transform(points[:, 0], points[:, 1])))
    return list(moved)


@lru_cache(maxsize=512)
def _transformer(source: Projection, target: Projection) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def to_geojson(shapes: Sequence[BaseGeometry], projection: Projection) -> list[bytes]:
    """GeoJSON in WGS84, rounded to a centimetre, exterior rings counter-clockwise (RFC 7946).

    Shared corners of neighbours are rounded to the same point. If rounding makes a ring cross itself, the ring is
    split there and slivers are dropped. All other corners stay where they are.
    """
    degrees = [_repaired(shape) for shape in _rounded(transformed(shapes, projection, WGS84))]
    return [text.encode() for text in shapely.to_geojson(shapely.orient_polygons(degrees))]


def to_plane_geojson(shapes: Sequence[BaseGeometry], source: Projection, plane: int) -> list[bytes]:
    """GeoJSON in metres of a plane, rounded to a tenth of a millimetre, for the areas of fields."""
    rounded = shapely.transform(transformed(shapes, source, plane), lambda points: np.round(points, METRIC_DECIMALS))
    return [text.encode() for text in shapely.to_geojson(rounded)]


def _repaired(degrees: BaseGeometry) -> BaseGeometry:
    for _ in range(_REPAIR_ROUNDS):
        if degrees.is_valid:
            break
        parts = [part for part in polygons_of(degrees) if part.area > _SLIVER_DEGREES2]
        [degrees] = _rounded([parts[0] if len(parts) == 1 else MultiPolygon(parts)])
    return degrees


def _rounded(shapes: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    rounded: list[BaseGeometry] = shapely.transform(shapes, lambda points: np.round(points, DECIMALS)).tolist()
    return rounded


def polygons_of(shape: BaseGeometry) -> list[Polygon]:
    parts = shapely.get_parts(shapely.make_valid(shape))
    return [part for part in parts if isinstance(part, Polygon) and part.area > 0]
