"""The sides of a lot: straight lines of its outline, each with what is on the other side."""

import math

import numpy as np
import shapely
from shapely import LineString, MultiLineString, Polygon

from assistant.division.access import TOUCH_M
from assistant.division.proposal import Side, SideKind

_STRAIGHT_M = 0.15
"""Corners up to this distance from the line between two others do not end a side."""
_TOUCH_LOT_M = 0.005
_MIN_PART_M = 0.3

Corner = np.ndarray[tuple[int], np.dtype[np.float64]]
Points = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def sides_of(
    lot: Polygon, other_lots: list[Polygon], way: Polygon | None, frontage: MultiLineString | None
) -> tuple[Side, ...]:
    """The sides in order, of the outline and then of holes. Their lengths add up to the perimeter."""
    around = shapely.geometrycollections([other.boundary for other in other_lots])
    sides: list[Side] = []
    for ring in shapely.get_rings(lot):
        points = _with_ends(shapely.get_coordinates(ring)[:-1], frontage)
        sides += _sides(points, _kinds(points, around, way, frontage))
    return tuple(sides)


def _with_ends(points: Points, frontage: MultiLineString | None) -> Points:
    """The corners of a ring and the ends of the frontage between them."""
    if frontage is None or frontage.is_empty:
        return points
    ends = np.concatenate([shapely.get_coordinates(line)[[0, -1]] for line in frontage.geoms])
    after = np.roll(points, -1, axis=0)
    steps = after - points
    lengths = np.hypot(*steps.T)
    offsets = ends[:, None, :] - points[None, :, :]
    along = (offsets * steps).sum(axis=2) / np.maximum(lengths, 1e-9)
    across = np.abs(offsets[..., 0] * steps[:, 1] - offsets[..., 1] * steps[:, 0]) / np.maximum(lengths, 1e-9)
    inside = (along > _MIN_PART_M) & (along < lengths - _MIN_PART_M) & (across < TOUCH_M)
    added: dict[int, list[float]] = {}
    for end, edge in zip(*np.nonzero(inside), strict=True):
        added.setdefault(int(edge), []).append(float(along[end, edge]))
    result = []
    for edge, point in enumerate(points):
        result.append(point)
        start_m = 0.0
        for distance in sorted(added.get(edge, ())):
            if distance - start_m > _MIN_PART_M:
                result.append(point + steps[edge] * (distance / lengths[edge]))
                start_m = distance
    return np.array(result)


def _kinds(
    points: Points, around: shapely.Geometry, way: Polygon | None, frontage: MultiLineString | None
) -> list[SideKind]:
    """What each edge of the ring faces. Its middle decides."""
    middles = shapely.points((points + np.roll(points, -1, axis=0)) / 2)
    nothing = np.zeros(len(points), bool)
    is_shared = nothing if way is None else shapely.distance(middles, way) < _TOUCH_LOT_M
    is_lot = shapely.distance(middles, around) < _TOUCH_LOT_M
    is_way = nothing if frontage is None or frontage.is_empty else shapely.distance(middles, frontage) < TOUCH_M
    default_kind: SideKind = "unknown" if frontage is None else "neighbour"
    return [
        "shared_way" if shared else "lot" if lot else "way" if street else default_kind
        for shared, lot, street in np.column_stack([is_shared, is_lot, is_way]).tolist()
    ]


def _sides(points: Points, kinds: list[SideKind]) -> list[Side]:
    """Merges edges of one kind that make one line."""
    count = len(points)
    start = max(range(count), key=lambda i: (kinds[i] != kinds[i - 1], round(_turn(points, i), 6), -i))
    order = [(start + i) % count for i in range(count)]
    sides: list[Side] = []
    current = [points[start]]
    for i in order:
        after = points[(i + 1) % count]
        before = kinds[i - 1]
        if len(current) > 1 and (kinds[i] != before or not _is_straight([*current, after])):
            sides.append(Side(LineString(current), before))
            current = [current[-1]]
        current.append(after)
    sides.append(Side(LineString(current), kinds[order[-1]]))
    return sides


def _turn(points: Points, index: int) -> float:
    before = points[index] - points[index - 1]
    after = points[(index + 1) % len(points)] - points[index]
    return abs(math.atan2(before[0] * after[1] - before[1] * after[0], float(before @ after)))


def _is_straight(corners: list[Corner]) -> bool:
    points = np.array(corners)
    chord = points[-1] - points[0]
    length = math.hypot(*chord)
    if length < _STRAIGHT_M:
        return len(points) <= 2  # noqa: PLR2004 (one edge)
    offsets = points - points[0]
    along = offsets @ chord / length
    return bool((np.abs(offsets @ (-chord[1], chord[0])) <= _STRAIGHT_M * length).all() and (np.diff(along) >= 0).all())
