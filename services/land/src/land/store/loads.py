"""What is loaded: one row for each (dataset, unit, part), and a counter that tells caches of a change.

Statements that every request runs are built once: building one takes longer than running it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from land.partitions import Partition
from land.store.tables import dataset_load, dropped_unit, revision

_OF_UNITS = (
    select(dataset_load)
    .where(dataset_load.c.unit.in_(bindparam("units", expanding=True)))
    .order_by(dataset_load.c.dataset, dataset_load.c.unit, dataset_load.c.part)
)
_REVISIONS = select(revision.c.dataset, revision.c.value)
_REVISION = select(revision.c.value).where(revision.c.dataset == bindparam("dataset"))
_THIS = (
    dataset_load.c.dataset == bindparam("of_dataset"),
    dataset_load.c.unit == bindparam("of_unit"),
    dataset_load.c.part == bindparam("of_part"),
)
_FIND = select(dataset_load).where(*_THIS)
_DELETE = delete(dataset_load).where(*_THIS)
_RAISE = update(revision).where(revision.c.dataset == bindparam("of")).values(value=revision.c.value + 1)


UNKNOWN_EDITION = "unknown"
"""Where neither the file nor whoever imported it states one."""


def is_newer(edition: str, than: str) -> bool:
    """Whether an edition is known to be newer. Of an unknown one, and of 2026 and 2026-01-01, it is not known."""
    if UNKNOWN_EDITION in (edition, than):
        return False
    return edition > than and not edition.startswith(than)


@dataclass(frozen=True)
class Load:
    """An edition of a dataset over one unit. Instants are RFC 3339 UTC."""

    dataset: str
    unit: Partition
    edition: str
    url: str
    retrieved_at: str
    loaded_at: str
    row_count: int
    rejected_count: int
    digest: str


def lock(connection: Connection, name: str) -> None:
    """Holds others off until this transaction ends. SQLite's write lock does that by itself."""
    if connection.dialect.name != "sqlite":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))


def find(connection: Connection, dataset: str, unit: Partition) -> Load | None:
    row = connection.execute(_FIND, _this(dataset, unit)).first()
    return None if row is None else _load(row)


def of_units(connection: Connection, units: list[str]) -> list[Load]:
    """Every load of these units, whatever the dataset, in a stable order."""
    return [_load(row) for row in connection.execute(_OF_UNITS, {"units": units})]


def page(
    connection: Connection, units: Sequence[str], department: str, after: tuple[str, str, str], limit: int
) -> list[Load]:
    """Loads after a (dataset, unit, part); where given, of these units or of one department only."""
    key = (dataset_load.c.dataset, dataset_load.c.unit, dataset_load.c.part)
    statement = select(dataset_load).order_by(*key).limit(limit)
    dataset, last_unit, part = after
    statement = statement.where(
        (key[0] > dataset) | ((key[0] == dataset) & ((key[1] > last_unit) | ((key[1] == last_unit) & (key[2] > part))))
    )
    if units:
        statement = statement.where(dataset_load.c.unit.in_(units))
    if department:
        named = dataset_load.c.unit.startswith(department)
        statement = statement.where(named | dataset_load.c.unit.startswith(f"DU_{department}"))
    return [_load(row) for row in connection.execute(statement)]


def units_since(connection: Connection, dataset: str, since: int) -> list[str]:
    """Units of the dataset that were loaded, or dropped, after the revision `since`."""
    changed = select(dataset_load.c.unit).where(dataset_load.c.dataset == dataset, dataset_load.c.revision > since)
    dropped = select(dropped_unit.c.unit).where(dropped_unit.c.dataset == dataset, dropped_unit.c.revision > since)
    return list(connection.scalars(changed.union(dropped)))


def newer_count(connection: Connection, dataset: str, units: Sequence[Partition], edition: str) -> int:
    """How many of these units have a load of an edition that is known to be newer than this one."""
    if edition == UNKNOWN_EDITION:
        return 0
    found = [find(connection, dataset, unit) for unit in units]
    return sum(load is not None and is_newer(load.edition, edition) for load in found)


def current_revision(connection: Connection, dataset: str) -> int:
    return connection.scalar(_REVISION, {"dataset": dataset}) or 0


def revisions(connection: Connection, datasets: Collection[str]) -> dict[str, int]:
    """The revisions of those of the datasets that were ever loaded."""
    return {dataset: value for dataset, value in connection.execute(_REVISIONS) if dataset in datasets}


def put(connection: Connection, load: Load) -> None:
    """Records a load in place of the one before. Takes the dataset's revision, so it comes last in the transaction."""
    number = _next_revision(connection, load.dataset)
    connection.execute(_DELETE, _this(load.dataset, load.unit))
    connection.execute(
        insert(dataset_load),
        {
            "dataset": load.dataset,
            "unit": load.unit.code,
            "part": load.unit.part,
            "edition": load.edition,
            "url": load.url,
            "retrieved_at": load.retrieved_at,
            "loaded_at": load.loaded_at,
            "row_count": load.row_count,
            "rejected_count": load.rejected_count,
            "digest": load.digest,
            "revision": number,
        },
    )


def _this(dataset: str, unit: Partition) -> dict[str, str]:
    return {"of_dataset": dataset, "of_unit": unit.code, "of_part": unit.part}


def drop(connection: Connection, dataset: str, unit: str) -> None:
    """Forgets every load of a unit, whose rows the caller has deleted. Takes the dataset's revision, as `put`."""
    number = _next_revision(connection, dataset)
    connection.execute(delete(dataset_load).where(dataset_load.c.dataset == dataset, dataset_load.c.unit == unit))
    connection.execute(delete(dropped_unit).where(dropped_unit.c.dataset == dataset, dropped_unit.c.unit == unit))
    connection.execute(insert(dropped_unit).values(dataset=dataset, unit=unit, revision=number))


def parts_of(connection: Connection, dataset: str, unit: str) -> list[str]:
    """The parts of a unit that are loaded, in order."""
    statement = select(dataset_load.c.part).where(dataset_load.c.dataset == dataset, dataset_load.c.unit == unit)
    return sorted(connection.scalars(statement))


def _next_revision(connection: Connection, dataset: str) -> int:
    raised = connection.execute(_RAISE, {"of": dataset})
    if raised.rowcount == 0:
        connection.execute(insert(revision).values(dataset=dataset, value=1))
    return current_revision(connection, dataset)


def _load(row: object) -> Load:
    r: dict[str, object] = row._mapping  # type: ignore[attr-defined]
    fields = {key: r[key] for key in ("dataset", "edition", "url", "retrieved_at", "loaded_at", "row_count",
                                      "rejected_count", "digest")}  # fmt: skip
    return Load(unit=Partition(str(r["unit"]), str(r["part"])), **fields)  # type: ignore[arg-type]
