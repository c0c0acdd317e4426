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
    name, (lons, lats) = records[0].commune_name, _places(records)
    former = sorted({r.old_commune_name for r in records if r.old_commune_name} - {name})
    box = bytes(shapely.to_wkb(shapely.box(min(lons), min(lats), max(lons), max(lats)))) if lons else None
    return AddressCommuneRow(name, _postcodes(records), "|".join(former), _mean(lons), _mean(lats), len(records), box)


def _street(records: Sequence[AddressRecord]) -> StreetRow:
    first = records[0]
    names = [first.street_name, first.street_name_afnor, *first.alias.split("|")]
    names += [NAMESAKE.sub("", name) for name in names]
    search = "|".join(dict.fromkeys(filter(None, map(canonical_street, names))))
    former = next((r.old_commune_name for r in records if r.old_commune_name), "")
    lon, lat = map(_mean, _places(records))
    return StreetRow(first.street_id, first.street_name, search, _postcodes(records), former, lon, lat, len(records))


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


def _places(records: Sequence[AddressRecord]) -> tuple[list[float], list[float]]:
    """The longitudes and the latitudes of those records that have a point."""
    return [r.lon for r in records if r.lon is not None], [r.lat for r in records if r.lat is not None]


def _mean(degrees: Sequence[float]) -> float | None:
    return round(sum(degrees) / len(degrees), POINT_DECIMALS) if degrees else None
