"""What was fetched on demand, when, and when it was last used; and what is there at all, however it came."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from land.store.tables import dataset_load, fetch

_PRESENT = select(dataset_load.c.dataset, dataset_load.c.unit).where(
    dataset_load.c.unit.in_(bindparam("units", expanding=True))
)
_FETCHES = select(fetch.c.dataset, fetch.c.unit, fetch.c.is_complete).where(
    fetch.c.unit.in_(bindparam("units", expanding=True))
)


@dataclass(frozen=True)
class Fetch:
    """The files of one dataset that were fetched for a commune. Instants are RFC 3339 UTC."""

    dataset: str
    unit: str
    commune_code: str
    is_complete: bool
    """False from before the first file until after the last, so also where the load was ended midway or failed."""
    fetched_at: str
    used_at: str
    size_bytes: int
    """Of the records; the store with its indexes takes about 1.2 times as much on SQLite, 2.1 times on PostgreSQL."""


def present(connection: Connection, units: Iterable[str]) -> set[tuple[str, str]]:
    """The (dataset, unit) that are wholly there: fetched to the end, or imported by somebody."""
    wanted = {"units": sorted(set(units))}
    found = {(row.dataset, row.unit) for row in connection.execute(_PRESENT, wanted)}
    for row in connection.execute(_FETCHES, wanted):
        (found.add if row.is_complete else found.discard)((row.dataset, row.unit))
    return found


def find(connection: Connection, dataset: str, unit: str) -> Fetch | None:
    row = connection.execute(select(fetch).where(fetch.c.dataset == dataset, fetch.c.unit == unit)).first()
    return None if row is None else Fetch(**row._mapping)


def begin(connection: Connection, dataset: str, unit: str, commune_code: str, now: str) -> None:
    """Notes that a fetch is under way, before its first file. What is there already stays so: its edition serves on."""
    if find(connection, dataset, unit) is None:
        is_there = (dataset, unit) in present(connection, [unit])
        row = Fetch(dataset, unit, commune_code, is_there, now, now, 0)
        connection.execute(insert(fetch).values(**vars(row)))


def complete(connection: Connection, dataset: str, unit: str, now: str, size_bytes: int) -> None:
    connection.execute(
        update(fetch)
        .where(fetch.c.dataset == dataset, fetch.c.unit == unit)
        .values(is_complete=True, fetched_at=now, size_bytes=size_bytes)
    )


def use(connection: Connection, keys: Sequence[tuple[str, str]], now: str) -> None:
    """Notes that these (dataset, unit) served an answer."""
    for dataset, unit in keys:
        connection.execute(update(fetch).where(fetch.c.dataset == dataset, fetch.c.unit == unit).values(used_at=now))


def forget(connection: Connection, dataset: str, unit: str) -> None:
    connection.execute(delete(fetch).where(fetch.c.dataset == dataset, fetch.c.unit == unit))


def total_bytes(connection: Connection) -> int:
    return int(connection.scalar(select(func.sum(fetch.c.size_bytes))) or 0)


def least_recently_used(
    connection: Connection, datasets: Iterable[str], keep: Iterable[str], limit: int
) -> list[Fetch]:
    """Complete ones of these datasets with something to give back, but those of the units `keep`."""
    statement = (
        select(fetch)
        .where(
            fetch.c.is_complete,
            fetch.c.size_bytes > 0,
            fetch.c.dataset.in_(sorted(datasets)),
            fetch.c.unit.not_in(sorted(keep)),
        )
        .order_by(fetch.c.used_at, fetch.c.fetched_at, fetch.c.dataset, fetch.c.unit)
        .limit(limit)
    )
    return [Fetch(**row._mapping) for row in connection.execute(statement)]


def fetched_before(connection: Connection, instant: str, limit: int) -> list[Fetch]:
    """Complete ones whose files were fetched before an instant, the oldest first."""
    statement = (
        select(fetch).where(fetch.c.is_complete, fetch.c.fetched_at < instant).order_by(fetch.c.fetched_at).limit(limit)
    )
    return [Fetch(**row._mapping) for row in connection.execute(statement)]


def of_unit(connection: Connection, unit: str) -> list[Fetch]:
    """All of one unit, or of every one where it is empty, in order of unit and dataset."""
    statement = select(fetch).order_by(fetch.c.unit, fetch.c.dataset)
    if unit:
        statement = statement.where(fetch.c.unit == unit)
    return [Fetch(**row._mapping) for row in connection.execute(statement)]


def loaded_units(connection: Connection, older_than: str) -> list[tuple[str, str]]:
    """Every (dataset, unit) that is there, however it came, and of which no part was retrieved since the instant."""
    statement = (
        select(dataset_load.c.dataset, dataset_load.c.unit)
        .group_by(dataset_load.c.dataset, dataset_load.c.unit)
        .having(func.max(dataset_load.c.retrieved_at) < older_than)
        .order_by(dataset_load.c.unit, dataset_load.c.dataset)
    )
    return [(row.dataset, row.unit) for row in connection.execute(statement)]
