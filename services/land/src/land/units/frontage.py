"""Frontage: the boundary of a land unit that no other parcel touches. It is assumed to face public ground.

Roads and squares are not parcels of the French plan, so the gap between two parcels is usually a public way. It is an
estimate: private roads are parcels, and the lines of the plan are accurate to some decimetres.
"""

from collections.abc import Sequence
from math import isclose

import numpy as np
import shapely
from shapely.geometry import LineString, MultiLineString, Polygon
from shapely.geometry.base import BaseGeometry

from land.datasets.territory import Coordinates, Geometries
from land.units.geometry import Area

Indices = np.ndarray[tuple[int], np.dtype[np.int64]]

TOLERANCE_M = 0.2
"""Two parcels touch when their outlines come this close."""
SIGHT_M = 60.0
"""How far across a public way the next parcel is searched. If there is none, the plan may end there."""
CORNER_REACH_M = 2 * TOLERANCE_M
"""The frontage ends at a corner of the outline that is this close to where the neighbour's tolerance ends."""
MIN_PIECE_M = 1.0
"""Shorter pieces are gaps between the outlines of neighbours, not frontage."""
LIMIT_M = 0.5
"""Outlines of neighbouring communes, and the parcels at their limit, differ by as much."""
_SLIVER = 1e-6
"""Parcels that overlap by no more of their area count as beside each other."""


def estimate(
    unit: Area, neighbours: Sequence[Area], known_land: Area | None = None, near: Area | None = None
) -> MultiLineString | None:
    """The frontage as lines, empty if other parcels touch all around; geometries are in metres.

    `neighbours` are all other parcels within SIGHT_M, `known_land` is the territory of the communes whose plans are
    loaded. With `near`, only the boundary in this area counts. None if a piece of the boundary faces no parcel within
    SIGHT_M, or if land outside `known_land` lies in front of it: then the plan of a neighbouring commune may be
    missing.
    """
    boundary: BaseGeometry = unit.boundary if near is None else unit.boundary.intersection(near)
    outlines = shapely.STRtree(neighbours)
    touching = [neighbours[index] for index in outlines.query(unit, "dwithin", TOLERANCE_M)]
    if touching:
        boundary = boundary.difference(_union(touching).buffer(TOLERANCE_M))
    lines = [line for line in _lines(boundary) if line.length >= MIN_PIECE_M]
    if not lines:
        return MultiLineString()
    rays = _rays(lines, unit)
    ray_indices, seen_parcels = outlines.query(rays, predicate="intersects")
    if len(np.unique(ray_indices)) < len(rays):
        return None
    corners = shapely.get_coordinates(unit)
    frontage = MultiLineString([_to_corners(line, corners) for line in lines])
    in_sight = shapely.box(*unit.bounds).buffer(SIGHT_M, join_style="mitre")
    if known_land is not None and not known_land.contains(in_sight):
        facing = np.array(neighbours, dtype=object)[seen_parcels]
        if not _is_within(known_land, frontage, _ways_across(rays, ray_indices, facing)):
            return None
    return frontage


def reachable(frontage: MultiLineString, parcels: Sequence[Area]) -> MultiLineString:
    """The frontage without what faces a gap that the parcels, the land unit among them, close on all sides: no way
    reaches it.
    """
    ground = shapely.get_parts(_union(parcels).buffer(TOLERANCE_M, quad_segs=1))
    gaps = [Polygon(ring) for part in ground for ring in part.interiors]
    if not gaps:
        return frontage
    open_lines = _lines(frontage.difference(shapely.union_all(gaps).buffer(2 * TOLERANCE_M)))
    return MultiLineString([line for line in open_lines if line.length >= MIN_PIECE_M])


def _union(parcels: Sequence[Area]) -> BaseGeometry:
    """The union, in a quarter of the time where neighbours share all corners of the line between them, as most do."""
    try:
        union = shapely.coverage_union_all(parcels)
    except shapely.GEOSException:
        return shapely.union_all(parcels)
    overlaps = not isclose(union.area, shapely.area(parcels).sum(), rel_tol=_SLIVER)
    return shapely.union_all(parcels) if overlaps else union


def _lines(geometry: BaseGeometry) -> list[LineString]:
    merged = shapely.line_merge(geometry) if geometry.geom_type == "MultiLineString" else geometry
    return [part for part in shapely.get_parts(merged) if isinstance(part, LineString) and not part.is_empty]


def _to_corners(line: LineString, corners: Coordinates) -> LineString:
    """The line with its ends moved out to corners of the outline, so that it is a sum of whole sides."""
    points = shapely.get_coordinates(line).copy()
    for end in (0, -1):
        distances = np.hypot(*(corners - points[end]).T)
        corner = corners[distances.argmin()]
        if distances.min() <= CORNER_REACH_M and not (points == corner).all(axis=1).any():
            points[end] = corner
    return LineString(points)


def _rays(lines: Sequence[LineString], unit: Area) -> Geometries:
    """Rays of SIGHT_M, outwards from the middle of every straight piece of at least MIN_PIECE_M. A line without such a
    piece has a ray from its longest one.
    """
    starts, ends = _pieces(lines)
    middle, along = (starts + ends) / 2, ends - starts
    normal = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(along[:, 0], along[:, 1])[:, None]
    shapely.prepare(unit)
    normal[shapely.contains_xy(unit, *(middle + normal * TOLERANCE_M).T)] *= -1
    return np.asarray(shapely.linestrings(np.stack((middle + normal * TOLERANCE_M, middle + normal * SIGHT_M), axis=1)))


def _pieces(lines: Sequence[LineString]) -> tuple[Coordinates, Coordinates]:
    starts, ends = [], []
    for line in lines:
        corners = shapely.get_coordinates(line)
        length = np.hypot(*np.diff(corners, axis=0).T)
        long_pieces = np.flatnonzero(length >= min(MIN_PIECE_M, length.max()))
        starts.append(corners[long_pieces])
        ends.append(corners[long_pieces + 1])
    return np.concatenate(starts), np.concatenate(ends)


def _ways_across(rays: Geometries, ray_indices: Indices, facing: Geometries) -> Geometries:
    """The part of each ray before the first parcel that it meets. Ray `ray_indices[i]` meets parcel `facing[i]`."""
    starts = shapely.get_point(rays, 0)
    distance = np.full(len(rays), np.inf)
    np.minimum.at(
        distance, ray_indices, shapely.distance(starts[ray_indices], shapely.intersection(rays[ray_indices], facing))
    )
    ends = shapely.line_interpolate_point(rays, distance)
    return np.asarray(
        shapely.linestrings(np.stack((shapely.get_coordinates(starts), shapely.get_coordinates(ends)), axis=1))
    )


def _is_within(known_land: Area, frontage: MultiLineString, ways_across: Geometries) -> bool:
    """Whether the frontage and the ways across lie within the known territory, and the frontage not along its limit."""
    whole = known_land.buffer(LIMIT_M).buffer(-LIMIT_M)  # closes the gaps between communes
    if frontage.intersection(whole.boundary.buffer(LIMIT_M)).length >= MIN_PIECE_M:
        return False
    return bool((shapely.length(shapely.difference(ways_across, whole)) < LIMIT_M).all())
