"""Lots of a generated town: irregular blocks between streets, cut into lots that share their borders point by point.

The corners of blocks are the nodes of a jittered grid. Each block has a column of lots at both ends, on the streets
that run north. Between them are two rows of lots, back to back along a crooked line, on the streets that run east.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from math import sqrt
from random import Random

from demoland.geometry import Point, Ring

BLOCK_WIDTH_M = 130.0
BLOCK_HEIGHT_M = 105.0
JITTER_M = 11.0
STREET_HALF_WIDTHS_M = (3.0, 4.0, 5.0, 6.0, 8.0)

StreetKey = tuple[str, int, int]
"""Direction (E or N), line of the grid, and stretch of that line."""


@dataclass(frozen=True)
class Lot:
    ring: Ring
    """Counter-clockwise, the side on the street first."""
    street: StreetKey
    is_even: bool
    """Whether the addresses have even numbers."""

    @property
    def front(self) -> tuple[Point, Point]:
        """The side on the street. The lot lies to its left."""
        return self.ring[0], self.ring[1]


def rows_of_lots(columns: int, blocks_per_street: int, random: Random) -> Iterator[list[Lot]]:
    """The lots of each row of blocks, south to north, without end."""
    widths_north = [random.choice(STREET_HALF_WIDTHS_M) for _ in range(columns + 1)]
    nodes = _nodes(0, columns, random)
    width = random.choice(STREET_HALF_WIDTHS_M)
    for row in count():
        above = _nodes(row + 1, columns, random)
        width_above = random.choice(STREET_HALF_WIDTHS_M)
        lots: list[Lot] = []
        for column in range(columns):
            corners = [nodes[column], nodes[column + 1], above[column + 1], above[column]]
            distances = [width, widths_north[column + 1], width_above, widths_north[column]]
            lots += _block(_shrunk(corners, distances), column, row, blocks_per_street, random)
        yield lots
        nodes, width = above, width_above


def _nodes(row: int, columns: int, random: Random) -> list[Point]:
    """One line of the grid. There is no jitter on the southern, western and eastern edges of the town."""
    return [
        (
            column * BLOCK_WIDTH_M + (random.uniform(-JITTER_M, JITTER_M) if 0 < column < columns else 0.0),
            row * BLOCK_HEIGHT_M + (random.uniform(-JITTER_M, JITTER_M) if row else 0.0),
        )
        for column in range(columns + 1)
    ]


def _shrunk(corners: list[Point], distances: list[float]) -> list[Point]:
    """A convex counter-clockwise quadrilateral with each side moved inwards by its distance."""
    sides = []
    for (x1, y1), (x2, y2), distance in zip(corners, [*corners[1:], corners[0]], distances, strict=True):
        length = sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)
        normal = ((y1 - y2) / length, (x2 - x1) / length)
        sides.append((*normal, normal[0] * x1 + normal[1] * y1 + distance))
    shrunk = []
    for (a1, b1, c1), (a2, b2, c2) in zip([sides[-1], *sides[:-1]], sides, strict=True):
        determinant = a1 * b2 - a2 * b1
        shrunk.append(((c1 * b2 - c2 * b1) / determinant, (a1 * c2 - a2 * c1) / determinant))
    return shrunk


def _block(corners: list[Point], column: int, row: int, blocks_per_street: int, random: Random) -> list[Lot]:
    """Cuts a block into lots. Positions in it are shares of its width (u) and of its height (v)."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners

    def at(u: float, v: float) -> Point:
        south = (ax + (bx - ax) * u, ay + (by - ay) * u)
        north = (dx + (cx - dx) * u, dy + (cy - dy) * u)
        return (south[0] + (north[0] - south[0]) * v, south[1] + (north[1] - south[1]) * v)

    west_side, east_side = random.uniform(0.17, 0.24), random.uniform(0.76, 0.83)
    south_cuts = _cuts(west_side, east_side, random.choice((2, 3, 3, 4)), random)
    north_cuts = _cuts(west_side, east_side, random.choice((2, 3, 3, 4)), random)
    middle = random.uniform(0.4, 0.6)
    back = {u: middle + random.uniform(-0.08, 0.08) for u in sorted({*south_cuts, *north_cuts})}
    west_cuts = _cuts(0.0, 1.0, random.choice((2, 3, 3, 4)), random)
    east_cuts = _cuts(0.0, 1.0, random.choice((2, 3, 3, 4)), random)

    def between(low: float, high: float, cuts: list[float]) -> list[float]:
        return [cut for cut in cuts if low < cut < high]

    stretch_east, stretch_north = column // blocks_per_street, row // blocks_per_street
    lots = []
    for low, high in pairwise(south_cuts):
        ring = [at(low, 0.0), at(high, 0.0)]
        if high == east_side:
            ring += [at(east_side, v) for v in between(0.0, back[east_side], east_cuts)]
        ring += [at(u, back[u]) for u in reversed(back) if low <= u <= high]
        if low == west_side:
            ring += [at(west_side, v) for v in reversed(between(0.0, back[west_side], west_cuts))]
        lots.append(Lot(ring, ("E", row, stretch_east), is_even=False))
    for low, high in pairwise(north_cuts):
        ring = [at(high, 1.0), at(low, 1.0)]
        if low == west_side:
            ring += [at(west_side, v) for v in reversed(between(back[west_side], 1.0, west_cuts))]
        ring += [at(u, back[u]) for u in back if low <= u <= high]
        if high == east_side:
            ring += [at(east_side, v) for v in between(back[east_side], 1.0, east_cuts)]
        lots.append(Lot(ring, ("E", row + 1, stretch_east), is_even=True))
    for low, high in pairwise(west_cuts):
        inner = [low, *([back[west_side]] if low < back[west_side] < high else []), high]
        ring = [at(0.0, high), at(0.0, low), *(at(west_side, v) for v in inner)]
        lots.append(Lot(ring, ("N", column, stretch_north), is_even=False))
    for low, high in pairwise(east_cuts):
        inner = [high, *([back[east_side]] if low < back[east_side] < high else []), low]
        ring = [at(1.0, low), at(1.0, high), *(at(east_side, v) for v in inner)]
        lots.append(Lot(ring, ("N", column + 1, stretch_north), is_even=True))
    return lots


def _cuts(low: float, high: float, parts: int, random: Random) -> list[float]:
    """The ends of `parts` unequal stretches from low to high: one more than the stretches."""
    weights = [random.uniform(0.7, 1.3) for _ in range(parts)]
    total, so_far, cuts = sum(weights), 0.0, [low]
    for weight in weights[:-1]:
        so_far += weight
        cuts.append(low + (high - low) * so_far / total)
    return [*cuts, high]
