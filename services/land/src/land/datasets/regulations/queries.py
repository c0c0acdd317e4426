"""The rules of zones, as they were read in the regulations of planning documents."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, select

from land.datasets.partitions import Partition
from land.datasets.planning.attributes import deposit_of
from land.datasets.planning.queries import planning_zone
from land.datasets.regulations.records import RegulationRecord
from land.store import fetches, loads
from land.store.prepared import Prepared, any_of
from land.store.repository import Repository
from land.store.tables import table_of

DATASET = "gpu-regulations"
planning_regulation = table_of(RegulationRecord, "planning_regulation", ["partition", "part", "label", "url"])
REGULATIONS = Repository(planning_regulation, RegulationRecord, ["partition", "part"])
_p = planning_regulation.c
_OF_URLS = Prepared(
    select(_p.part, *REGULATIONS.columns)
    .where(_p.partition.in_(any_of("partitions")), _p.url.in_(any_of("urls")))
    .order_by(_p.part)
)


class NamedZone(NamedTuple):
    """A zone that names the file of its rules."""

    label: str
    url: str
    document_id: str


def zones_of(connection: Connection, partition: str) -> list[NamedZone]:
    """The zones of a document that name the file of their rules, each label and place once."""
    columns = planning_zone.c
    statement = (
        select(columns.label, columns.regulation_url, columns.document_id)
        .where(columns.partition == partition, columns.regulation_url.is_not(None))
        .distinct()
    )
    return [NamedZone(*row) for row in sorted(connection.execute(statement))]


def read_zones(
    connection: Connection, partitions: Collection[str], urls: Collection[str]
) -> list[tuple[str, RegulationRecord]]:
    """The rows of these addresses, each with the name of its file."""
    rows = _OF_URLS.rows(connection, {"partitions": sorted(partitions), "urls": sorted(urls)})
    return [(row[0], RegulationRecord(*row[1:])) for row in rows]


def forget_outdated(connection: Connection, partition: str) -> None:
    """Drops what was read of a document whose zones now name other places, so that it is loaded again."""
    stored = connection.execute(select(_p.label, _p.url, _p.document_id).where(_p.partition == partition))
    named = {zone for zone in zones_of(connection, partition) if deposit_of(zone.url)}
    if not {*map(NamedZone._make, stored)} >= named:
        drop_parts(connection, partition, loads.parts_of(connection, DATASET, partition))
        fetches.forget(connection, DATASET, partition)


def drop_parts(connection: Connection, partition: str, parts: Sequence[str]) -> None:
    """Deletes the rows and the loads of these files."""
    for part in parts:
        REGULATIONS.replace(connection, DATASET, Partition(partition, part), [])
        loads.drop_part(connection, DATASET, Partition(partition, part))
