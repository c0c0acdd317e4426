"""The house number nearest to a point, and the parcels that contain the point."""

from collections.abc import Callable
from dataclasses import dataclass

import shapely

from land.addresses.model import Address, ParcelMatch
from land.addresses.place_index import Point
from land.answers.provenance import Stated
from land.datasets import territory
from land.datasets.addresses.queries import addresses_in_boxes, communes_with_addresses_in
from land.datasets.addresses.records import NearbyAddress
from land.datasets.parcels.queries import outlines_in_boxes
from land.store.boxes import box_around
from land.store.snapshot import Snapshot

LIMIT_M = 1_000.0
"""Beyond it there is no address: it would say little about the place."""
_RADII_M = (50.0, 200.0, LIMIT_M)
"""Searched one after the other: in a city, the largest one has ten thousand addresses."""


@dataclass(frozen=True)
class ReversedAddress(Stated):
    address: Address
    distance_m: float
    """Metres from the point to the address."""
    parcels: tuple[ParcelMatch, ...]
    """The parcels that contain the point."""


def nearest_address(
    connection: Snapshot, point: Point, may_answer: Callable[[str], bool]
) -> tuple[NearbyAddress, float] | None:
    """The nearest house number within LIMIT_M, of a commune that may answer, and its distance in metres."""
    for radius_m in _RADII_M:
        box = box_around((point.lon, point.lat) * 2, radius_m)
        communes = list(filter(may_answer, communes_with_addresses_in(connection, box)))
        near = addresses_in_boxes(connection, communes, [box], (), box) if communes else []
        if near:
            nearest = _nearest(point, near)
            if nearest[1] <= radius_m:  # one outside the box may be nearer than one in its corner
                return nearest
    return None


def _nearest(point: Point, near: list[NearbyAddress]) -> tuple[NearbyAddress, float]:
    place = shapely.Point(point.lon, point.lat)
    metric_point, *metric_addresses = territory.all_to_metres(
        [
            place,
            *(shapely.Point(address.lon or 0.0, address.lat or 0.0) for address in near),
        ],
        territory.projection_of(place),
    )
    distances = [metric_point.distance(other) for other in metric_addresses]
    at = min(range(len(near)), key=distances.__getitem__)
    return near[at], round(distances[at], 1)


def parcels_containing(
    connection: Snapshot, point: Point, may_answer: Callable[[str], bool]
) -> tuple[ParcelMatch, ...]:
    """The loaded parcels whose outline covers the point, in order of id."""
    place = shapely.Point(point.lon, point.lat)
    return tuple(
        ParcelMatch(parcel.parcel_id, "containing", 0.0)
        for parcel in outlines_in_boxes(connection, [box_around((point.lon, point.lat) * 2, 0.0)])
        if parcel.geometry and may_answer(parcel.parcel_id[:5]) and shapely.from_wkb(parcel.geometry).covers(place)
    )
