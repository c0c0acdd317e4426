"""What is loaded: one row per (dataset, partition, part), and a revision per dataset that caches compare.

Statements that every request runs are built once, because building one takes longer than running it.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, delete, distinct, func, insert, select, text, true, update

from land.datasets.partitions import DEMO_DEPARTMENT, Partition
from land.store.boxes import Box, ids_in_tree, meets_boxes
from land.store.prepared import Prepared, any_of
from land.store.snapshot import STANDBY
from land.store.tables import dataset_load, dropped_partition, revision, upsert

_l = dataset_load.c
_KEY = (_l.dataset, _l.partition, _l.part)
_REVISIONS = Prepared(select(revision.c.dataset, revision.c.value))
COMMUNE_CODE_LENGTH = 5
UNKNOWN_EDITION = "unknown"
"""If neither the file nor the import command states one."""


def is_newer(edition: str, than: str) -> bool:
    """Whether an edition is known to be newer. It is not known of unknown editions, nor of 2026 and 2026-01-01."""
    return UNKNOWN_EDITION not in (edition, than) and edition > than and not edition.startswith(than)


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


_LOADS = select(*_KEY, *(_l[name] for name in list(Load.__dataclass_fields__)[2:])).order_by(*_KEY)
_OF_PARTITIONS = Prepared(_LOADS.where(_l.partition.in_(any_of("partitions"))))
_IS_LOAD = [column == bindparam(f"of_{column.name}") for column in _KEY]
_FIND = Prepared(_LOADS.where(*_IS_LOAD))
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
    return next((_load(*row) for row in _FIND.rows(connection, _key_of(dataset, partition))), None)


def of_partitions(connection: Connection, partitions: Sequence[str]) -> list[Load]:
    """Every load of these partitions, of all datasets, in order of dataset, partition and part."""
    return [_load(*row) for row in _OF_PARTITIONS.rows(connection, {"partitions": list(partitions)})]


def partitions_in(connection: Connection, boxes: Sequence[Box]) -> set[str]:
    """The codes of the partitions that have rows in one of these boxes, in degrees, or near them."""
    return set(_PARTITIONS_IN.values(connection, {"boxes": json.dumps(boxes)}))


def boxes_of(connection: Connection, partitions: Collection[str]) -> dict[str, Box]:
    """The box around the rows of each of these partitions that has places."""
    extent = func.min(_l.west), func.min(_l.south), func.max(_l.east), func.max(_l.north)
    statement = select(_l.partition, *extent).where(_l.partition.in_(sorted(partitions)), _l.west.is_not(None))
    return {code: Box(*box) for code, *box in connection.execute(statement.group_by(_l.partition))}


def identities(connection: Connection, partitions: Collection[str]) -> list[tuple[Any, ...]]:
    """What tells every load of these partitions, of all datasets, from any other one, in order."""
    return sorted(_IDENTITIES.rows(connection, {"partitions": list(partitions)}))


def page(
    connection: Connection, partitions: Sequence[str], department: str, after: tuple[str, str, str], limit: int
) -> list[Load]:
    """Loads after a (dataset, partition, part); only of these partitions or of this département, if given."""
    dataset, partition, part = after
    in_dataset = (_l.partition > partition) | ((_l.partition == partition) & (_l.part > part))
    statement = _LOADS.where(
        (_l.dataset > dataset) | ((_l.dataset == dataset) & in_dataset),
        _l.partition.in_(partitions) if partitions else true(),
        _is_in(department) if department else true(),
    )
    return [_load(*row) for row in connection.execute(statement.limit(limit))]


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


class DatasetLoads(NamedTuple):
    """All loads of a dataset together. Unknown editions do not count."""

    dataset: str
    partition_count: int
    oldest_edition: str | None
    newest_edition: str | None
    loaded_at: str
    """When the newest partition was loaded."""
    oldest_retrieved_at: str
    newest_retrieved_at: str


def by_dataset(connection: Connection) -> dict[str, DatasetLoads]:
    """What is loaded of each dataset, by id. The demo does not count."""
    edition = func.nullif(_l.edition, UNKNOWN_EDITION)
    values = (func.count(distinct(_l.partition)), func.min(edition), func.max(edition), func.max(_l.loaded_at))
    retrieved = func.min(_l.retrieved_at), func.max(_l.retrieved_at)
    statement = select(_l.dataset, *values, *retrieved).where(~_is_in(DEMO_DEPARTMENT)).group_by(_l.dataset)
    return {row.dataset: DatasetLoads(*row) for row in connection.execute(statement)}


def communes_after(
    connection: Connection, datasets: Collection[str], department: str, after: str, limit: int
) -> list[str]:
    """The communes after a code with a partition of one of these datasets, in order; only of this département, if
    given. Other partitions of these datasets, such as documents of easements, have longer codes.
    """
    is_commune = func.length(_l.partition) == COMMUNE_CODE_LENGTH
    is_selected = _is_in(department) if department else true()
    statement = (
        select(_l.partition)
        .where(_l.dataset.in_(sorted(datasets)), _l.partition > after, is_commune, is_selected)
        .distinct()
    )
    return list(connection.scalars(statement.order_by(_l.partition).limit(limit)))


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
    (code, part), number = load.partition, next_revision(connection, load.dataset)
    row = {**vars(load), "partition": code, "part": part, "revision": number}
    connection.execute(delete(dataset_load).where(*_IS_LOAD), _key_of(load.dataset, load.partition))
    connection.execute(insert(dataset_load), row | (extent._asdict() if extent else {}))


def put_retrieval(connection: Connection, load: Load, retrieved_at: str) -> None:
    """Records that the publisher still has this edition. Locks the dataset's revision, as `put`."""
    changed = {"retrieved_at": retrieved_at, "revision": next_revision(connection, load.dataset)}
    connection.execute(update(dataset_load).where(*_IS_LOAD).values(changed), _key_of(load.dataset, load.partition))


