"""The tables of closed months."""

from sqlalchemy import BigInteger, Column, ForeignKey, String, Table, UniqueConstraint

from keys.store.tables import SERIAL, metadata
from keys.store.types import Instant, Json, Money

month_closings = Table(
    "month_closings",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("closed_at", Instant, nullable=False),
)

# What a month cost when it closed; never changed.
month_bills = Table(
    "month_bills",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("units", BigInteger, nullable=False),
    Column("included_units", BigInteger, nullable=False),
    Column("lines", Json, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("net", Money, nullable=False),
    Column("vat", Money, nullable=False),
    Column("gross", Money, nullable=False),
)

# Units of a closed month that came later, and what they cost in the month that bills them.
adjustments = Table(
    "adjustments",
    metadata,
    Column("id", SERIAL, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("month", String(7), nullable=False),
    Column("billed_month", String(7), nullable=False, index=True),
    Column("units", BigInteger, nullable=False),
    Column("net", Money, nullable=False),
    Column("vat_rate", Money, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("key_id", "month", "billed_month"),
)
