"""The tables of events."""

from sqlalchemy import Column, Index, Integer, String, Table, UniqueConstraint

from keys.store.tables import SERIAL, metadata
from keys.store.types import Money
from servicekit.database import Instant
from servicekit.webhooks.endpoints import Endpoints

# Ids grow in the order of commits and are never used again, so a reader that has seen one has seen all before it.
# No foreign keys: a writer that holds the lock of a key must not wait for the row of its partner.
key_events = Table(
    "key_events",
    metadata,
    Column("id", SERIAL, primary_key=True),
    Column("about", String(80), nullable=False),  # each threshold of a subject in a period has one event
    Column("threshold", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("owner", String(32), nullable=False),  # the mode and the id of the partner
    Column("partner_id", String(16), nullable=False),
    Column("mode", String(8), nullable=False),
    Column("key_id", String(8)),
    Column("month", String(7)),
    Column("expires_at", Instant),
    Column("amount", Money),
    Column("created_at", Instant, nullable=False, index=True),
    UniqueConstraint("about", "threshold"),
    Index("ix_key_events_owner_id", "owner", "id"),
    sqlite_autoincrement=True,
)

webhooks = Endpoints(metadata, key_events)

# The mails to send: of an event, of an invitation, or to an admin about the held bill of a month. No text and no
# address, so an erasure need not change them.
mails = Table(
    "mails",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("event_id", SERIAL),
    Column("invitation_id", String(16)),
    Column("created_at", Instant, nullable=False, index=True),
    Column("next_at", Instant, nullable=False, index=True),
    Column("tries", Integer, nullable=False),
    Column("admin_id", String(16)),
    Column("partner_id", String(16)),
    Column("month", String(7)),
)
