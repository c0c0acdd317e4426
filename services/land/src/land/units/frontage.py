"""Frontage: the boundary of a land unit that no other parcel touches, taken to face public ground.

Roads and squares are not parcels of the French plan, so what lies between two parcels that do not touch is, as a rule,
public way. It is an estimate: private roads are parcels, and the plan's lines are good to some decimetres.
"""

from collections.abc import Sequence

import numpy as np
import shapely
from shapely.geometry import LineString, MultiLineString
from shapely.geometry.base import BaseGeometry

from land.units.geometry import Area

Coordinates = np.ndarray[tuple[int, int], np.dtype[np.float64]]

TOLERANCE_M = 0.2
"""Two parcels touch when their outlines come this close."""
SIGHT_M = 60.0
"""How far across a public way the next parcel is looked for. Where there is none the plan may end there."""
MIN_PIECE_M = 1.0
"""Shorter pieces are gaps between the outlines of neighbours, not frontage."""


def estimate(unit: Area, others: Sequence[Area]) -> MultiLineString | None:
    """The frontage as lines, empty where other parcels touch all round; geometries are in metres.

    `others` are all other parcels within SIGHT_M. None where a piece faces no parcel at all within sight, as at the
    limit of the commune when its neighbour's plan is not loaded: what lies there is not known.
    """
    boundary: BaseGeometry = unit.boundary
    if others:
        near = [others[index] for index in shapely.STRtree(list(others)).query(unit, "dwithin", TOLERANCE_M)]
        boundary = boundary.difference(shapely.union_all(near).buffer(TOLERANCE_M)) if near else boundary
    lines = [line for line in _lines(boundary) if line.length >= MIN_PIECE_M]
    if not lines:
        return MultiLineString()
    if not _all_face(lines, unit, others):
        return None
    return MultiLineString(lines)


def _lines(geometry: BaseGeometry) -> list[LineString]:
    merged = shapely.line_merge(geometry) if geometry.geom_type == "MultiLineString" else geometry
    return [part for part in shapely.get_parts(merged) if isinstance(part, LineString) and not part.is_empty]


def _all_face(lines: Sequence[LineString], unit: Area, others: Sequence[Area]) -> bool:
    """Whether a parcel stands in sight of the middle of every straight piece of at least MIN_PIECE_M."""
    starts, ends = _pieces(lines)
    middle = (starts + ends) / 2
    along = ends - starts
    length = np.hypot(along[:, 0], along[:, 1])
    kept = length >= MIN_PIECE_M
    if not kept.any():
        return True
    middle, along, length = middle[kept], along[kept], length[kept]
    normal = np.column_stack((along[:, 1], -along[:, 0])) / length[:, None]
    shapely.prepare(unit)
    inwards = shapely.contains_xy(unit, *(middle + normal * TOLERANCE_M).T)
    normal[inwards] *= -1
    sight = np.stack((middle + normal * TOLERANCE_M, middle + normal * SIGHT_M), axis=1)
    rays = [LineString(ray) for ray in sight]
    tree = shapely.STRtree(list(others))
    return len(np.unique(tree.query(rays, predicate="intersects")[0])) == len(rays)


def _pieces(lines: Sequence[LineString]) -> tuple[Coordinates, Coordinates]:
    starts, ends = [], []
    for line in lines:
        coordinates = shapely.get_coordinates(line)
        starts.append(coordinates[:-1])
        ends.append(coordinates[1:])
    return np.concatenate(starts), np.concatenate(ends)
