"""Deletes rows after their retention time. Counts, bills and changes in the audit log stay.

Client addresses and refusals in the audit log are deleted, too. Each step is a small transaction with short locks.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from keys.store import attempts, key_records, sessions
from keys.store.database import Database
from keys.store.event_tables import key_events, mails
from keys.store.partner_records import VISITORS
from keys.store.refused_access import PREFIX
from keys.store.tables import audit_entries, events, key_secrets, line_requests
from keys.values import months
from keys.values.clock import Clock

_BATCH = 2_000
_KEY_EVENTS = timedelta(days=90)
_MAILS = timedelta(days=3)


def apply(database: Database, clock: Clock, *, raw_days: int, address_days: int) -> int:
    """Deletes everything that is due and returns the number of rows."""
    now = clock()
    before = now - timedelta(days=raw_days)
    visitors_before = min(before, months.start_of(months.month_of(now)))  # lists count the month by keys
    entry, old_secrets = audit_entries.c, delete(key_secrets).where(key_secrets.c.expires_at < before)
    steps: list[Callable[[Connection], int]] = [
        lambda connection: _delete(connection, line_requests, line_requests.c.renewed_at < before),
        lambda connection: _delete(connection, events, events.c.recorded_at < before),
        lambda connection: _delete(connection, key_events, key_events.c.created_at < now - _KEY_EVENTS),
        lambda connection: _delete(connection, mails, mails.c.created_at < now - _MAILS),
        lambda connection: _delete(
            connection, audit_entries, entry.occurred_at < before, entry.action.startswith(PREFIX)
        ),
        lambda connection: _erase_addresses(connection, now - timedelta(days=address_days)),
        lambda connection: connection.execute(old_secrets).rowcount,
        lambda connection: key_records.delete_expired(connection, VISITORS, visitors_before, _BATCH),
        lambda connection: sessions.delete_ended(connection, now),
        lambda connection: attempts.delete_old(connection, now),
        lambda connection: key_records.delete_old_creations(connection, now),
    ]
    return sum(_repeat(database, step) for step in steps)


def _repeat(database: Database, step: Callable[[Connection], int]) -> int:
    total = 0
    while True:
        with database.writing() as connection:
            count = step(connection)
        total += count
        if count < _BATCH:
            return total


def _delete(connection: Connection, table: Table, *which: ColumnElement[bool]) -> int:
    due = select(table.c.id).where(*which).limit(_BATCH)
    return connection.execute(delete(table).where(table.c.id.in_(due))).rowcount


def _erase_addresses(connection: Connection, before: datetime) -> int:
    c = audit_entries.c
    due = select(c.id).where(c.occurred_at < before, c.client_address != "").limit(_BATCH)
    return connection.execute(update(audit_entries).where(c.id.in_(due)).values(client_address="")).rowcount
