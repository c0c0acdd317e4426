"""Stores the events of keys, each once, and reads the feed of a partner."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from sqlalchemy import Connection, RowMapping, insert, select

from keys.store import mails
from keys.store.database import among, lock_table
from keys.store.event_tables import key_events
from keys.values.secret import KeyMode

_e = key_events.c


class EventKind(StrEnum):
    QUOTA = "quota"
    SPEND_CAP = "spend_cap"
    KEY_EXPIRY = "key_expiry"
    BILL = mails.BILL


@dataclass(frozen=True)
class KeyEvent:
    """An event of a partner. The threshold is a percentage of a limit, days until an expiry, or 0. The amount is a
    limit, in units or EUR, or the sum of bills in EUR with VAT.
    """

    kind: EventKind
    partner_id: str
    mode: KeyMode
    threshold: int = 0
    key_id: str | None = None
    month: str | None = None
    expires_at: datetime | None = None
    amount: Decimal | None = None
    id: int = 0
    created_at: datetime | None = None

    @property
    def about(self) -> str:
        """The subject and its period. An event with the same `about` and threshold is the same event."""
        return f"{self.kind} {self.key_id or self.partner_id} {self.month or self.expires_at}"

    @property
    def owner(self) -> str:
        return owner_of(self.partner_id, self.mode)

    @property
    def percent(self) -> int | None:
        return self.threshold if self.kind in {EventKind.QUOTA, EventKind.SPEND_CAP} else None

    @property
    def days_left(self) -> int | None:
        return self.threshold if self.kind is EventKind.KEY_EXPIRY else None


def owner_of(partner_id: str, mode: KeyMode) -> str:
    """Who sees an event: the keys of a mode of a partner."""
    return f"{mode} {partner_id}"


def add(connection: Connection, events: Sequence[KeyEvent], now: datetime) -> None:
    """Stores the events that are new. Other writers of events wait until this transaction ends: so ids become visible
    in their order. Call it last, so that they wait for a short time.
    """
    if not _new(connection, events):
        return
    lock_table(connection, key_events)
    if new := _new(connection, events):
        rows = connection.execute(insert(key_events).returning(key_events), [_row(event, now) for event in new])
        live = [row.id for row in rows if row.mode == KeyMode.LIVE]
        mails.add(connection, [{"event_id": event_id} for event_id in live], now)


def after(connection: Connection, owner: str, last_id: int, limit: int) -> list[KeyEvent]:
    """Returns the events of an owner after an id, the oldest first."""
    statement = select(key_events).where(_e.owner == owner, _e.id > last_id).order_by(_e.id).limit(limit)
    return [read(row) for row in connection.execute(statement).mappings()]


def _new(connection: Connection, events: Collection[KeyEvent]) -> list[KeyEvent]:
    if not events:
        return []
    statement = select(_e.about, _e.threshold).where(among(connection, _e.about, [event.about for event in events]))
    known = {(about, threshold) for about, threshold in connection.execute(statement)}
    return [event for event in events if (event.about, event.threshold) not in known]


def _row(event: KeyEvent, now: datetime) -> dict[str, object]:
    row = {**vars(event), "about": event.about, "owner": event.owner, "created_at": now}
    del row["id"]
    return row


def read(row: RowMapping) -> KeyEvent:
    values = {name: value for name, value in row.items() if name not in ("about", "owner")}
    return KeyEvent(**{**values, "kind": EventKind(row["kind"]), "mode": KeyMode(row["mode"])})
