"""The tables. Months are YYYY-MM in Europe/Paris. An hour is the number of hours since 1970 in UTC.

A day is the proleptic Gregorian ordinal of its date in Europe/Paris. Each hour lies within one day.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

from keys.store.types import Json, Money
from keys.values.outcomes import LATENCY_CLASSES
from servicekit.database import Instant

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)
SERIAL = BigInteger().with_variant(Integer(), "sqlite")


def _folded(name: str) -> Column[str]:
    """A name without accents and case (`checks.folded`), by which it is searched."""
    return Column(f"folded_{name}", String(), nullable=False, server_default="")


def _folded_names() -> tuple[Column[str], Index]:
    """Folded names of which no two are equal."""
    column, is_known = _folded("name"), text("folded_name <> ''")
    return column, Index(None, column, unique=True, sqlite_where=is_known, postgresql_where=is_known)


partners = Table(
    "partners",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("is_active", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("metadata", Json, nullable=False),
    *_folded_names(),
)

keys = Table(
    "keys",
    metadata,
    Column("id", String(8), primary_key=True),
    Column("partner_id", ForeignKey("partners.id"), nullable=False, index=True),
    Column("label", String(200), nullable=False),
    Column("mode", String(8), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
    Column("suspended_at", Instant),
    Column("monthly_units", BigInteger),
    Column("per_minute", Integer, nullable=False),
    Column("burst", Integer, nullable=False),
    Column("is_hard", Boolean, nullable=False),
    Column("spend_cap", Money),
    Column("assistant_mode", String(16), nullable=False),
    Column("assistant_monthly_calls", BigInteger),
    Column("assistant_monthly_tokens", BigInteger),
    Column("scopes", Json, nullable=False),
    Column("allowed_cidrs", Json, nullable=False),
    Column("metadata", Json, nullable=False),
    _folded("label"),
    Index("ix_keys_created_at_id", "created_at", "id"),
)

key_secrets = Table(
    "key_secrets",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("pepper_version", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("ending", String(4), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),  # the end of the grace period; NULL for the newest
)

key_activity = Table(
    "key_activity",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("bucket", BigInteger, nullable=False),
    Column("bucket_at_us", BigInteger, nullable=False),
    Column("minute", BigInteger, nullable=False),
    Column("minute_count", Integer, nullable=False),
    Column("leased", Integer, nullable=False),
    Column("last_used_at", Instant, nullable=False),
)

key_months = Table(
    "key_months",
    metadata,
    Column("key_id", String(8), primary_key=True),
    Column("month", String(7), primary_key=True),
    Column("requests", BigInteger, nullable=False, default=0),
    Column("errors", BigInteger, nullable=False, default=0),
    Column("units", BigInteger, nullable=False, default=0),
    Column("reserved_units", BigInteger, nullable=False, default=0),
    Column("calls", BigInteger, nullable=False, default=0),
    Column("reserved_calls", BigInteger, nullable=False, default=0),
    Column("tokens", BigInteger, nullable=False, default=0),
    Column("reserved_tokens", BigInteger, nullable=False, default=0),
    Column("suggestions", BigInteger, nullable=False, default=0),
    Column("reserved_suggestions", BigInteger, nullable=False, default=0),
    Index("ix_key_months_month", "month"),
)

plans = Table(
    "plans",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("is_archived", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    *_folded_names(),
)

# Partners as customers. A partner without a row has no such data. Unknown texts are empty.
customers = Table(
    "customers",
    metadata,
    Column("partner_id", ForeignKey("partners.id"), primary_key=True),
    Column("legal_name", String(200), nullable=False),
    Column("contact_name", String(200), nullable=False),
    Column("contact_email", String(254), nullable=False),
    Column("contact_phone", String(40), nullable=False),
    Column("address_lines", Json, nullable=False),
    Column("postcode", String(12), nullable=False),
    Column("city", String(200), nullable=False),
    Column("country", String(2), nullable=False),
    Column("siren", String(9), nullable=False),
    Column("vat_number", String(20), nullable=False),
    Column("default_plan_id", ForeignKey("plans.id")),
    _folded("legal_name"),
)

plan_terms = Table(
    "plan_terms",
    metadata,
    Column("plan_id", ForeignKey("plans.id"), primary_key=True),
    Column("from_month", String(7), primary_key=True),
    Column("monthly_fee", Money, nullable=False),
    Column("included_units", BigInteger, nullable=False),
    Column("tiers", Json, nullable=False),
    Column("vat_rate", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("charged_per", String(8), nullable=False),
    Column("is_pro_rata", Boolean, nullable=False),
)

key_terms = Table(
    "key_terms",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("from_month", String(7), primary_key=True),
    Column("plan_id", ForeignKey("plans.id")),  # if set, the plan's terms apply and the other columns are empty
    Column("monthly_fee", Money),
    Column("included_units", BigInteger),
    Column("tiers", Json),
    Column("vat_rate", Money),
    Column("currency", String(3)),
    Column("is_pro_rata", Boolean),
)

# One row per lease, until nothing is left of it and no call for it can arrive. The counters are what is left.
leases = Table(
    "leases",
    metadata,
    Column("id", LargeBinary, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False, index=True),
    Column("holder", LargeBinary, nullable=False, index=True),
    Column("month", String(7), nullable=False),
    Column("leased_at", Instant, nullable=False, index=True),
    Column("is_ended", Boolean, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("units", BigInteger, nullable=False),
    Column("suggestions", Integer, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)
# No foreign keys: an outcome is counted even if its key is unknown.
events = Table(
    "events",
    metadata,
    Column("id", LargeBinary, primary_key=True),
    Column("key_id", String(8), nullable=False),
    Column("endpoint", String(40), nullable=False),
    Column("status", Integer, nullable=False),
    Column("latency_us", BigInteger, nullable=False),
    Column("units", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("month", String(7), nullable=False),
    Column("occurred_at", Instant, nullable=False),
    Column("recorded_at", Instant, nullable=False, index=True),
    Column("request_id", String(128)),  # NULL if the edge sent none, or if it was erased
    Column("code", String(40)),
    Index("ix_events_key_id_occurred_at", "key_id", "occurred_at"),
)

# One row per request that is charged by lines. `charged` has a bit for each charged line, lowest bit of a byte first.
# `runs` has the end of each run without a renewal, by its number, in seconds since 1970; 0 if the run has ended.
# No foreign key: its outcomes are counted even if the key is unknown.
line_requests = Table(
    "line_requests",
    metadata,
    Column("id", LargeBinary, primary_key=True),
    Column("key_id", String(8), nullable=False),
    Column("endpoint", String(40), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("weight", Integer, nullable=False),
    Column("reserved_at", Instant, nullable=False),
    Column("renewed_at", Instant, nullable=False, index=True),
    Column("month", String(7), nullable=False),
    Column("runs", Json, nullable=False),
    Column("reserved_units", BigInteger, nullable=False),
    Column("charged", LargeBinary, nullable=False),
)

# Always empty: a row is added and deleted to test whether the database can be written.
write_probes = Table("write_probes", metadata, Column("id", LargeBinary, primary_key=True))


def _counts() -> list[Column[int]]:
    names = ("requests", "errors", "units", "timed_requests", "latency_us", "input_tokens", "output_tokens")
    return [Column(name, BigInteger, nullable=False, default=0) for name in names]


usage_hours = Table(
    "usage_hours",
    metadata,
    Column("hour", Integer, primary_key=True, autoincrement=False),
    Column("key_id", String(8), primary_key=True),
    Column("endpoint", String(40), primary_key=True),
    *_counts(),
    Index("ix_usage_hours_key_id_hour", "key_id", "hour"),
)

# The same counts by day of Europe/Paris, so that a report over months reads few rows.
usage_days = Table(
    "usage_days",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key_id", String(8), primary_key=True),
    Column("endpoint", String(40), primary_key=True),
    *_counts(),
    Index("ix_usage_days_key_id_day", "key_id", "day"),
)

# The same requests by status and problem code, and by latency class. A row for each class would make reports slow.
usage_outcomes = Table(
    "usage_outcomes",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key_id", String(8), primary_key=True),
    Column("endpoint", String(40), primary_key=True),
    Column("status", Integer, primary_key=True, autoincrement=False),
    Column("code", String(40), primary_key=True),
    Column("requests", BigInteger, nullable=False, default=0),
    Index("ix_usage_outcomes_key_id_day", "key_id", "day"),
)

usage_latencies = Table(
    "usage_latencies",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key_id", String(8), primary_key=True),
    Column("endpoint", String(40), primary_key=True),
    *(Column(f"class_{number}", BigInteger, nullable=False, default=0) for number in range(LATENCY_CLASSES)),
    Index("ix_usage_latencies_key_id_day", "key_id", "day"),
)

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", SERIAL, primary_key=True),
    Column("occurred_at", Instant, nullable=False),
    Column("actor", String(300), nullable=False),
    Column("action", String(60), nullable=False),
    Column("subject", String(100), nullable=False, index=True),
    Column("changes", Json, nullable=False),
    Column("client_address", String(64), nullable=False),
)

month_closings = Table(
    "month_closings",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("closed_at", Instant, nullable=False),
)

# The bills of closed months. They never change. The shared bill of a plan charges the units of its keys.
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
    Column("plan_id", String(16)),  # empty for terms of the key
    Column("charged_per", String(8), nullable=False),
)

# The bills of closed months for plans that are charged per partner. They never change either.
shared_bills = Table(
    "shared_bills",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("partner_id", ForeignKey("partners.id"), primary_key=True),
    Column("plan_id", ForeignKey("plans.id"), primary_key=True),
    Column("units", BigInteger, nullable=False),
    Column("included_units", BigInteger, nullable=False),
    Column("lines", Json, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("net", Money, nullable=False),
    Column("vat", Money, nullable=False),
    Column("gross", Money, nullable=False),
)

# Units that were counted after their month closed, and their cost in the month that bills them.
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

# The lines of bills without a number, since their buyers have a fault. Deleted when they are issued.
held_bills = Table(
    "held_bills",
    metadata,
    Column("month", String(7), primary_key=True),
    Column("partner_id", ForeignKey("partners.id"), primary_key=True),
    Column("content", Json, nullable=False),
)

# The numbered documents of partners. Rows are only added, under the lock of `month_closings`.
issued_bills = Table(
    "issued_bills",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("seller_siren", String(9), nullable=False),
    Column("number", String(20), nullable=False),
    Column("partner_id", ForeignKey("partners.id"), nullable=False, index=True),
    Column("issued_on", String(10), nullable=False, index=True),
    Column("corrected_id", ForeignKey("issued_bills.id"), index=True),
    Column("content", Json, nullable=False),
    UniqueConstraint("seller_siren", "number"),
)

# The digest of a constant under each pepper. A wrong pepper is detected at the start.
pepper_checks = Table(
    "pepper_checks",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary, nullable=False),
)

idempotent_creations = Table(
    "idempotent_creations",
    metadata,
    Column("actor", String(300), primary_key=True),
    Column("idempotency_key", String(200), primary_key=True),
    Column("request_digest", LargeBinary, nullable=False),
    Column("key_id", String(8), nullable=False),
    Column("pepper_version", Integer, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)
