"""Energy ratings, counted by place."""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, select

from land.datasets.addresses.street_queries import address
from land.datasets.energy.records import NearbyRating, RatingCountRecord
from land.store.boxes import Box, merged
from land.store.prepared import IN_COMMUNES, Prepared
from land.store.repository import Repository
from land.store.snapshot import Snapshot
from land.store.tables import table_of

energy_rating = table_of(RatingCountRecord, "energy_rating", ["commune_code", "lat", "lon", "part", "place"])
RATINGS = Repository(energy_rating, RatingCountRecord, ["commune_code", "part"])
MAX_ROWS = 5_000
"""Rows that one box gives: several times those of a tall block of flats and its neighbours."""
_r, _a = energy_rating.c, address.c
_IN_BOX = Prepared(
    select(*RATINGS.columns, _a.lon, _a.lat, _a.parcel_ids)
    .outerjoin(
        address,
        (_a.commune_code == _r.commune_code)
        & (_a.street_id == _r.street_id)
        & (_a.number == _r.house_number)
        & (_a.suffix == _r.suffix),
    )
    .where(
        _r.commune_code.in_(IN_COMMUNES),
        _r.lat.between(bindparam("south"), bindparam("north")),
        _r.lon.between(bindparam("west"), bindparam("east")),
    )
    .limit(MAX_ROWS)
)


def ratings_in_boxes(connection: Snapshot, communes: Iterable[str], boxes: Sequence[Box]) -> list[NearbyRating]:
    """Ratings of these communes whose point lies in one of the boxes, each once, in no order."""
    in_communes = {"communes": sorted(communes)}
    rows = {row for box in merged(boxes) for row in _IN_BOX.rows(connection, in_communes | box._asdict())}
    return [NearbyRating(RatingCountRecord._make(row[:-3]), *row[-3:]) for row in rows]
