"""Altitudes of parcels: imported ones, and a cache of those that the altimetry service gave."""

from collections.abc import Sequence

from sqlalchemy import Connection, Index, delete, func, select

from land.datasets.relief.records import ParcelAltitudes
from land.store.loads import lock
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, of_parcels
from land.store.repository import Repository
from land.store.tables import table_of, upsert

altitude = table_of(
    ParcelAltitudes, "altitude", ["commune_code", "parcel_id"], Index("altitude_retrieved", "retrieved_at")
)
ALTITUDES = Repository(altitude, ParcelAltitudes, ["commune_code"])
MAX_CACHED = 200_000
"""Parcels whose altitudes the service gave. They take about 0.7 KB each."""
_a = altitude.c
_BY_ID = ALTITUDES.of_parcels()
dates_of = Prepared(
    select(_a.parcel_id, _a.retrieved_at).where(_a.commune_code.in_(IN_COMMUNES), _a.parcel_id.in_(WITH_IDS))
).pairs(of_parcels)
"""When the altimetry service gave the stored altitudes, by parcel id. Empty texts for imported ones."""
_CACHED = _a.retrieved_at > ""


def altitudes_of(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, ParcelAltitudes]:
    """The stored altitudes, by parcel id."""
    return {row.parcel_id: row for row in ALTITUDES.read(connection, _BY_ID, of_parcels(parcel_ids))}


def cache(connection: Connection, dataset: str, rows: Sequence[ParcelAltitudes], max_cached: int = MAX_CACHED) -> None:
    """Adds or replaces cached rows, in the caller's transaction. Imported ones stay. Evicts the oldest above the
    maximum.
    """
    for commune in sorted({row.commune_code for row in rows}):
        lock(connection, f"{dataset} {commune} ")  # as an import does
    connection.execute(upsert(connection, altitude, where=_CACHED), [row._asdict() for row in rows])
    excess = (connection.scalar(select(func.count()).where(_CACHED)) or 0) - max_cached
    if excess > 0:
        oldest = select(_a.retrieved_at).where(_CACHED).order_by(_a.retrieved_at).offset(excess - 1).limit(1)
        connection.execute(delete(altitude).where(_CACHED, _a.retrieved_at <= oldest.scalar_subquery()))
