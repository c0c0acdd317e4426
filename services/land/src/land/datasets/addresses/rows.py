"""Rows of communes, streets, numbers and lieux-dits, from the records of BAN of one commune."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import shapely

from land.addresses.normalise import NAMESAKE, canonical_street
from land.datasets.addresses.records import (
    AddressCommuneRow,
    AddressRecord,
    AddressRow,
    LocalityRecord,
    LocalityRow,
    StreetRow,
)
from land.datasets.grouping import grouped, last_of_each

POINT_DECIMALS = 7
"""About 1 cm."""
_NUMBER = attrgetter("number", "suffix")


def address_rows(
    records: Sequence[AddressRecord],
) -> tuple[Iterable[AddressCommuneRow], Iterable[StreetRow], Iterable[AddressRow]]:
    """The commune, its streets in order of id, and their numbers in order. Of equal numbers, the first counts."""
    if not records:
        return [], [], []
    by_street = grouped((record.street_id, record) for record in records)
    streets = (_street(by_street[street_id]) for street_id in sorted(by_street))
    return [_commune(records)], streets, _numbers(by_street)


def locality_rows(records: Sequence[LocalityRecord]) -> list[LocalityRow]:
    """Lieux-dits, each once, in order of id."""
    return [
        LocalityRow(
            r.id, r.name, canonical_street(r.name), r.postcode, r.commune_name, r.old_commune_name, r.lon, r.lat
        )
        for r in last_of_each(records, "id")
    ]


def _commune(records: Sequence[AddressRecord]) -> AddressCommuneRow:
    name = records[0].commune_name
    former = sorted({r.old_commune_name for r in records if r.old_commune_name} - {name})
    return AddressCommuneRow(
        name, _postcodes(records), "|".join(former), *_mean_point(records), len(records), _bounding_box(records)
    )


def _street(records: Sequence[AddressRecord]) -> StreetRow:
    first = records[0]
    names = [first.street_name, first.street_name_afnor, *first.alias.split("|")]
    names += [NAMESAKE.sub("", name) for name in names]
    search = "|".join(dict.fromkeys(filter(None, map(canonical_street, names))))
    former = next((r.old_commune_name for r in records if r.old_commune_name), "")
    return StreetRow(
        first.street_id, first.street_name, search, _postcodes(records), former, *_mean_point(records), len(records)
    )


def _numbers(by_street: dict[str, list[AddressRecord]]) -> Iterator[AddressRow]:
    for street_id in sorted(by_street):
        for (number, suffix), equals in groupby(sorted(by_street[street_id], key=_NUMBER), key=_NUMBER):
            r = next(equals)
            usual = f"{street_id}_{number:05}_{suffix}" if suffix else f"{street_id}_{number:05}"
            yield AddressRow(
                street_id, number, suffix, None if r.id == usual else r.id, r.postcode, r.lon, r.lat, r.parcel_ids
            )


def _postcodes(records: Sequence[AddressRecord]) -> str:
    return "|".join(sorted({r.postcode for r in records if r.postcode}))


def _bounding_box(records: Sequence[AddressRecord]) -> bytes | None:
    """The box around the points, as WKB; None without any point."""
    points = [(r.lon, r.lat) for r in records if r.lon is not None and r.lat is not None]
    return bytes(shapely.to_wkb(shapely.box(*shapely.MultiPoint(points).bounds))) if points else None


def _mean_point(records: Sequence[AddressRecord]) -> tuple[float | None, float | None]:
    """Longitude and latitude of the mean of the points; None without any point."""
    points = [(r.lon, r.lat) for r in records if r.lon is not None and r.lat is not None]
    if not points:
        return None, None
    lons, lats = zip(*points, strict=True)
    return round(sum(lons) / len(lons), POINT_DECIMALS), round(sum(lats) / len(lats), POINT_DECIMALS)
