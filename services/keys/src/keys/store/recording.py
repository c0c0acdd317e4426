"""Finds what is an event, and writes it in the transaction of the caller: both are stored, or neither."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, bindparam, or_, select

from keys.store import event_records
from keys.store.event_records import EventKind, KeyEvent
from keys.store.price_terms import DatedTerms, shares_plan, terms_of
from keys.store.tables import key_months, keys, partners
from keys.values import pricing
from keys.values.pricing import Bill
from keys.values.secret import KeyMode

PERCENTS = (80, 100)
"""Shares of a quota and of a spend cap."""
DAYS = (14, 1)
"""How long before its end a key has an event."""
_REFUSALS = {"quota_exhausted": EventKind.QUOTA, "spend_cap_reached": EventKind.SPEND_CAP}
_LIMITED = (
    select(
        *(keys.c.id, keys.c.partner_id, keys.c.mode, keys.c.monthly_units, keys.c.spend_cap),
        *(key_months.c.month, key_months.c.units),
    )
    .join(key_months, key_months.c.key_id == keys.c.id)
    .where(
        keys.c.id.in_(bindparam("key_ids", expanding=True)),
        key_months.c.month.in_(bindparam("months", expanding=True)),
        or_(keys.c.monthly_units.is_not(None), keys.c.spend_cap.is_not(None)),
    )
)


class Use(NamedTuple):
    """A key was used in a month, or a request for these units was refused with this code."""

    key_id: str
    month: str
    code: str = ""
    units: int = 0


def record_limits(connection: Connection, uses: Iterable[Use], now: datetime) -> None:
    """Writes the events of keys whose units of a month reach a percentage of their quota or spend cap. A limit that
    refuses a request is used up, also if a few units are left, but not if other requests only reserve the units.
    """
    refused = {(use.key_id, use.month, _REFUSALS[use.code]): use.units for use in uses if use.code in _REFUSALS}
    used = {(use.key_id, use.month) for use in uses}
    if not used:
        return
    ids, months = ({*part} for part in zip(*used, strict=True))
    events = []
    limited = connection.execute(_LIMITED, {"key_ids": sorted(ids), "months": sorted(months)}).mappings().all()
    capped = [key["id"] for key in limited if key["spend_cap"] is not None and key["mode"] == KeyMode.LIVE]
    terms = {month: terms_of(connection, capped, month) for month in months} if capped else {}
    for key in limited:
        units = key["units"]
        for kind, price, limit in _limits(connection, key, terms.get(key["month"], {}).get(key["id"])):
            percent = max((percent for percent in PERCENTS if price(units) * 100 >= limit * percent), default=0)
            if price(units + refused.get((key["id"], key["month"], kind), 0)) > limit:
                percent = 100
            if percent and (key["id"], key["month"]) in used:
                events.append(
                    KeyEvent(
                        kind=kind,
                        partner_id=key["partner_id"],
                        mode=KeyMode(key["mode"]),
                        threshold=percent,
                        key_id=key["id"],
                        month=key["month"],
                        amount=limit,
                    )
                )
    event_records.add(connection, events, now)


def record_expiries(connection: Connection, now: datetime) -> None:
    """Writes the events of keys that expire soon."""
    c, longest = keys.c, now + timedelta(days=max(DAYS))
    statement = (
        select(c.id, c.partner_id, c.mode, c.expires_at)
        .join(partners, partners.c.id == c.partner_id)
        .where(c.expires_at > now, c.expires_at <= longest, c.revoked_at.is_(None), partners.c.is_active)
    )
    events = []
    for key_id, partner_id, mode, expires_at in connection.execute(statement):
        days = min(days for days in DAYS if expires_at <= now + timedelta(days=days))
        events.append(
            KeyEvent(
                kind=EventKind.KEY_EXPIRY,
                partner_id=partner_id,
                mode=KeyMode(mode),
                threshold=days,
                key_id=key_id,
                expires_at=expires_at,
            )
        )
    event_records.add(connection, events, now)


def record_bills(connection: Connection, month: str, of_partners: Mapping[str, Sequence[Bill]], now: datetime) -> None:
    """Writes one event for each partner with bills of a month that closes."""
    events = [
        KeyEvent(
            EventKind.BILL, partner_id, KeyMode.LIVE, month=month,
            amount=sum((bill.total.gross for bill in bills), Decimal()),
        )
        for partner_id, bills in of_partners.items()
    ]  # fmt: skip
    event_records.add(connection, events, now)


def _limits(
    connection: Connection, key: RowMapping, dated: DatedTerms | None
) -> Iterator[tuple[EventKind, Callable[[int], Decimal], Decimal]]:
    """Each limit of a key in a month, with what units take of it. The spend cap counts as decisions do. `dated` are the
    terms of a live key with a spend cap.
    """
    if key["monthly_units"] is not None:
        yield EventKind.QUOTA, Decimal, Decimal(key["monthly_units"])
    if dated is not None:
        plan = (key["partner_id"], dated.plan_id, key["month"])
        is_shared = dated.is_shared and shares_plan(connection, key["id"], *plan)
        price = pricing.most if is_shared else pricing.net
        yield EventKind.SPEND_CAP, partial(price, dated.terms), key["spend_cap"]
