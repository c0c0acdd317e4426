"""Pages of keys: filtered and sorted."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, func, literal, or_, select, tuple_

from keys.records import KeyRecord, KeyStatus
from keys.store import key_records
from keys.store.tables import key_activity, key_months, keys, partners
from keys.store.types import Instant

NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class SortBy(StrEnum):
    """The sort column of a list of keys. Equal values are sorted by id."""

    CREATED_AT = "created_at"
    LABEL = "label"
    PARTNER = "partner"
    LAST_USED_AT = "last_used_at"
    MONTH_UNITS = "month_units"


@dataclass(frozen=True)
class KeyOrder:
    by: SortBy = SortBy.CREATED_AT
    is_descending: bool = True


@dataclass(frozen=True)
class KeyFilter:
    """Filters a list of keys. Empty members filter nothing. `search` is part of a label, a partner's name or an id."""

    partner_id: str = ""
    status: KeyStatus | None = None
    search: str = ""


class KeyCursor(NamedTuple):
    """The end of a page: the sort value and the id of its last row."""

    value: str | int | datetime
    key_id: str


class KeyPage(NamedTuple):
    records: list[KeyRecord]
    end: KeyCursor | None
    """None on the last page."""
    total_count: int
    """Keys on all pages."""


_SORTED: dict[SortBy, ColumnElement[Any]] = {
    SortBy.CREATED_AT: keys.c.created_at,
    SortBy.LABEL: func.lower(keys.c.label),
    SortBy.PARTNER: func.lower(partners.c.name),
    SortBy.LAST_USED_AT: func.coalesce(key_activity.c.last_used_at, literal(NEVER, Instant), type_=Instant),
    SortBy.MONTH_UNITS: func.coalesce(key_months.c.units, 0),
}


def page(
    connection: Connection, key_filter: KeyFilter, order: KeyOrder, after: KeyCursor | None, limit: int, now: datetime
) -> KeyPage:
    """Returns at most `limit` keys after the cursor, which must be of the same order."""
    by = _SORTED[order.by]
    place = tuple_(by, keys.c.id)
    statement = _filtered(key_records.select_keys(now).add_columns(by.label("place")), key_filter, now)
    if after is not None:
        start = tuple_(literal(after.value, by.type), literal(after.key_id))
        statement = statement.where(place < start if order.is_descending else place > start)
    direction = (column.desc() if order.is_descending else column.asc() for column in (by, keys.c.id))
    rows = connection.execute(statement.order_by(*direction).limit(limit + 1)).mappings().all()
    records = key_records.read_rows(connection, rows[:limit], now)
    is_last = len(rows) <= limit
    end = None if is_last else KeyCursor(rows[limit - 1]["place"], records[-1].id)
    return KeyPage(records, end, _count(connection, key_filter, now))


def _count(connection: Connection, key_filter: KeyFilter, now: datetime) -> int:
    every = select(func.count()).select_from(keys.join(partners, partners.c.id == keys.c.partner_id))
    return int(connection.execute(_filtered(every, key_filter, now)).scalar_one())


def _filtered(statement: Select[Any], key_filter: KeyFilter, now: datetime) -> Select[Any]:
    c = keys.c
    if key_filter.partner_id:
        statement = statement.where(c.partner_id == key_filter.partner_id)
    if key_filter.search:
        places = (c.label, partners.c.name, c.id)
        text = key_filter.search.lower()
        statement = statement.where(or_(*(func.lower(place).contains(text, autoescape=True) for place in places)))
    is_expired = c.expires_at.is_not(None) & (c.expires_at <= now)
    match key_filter.status:
        case KeyStatus.REVOKED:
            statement = statement.where(c.revoked_at.is_not(None))
        case KeyStatus.EXPIRED:
            statement = statement.where(c.revoked_at.is_(None), is_expired)
        case KeyStatus.ACTIVE:
            statement = statement.where(c.revoked_at.is_(None), ~is_expired)
    return statement
