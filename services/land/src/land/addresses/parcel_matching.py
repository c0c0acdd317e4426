"""The parcels of an address: those that BAN declares, else those that contain its point, else the nearest one."""

from collections.abc import Mapping, Sequence

import shapely
from shapely.geometry.base import BaseGeometry

from land.addresses.model import ParcelMatch
from land.addresses.resolver import AddressMatch
from land.answers.provenance import has_plan
from land.answers.texts import AnswerWarning, warning
from land.datasets import territory
from land.datasets.addresses.records import HouseNumberPoint
from land.datasets.parcels import ids as parcels
from land.datasets.parcels.queries import outlines_in_boxes, parcels_by_id
from land.datasets.parcels.records import ParcelOutline, ParcelRecord
from land.store.boxes import box_around
from land.store.cached_reads import Reads
from land.store.snapshot import Snapshot

NEAREST_LIMIT_M = 30.0
"""Beyond it the nearest parcel is often wrong. In Paris, half of the points outside parcels are within 15 m of one."""


def parcels_of(reads: Reads, address_match: AddressMatch) -> tuple[tuple[ParcelMatch, ...], list[AnswerWarning]]:
    """The parcels of an address, best first, with warnings; none for anything coarser than a house number."""
    if address_match.parcels is not None:
        return address_match.parcels, [*address_match.warnings]
    if address_match.missing_number is not None:
        return (), [warning("number_not_found", number=address_match.missing_number)]
    if address_match.point is None:
        return (), [warning("house_number_needed")]
    commune = address_match.address.city_code or ""
    around = _declared(reads.snapshot, address_match.point)
    if not around and not has_plan(reads, commune):
        return (), [warning("cadastre_not_covered", commune=commune)]
    matches = match_parcels(address_match.point, commune, around or _near(reads.snapshot, address_match.point))
    existing = {match.parcel_id for match in matches}
    warnings = []
    for parcel_id in address_match.point.parcel_ids:
        if parcel_id in existing or parcels.parse(parcel_id) is None:  # "6,146E+11" is no id
            continue
        is_loaded = has_plan(reads, parcels.commune_of(parcel_id))
        code = "declared_parcel_missing" if is_loaded else "parcel_plan_not_loaded"
        warnings.append(warning(code, parcel_id=parcel_id))
    if not matches:
        warnings.append(warning("no_parcel", limit_m=NEAREST_LIMIT_M))
    elif matches[0].kind == "nearest":
        warnings.append(warning("nearest_parcel", distance_m=matches[0].distance_m))
    return matches, warnings


def _declared(connection: Snapshot, point: HouseNumberPoint) -> list[ParcelRecord]:
    """The parcels that BAN declares for the address, if they exist."""
    named = [parcel_id for parcel_id in point.parcel_ids if parcels.parse(parcel_id)]
    return list(parcels_by_id(connection, named).values())


def _near(connection: Snapshot, point: HouseNumberPoint) -> list[ParcelOutline]:
    if point.lon is None or point.lat is None:
        return []
    return outlines_in_boxes(connection, [box_around((point.lon, point.lat) * 2, NEAREST_LIMIT_M)])


def match_parcels(
    point: HouseNumberPoint, commune_code: str, around: Sequence[ParcelRecord] | Sequence[ParcelOutline]
) -> tuple[ParcelMatch, ...]:
    """Parcels of an address, best first. `around` has the declared parcels that exist, or those near the point."""
    outlines = {record.parcel_id: shapely.from_wkb(record.geometry) for record in around if record.geometry}
    place = None if point.lon is None or point.lat is None else shapely.Point(point.lon, point.lat)
    ids_around = {record.parcel_id for record in around}
    declared = [parcel_id for parcel_id in point.parcel_ids if parcel_id in ids_around]
    if declared:
        distances = _distances(place, {key: outlines[key] for key in declared if key in outlines})
        return tuple(ParcelMatch(parcel_id, "declared", _rounded(distances.get(parcel_id))) for parcel_id in declared)
    if place is None:
        return ()
    containing = sorted(key for key, outline in outlines.items() if outline.covers(place))
    if containing:
        return tuple(ParcelMatch(parcel_id, "containing", 0.0) for parcel_id in containing)
    distances = _distances(place, outlines)
    near = [(distance, key) for key, distance in distances.items() if distance <= NEAREST_LIMIT_M]
    # Rounded only now: two parcels with the same rounded distance are seldom equally near.
    return tuple(ParcelMatch(parcel_id, "nearest", _rounded(distance)) for distance, parcel_id in sorted(near)[:1])


def _rounded(distance_m: float | None) -> float | None:
    return None if distance_m is None else round(distance_m, 1)


def _distances(place: shapely.Point | None, outlines: Mapping[str, BaseGeometry]) -> dict[str, float]:
    """Metres from the point."""
    if place is None:
        return {}
    projection = territory.projection_of(place)
    metric = territory.to_metres(place, projection)
    return {key: territory.to_metres(outline, projection).distance(metric) for key, outline in outlines.items()}