def drop(connection: Connection, dataset: str, partition: str) -> None:
    """Deletes every load of a partition, whose rows the caller has deleted. Locks the dataset's revision, as `put`."""
    number = next_revision(connection, dataset)
    connection.execute(delete(dataset_load).where(_l.dataset == dataset, _l.partition == partition))
    row = {"dataset": dataset, "partition": partition, "revision": number}
    connection.execute(upsert(connection, dropped_partition), row)


def drop_part(connection: Connection, dataset: str, partition: Partition) -> None:
    """Deletes the load of a part whose rows another dataset has replaced, which changes the revision of its own."""
    connection.execute(delete(dataset_load).where(*_IS_LOAD), _key_of(dataset, partition))


def has_rows_since(connection: Connection, dataset: str, part: str, instant: str) -> bool:
    """Whether rows of this part of any partition were downloaded since the instant, from a file of the partition."""
    is_recent = _l.dataset == dataset, _l.part == part, _l.row_count > 0, _l.retrieved_at >= instant
    is_own = _l.url.startswith("http"), _l.url.contains(_l.partition), ~_is_in(DEMO_DEPARTMENT)
    return connection.scalar(select(_l.partition).where(*is_recent, *is_own).limit(1)) is not None


def parts_of(connection: Connection, dataset: str, partition: str) -> list[str]:
    """The loaded parts of a partition, in order."""
    return sorted(connection.scalars(select(_l.part).where(_l.dataset == dataset, _l.partition == partition)))


def _is_in(department: str) -> ColumnElement[bool]:
    """Whether a partition is of the département: a commune, a planning document, or a document of easements."""
    named = _l.partition.startswith(f"DU_{department}") | _l.partition.contains(f"SUP_{department}")
    return _l.partition.startswith(department) | named


def _key_of(dataset: str, partition: Partition) -> dict[str, str]:
    return {"of_dataset": dataset, "of_partition": partition.code, "of_part": partition.part}


def next_revision(connection: Connection, dataset: str) -> int:
    """Adds one to the number of loads and drops of the dataset, and locks it."""
    statement = upsert(connection, revision, value=revision.c.value + 1).returning(revision.c.value)
    return int(connection.scalar(statement, {"dataset": dataset, "value": 1}))


def _load(dataset: str, code: str, part: str, *values: Any) -> Load:
    return Load(dataset, Partition(code, part), *values)
