"""The positions at which altitudes are sampled in a parcel, and what follows from the samples.

The altimetry service interpolates nothing: it gives the nearest value of a grid of about 5 m. So a slope between points
that are closer than that is noise.
"""

from collections.abc import Iterable, Sequence
from math import ceil, cos, radians, sqrt

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from land.datasets.parcels.ids import commune_of
from land.datasets.relief.records import AltitudeRecord, ParcelAltitudes
from land.datasets.territory import Coordinates, Geometries

SPACING_M, LEAST_SPACING_M = 10.0, 5.0
LEAST_SAMPLES, MAX_SAMPLES = 9, 49
"""Samples of a parcel: 100 parcels, the most of a request, have fewer than the 5,000 points that one call may have."""
LEAST_FREE_SAMPLES = 3
"""If fewer points lie outside buildings, those under them are sampled too: the published ground has no buildings."""
_NEIGHBOURS = 1.5
"""Points are neighbours up to this multiple of the usual distance to the nearest point: also along the diagonal."""
_MIN_DISTANCE_M = 4.9


def positions_in(outline: BaseGeometry, buildings: Geometries | Sequence[BaseGeometry]) -> Coordinates:
    """Points of a lattice inside a parcel, outside buildings where possible. All in metres.

    The lattice has 10 m; 5 m in a parcel with fewer than 9 points; a multiple of 10 m in a large one.
    """
    free = outline.difference(shapely.union_all(buildings)) if len(buildings) else outline
    for area in (free, outline):
        points = _lattice_in(area)
        if len(points) >= LEAST_FREE_SAMPLES:
            return points
    return shapely.get_coordinates(outline.point_on_surface())


def _lattice_in(area: BaseGeometry) -> Coordinates:
    if area.is_empty:
        return np.empty((0, 2))
    shapely.prepare(area)
    spacing_m = max(SPACING_M, SPACING_M * ceil(sqrt(area.area / MAX_SAMPLES) / SPACING_M))
    points = _lattice(area, spacing_m)
    if len(points) < LEAST_SAMPLES and spacing_m == SPACING_M:
        points = _lattice(area, LEAST_SPACING_M)
    return _at_most(points)


def _at_most(samples: Coordinates) -> Coordinates:
    """Every n-th one, so that there are at most MAX_SAMPLES."""
    return samples[:: ceil(len(samples) / MAX_SAMPLES) or 1]


def _lattice(area: BaseGeometry, spacing_m: float) -> Coordinates:
    """Multiples of the spacing inside the area. Its rows are cut first: a long parcel has a large bounding box."""
    west, south, east, north = area.bounds
    ys = np.arange(ceil(south / spacing_m) * spacing_m, north, spacing_m)
    xs = np.arange(ceil(west / spacing_m) * spacing_m, east, spacing_m)
    rows = [
        np.column_stack((inside, np.full(len(inside), y)))
        for y in ys
        if len(inside := xs[shapely.contains_xy(area, xs, np.full(len(xs), y))])
    ]
    return np.concatenate(rows) if rows else np.empty((0, 2))


def altitude_rows(records: Iterable[AltitudeRecord]) -> list[ParcelAltitudes]:
    """One row for each parcel of a file."""
    points: dict[str, list[tuple[float, float, float]]] = {}
    for parcel_id, longitude, latitude, altitude_m in records:
        of_parcel = points.setdefault(parcel_id, [])
        if altitude_m is not None:
            of_parcel.append((longitude, latitude, altitude_m))
    return [row_of(parcel_id, samples) for parcel_id, samples in points.items()]


def row_of(parcel_id: str, points: Sequence[tuple[float, float, float]], retrieved_at: str = "") -> ParcelAltitudes:
    """`points` are longitude, latitude and altitude. Too many are thinned out."""
    samples = _at_most(np.array(points, dtype=float).reshape(-1, 3))
    text = " ".join(f"{longitude:.7f} {latitude:.7f} {altitude:.2f}" for longitude, latitude, altitude in samples)
    return ParcelAltitudes(commune_of(parcel_id), parcel_id, text, _max_slope_percent(samples), retrieved_at)


def parsed(samples: str) -> Coordinates:
    """Rows of longitude, latitude and altitude."""
    return np.array(samples.split(), dtype=float).reshape(-1, 3)


def in_metres(samples: Coordinates) -> Coordinates:
    """Metres east and north of the first sample, and altitudes. Accurate to a millimetre over a kilometre (GRS80)."""
    latitude = radians(samples[0, 1])
    per_degree = (
        111_412.84 * cos(latitude) - 93.5 * cos(3 * latitude) + 0.118 * cos(5 * latitude),
        111_132.954 - 559.822 * cos(2 * latitude) + 1.175 * cos(4 * latitude),
    )
    return np.column_stack(((samples[:, :2] - samples[0, :2]) * per_degree, samples[:, 2]))


def _max_slope_percent(samples: Coordinates) -> float | None:
    """The greatest slope between neighbouring samples."""
    if len(samples) < 2:  # noqa: PLR2004 (a slope takes two)
        return None
    metric = in_metres(samples)
    distances = np.hypot(*(metric[:, None, :2] - metric[None, :, :2]).transpose(2, 0, 1))
    distances[distances < _MIN_DISTANCE_M] = np.inf
    nearest = distances.min(axis=1)
    if not np.isfinite(nearest).any():
        return None
    are_near = distances <= _NEIGHBOURS * np.median(nearest[np.isfinite(nearest)])
    heights = np.abs(metric[:, None, 2] - metric[None, :, 2])
    return round(float((heights[are_near] / distances[are_near]).max()) * 100, 1)
