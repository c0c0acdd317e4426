"""The tiles of the Web Mercator map: tile 0/0/0 is the whole world, and each tile has four at the next zoom."""

from dataclasses import dataclass
from math import atan, degrees, pi, sinh

import numpy as np

from land.datasets.territory import Coordinates
from land.store.boxes import Box

EXTENT = 4_096
"""Units along a side of a tile."""
BUFFER = 64
"""Units beyond each side that a tile also has, so that outlines meet across its border."""


@dataclass(frozen=True)
class Tile:
    zoom: int
    column: int
    """Columns count from the west."""
    row: int
    """Rows count from the north."""

    @property
    def is_on_map(self) -> bool:
        return 0 <= self.zoom <= 30 and max(self.column, self.row) < 2**self.zoom and min(self.column, self.row) >= 0  # noqa: PLR2004

    def box(self, buffer: int = BUFFER) -> Box:
        """The box in degrees, with so many units around it."""
        margin = buffer / EXTENT
        return Box(
            self._longitude(self.column - margin),
            self._latitude(self.row + 1 + margin),
            self._longitude(self.column + 1 + margin),
            self._latitude(self.row - margin),
        )

    def _longitude(self, column: float) -> float:
        return column / (1 << self.zoom) * 360 - 180

    def _latitude(self, row: float) -> float:
        return degrees(atan(sinh(pi * (1 - 2 * row / (1 << self.zoom)))))

    def project(self, positions: Coordinates) -> Coordinates:
        """Longitudes and latitudes as units from the tile's north-west corner, to the east and to the south."""
        tiles = 2**self.zoom
        column = (positions[:, 0] + 180) / 360 * tiles
        row = (1 - np.arcsinh(np.tan(np.radians(positions[:, 1]))) / pi) / 2 * tiles
        return np.column_stack(((column - self.column) * EXTENT, (row - self.row) * EXTENT))
