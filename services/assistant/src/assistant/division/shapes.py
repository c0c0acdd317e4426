"""Geometry operations on a fixed grid in metres. The grid avoids errors from rounding and near-parallel edges."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

GRID_M = 0.0001
"""A tenth of a millimetre: finer than any plan, coarser than floating-point errors."""


def intersection(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.intersection(one, other, grid_size=GRID_M)


def clipped(shape: BaseGeometry, window: BaseGeometry) -> BaseGeometry:
    """Returns the surface of what `intersection` does, several times faster. The window crosses the shape's edges or
    stays away from them. An edge that only touches leaves no line, which no later operation takes beside surfaces.
    """
    exact = shapely.intersection(shape, window)
    rounded = shapely.set_precision(shapely.set_precision(exact, GRID_M, mode="pointwise"), 0, mode="pointwise")
    return _surface(rounded if rounded.is_valid else intersection(shape, window))


def _surface(shape: BaseGeometry) -> BaseGeometry:
    if shape.geom_type != "GeometryCollection":
        return shape
    return MultiPolygon([part for part in shapely.get_parts(shape) if isinstance(part, Polygon)])


def difference(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.difference(one, other, grid_size=GRID_M)


def union(shapes: Sequence[BaseGeometry]) -> BaseGeometry:
    return shapes[0] if len(shapes) == 1 else shapely.union_all(list(shapes), grid_size=GRID_M)


def buffer(shape: BaseGeometry, distance_m: float, ends: Literal["flat", "square"] = "flat") -> BaseGeometry:
    """The shape with a mitred buffer, which keeps its corners. A negative distance shrinks it."""
    with np.errstate(divide="ignore", invalid="ignore"):  # GEOS divides by zero for parallel edges, without harm
        grown: BaseGeometry = shape.buffer(distance_m, cap_style=ends, join_style="mitre", mitre_limit=2.0)
    return grown
