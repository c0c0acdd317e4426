"""The legal projection of each French territory, in which lengths and areas are taken, in metres.

Source: décret n° 2000-1276 as amended (RGF93 / Lambert-93 and the overseas systems).
"""

from functools import lru_cache
from typing import TypeVar

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from land.parcels import department_of

LAMBERT_93 = 2154
_OVERSEAS = {"971": 5490, "972": 5490, "977": 5490, "978": 5490, "973": 2972, "974": 2975, "976": 4471, "975": 4467}

G = TypeVar("G", bound=BaseGeometry)


def projection_of(commune_code: str) -> int:
    """The EPSG code of the projection that the commune's territory uses by law."""
    return _OVERSEAS.get(department_of(commune_code), LAMBERT_93)


@lru_cache(maxsize=32)
def _transformer(source: int, target: int) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def to_metres(geometry: G, projection: int) -> G:
    """WGS84 degrees to the projection's metres."""
    return _transform(geometry, 4326, projection)


def to_degrees(geometry: G, projection: int) -> G:
    """The projection's metres to WGS84 degrees."""
    return _transform(geometry, projection, 4326)


def point_to_metres(lon: float, lat: float, projection: int) -> tuple[float, float]:
    x, y = _transformer(4326, projection).transform(lon, lat)
    return float(x), float(y)


def _transform(geometry: G, source: int, target: int) -> G:
    transformer = _transformer(source, target)

    def convert(coordinates: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> object:
        return np.column_stack(transformer.transform(coordinates[:, 0], coordinates[:, 1]))

    return shapely.transform(geometry, convert)  # type: ignore[arg-type]
