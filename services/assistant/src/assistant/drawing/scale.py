"""The scale of a drawing, and where its parts are on the paper."""

from dataclasses import dataclass
from math import ceil

PAPER_MM = (420.0, 297.0)
"""A3 in landscape."""
MARGIN_MM = 10.0
COLUMN_MM = 125.0
"""Width of the column with the texts, at the right."""
_CLEAR_MM = 12.0
"""Least distance between the land and the frame of the drawing."""
_SCALES = (50, 100, 200, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 20_000, 25_000)
"""Scales of a surveyor's rule. Larger land takes the next multiple of 10,000."""


@dataclass(frozen=True)
class Frame:
    """The paper, put over the land at its scale. Converts millimetres from its lower left corner to metres."""

    scale: int
    west: float
    south: float

    def length(self, millimetres: float) -> float:
        return millimetres * self.scale / 1000.0

    def at(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        return self.west + self.length(x_mm), self.south + self.length(y_mm)


def frame_of(bounds: tuple[float, float, float, float]) -> Frame:
    """The frame with the greatest scale that has room for these bounds, which it centres in the drawing's part."""
    west, south, east, north = bounds
    width_mm = PAPER_MM[0] - COLUMN_MM - 2 * MARGIN_MM - 2 * _CLEAR_MM
    height_mm = PAPER_MM[1] - 2 * MARGIN_MM - 2 * _CLEAR_MM
    least = max((east - west) / width_mm, (north - south) / height_mm) * 1000.0
    scale = next((ratio for ratio in _SCALES if ratio >= least), ceil(least / 10_000) * 10_000)
    centre_x_mm = MARGIN_MM + (PAPER_MM[0] - COLUMN_MM - 2 * MARGIN_MM) / 2
    paper_west = (west + east) / 2 - centre_x_mm * scale / 1000.0
    paper_south = (south + north) / 2 - PAPER_MM[1] / 2 * scale / 1000.0
    return Frame(scale, paper_west, paper_south)
