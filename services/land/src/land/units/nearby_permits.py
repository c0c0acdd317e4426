"""Permits on other parcels near a land unit, with the days from decision to start and completion: a part of `land`."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import shapely

from land.datasets import territory
from land.datasets.parcels.queries import chosen_in_boxes, outlines_of
from land.datasets.permits.queries import parcels_with_permits, permits_on
from land.datasets.permits.records import PermitRecord
from land.datasets.permits.registration import PERMITS
from land.store.boxes import merged
from land.store.cached_reads import Reads
from land.units.history import PlacedPermit, authorizations
from land.units.recipe import Part, Parts, Recipe
from land.units.site import Site

REACH_M = 200.0
MAX_ITEMS = 50


@dataclass(frozen=True)
class NearbyPermit:
    parcel_id: str
    """The nearest parcel that the permit is on."""
    permit: PermitRecord
    distance_m: float
    days_to_start: int | None
    """Days from the decision to the declared start of the works; None if one of the dates is missing."""
    days_to_completion: int | None


@dataclass(frozen=True)
class NearbyPermits:
    count: int
    median_days_to_start: int | None
    median_days_to_completion: int | None
    items: tuple[NearbyPermit, ...]
    """The newest first, MAX_ITEMS at most."""


def compute(reads: Reads, site: Site, _: Parts) -> Part[NearbyPermits | None]:
    """None if no permits of the communes are loaded, or without an outline. A permit on several parcels counts once,
    and not if it is also on the land itself.
    """
    if site.shape is None or not site.has(*PERMITS):
        return Part(None)
    with_permits = reads.cached(parcels_with_permits, site.communes)
    around = chosen_in_boxes(reads.snapshot, merged(site.boxes(REACH_M)), with_permits)
    placed = authorizations(permits_on(reads.snapshot, list({*site.selected, *around})))
    own = {(permit.series, permit.number) for parcel_id, permit in placed if parcel_id in site.selected}
    permits = [(parcel_id, permit) for parcel_id, permit in placed if (permit.series, permit.number) not in own]
    # Few parcels have a permit: only their outlines are read.
    outlines = outlines_of(reads.snapshot, list({parcel_id for parcel_id, _ in permits}))
    drawn = [shapely.from_wkb(item.geometry) for item in outlines]
    shapes = territory.all_to_metres(drawn, site.shape.projection)
    distances = shapely.distance(shapes, site.shape.metric).tolist()
    distance_m = dict(zip((item.parcel_id for item in outlines), distances, strict=True))
    nearest: dict[tuple[str, str], PlacedPermit] = {}
    for parcel_id, permit in permits:
        if distance_m[parcel_id] <= REACH_M:
            key, here = (permit.series, permit.number), (parcel_id, permit)
            nearest[key] = min(nearest.get(key, here), here, key=lambda placed: distance_m[placed[0]])
    items = [_nearby(parcel_id, permit, distance_m[parcel_id]) for parcel_id, permit in nearest.values()]
    return Part(
        NearbyPermits(
            len(items),
            _median([item.days_to_start for item in items]),
            _median([item.days_to_completion for item in items]),
            tuple(items[:MAX_ITEMS]),
        )
    )


RECIPE = Recipe("nearby_permits", (), compute, part_of="land")


def _nearby(parcel_id: str, permit: PermitRecord, distance_m: float) -> NearbyPermit:
    decided_on = permit.date_reelle_autorisation
    return NearbyPermit(
        parcel_id,
        permit,
        round(distance_m, 1),
        _days(decided_on, permit.date_reelle_doc),
        _days(decided_on, permit.date_reelle_daact),
    )


def _days(start: str | None, end: str | None) -> int | None:
    """None if a date is missing, or if the end is before the start."""
    days = (date.fromisoformat(end) - date.fromisoformat(start)).days if start and end else -1
    return days if days >= 0 else None


def _median(days: Sequence[int | None]) -> int | None:
    values = [value for value in days if value is not None]
    return round(statistics.median(values)) if values else None
