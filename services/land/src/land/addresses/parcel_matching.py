"""The parcels of an address: those that BAN declares, else those that contain its point, else the nearest one."""

from collections.abc import Mapping, Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from land import territory
from land.addresses.model import ParcelMatch
from land.records import ParcelRecord
from land.records_of_addresses import HouseNumberPoint

NEAREST_LIMIT_M = 30.0
"""Beyond it the nearest parcel is often wrong. In Paris, half of the points outside parcels are within 15 m of one."""


def match_parcels(
    point: HouseNumberPoint, commune_code: str, around: Sequence[ParcelRecord]
) -> tuple[ParcelMatch, ...]:
    """Parcels of an address, best first. `around` has the declared parcels that exist, or those near the point."""
    outlines = {record.parcel_id: shapely.from_wkb(record.geometry) for record in around if record.geometry}
    place = None if point.lon is None or point.lat is None else shapely.Point(point.lon, point.lat)
    known = {record.parcel_id for record in around}
    declared = [parcel_id for parcel_id in point.parcel_ids if parcel_id in known]
    if declared:
        distances = _distances(place, commune_code, {key: outlines[key] for key in declared if key in outlines})
        return tuple(ParcelMatch(parcel_id, "declared", distances.get(parcel_id)) for parcel_id in declared)
    if place is None:
        return ()
    containing = sorted(key for key, outline in outlines.items() if outline.covers(place))
    if containing:
        return tuple(ParcelMatch(parcel_id, "containing", 0.0) for parcel_id in containing)
    distances = _distances(place, commune_code, outlines)
    near = [(distance, key) for key, distance in distances.items() if distance <= NEAREST_LIMIT_M]
    return tuple(ParcelMatch(parcel_id, "nearest", distance) for distance, parcel_id in sorted(near)[:1])


def _distances(
    place: shapely.Point | None, commune_code: str, outlines: Mapping[str, BaseGeometry]
) -> dict[str, float]:
    """Metres from the point, rounded to 0.1 m."""
    if place is None:
        return {}
    projection = territory.projection_of(commune_code)
    metric = territory.to_metres(place, projection)
    return {
        key: round(territory.to_metres(outline, projection).distance(metric), 1) for key, outline in outlines.items()
    }
