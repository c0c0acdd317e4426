"""Documents of lineage, by the parcels that they name."""

from collections.abc import Iterator

from sqlalchemy import Connection, Index, bindparam

from land.datasets.facts import Fact, values_of
from land.datasets.lineage.records import LineageRecord, documented_changes
from land.datasets.parcels.queries import of_section
from land.datasets.partitions import Partition
from land.store.events import watched_communes
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, of_parcels
from land.store.repository import Repository
from land.store.tables import table_of

parcel_lineage = table_of(
    LineageRecord,
    "parcel_lineage",
    [],
    Index("parcel_lineage_parcel", "commune_code", "parcel_id"),
    Index("parcel_lineage_lot", "commune_code", "lot"),
    Index("parcel_lineage_department", "department"),
)
"""It has no primary key: files repeat lines, far apart."""
LINEAGE = Repository(parcel_lineage, LineageRecord, ["department"])
_named = parcel_lineage.alias()
_LOTS = (
    LINEAGE.select()
    .join(_named, (_named.c.commune_code == parcel_lineage.c.commune_code) & (_named.c.lot == parcel_lineage.c.lot))
    .distinct()
)
lots_of = LINEAGE.reading(
    Prepared(_LOTS.where(_named.c.commune_code.in_(IN_COMMUNES), _named.c.parcel_id.in_(WITH_IDS))), of_parcels
)
"""The records of all lots that name one of these parcels, each once, in no order."""
lots_of_section = LINEAGE.reading(
    Prepared(
        _LOTS.where(
            _named.c.commune_code == bindparam("commune"),
            _named.c.parcel_id.between(bindparam("first"), bindparam("last")),
        )
    ),
    of_section,
)
"""The records of all lots that name a parcel of a section, by the first ten characters of its parcels' ids."""
_ALL_OF_COMMUNE = Prepared(LINEAGE.select().where(parcel_lineage.c.commune_code == bindparam("commune")).distinct())
has_lineage = LINEAGE.has_rows()
"""Whether the loaded file has any document of the commune."""


def facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """The changes by documents of a département, at each of their parcels, in the communes with watches."""
    for commune in watched_communes(connection, partition.code):
        records = LINEAGE.read(connection, _ALL_OF_COMMUNE, {"commune": commune})
        for (_, lot), change in documented_changes(records).items():
            value = values_of(change, ("mothers", "daughters", "kind", "date", "nature", "document"))
            for parcel_id in (*change.mothers, *change.daughters):
                yield Fact("lineage", lot, value, parcel_id)
