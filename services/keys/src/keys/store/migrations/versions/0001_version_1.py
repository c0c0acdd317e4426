"""The tables of keys, as of version 1.0."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Json, Money
from servicekit.database import Instant

revision = "0001"
down_revision = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "access_policy",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("is_totp_required", sa.Boolean, nullable=False),
    )
    op.create_table(
        "admin_tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_by", sa.String(300), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant),
        sa.Column("last_used_at", Instant),
        sa.Column("revoked_at", Instant),
    )
    op.create_table(
        "admins",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
        sa.Column("password_hash", sa.String(300), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("last_sign_in_at", Instant),
        sa.Column("provider_subject", sa.LargeBinary, unique=True),
        sa.Column("totp_pepper_version", sa.Integer),
        sa.Column("totp_salt", sa.LargeBinary),
        sa.Column("totp_confirmed_at", Instant),
        sa.Column("totp_last_step", sa.BigInteger),
    )
    op.create_table(
        "audit_entries",
        sa.Column("id", _SERIAL, primary_key=True),
        sa.Column("occurred_at", Instant, nullable=False),
        sa.Column("actor", sa.String(300), nullable=False),
        sa.Column("action", sa.String(60), nullable=False),
        sa.Column("subject", sa.String(100), nullable=False, index=True),
        sa.Column("changes", Json, nullable=False),
        sa.Column("client_address", sa.String(64), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("endpoint", sa.String(40), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("latency_us", sa.BigInteger, nullable=False),
        sa.Column("units", sa.Integer, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("occurred_at", Instant, nullable=False),
        sa.Column("recorded_at", Instant, nullable=False, index=True),
        sa.Column("request_id", sa.String(128)),
        sa.Column("code", sa.String(40)),
    )
    op.create_index("ix_events_key_id_occurred_at", "events", ["key_id", "occurred_at"])
    op.create_table(
        "idempotent_creations",
        sa.Column("actor", sa.String(300), primary_key=True),
        sa.Column("idempotency_key", sa.String(200), primary_key=True),
        sa.Column("request_digest", sa.LargeBinary, nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("pepper_version", sa.Integer, nullable=False),
        sa.Column("salt", sa.LargeBinary, nullable=False),
        sa.Column("created_at", Instant, nullable=False, index=True),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("email", sa.String(254), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("created_by", sa.String(300), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant, nullable=False),
    )
    op.create_table(
        "key_months",
        sa.Column("key_id", sa.String(8), primary_key=True),
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("errors", sa.BigInteger, nullable=False),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("reserved_units", sa.BigInteger, nullable=False),
        sa.Column("calls", sa.BigInteger, nullable=False),
        sa.Column("reserved_calls", sa.BigInteger, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger, nullable=False),
        sa.Column("suggestions", sa.BigInteger, nullable=False),
        sa.Column("reserved_suggestions", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_key_months_month", "key_months", ["month"])
    op.create_table(
        "line_requests",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("endpoint", sa.String(40), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("weight", sa.Integer, nullable=False),
        sa.Column("reserved_at", Instant, nullable=False),
        sa.Column("renewed_at", Instant, nullable=False, index=True),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("runs", Json, nullable=False),
        sa.Column("reserved_units", sa.BigInteger, nullable=False),
        sa.Column("charged", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "month_closings",
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("closed_at", Instant, nullable=False),
    )
    op.create_table(
        "partners",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("metadata", Json, nullable=False),
    )
    op.create_table(
        "pepper_checks",
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "plans",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("is_archived", sa.Boolean, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
    )
    op.create_table(
        "setup",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("expires_at", Instant),
        sa.Column("completed_at", Instant),
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("subject", sa.LargeBinary, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_at", Instant, nullable=False, index=True),
    )
    op.create_table(
        "usage_days",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key_id", sa.String(8), primary_key=True),
        sa.Column("endpoint", sa.String(40), primary_key=True),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("errors", sa.BigInteger, nullable=False),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("timed_requests", sa.BigInteger, nullable=False),
        sa.Column("latency_us", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_usage_days_key_id_day", "usage_days", ["key_id", "day"])
    op.create_table(
        "usage_hours",
        sa.Column("hour", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key_id", sa.String(8), primary_key=True),
        sa.Column("endpoint", sa.String(40), primary_key=True),
        sa.Column("requests", sa.BigInteger, nullable=False),
        sa.Column("errors", sa.BigInteger, nullable=False),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("timed_requests", sa.BigInteger, nullable=False),
        sa.Column("latency_us", sa.BigInteger, nullable=False),
        sa.Column("input_tokens", sa.BigInteger, nullable=False),
        sa.Column("output_tokens", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_usage_hours_key_id_hour", "usage_hours", ["key_id", "hour"])
    op.create_table(
        "usage_latencies",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key_id", sa.String(8), primary_key=True),
        sa.Column("endpoint", sa.String(40), primary_key=True),
        *(sa.Column(f"class_{number}", sa.BigInteger, nullable=False) for number in range(62)),
    )
    op.create_index("ix_usage_latencies_key_id_day", "usage_latencies", ["key_id", "day"])
    op.create_table(
        "usage_outcomes",
        sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key_id", sa.String(8), primary_key=True),
        sa.Column("endpoint", sa.String(40), primary_key=True),
        sa.Column("status", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("code", sa.String(40), primary_key=True),
        sa.Column("requests", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_usage_outcomes_key_id_day", "usage_outcomes", ["key_id", "day"])
    op.create_table(
        "write_probes",
        sa.Column("id", sa.LargeBinary, primary_key=True),
    )
    op.create_table(
        "customers",
        sa.Column("partner_id", sa.String(16), sa.ForeignKey("partners.id"), primary_key=True),
        sa.Column("legal_name", sa.String(200), nullable=False),
        sa.Column("contact_name", sa.String(200), nullable=False),
        sa.Column("contact_email", sa.String(254), nullable=False),
        sa.Column("contact_phone", sa.String(40), nullable=False),
        sa.Column("address_lines", Json, nullable=False),
        sa.Column("postcode", sa.String(12), nullable=False),
        sa.Column("city", sa.String(200), nullable=False),
        sa.Column("country", sa.String(2), nullable=False),
        sa.Column("siren", sa.String(9), nullable=False),
        sa.Column("vat_number", sa.String(20), nullable=False),
        sa.Column("default_plan_id", sa.String(16), sa.ForeignKey("plans.id")),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.String(8), primary_key=True),
        sa.Column("partner_id", sa.String(16), sa.ForeignKey("partners.id"), nullable=False, index=True),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("mode", sa.String(8), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant),
        sa.Column("revoked_at", Instant),
        sa.Column("suspended_at", Instant),
        sa.Column("monthly_units", sa.BigInteger),
        sa.Column("per_minute", sa.Integer, nullable=False),
        sa.Column("burst", sa.Integer, nullable=False),
        sa.Column("is_hard", sa.Boolean, nullable=False),
        sa.Column("spend_cap", Money),
        sa.Column("assistant_mode", sa.String(16), nullable=False),
        sa.Column("assistant_monthly_calls", sa.BigInteger),
        sa.Column("assistant_monthly_tokens", sa.BigInteger),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("allowed_cidrs", Json, nullable=False),
        sa.Column("metadata", Json, nullable=False),
    )
    op.create_index("ix_keys_created_at_id", "keys", ["created_at", "id"])
    op.create_table(
        "plan_terms",
        sa.Column("plan_id", sa.String(16), sa.ForeignKey("plans.id"), primary_key=True),
        sa.Column("from_month", sa.String(7), primary_key=True),
        sa.Column("monthly_fee", Money, nullable=False),
        sa.Column("included_units", sa.BigInteger, nullable=False),
        sa.Column("tiers", Json, nullable=False),
        sa.Column("vat_rate", Money, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("charged_per", sa.String(8), nullable=False),
        sa.Column("is_pro_rata", sa.Boolean, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("admin_id", sa.String(16), sa.ForeignKey("admins.id"), nullable=False, index=True),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("seen_at", Instant, nullable=False),
        sa.Column("client_address", sa.String(64), nullable=False),
    )
    op.create_table(
        "shared_bills",
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("partner_id", sa.String(16), sa.ForeignKey("partners.id"), primary_key=True),
        sa.Column("plan_id", sa.String(16), sa.ForeignKey("plans.id"), primary_key=True),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("included_units", sa.BigInteger, nullable=False),
        sa.Column("lines", Json, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("net", Money, nullable=False),
        sa.Column("vat", Money, nullable=False),
        sa.Column("gross", Money, nullable=False),
    )
    op.create_table(
        "adjustments",
        sa.Column("id", _SERIAL, primary_key=True),
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("billed_month", sa.String(7), nullable=False, index=True),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("net", Money, nullable=False),
        sa.Column("vat_rate", Money, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.UniqueConstraint("key_id", "month", "billed_month"),
    )
    op.create_table(
        "issued_bills",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("seller_siren", sa.String(9), nullable=False),
        sa.Column("number", sa.String(20), nullable=False),
        sa.Column("partner_id", sa.String(16), sa.ForeignKey("partners.id"), nullable=False, index=True),
        sa.Column("issued_on", sa.String(10), nullable=False, index=True),
        sa.Column("corrected_id", sa.String(16), sa.ForeignKey("issued_bills.id"), index=True),
        sa.Column("content", Json, nullable=False),
        sa.UniqueConstraint("seller_siren", "number"),
    )
    op.create_table(
        "key_activity",
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), primary_key=True),
        sa.Column("bucket", sa.BigInteger, nullable=False),
        sa.Column("bucket_at_us", sa.BigInteger, nullable=False),
        sa.Column("minute", sa.BigInteger, nullable=False),
        sa.Column("minute_count", sa.Integer, nullable=False),
        sa.Column("leased", sa.Integer, nullable=False),
        sa.Column("last_used_at", Instant, nullable=False),
    )
    op.create_table(
        "key_events",
        sa.Column("id", _SERIAL, primary_key=True),
        sa.Column("about", sa.String(80), nullable=False),
        sa.Column("threshold", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("partner_id", sa.String(16), nullable=False),
        sa.Column("mode", sa.String(8), nullable=False),
        sa.Column("key_id", sa.String(8)),
        sa.Column("month", sa.String(7)),
        sa.Column("expires_at", Instant),
        sa.Column("amount", Money),
        sa.Column("created_at", Instant, nullable=False, index=True),
        sa.UniqueConstraint("about", "threshold"),
        sa.Index("ix_key_events_owner_id", "owner", "id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhook",
        sa.Column("owner", sa.String(80), primary_key=True),
        sa.Column("webhook_id", sa.String(40), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("salt", sa.String(40), nullable=False),
        sa.Column("created_at", sa.String(20), nullable=False),
        sa.Column("state", sa.String(10), nullable=False, comment="unverified, active or paused"),
        sa.Column("sent_id", sa.BigInteger, nullable=False, comment="the last event that arrived"),
        sa.Column("failures", sa.Integer, nullable=False, comment="since the last message that arrived"),
        sa.Column("failing_since", sa.String(20)),
        sa.Column("next_at", sa.String(20), nullable=False, comment="no message is sent before"),
        sa.Column("last_error", sa.Text),
        sa.Index("webhook_next", "next_at"),
    )
    op.create_table(
        "mails",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("event_id", _SERIAL),
        sa.Column("invitation_id", sa.String(16)),
        sa.Column("created_at", Instant, nullable=False, index=True),
        sa.Column("next_at", Instant, nullable=False, index=True),
        sa.Column("tries", sa.Integer, nullable=False),
    )
    op.create_table(
        "key_secrets",
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("pepper_version", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("ending", sa.String(4), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("expires_at", Instant),
    )
    op.create_table(
        "key_terms",
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), primary_key=True),
        sa.Column("from_month", sa.String(7), primary_key=True),
        sa.Column("plan_id", sa.String(16), sa.ForeignKey("plans.id")),
        sa.Column("monthly_fee", Money),
        sa.Column("included_units", sa.BigInteger),
        sa.Column("tiers", Json),
        sa.Column("vat_rate", Money),
        sa.Column("currency", sa.String(3)),
        sa.Column("is_pro_rata", sa.Boolean),
    )
    op.create_table(
        "month_bills",
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), primary_key=True),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("included_units", sa.BigInteger, nullable=False),
        sa.Column("lines", Json, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("net", Money, nullable=False),
        sa.Column("vat", Money, nullable=False),
        sa.Column("gross", Money, nullable=False),
        sa.Column("plan_id", sa.String(16)),
        sa.Column("charged_per", sa.String(8), nullable=False),
    )
    op.create_table(
        "leases",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("key_id", sa.String(8), sa.ForeignKey("keys.id"), nullable=False, index=True),
        sa.Column("holder", sa.LargeBinary, nullable=False, index=True),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("leased_at", Instant, nullable=False, index=True),
        sa.Column("is_ended", sa.Boolean, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("units", sa.BigInteger, nullable=False),
        sa.Column("suggestions", sa.Integer, nullable=False),
        sa.Column("calls", sa.Integer, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
    )
