"""Usage by hour and by day: adds counts and reads sums. Reports never read raw events."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import add as add_numbers
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, CompoundSelect, Connection, Table, and_, delete, literal, select

from keys.store.database import add_to_counts, among, summed
from keys.store.partner_records import VISITORS
from keys.store.tables import key_months, keys, usage_days, usage_hours, usage_latencies, usage_outcomes
from keys.values.buckets import Range
from keys.values.clock import day_of, hour_of, start_of_hour


class RollupKey(NamedTuple):
    """The primary key of an hourly count. The hour is the number of hours since 1970."""

    hour: int
    key_id: str
    endpoint: str


def add(connection: Connection, counts: Mapping[RollupKey, Mapping[str, int]]) -> None:
    """Adds the counts, which all have the same names. Rows are written in one order, to prevent deadlocks."""
    days: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
    for rollup_key, count in counts.items():
        days[day_of(start_of_hour(rollup_key.hour)), rollup_key.key_id, rollup_key.endpoint].update(count)
    add_to_counts(
        connection, usage_hours, [{**rollup_key._asdict(), **count} for rollup_key, count in sorted(counts.items())]
    )
    add_to_counts(
        connection,
        usage_days,
        [
            {"day": day, "key_id": key_id, "endpoint": endpoint, **count}
            for (day, key_id, endpoint), count in sorted(days.items())
        ],
    )


def add_months(connection: Connection, counts: Mapping[tuple[str, str], Mapping[str, int]]) -> None:
    """Adds the counts of keys and months, by the names of their columns. Rows are written in one order, too."""
    rows = [{"key_id": key_id, "month": month, **count} for (key_id, month), count in sorted(counts.items())]
    add_to_counts(connection, key_months, rows)


def move(connection: Connection, key_ids: list[str], new_id: str) -> None:
    """Adds all counts of the keys to those of another id, and deletes them. The keys must be locked."""
    for table in (usage_hours, usage_days, usage_outcomes, usage_latencies, key_months):
        of_keys = among(connection, table.c.key_id, key_ids)
        place = [column for column in table.primary_key.columns if column.name != "key_id"]
        sums = [summed(column).label(column.name) for column in table.columns if not column.primary_key]
        statement = select(*place, *sums).where(of_keys).group_by(*place).order_by(*place)
        rows = connection.execute(statement).mappings().all()
        add_to_counts(connection, table, [{**row, "key_id": new_id} for row in rows])
        connection.execute(delete(table).where(of_keys))


@dataclass(frozen=True)
class Sums:
    """`timed` is the number of requests with a known latency, and `latency_us` the sum of their latencies."""

    requests: int = 0
    errors: int = 0
    units: int = 0
    timed: int = 0
    latency_us: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(*map(add_numbers, vars(self).values(), vars(other).values()))

    @property
    def average_latency_ms(self) -> float | None:
        return self.latency_us / self.timed / 1_000 if self.timed else None


@dataclass(frozen=True)
class Scope:
    """Limits the usage to one key, one partner or several. A partner has the counts of its keys, and those that were
    moved to its own id. Without a member, all keys count but those of visitors, who are no customers.
    """

    key_id: str = ""
    partner_id: str = ""
    partner_ids: tuple[str, ...] = ()

    def of(self, key_id: ColumnElement[str]) -> ColumnElement[bool]:
        conditions: list[ColumnElement[bool]] = []
        if self.key_id:
            conditions.append(key_id == self.key_id)
        if self.partner_id:
            conditions.append(key_id.in_(_ids_of(self.partner_id)))
        if self.partner_ids:
            conditions.append(key_id.in_(select(keys.c.id).where(keys.c.partner_id.in_(self.partner_ids))))
        if not conditions:
            conditions.append(key_id.not_in(_ids_of(VISITORS)))
        return and_(*conditions)


def _ids_of(partner_id: str) -> CompoundSelect[tuple[str]]:
    """Selects the ids that have the counts of a partner."""
    return select(keys.c.id).where(keys.c.partner_id == partner_id).union_all(select(literal(partner_id)))


def sums_by_hour(connection: Connection, period: Range, scope: Scope) -> dict[int, Sums]:
    """Returns the sums of each hour with usage, by its number."""
    within = _between(usage_hours.c.hour, (hour_of(period.start), hour_of(period.end)))
    return {hour: sums for (hour,), sums in _sums_by(connection, within, scope, usage_hours.c.hour)}


def sums_by_day(connection: Connection, period: Range, scope: Scope) -> dict[int, Sums]:
    """Returns the sums of each day of Europe/Paris with usage, by its number. Only hours in the range count."""
    within = _between(usage_days.c.day, period.whole_days())
    by_day = {day: sums for (day,), sums in _sums_by(connection, within, scope, usage_days.c.day)}
    for first, end in period.odd_hours():
        for hour, sums in sums_by_hour(connection, Range(start_of_hour(first), start_of_hour(end)), scope).items():
            day = day_of(start_of_hour(hour))
            by_day[day] = by_day.get(day, Sums()) + sums
    return by_day


def sums_by_key_and_endpoint(
    connection: Connection, period: Range, scope: Scope
) -> Iterator[tuple[tuple[str, str], Sums]]:
    """Yields the sums of each key at each endpoint with usage. Those of whole days and of hours come apart."""
    for table, within in _parts(period):
        yield from _sums_by(connection, within, scope, table.c.key_id, table.c.endpoint)


def units_by_key(connection: Connection, period: Range, key_ids: list[str]) -> dict[str, int]:
    """Returns the units of each of the keys with usage."""
    units_of: dict[str, int] = {}
    for table, within in _parts(period):
        of_keys = among(connection, table.c.key_id, key_ids)
        statement = select(table.c.key_id, summed(table.c.units)).where(within, of_keys)
        for key_id, units in connection.execute(statement.group_by(table.c.key_id)):
            units_of[key_id] = units_of.get(key_id, 0) + units
    return units_of


def requests_by_day(connection: Connection, days: range, key_ids: list[str]) -> dict[str, tuple[int, ...]]:
    """Returns the requests of each key on each of the days of Europe/Paris."""
    c = usage_days.c
    within = _between(c.day, (days.start, days.stop))
    statement = select(c.key_id, c.day, summed(c.requests)).where(within, among(connection, c.key_id, key_ids))
    rows = connection.execute(statement.group_by(c.key_id, c.day))
    counts = {(key_id, day): count for key_id, day, count in rows}
    return {key_id: tuple(counts.get((key_id, day), 0) for day in days) for key_id in key_ids}


def _parts(period: Range) -> list[tuple[Table, ColumnElement[bool]]]:
    """Splits the range into whole days and remaining hours, without overlap."""
    days: list[tuple[Table, ColumnElement[bool]]] = [(usage_days, _between(usage_days.c.day, period.whole_days()))]
    return days + [(usage_hours, _between(usage_hours.c.hour, hours)) for hours in period.odd_hours()]


def _between(column: Column[int], bounds: tuple[int, int]) -> ColumnElement[bool]:
    return (column >= bounds[0]) & (column < bounds[1])


def _sums_by(
    connection: Connection, within: ColumnElement[bool], scope: Scope, *columns: Column[Any]
) -> Iterator[tuple[Any, Sums]]:
    """Yields the sums of each combination of values of the columns."""
    c = columns[0].table.c
    sums = map(summed, (c.requests, c.errors, c.units, c.timed_requests, c.latency_us))
    for row in connection.execute(select(*columns, *sums).where(within, scope.of(c.key_id)).group_by(*columns)):
        yield row[: len(columns)], Sums(*row[len(columns) :])
