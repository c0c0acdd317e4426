"""Operations on shapes in metres, on one grid, so that neither rounding nor near-parallel edges can break them."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

GRID_M = 0.0001
"""A tenth of a millimetre: far below what a plan shows, far above what floating point loses."""


def common(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.intersection(one, other, grid_size=GRID_M)


def without(one: BaseGeometry, other: BaseGeometry) -> BaseGeometry:
    return shapely.difference(one, other, grid_size=GRID_M)


def joined(shapes: Sequence[BaseGeometry]) -> BaseGeometry:
    return shapely.union_all(list(shapes), grid_size=GRID_M)


def mitred(shape: BaseGeometry, distance_m: float, ends: Literal["flat", "square"] = "flat") -> BaseGeometry:
    """The shape grown (or, below 0, shrunk) by the distance, its corners kept as corners."""
    with np.errstate(divide="ignore", invalid="ignore"):  # GEOS divides by zero where edges are parallel, and copes
        grown: BaseGeometry = shape.buffer(distance_m, cap_style=ends, join_style="mitre", mitre_limit=2.0)
    return grown
