"""Sums over the hourly rollups. Raw events are never read."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Label, and_, func, select

from keys.store.tables import keys, usage_hours


@dataclass(frozen=True)
class Sums:
    """`timed` requests are those whose latency is known, `latency_us` is all of theirs together."""

    requests: int = 0
    errors: int = 0
    units: int = 0
    timed: int = 0
    latency_us: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.requests + other.requests,
            self.errors + other.errors,
            self.units + other.units,
            self.timed + other.timed,
            self.latency_us + other.latency_us,
        )

    @property
    def average_latency_ms(self) -> float | None:
        return self.latency_us / self.timed / 1_000 if self.timed else None


@dataclass(frozen=True)
class Scope:
    """Whose usage: of one key, of one partner, or, where both are empty, of all."""

    key_id: str = ""
    partner_id: str = ""

    def of(self, key_id: ColumnElement[str]) -> ColumnElement[bool]:
        wanted: list[ColumnElement[bool]] = [key_id.is_not(None)]
        if self.key_id:
            wanted.append(key_id == self.key_id)
        if self.partner_id:
            wanted.append(key_id.in_(select(keys.c.id).where(keys.c.partner_id == self.partner_id)))
        return and_(*wanted)


def by_hour(connection: Connection, hours: tuple[int, int], scope: Scope) -> dict[int, Sums]:
    c = usage_hours.c
    wanted = select(c.hour, *_SUMS).where(_within(hours), scope.of(c.key_id)).group_by(c.hour)
    return {hour: Sums(*map(int, sums)) for hour, *sums in connection.execute(wanted)}


def by_key(connection: Connection, hours: tuple[int, int], scope: Scope) -> dict[str, Sums]:
    c = usage_hours.c
    wanted = select(c.key_id, *_SUMS).where(_within(hours), scope.of(c.key_id)).group_by(c.key_id)
    return {key_id: Sums(*map(int, sums)) for key_id, *sums in connection.execute(wanted)}


def units_by_key(connection: Connection, hours: tuple[int, int], key_ids: list[str]) -> dict[str, int]:
    c = usage_hours.c
    wanted = select(c.key_id, func.sum(c.units)).where(_within(hours), c.key_id.in_(key_ids)).group_by(c.key_id)
    return {key_id: int(units) for key_id, units in connection.execute(wanted)}


def _within(hours: tuple[int, int]) -> ColumnElement[bool]:
    return (usage_hours.c.hour >= hours[0]) & (usage_hours.c.hour < hours[1])


_SUMS: list[Label[int]] = [
    func.sum(usage_hours.c[name]).label(name)
    for name in ("requests", "errors", "units", "timed_requests", "latency_us")
]
