"""Pages of keys: filtered and sorted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, literal, or_, select

from keys.store import key_records
from keys.store.paging import NEVER, Page, PageRequest, page_rows
from keys.store.partner_records import VISITORS
from keys.store.tables import key_activity, key_months, keys, partners
from keys.values.checks import folded
from keys.values.records import KeyRecord, KeyStatus
from servicekit.database import Instant


class KeySort(StrEnum):
    """The sort column of a list of keys."""

    CREATED_AT = "created_at"
    LABEL = "label"
    PARTNER = "partner"
    LAST_USED_AT = "last_used_at"
    MONTH_UNITS = "month_units"


@dataclass(frozen=True)
class KeyFilter:
    """Filters a list of keys. Empty members filter nothing, but visitors' keys are only in the list of their partner
    and in a search. `search` is part of a label, a partner's name or an id.
    """

    partner_id: str = ""
    status: KeyStatus | None = None
    search: str = ""


_SORTED: dict[KeySort, ColumnElement[Any]] = {
    KeySort.CREATED_AT: keys.c.created_at,
    KeySort.LABEL: keys.c.folded_label,
    KeySort.PARTNER: partners.c.folded_name,
    KeySort.LAST_USED_AT: func.coalesce(key_activity.c.last_used_at, literal(NEVER, Instant), type_=Instant),
    KeySort.MONTH_UNITS: func.coalesce(key_months.c.units, 0),
}


def page(
    connection: Connection, key_filter: KeyFilter, requested: PageRequest[KeySort], now: datetime
) -> Page[KeyRecord]:
    statement = _filtered(key_records.select_keys(now), key_filter, now)
    rows, end = page_rows(connection, statement, _SORTED[requested.order.by], keys.c.id, requested)
    return Page(key_records.read_rows(connection, rows, now), end, _count(connection, key_filter, now))


def _count(connection: Connection, key_filter: KeyFilter, now: datetime) -> int:
    every = select(func.count()).select_from(keys.join(partners, partners.c.id == keys.c.partner_id))
    return int(connection.execute(_filtered(every, key_filter, now)).scalar_one())


def _filtered(statement: Select[Any], key_filter: KeyFilter, now: datetime) -> Select[Any]:
    c = keys.c
    if key_filter.partner_id:
        statement = statement.where(c.partner_id == key_filter.partner_id)
    elif not key_filter.search:
        statement = statement.where(c.partner_id != VISITORS)
    if key_filter.search:
        text = folded(key_filter.search)
        places = (c.folded_label, partners.c.folded_name, func.lower(c.id))
        statement = statement.where(or_(*(place.contains(text, autoescape=True) for place in places)))
    is_expired = c.expires_at.is_not(None) & (c.expires_at <= now)
    conditions: Mapping[KeyStatus | None, Sequence[ColumnElement[bool]]] = {
        None: (),
        KeyStatus.REVOKED: (c.revoked_at.is_not(None),),
        KeyStatus.EXPIRED: (c.revoked_at.is_(None), is_expired),
        KeyStatus.SUSPENDED: (c.revoked_at.is_(None), ~is_expired, c.suspended_at.is_not(None)),
        KeyStatus.ACTIVE: (c.revoked_at.is_(None), ~is_expired, c.suspended_at.is_(None)),
    }
    return statement.where(*conditions[key_filter.status])
