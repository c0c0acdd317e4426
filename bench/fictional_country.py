"""Writes the addresses of a fictional country to a store, faster than an import: SQL makes the numbers of streets."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fictional_regions import realistic_street_names, sized_communes
from sqlalchemy import Engine, select, text

from land.addresses.normalise import canonical_street
from land.addresses.place_index import Point
from land.datasets.addresses.records import AddressCommuneRow, AddressRow, StreetRow
from land.datasets.addresses.registration import BAN
from land.datasets.addresses.street_queries import street
from land.datasets.partitions import Partition
from land.store import loads
from land.store.loads import Load
from servicekit.database import for_writing

COMMUNES, ADDRESSES, STREETS = 35_000, 26_000_000, 2_100_000
NUMBER = 1
"""A number that each street has."""
BATCH = 200
_SAMPLED = 0.1
"""The share of communes that are returned, to ask for."""
_WRITTEN = "2026-01-02T03:04:05Z"
_METRES_PER_DEGREE = 100_000.0
_NUMBERS = text(
    "INSERT INTO address (commune_code, street_id, number, suffix, postcode, lon, lat, parcel_ids)"
    " WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)"
    " SELECT commune_code, street_id, n, '', postcodes, lon + n * 0.0001, lat, '' FROM street CROSS JOIN numbers"
    " WHERE commune_code = :commune AND address_count = :count AND n > 1"
)


@dataclass(frozen=True)
class SampledCommune:
    """A commune and its streets."""

    code: str
    name: str
    place: Point
    streets: Sequence[str]


def write_streets(engine: Engine, communes: int, addresses: int, streets: int) -> list[SampledCommune]:
    """Writes the communes and their streets, each with one number. Returns some of the communes."""
    sized = sized_communes(communes, addresses, "mainland")
    shares = [sized_commune.address_count**0.8 for sized_commune in sized]
    per_share = streets / sum(shares)
    sampled = []
    for start in range(0, len(sized), BATCH):
        with for_writing(engine).begin() as connection:
            for sized_commune, share in zip(sized[start : start + BATCH], shares[start : start + BATCH], strict=True):
                commune, partition = sized_commune.commune, Partition(sized_commune.commune.code)
                random_ = random.Random(commune.code)  # noqa: S311 (deterministic)
                x, y = commune.origin
                place = Point(42.0 + y / _METRES_PER_DEGREE, -4.0 + x / _METRES_PER_DEGREE)
                names = realistic_street_names(sized_commune.words, random_)
                street_names = [next(names) for _ in range(max(1, round(share * per_share)))]
                at, postcode = {"lon": place.lon, "lat": place.lat}, commune.postcode
                count, rest = divmod(sized_commune.address_count, len(street_names))
                street_rows = [
                    StreetRow(
                        street_id=f"{commune.code}_{i:04}",
                        name=name,
                        search_names=canonical_street(name),
                        postcodes=postcode,
                        former_commune_name="",
                        address_count=size,
                        **at,
                    )
                    for i, name in enumerate(street_names)
                    if (size := count + (i < rest))
                ]
                row = AddressCommuneRow(
                    name=commune.name, postcodes=postcode, former_names="", geometry=None,
                    address_count=sized_commune.address_count, **at,
                )  # fmt: skip
                numbers = [
                    AddressRow(of.street_id, NUMBER, suffix="", ban_id=None, postcode=postcode, parcel_ids="", **at)
                    for of in street_rows
                ]
                BAN.write(connection, BAN.id, partition, [row], street_rows, numbers)
                loads.put(
                    connection,
                    Load(BAN.id, partition, "e1", "made", _WRITTEN, _WRITTEN, len(street_rows), 0, ""),
                )
                if random_.random() < _SAMPLED:
                    sampled.append(SampledCommune(commune.code, commune.name, place, street_names))
    return sampled


def write_numbers(engine: Engine) -> None:
    """Writes the other numbers of each street, from 2 to the number of its addresses."""
    with for_writing(engine).begin() as connection:
        counts = connection.execute(select(street.c.commune_code, street.c.address_count).distinct()).all()
        rows = [{"commune": commune, "count": count} for commune, count in counts if count > 1]
        connection.execute(_NUMBERS, rows)
