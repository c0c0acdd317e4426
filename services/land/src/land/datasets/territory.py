"""The legal projection of each French territory, to measure lengths and areas in metres.

Source: décret n° 2000-1276 as amended (RGF93 / Lambert-93 and the overseas systems).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from land.datasets.partitions import department_of

Coordinates = np.ndarray[Any, np.dtype[np.float64]]
Geometries = np.ndarray[Any, np.dtype[np.object_]]

LAMBERT_93 = 2154
_OVERSEAS = {"971": 5490, "972": 5490, "977": 5490, "978": 5490, "973": 2972, "974": 2975, "976": 4471, "975": 4467}

G = TypeVar("G", bound=BaseGeometry)


def projection_of(commune_code: str) -> int:
    """The EPSG code of the legal projection of the commune's territory."""
    return _OVERSEAS.get(department_of(commune_code), LAMBERT_93)


@lru_cache(maxsize=32)
def _transformer(source: int, target: int) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def to_metres(geometry: G, projection: int) -> G:
    """WGS84 degrees to the projection's metres."""
    transformed: G = _transform(geometry, 4326, projection)
    return transformed


def all_to_metres(geometries: Sequence[G] | Geometries, projection: int) -> list[G]:
    """Many geometries in one call, several times faster than one call each."""
    if not len(geometries):
        return []
    return list(_transform(np.asarray(geometries, dtype=object), 4326, projection))


def all_to_degrees(geometries: Sequence[G] | Geometries, projection: int) -> list[G]:
    """Many geometries in one call, as `all_to_metres`."""
    if not len(geometries):
        return []
    return list(_transform(np.asarray(geometries, dtype=object), projection, 4326))


def to_degrees(geometry: G, projection: int) -> G:
    """The projection's metres to WGS84 degrees."""
    transformed: G = _transform(geometry, projection, 4326)
    return transformed


def _transform(geometry: Any, source: int, target: int) -> Any:
    transformer = _transformer(source, target)

    def convert(coordinates: Coordinates) -> Coordinates:
        return np.column_stack(transformer.transform(coordinates[:, 0], coordinates[:, 1]))

    return shapely.transform(geometry, convert)
