"""The relief of a land unit, from altitudes at points in its parcels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot

import numpy as np

from land.answers.provenance import Coverage
from land.datasets.partitions import Partition
from land.datasets.relief.records import ParcelAltitudes
from land.datasets.relief.registration import ALTIMETRY
from land.datasets.relief.rows import in_metres, parsed
from land.datasets.territory import Coordinates
from land.store.loads import UNKNOWN_EDITION, Load
from land.units.site import Site

FLAT_PERCENT = 1.0
"""Below it a direction of descent says nothing: altitudes are accurate to some decimetres."""
LEAST_SPREAD_M = 3.0
"""Points on a line, or in a narrower strip, have no plane."""
_DATASET = ALTIMETRY.id
_ASPECTS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
_DECIMALS, _SLOPE_DECIMALS = 2, 1


@dataclass(frozen=True)
class Terrain:
    mean_altitude_m: float
    min_altitude_m: float
    max_altitude_m: float
    mean_slope_percent: float | None
    """The slope of the plane through all samples; None if they do not define one."""
    max_slope_percent: float | None
    """The greatest one between neighbouring samples of a parcel, at least that of the plane: no two samples may lie in
    its direction.
    """
    aspect: str | None
    """The direction in which the plane descends; None on flat land."""
    sample_count: int
    samples: Sequence[str]
    """As in ParcelAltitudes, for each parcel."""


def terrain_of(rows: Sequence[ParcelAltitudes]) -> Terrain | None:
    """None if no altitude is known."""
    texts = tuple(row.samples for row in rows if row.samples)
    if not texts:
        return None
    samples = parsed(" ".join(texts))
    altitudes = samples[:, 2]
    slope_percent, aspect = _plane(in_metres(samples))
    slopes = (slope_percent, *(row.max_slope_percent for row in rows))
    return Terrain(
        mean_altitude_m=round(float(altitudes.mean()), _DECIMALS),
        min_altitude_m=float(altitudes.min()),
        max_altitude_m=float(altitudes.max()),
        mean_slope_percent=slope_percent,
        max_slope_percent=max((slope for slope in slopes if slope is not None), default=None),
        aspect=aspect,
        sample_count=len(samples),
        samples=texts,
    )


def _plane(metric: Coordinates) -> tuple[float | None, str | None]:
    """The slope in percent of the plane with the least squares, and where it descends to."""
    centred = metric - metric.mean(axis=0)
    east, north, height = centred.T
    xx, yy, xy = east @ east, north @ north, east @ north
    determinant = xx * yy - xy * xy
    # The smaller eigenvalue of the points' scatter is their mean square distance from a line, times their number.
    narrow = (xx + yy - np.sqrt((xx - yy) ** 2 + 4 * xy * xy)) / 2
    if narrow < len(metric) * (LEAST_SPREAD_M / 2) ** 2:
        return None, None
    xz, yz = east @ height, north @ height
    to_east, to_north = (xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant
    slope_percent = round(hypot(to_east, to_north) * 100, _SLOPE_DECIMALS)
    if slope_percent < FLAT_PERCENT:
        return slope_percent, None
    downwards = degrees(atan2(-to_east, -to_north)) % 360
    return slope_percent, _ASPECTS[round(downwards / 45) % len(_ASPECTS)]


def coverage_of(site: Site, rows: Mapping[str, ParcelAltitudes]) -> Coverage:
    """Whether the altitudes of all parcels are known, and why not."""
    if not site.outlines:
        return Coverage(_DATASET, "not_covered", "not_drawn")
    rows_of_site = [rows[parcel_id] for parcel_id in site.outlines if parcel_id in rows]
    if site.is_drawn and len(rows_of_site) == len(site.parcels) and all(row.samples for row in rows_of_site):
        return Coverage(_DATASET, "covered", None)
    if site.altitudes.has_failed:
        return Coverage(_DATASET, "partial", "source_unavailable")
    if not any(row.samples for row in rows_of_site):
        return (
            Coverage(_DATASET, "not_covered", "no_data")
            if rows_of_site
            else Coverage(_DATASET, "not_loaded", "not_loaded")
        )
    return Coverage(_DATASET, "partial", "not_loaded" if len(rows_of_site) < len(site.outlines) else "no_data")


def loads_of(site: Site, rows: Mapping[str, ParcelAltitudes]) -> list[Load]:
    """The loads that gave some of the altitudes: imported ones, and the service as a source."""
    dates = {row.retrieved_at for row in rows.values() if row.samples}
    used = [load for load in site.loads.all if load.dataset == _DATASET] if "" in dates else []
    if asked := dates - {""}:
        partition, oldest = Partition(site.communes[0]), min(asked)
        used.append(Load(_DATASET, partition, UNKNOWN_EDITION, "", oldest, oldest, len(rows), 0, ""))
    return used
