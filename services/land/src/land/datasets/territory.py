"""Metres on the ground, to measure lengths and areas, and the legal projection of each French territory.

Source: décret n° 2000-1276 as amended (RGF93 / Lambert-93 and the overseas systems).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import shapely
from pyproj import Proj, Transformer
from pyproj.enums import TransformDirection
from shapely.geometry.base import BaseGeometry

from land.datasets.partitions import department_of
from servicekit.ground import ground_projection

Coordinates = np.ndarray[Any, np.dtype[np.float64]]
Geometries = np.ndarray[Any, np.dtype[np.object_]]

LAMBERT_93 = 2154
_OVERSEAS = {"971": 5490, "972": 5490, "977": 5490, "978": 5490, "973": 2972, "974": 2975, "976": 4471, "975": 4467}
_SCALE_DECIMALS = 6

G = TypeVar("G", bound=BaseGeometry)


def legal_projection(commune_code: str) -> int:
    """The EPSG code of the legal projection of the commune's territory."""
    return _OVERSEAS.get(department_of(commune_code), LAMBERT_93)


def scale_of(epsg: int, longitude: float, latitude: float) -> float:
    """Metres in the plane of a legal projection, which are all conformal, for one metre on the ground here."""
    return round(float(_plane(epsg).get_factors(longitude, latitude).meridional_scale), _SCALE_DECIMALS)


def to_plane(geometries: Any, epsg: int) -> Any:
    """Geometries in degrees, or one of them, in the metres of a legal projection. Far from its territory they may be
    infinite.
    """
    return shapely.transform(geometries, lambda xy: np.column_stack(_plane(epsg)(xy[:, 0], xy[:, 1])))


def from_plane(geometry: G, epsg: int) -> G:
    """The inverse of `to_plane`."""
    degrees: G = shapely.transform(geometry, lambda xy: np.column_stack(_plane(epsg)(xy[:, 0], xy[:, 1], inverse=True)))
    return degrees


_plane = lru_cache(maxsize=16)(Proj)
"""The projection of an EPSG code."""


def projection_of(geometry: BaseGeometry) -> str:
    """The projection in which land at this place, in degrees, is measured on the ground."""
    west, _, east, _ = geometry.bounds
    return ground_projection(_within_world(west + east) / 2)


def _within_world(longitudes: Any) -> Any:
    """The sums of two longitudes; 0 where one is missing or is none."""
    return np.clip(np.nan_to_num(longitudes), -360.0, 360.0)


def ground_areas(outlines: Sequence[BaseGeometry] | Geometries) -> list[float]:
    """The area of each outline on the ground, as if it was measured alone."""
    outlines = np.asarray(outlines, dtype=object)
    west, _, east, _ = shapely.bounds(outlines).T
    projections = np.array([ground_projection(middle) for middle in _within_world(west + east) / 2])
    areas = np.zeros(len(outlines))
    for projection in np.unique(projections):
        of_projection = projections == projection
        areas[of_projection] = shapely.area(all_to_metres(outlines[of_projection], str(projection)))
    return [float(area) for area in areas]


@lru_cache(maxsize=512)
def _transformer(projection: str) -> Transformer:
    """From degrees to metres. It is made from its steps, since a search for the best operation takes 30 ms."""
    steps = "+proj=pipeline +step +proj=unitconvert +xy_in=deg +xy_out=rad +step "
    return Transformer.from_pipeline(steps + projection)


def to_metres(geometry: G, projection: str) -> G:
    """WGS84 degrees to the projection's metres."""
    return all_to_metres([geometry], projection)[0]


def to_degrees(geometry: G, projection: str) -> G:
    """The projection's metres to WGS84 degrees."""
    return all_to_degrees([geometry], projection)[0]


def all_to_metres(geometries: Sequence[G] | Geometries, projection: str) -> list[G]:
    """Many geometries in one call, several times faster than one call each."""
    return _transform(geometries, projection, TransformDirection.FORWARD)


def all_to_degrees(geometries: Sequence[G] | Geometries, projection: str) -> list[G]:
    """Many geometries in one call, as `all_to_metres`."""
    return _transform(geometries, projection, TransformDirection.INVERSE)


def _transform(geometries: Sequence[Any] | Geometries, projection: str, direction: TransformDirection) -> list[Any]:
    if not len(geometries):
        return []
    transformer = _transformer(projection)

    def convert(coordinates: Coordinates) -> Coordinates:
        return np.column_stack(transformer.transform(coordinates[:, 0], coordinates[:, 1], direction=direction))

    return list(shapely.transform(np.asarray(geometries, dtype=object), convert))
