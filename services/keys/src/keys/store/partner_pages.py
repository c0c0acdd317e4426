"""Pages of partners: filtered and sorted, with the counts of their keys."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select

from keys.store import partner_records
from keys.store.database import summed
from keys.store.paging import Cursor, PageRequest, page_rows
from keys.store.tables import customers, key_months, keys, partners
from keys.values import months
from keys.values.checks import folded
from keys.values.records import PartnerRecord


class PartnerSort(StrEnum):
    """The sort column of a list of partners."""

    CREATED_AT = "created_at"
    NAME = "name"
    KEYS = "keys"
    REQUESTS = "requests"
    UNITS = "units"
    NET = "net"


class Counts(NamedTuple):
    """The keys of a partner, and the month's usage of all of them."""

    keys: int = 0
    active_keys: int = 0
    requests: int = 0
    units: int = 0


def page(
    connection: Connection, search: str, requested: PageRequest[PartnerSort], now: datetime
) -> tuple[list[PartnerRecord], Cursor | None]:
    """Returns the partners and the end of the page; None for the last page. Not for amounts, which no column has."""
    by = requested.order.by
    counts = _counts(now).subquery("counts")
    sorted_by: dict[PartnerSort, ColumnElement[Any]] = {
        PartnerSort.CREATED_AT: partners.c.created_at,
        PartnerSort.NAME: partners.c.folded_name,
        PartnerSort.KEYS: func.coalesce(counts.c.active_keys, 0),
        PartnerSort.REQUESTS: func.coalesce(counts.c.requests, 0),
        PartnerSort.UNITS: func.coalesce(counts.c.units, 0),
    }
    statement = _matching(partner_records.select_records(), search)
    if by not in (PartnerSort.CREATED_AT, PartnerSort.NAME):
        statement = statement.outerjoin(counts, counts.c.partner_id == partners.c.id)
    rows, end = page_rows(connection, statement, sorted_by[by], partners.c.id, requested)
    return [partner_records.read_record(row) for row in rows], end


def matching_ids(connection: Connection, search: str) -> list[str]:
    statement = select(partners.c.id).outerjoin(customers, customers.c.partner_id == partners.c.id)
    return list(connection.execute(_matching(statement, search)).scalars())


def count(connection: Connection, search: str) -> int:
    joined = partners.outerjoin(customers, customers.c.partner_id == partners.c.id)
    return int(connection.execute(_matching(select(func.count()).select_from(joined), search)).scalar_one())


def records_of(connection: Connection, partner_ids: Sequence[str]) -> list[PartnerRecord]:
    """Returns the partners in the given order."""
    rows = connection.execute(partner_records.select_records().where(partners.c.id.in_(partner_ids))).mappings()
    record_of = {row[partners.c.id]: partner_records.read_record(row) for row in rows}
    return [record_of[partner_id] for partner_id in partner_ids if partner_id in record_of]


def counts_of(connection: Connection, partner_ids: Sequence[str], now: datetime) -> dict[str, Counts]:
    """Returns the counts of each of the partners that has keys."""
    statement = _counts(now).where(keys.c.partner_id.in_(partner_ids))
    return {partner_id: Counts(*counts) for partner_id, *counts in connection.execute(statement)}


def _counts(now: datetime) -> Select[Any]:
    is_active = and_(keys.c.revoked_at.is_(None), or_(keys.c.expires_at.is_(None), keys.c.expires_at > now))
    in_month = and_(key_months.c.key_id == keys.c.id, key_months.c.month == months.month_of(now))
    return (
        select(
            keys.c.partner_id,
            func.count().label("keys"),
            summed(case((is_active, 1), else_=0)).label("active_keys"),
            summed(key_months.c.requests).label("requests"),
            summed(key_months.c.units).label("units"),
        )
        .outerjoin(key_months, in_month)
        .group_by(keys.c.partner_id)
    )


def _matching(statement: Select[Any], search: str) -> Select[Any]:
    if not search:
        return statement
    text = folded(search)
    places = (partners.c.folded_name, func.lower(partners.c.id), customers.c.folded_legal_name, customers.c.siren)
    digits = "".join(search.split())
    conditions = [place.contains(text, autoescape=True) for place in places]
    if digits.isdecimal():
        conditions.append(customers.c.siren.contains(digits, autoescape=True))
    return statement.where(or_(*conditions))
