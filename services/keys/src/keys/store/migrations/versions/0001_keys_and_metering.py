"""Partners, keys and their secrets, price terms, reservations, events, rollups and the audit log."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Instant, Json, Money

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("occurred_at", Instant(), nullable=False),
        sa.Column("actor", sa.String(length=300), nullable=False),
        sa.Column("action", sa.String(length=60), nullable=False),
        sa.Column("subject", sa.String(length=100), nullable=False),
        sa.Column("changes", Json, nullable=False),
        sa.Column("client_address", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_subject", "audit_entries", ["subject"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("reservation_id", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("endpoint", sa.String(length=40), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("latency_us", sa.BigInteger(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("occurred_at", Instant(), nullable=False),
        sa.Column("recorded_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_recorded_at", "events", ["recorded_at"], unique=False)
    op.create_table(
        "key_months",
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("reserved_units", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("reserved_calls", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key_id", "month", name="pk_key_months"),
    )
    op.create_index("ix_key_months_month", "key_months", ["month"], unique=False)
    op.create_table(
        "partners",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_partners"),
        sa.UniqueConstraint("name", name="uq_partners_name"),
    )
    op.create_table(
        "plans",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        sa.UniqueConstraint("name", name="uq_plans_name"),
    )
    op.create_table(
        "usage_hours",
        sa.Column("hour", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("endpoint", sa.String(length=40), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("timed_requests", sa.BigInteger(), nullable=False),
        sa.Column("latency_us", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hour", "key_id", "endpoint", name="pk_usage_hours"),
    )
    op.create_index("ix_usage_hours_key_id_hour", "usage_hours", ["key_id", "hour"], unique=False)
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=8), nullable=False),
        sa.Column("partner_id", sa.String(length=16), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("mode", sa.String(length=8), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.Column("monthly_units", sa.BigInteger(), nullable=True),
        sa.Column("per_minute", sa.Integer(), nullable=False),
        sa.Column("burst", sa.Integer(), nullable=False),
        sa.Column("is_hard", sa.Boolean(), nullable=False),
        sa.Column("spend_cap", Money(), nullable=True),
        sa.Column("assistant_mode", sa.String(length=16), nullable=False),
        sa.Column("assistant_monthly_calls", sa.BigInteger(), nullable=True),
        sa.Column("assistant_monthly_tokens", sa.BigInteger(), nullable=True),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("allowed_cidrs", Json, nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_keys_partner_id"),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
    )
    op.create_index("ix_keys_created_at_id", "keys", ["created_at", "id"], unique=False)
    op.create_index("ix_keys_partner_id", "keys", ["partner_id"], unique=False)
    op.create_table(
        "plan_terms",
        sa.Column("plan_id", sa.String(length=16), nullable=False),
        sa.Column("from_month", sa.String(length=7), nullable=False),
        sa.Column("monthly_fee", Money(), nullable=False),
        sa.Column("included_units", sa.BigInteger(), nullable=False),
        sa.Column("tiers", Json, nullable=False),
        sa.Column("vat_rate", Money(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name="fk_plan_terms_plan_id"),
        sa.PrimaryKeyConstraint("plan_id", "from_month", name="pk_plan_terms"),
    )
    op.create_table(
        "key_activity",
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("bucket", sa.BigInteger(), nullable=False),
        sa.Column("bucket_at_us", sa.BigInteger(), nullable=False),
        sa.Column("minute", sa.BigInteger(), nullable=False),
        sa.Column("minute_count", sa.Integer(), nullable=False),
        sa.Column("last_used_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_key_activity_key_id"),
        sa.PrimaryKeyConstraint("key_id", name="pk_key_activity"),
    )
    op.create_table(
        "key_secrets",
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("pepper_version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("ending", sa.String(length=4), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_key_secrets_key_id"),
        sa.PrimaryKeyConstraint("key_id", "version", name="pk_key_secrets"),
    )
    op.create_table(
        "key_terms",
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("from_month", sa.String(length=7), nullable=False),
        sa.Column("plan_id", sa.String(length=16), nullable=True),
        sa.Column("monthly_fee", Money(), nullable=True),
        sa.Column("included_units", sa.BigInteger(), nullable=True),
        sa.Column("tiers", Json, nullable=True),
        sa.Column("vat_rate", Money(), nullable=True),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_key_terms_key_id"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name="fk_key_terms_plan_id"),
        sa.PrimaryKeyConstraint("key_id", "from_month", name="pk_key_terms"),
    )
    op.create_table(
        "reservations",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("endpoint", sa.String(length=40), nullable=False),
        sa.Column("reserved_at", Instant(), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("assistant_mode", sa.String(length=16), nullable=True),
        sa.Column("token_limit", sa.BigInteger(), nullable=True),
        sa.Column("denial_code", sa.String(length=40), nullable=True),
        sa.Column("denial_detail", sa.String(length=300), nullable=True),
        sa.Column("retry_after_s", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_reservations_key_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reservations"),
    )
    op.create_index(
        "ix_reservations_held",
        "reservations",
        ["reserved_at"],
        unique=False,
        sqlite_where=sa.text("state = 'held'"),
        postgresql_where=sa.text("state = 'held'"),
    )
    op.create_index("ix_reservations_reserved_at", "reservations", ["reserved_at"], unique=False)
