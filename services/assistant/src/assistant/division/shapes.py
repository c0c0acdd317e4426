"""Geometry operations on a fixed grid in metres. The grid avoids errors from rounding and near-parallel edges."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

GRID_M = 0.0001
"""A tenth of a millimetre: finer than any plan, coarser than floating-point errors."""


def intersection(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.intersection(one, other, grid_size=GRID_M)


def difference(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.difference(one, other, grid_size=GRID_M)


def union(shapes: Sequence[BaseGeometry]) -> BaseGeometry:
    return shapely.union_all(list(shapes), grid_size=GRID_M)


def buffer(shape: BaseGeometry, distance_m: float, ends: Literal["flat", "square"] = "flat") -> BaseGeometry:
    """The shape with a mitred buffer, which keeps its corners. A negative distance shrinks it."""
    with np.errstate(divide="ignore", invalid="ignore"):  # GEOS divides by zero for parallel edges, without harm
        grown: BaseGeometry = shape.buffer(distance_m, cap_style=ends, join_style="mitre", mitre_limit=2.0)
    return grown
