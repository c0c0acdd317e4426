"""What is loaded: one row per (dataset, partition, part), and a revision per dataset that caches compare.

Statements that every request runs are built once, because building one takes longer than running it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    bindparam,
    delete,
    distinct,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from land.datasets.partitions import DEMO_DEPARTMENT, Partition
from land.store.boxes import Box, ids_in_tree, meets_boxes
from land.store.prepared import Prepared, any_of
from land.store.snapshot import STANDBY
from land.store.tables import dataset_load, dropped_partition, revision

_l = dataset_load.c
_KEY = (_l.dataset, _l.partition, _l.part)
_REVISIONS = Prepared(select(revision.c.dataset, revision.c.value))
_REVISION = select(revision.c.value).where(revision.c.dataset == bindparam("dataset"))
_THIS = [column == bindparam(f"of_{column.name}") for column in _KEY]
_FIND = select(dataset_load).where(*_THIS)
_DELETE = delete(dataset_load).where(*_THIS)
_INSERTS: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


_COMMUNE_CODE_LENGTH = 5
UNKNOWN_EDITION = "unknown"
"""If neither the file nor the import command states one."""


def is_newer(edition: str, than: str) -> bool:
    """Whether an edition is known to be newer. It is not known of unknown editions, nor of 2026 and 2026-01-01."""
    if UNKNOWN_EDITION in (edition, than):
        return False
    return edition > than and not edition.startswith(than)


@dataclass(frozen=True)
class Load:
    """A loaded edition of a partition of a dataset. Instants are RFC 3339 UTC."""

    dataset: str
    partition: Partition
    edition: str
    url: str
    retrieved_at: str
    loaded_at: str
    row_count: int
    rejected_count: int
    digest: str


_OF_PARTITIONS = Prepared(
    select(_l.dataset, _l.partition, _l.part, *(_l[name] for name in list(Load.__dataclass_fields__)[2:]))
    .where(_l.partition.in_(any_of("partitions")))
    .order_by(*_KEY)
)


_IDENTITIES = Prepared(
    select(*_KEY, _l.revision, _l.digest, _l.edition, _l.retrieved_at, _l.loaded_at).where(
        _l.partition.in_(any_of("partitions"))
    )
)
_PARTITIONS_IN = Prepared(
    text(
        "SELECT DISTINCT partition FROM dataset_load"  # noqa: S608 (no values)
        f" WHERE {meets_boxes('ST_MakeEnvelope(west, south, east, north, 4326)')}"
    ),
    sqlite=text(ids_in_tree("load_box", "partition")),
)


def lock(connection: Connection, name: str) -> None:
    """Holds an advisory lock until the transaction ends. On SQLite the write lock of the database does the same."""
    if connection.dialect.name != "sqlite":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def find(connection: Connection, dataset: str, partition: Partition) -> Load | None:
    row = connection.execute(_FIND, _this(dataset, partition)).first()
    return None if row is None else _load(row._mapping)


def of_partitions(connection: Connection, partitions: Sequence[str]) -> list[Load]:
    """Every load of these partitions, of all datasets, in order of dataset, partition and part."""
    rows = _OF_PARTITIONS.rows(connection, {"partitions": list(partitions)})
    return [Load(dataset, Partition(code, part), *values) for dataset, code, part, *values in rows]


def partitions_in(connection: Connection, boxes: Sequence[Box]) -> set[str]:
    """The codes of the partitions that have rows in one of these boxes, in degrees, or near them."""
    return set(_PARTITIONS_IN.values(connection, {"boxes": json.dumps(boxes)}))


def identities(connection: Connection, partitions: Collection[str]) -> list[tuple[Any, ...]]:
    """What tells every load of these partitions, of all datasets, from any other one, in order."""
    return sorted(_IDENTITIES.rows(connection, {"partitions": list(partitions)}))


def page(
    connection: Connection, partitions: Sequence[str], department: str, after: tuple[str, str, str], limit: int
) -> list[Load]:
    """Loads after a (dataset, partition, part); only of these partitions or of this département, if given."""
    dataset, partition, part = after
    in_dataset = (_l.partition > partition) | ((_l.partition == partition) & (_l.part > part))
    statement = select(dataset_load).where((_l.dataset > dataset) | ((_l.dataset == dataset) & in_dataset))
    if partitions:
        statement = statement.where(_l.partition.in_(partitions))
    if department:
        statement = statement.where(_is_in(department))
    return [_load(row._mapping) for row in connection.execute(statement.order_by(*_KEY).limit(limit))]


def partitions_since(connection: Connection, dataset: str, since: int) -> list[str]:
    """Partitions of the dataset that were loaded or dropped after the revision `since`."""
    dropped = dropped_partition.c
    changed = select(_l.partition).where(_l.dataset == dataset, _l.revision > since)
    return list(
        connection.scalars(
            changed.union(select(dropped.partition).where(dropped.dataset == dataset, dropped.revision > since))
        )
    )


def newer_count(connection: Connection, dataset: str, partitions: Sequence[Partition], edition: str) -> int:
    """How many of these partitions have a load of an edition that is known to be newer than this one."""
    if edition == UNKNOWN_EDITION:
        return 0
    loads = [find(connection, dataset, partition) for partition in partitions]
    return sum(load is not None and is_newer(load.edition, edition) for load in loads)


def ages(connection: Connection) -> list[tuple[str, int, str, str]]:
    """Each dataset with its number of partitions, and when the oldest and the newest one was retrieved. The demo does
    not count.
    """
    retrieved = (func.count(), func.min(_l.retrieved_at), func.max(_l.retrieved_at))
    statement = select(_l.dataset, *retrieved).where(~_is_in(DEMO_DEPARTMENT)).group_by(_l.dataset)
    return [(dataset, count, oldest, newest) for dataset, count, oldest, newest in connection.execute(statement)]


class DatasetLoads(NamedTuple):
    """All loads of a dataset together. Unknown editions do not count."""

    dataset: str
    partition_count: int
    oldest_edition: str | None
    newest_edition: str | None
    loaded_at: str


def by_dataset(connection: Connection) -> dict[str, DatasetLoads]:
    """What is loaded of each dataset, by id. The demo does not count."""
    edition = func.nullif(_l.edition, UNKNOWN_EDITION)
    values = (func.count(distinct(_l.partition)), func.min(edition), func.max(edition), func.max(_l.loaded_at))
    statement = select(_l.dataset, *values).where(~_is_in(DEMO_DEPARTMENT)).group_by(_l.dataset)
    return {row.dataset: DatasetLoads(*row) for row in connection.execute(statement)}


def communes_after(
    connection: Connection, datasets: Collection[str], department: str, after: str, limit: int
) -> list[str]:
    """The communes after a code with a partition of one of these datasets, in order; only of this département, if
    given. Other partitions of these datasets, such as documents of easements, have longer codes.
    """
    is_commune = func.length(_l.partition) == _COMMUNE_CODE_LENGTH
    statement = (
        select(_l.partition).where(_l.dataset.in_(sorted(datasets)), _l.partition > after, is_commune).distinct()
    )
    if department:
        statement = statement.where(_is_in(department))
    return list(connection.scalars(statement.order_by(_l.partition).limit(limit)))


def current_revision(connection: Connection, dataset: str) -> int:
    """The number of loads and drops of the dataset until now."""
    return connection.scalar(_REVISION, {"dataset": dataset}) or 0


def revisions(connection: Connection, datasets: Collection[str] | None = None) -> dict[str, int]:
    """The revisions of these datasets, or of all, without those that were never loaded. Raises StandbyFailed if the
    connection leads to a standby that is too old.
    """
    all_revisions: dict[str, int] = dict(_REVISIONS.rows(connection))
    standby = connection.get_execution_options().get(STANDBY)
    if standby is not None:
        standby.require_recent(all_revisions)
    if datasets is None:
        return all_revisions
    return {name: all_revisions[name] for name in datasets if name in all_revisions}


def put(connection: Connection, load: Load, extent: Box | None = None) -> None:
    """Replaces the row of a load. `extent` is the box around its rows, None if none has a place. Locks the dataset's
    revision, so it comes last in the transaction.
    """
    number = _next_revision(connection, load.dataset)
    connection.execute(_DELETE, _this(load.dataset, load.partition))
    code, part = load.partition
    row = {**vars(load), "partition": code, "part": part, "revision": number}
    connection.execute(insert(dataset_load), row | (extent._asdict() if extent else {}))


def put_retrieval(connection: Connection, load: Load, retrieved_at: str) -> None:
    """Records that the publisher still has this edition. Locks the dataset's revision, as `put`."""
    number = _next_revision(connection, load.dataset)
    changed = {"retrieved_at": retrieved_at, "revision": number}
    connection.execute(update(dataset_load).where(*_THIS).values(changed), _this(load.dataset, load.partition))


