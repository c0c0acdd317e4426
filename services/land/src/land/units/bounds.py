"""What lies beyond the boundary that no other parcel touches: a road, a path, a railway, water, or open ground.

Land that belongs to nobody on the plan is often a road, but also a river or a square. BD TOPO tells them apart.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import shapely
from shapely import LineString, MultiLineString

from land.datasets.ways.records import WayKind
from land.units.frontage import TOLERANCE_M
from land.units.geometry import Area

BoundKind = Literal[WayKind, "open_ground"]
VERGE_M = 10.0
"""Between the edge of a way and the parcel: a verge of 8 m, and the accuracy of BD TOPO."""
PIECE_M = 10.0
"""The boundary is compared in straight pieces up to this length."""
_STRAIGHT_M = 0.001
"""Corners between pieces of one side are closer to its line."""
Way = tuple[WayKind, float, shapely.Geometry]
"""Its kind, half its width, and its line or surface in metres."""


def bounds_of(
    unit: Area, free: MultiLineString, neighbours: Sequence[Area], ways: Sequence[Way]
) -> Mapping[BoundKind, MultiLineString]:
    """The free boundary by what it faces: the nearest way, if no parcel lies between. All are in metres."""
    lines = shapely.get_parts(shapely.segmentize(free, PIECE_M))
    pieces = [LineString(ends) for line in lines for ends in pairwise(line.coords)]
    nearest: list[tuple[float, BoundKind]] = [(VERGE_M, "open_ground")] * len(pieces)
    for piece, way, gap in _sights(unit, pieces, neighbours, ways):
        nearest[piece] = min(nearest[piece], (gap, ways[way][0]))
    kinds = [kind for _, kind in nearest]
    if len({*kinds}) == 1:
        return {kinds[0]: free}
    by_kind = {kind: [piece for piece, other in zip(pieces, kinds, strict=True) if other == kind] for kind in kinds}
    merged = {kind: shapely.line_merge(MultiLineString(group)).simplify(_STRAIGHT_M) for kind, group in by_kind.items()}
    return {kind: MultiLineString([*shapely.get_parts(lines)]) for kind, lines in merged.items()}


def _sights(
    unit: Area, pieces: Sequence[LineString], neighbours: Sequence[Area], ways: Sequence[Way]
) -> list[tuple[int, int, float]]:
    """Pairs of a piece and a way in sight of its middle, with the distance from the middle to the way's edge."""
    if not pieces or not ways:
        return []
    middles = np.asarray(shapely.line_interpolate_point(pieces, 0.5, normalized=True))
    shapes, halves = np.array([shape for _, _, shape in ways], dtype=object), np.array([half for _, half, _ in ways])
    piece, way = shapely.STRtree(shapes).query(middles, "dwithin", halves.max() + VERGE_M)
    sights = shapely.shortest_line(middles[piece], shapes[way])
    land = np.array([unit, *neighbours], dtype=object)
    sight, parcel = shapely.STRtree(land).query(sights, "intersects")
    hidden_m = shapely.length(shapely.intersection(sights[sight], land[parcel]))
    is_clear = np.bincount(sight, hidden_m, minlength=len(sights)) <= TOLERANCE_M
    gaps = np.maximum(shapely.length(sights) - halves[way], 0.0)
    return list(zip(piece[is_clear].tolist(), way[is_clear].tolist(), gaps[is_clear].tolist(), strict=True))
