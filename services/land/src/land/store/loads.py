"""What is loaded: one row for each (dataset, unit, part), and a counter that tells caches of a change.

Statements that every request runs are built once: building one takes longer than running it.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from land.records import Unit
from land.store.tables import dataset_load, revision

_OF_UNITS = (
    select(dataset_load)
    .where(dataset_load.c.unit.in_(bindparam("units", expanding=True)))
    .order_by(dataset_load.c.dataset, dataset_load.c.unit, dataset_load.c.part)
)
_REVISION = select(revision.c.value).where(revision.c.dataset == bindparam("dataset"))


@dataclass(frozen=True)
class Load:
    """An edition of a dataset over one unit. Instants are RFC 3339 UTC."""

    dataset: str
    unit: Unit
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


def find(connection: Connection, dataset: str, unit: Unit) -> Load | None:
    row = connection.execute(
        select(dataset_load).where(
            dataset_load.c.dataset == dataset, dataset_load.c.unit == unit.code, dataset_load.c.part == unit.part
        )
    ).first()
    return None if row is None else _load(row)


def of_units(connection: Connection, units: list[str]) -> list[Load]:
    """Every load of these units, whatever the dataset, in a stable order."""
    return [_load(row) for row in connection.execute(_OF_UNITS, {"units": units})]


def page(connection: Connection, unit: str, department: str, after: tuple[str, str, str], limit: int) -> list[Load]:
    """Loads after a (dataset, unit, part), of one unit or of one department where given."""
    key = (dataset_load.c.dataset, dataset_load.c.unit, dataset_load.c.part)
    statement = select(dataset_load).order_by(*key).limit(limit)
    dataset, last_unit, part = after
    statement = statement.where(
        (key[0] > dataset) | ((key[0] == dataset) & ((key[1] > last_unit) | ((key[1] == last_unit) & (key[2] > part))))
    )
    if unit:
        statement = statement.where(dataset_load.c.unit == unit)
    if department:
        statement = statement.where(dataset_load.c.unit.startswith(department))
    return [_load(row) for row in connection.execute(statement)]


def units_since(connection: Connection, dataset: str, since: int) -> list[str]:
    """Units of the dataset that were loaded after the revision `since`."""
    statement = select(dataset_load.c.unit).where(dataset_load.c.dataset == dataset, dataset_load.c.revision > since)
    return list(connection.scalars(statement))


def current_revision(connection: Connection, dataset: str) -> int:
    return connection.scalar(_REVISION, {"dataset": dataset}) or 0


def put(connection: Connection, load: Load) -> None:
    """Records a load in place of the one before. Takes the dataset's revision, so it comes last in the transaction."""
    raised = connection.execute(
        update(revision).where(revision.c.dataset == load.dataset).values(value=revision.c.value + 1)
    )
    if raised.rowcount == 0:
        connection.execute(insert(revision).values(dataset=load.dataset, value=1))
    number = current_revision(connection, load.dataset)
    connection.execute(
        delete(dataset_load).where(
            dataset_load.c.dataset == load.dataset,
            dataset_load.c.unit == load.unit.code,
            dataset_load.c.part == load.unit.part,
        )
    )
    connection.execute(
        insert(dataset_load).values(
            dataset=load.dataset,
            unit=load.unit.code,
            part=load.unit.part,
            edition=load.edition,
            url=load.url,
            retrieved_at=load.retrieved_at,
            loaded_at=load.loaded_at,
            row_count=load.row_count,
            rejected_count=load.rejected_count,
            digest=load.digest,
            revision=number,
        )
    )


def _load(row: object) -> Load:
    r: dict[str, object] = row._mapping  # type: ignore[attr-defined]
    fields = {key: r[key] for key in ("dataset", "edition", "url", "retrieved_at", "loaded_at", "row_count",
                                      "rejected_count", "digest")}  # fmt: skip
    return Load(unit=Unit(str(r["unit"]), str(r["part"])), **fields)  # type: ignore[arg-type]