def drop(connection: Connection, dataset: str, partition: str) -> None:
    """Deletes every load of a partition, whose rows the caller has deleted. Locks the dataset's revision, as `put`."""
    number = _next_revision(connection, dataset)
    for table in (dataset_load, dropped_partition):
        connection.execute(delete(table).where(table.c.dataset == dataset, table.c.partition == partition))
    connection.execute(insert(dropped_partition).values(dataset=dataset, partition=partition, revision=number))


def parts_of(connection: Connection, dataset: str, partition: str) -> list[str]:
    """The loaded parts of a partition, in order."""
    statement = select(_l.part).where(_l.dataset == dataset, _l.partition == partition)
    return sorted(connection.scalars(statement))


def _is_in(department: str) -> ColumnElement[bool]:
    """Whether a partition is of the département: a commune, a planning document, or a document of easements."""
    named = _l.partition.startswith(f"DU_{department}") | _l.partition.contains(f"SUP_{department}")
    return _l.partition.startswith(department) | named


def _this(dataset: str, partition: Partition) -> dict[str, str]:
    return {"of_dataset": dataset, "of_partition": partition.code, "of_part": partition.part}


def _next_revision(connection: Connection, dataset: str) -> int:
    first = _INSERTS[connection.dialect.name](revision).values(dataset=dataset, value=1)
    raised = first.on_conflict_do_update(index_elements=["dataset"], set_={"value": revision.c.value + 1})
    connection.execute(raised)
    return current_revision(connection, dataset)


def _load(row: RowMapping) -> Load:
    values = {name: row[name] for name in Load.__dataclass_fields__}
    return Load(**{**values, "partition": Partition(row["partition"], row["part"])})
