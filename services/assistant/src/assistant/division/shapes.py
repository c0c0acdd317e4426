"""Buffers with straight corners, as boundaries and setbacks are."""

from typing import Literal

import numpy as np
from shapely.geometry.base import BaseGeometry


def mitred(shape: BaseGeometry, distance_m: float, ends: Literal["flat", "square"] = "flat") -> BaseGeometry:
    """The shape grown (or, below 0, shrunk) by the distance, its corners kept as corners."""
    with np.errstate(divide="ignore", invalid="ignore"):  # GEOS divides by zero where edges are parallel, and copes
        grown: BaseGeometry = shape.buffer(distance_m, cap_style=ends, join_style="mitre", mitre_limit=2.0)
    return grown
