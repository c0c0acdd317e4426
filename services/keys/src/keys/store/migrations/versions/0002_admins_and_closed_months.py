"""Admins, sessions, tokens, setup, throttling, and closed months with their bills and adjustments."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Instant, Json, Money

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "admin_tokens",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("created_by", sa.String(length=300), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("last_used_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_admin_tokens"),
        sa.UniqueConstraint("digest", name="uq_admin_tokens_digest"),
    )
    op.create_table(
        "admins",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password_hash", sa.String(length=300), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_sign_in_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_admins"),
        sa.UniqueConstraint("email", name="uq_admins_email"),
    )
    op.create_table(
        "idempotent_creations",
        sa.Column("actor", sa.String(length=300), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=False),
        sa.Column("request_digest", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("pepper_version", sa.Integer(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("actor", "idempotency_key", name="pk_idempotent_creations"),
    )
    op.create_index("ix_idempotent_creations_created_at", "idempotent_creations", ["created_at"], unique=False)
    op.create_table(
        "month_closings",
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("closed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("month", name="pk_month_closings"),
    )
    op.create_table(
        "setup",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("completed_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_setup"),
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("subject", sa.LargeBinary(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_sign_in_failures"),
    )
    op.create_index("ix_sign_in_failures_last_at", "sign_in_failures", ["last_at"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("admin_id", sa.String(length=16), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("client_address", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["admin_id"], ["admins.id"], name="fk_sessions_admin_id"),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_index("ix_sessions_admin_id", "sessions", ["admin_id"], unique=False)
    op.create_table(
        "adjustments",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("billed_month", sa.String(length=7), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("net", Money(), nullable=False),
        sa.Column("vat_rate", Money(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_adjustments_key_id"),
        sa.PrimaryKeyConstraint("id", name="pk_adjustments"),
        sa.UniqueConstraint("key_id", "month", "billed_month", name="uq_adjustments_key_id_month_billed_month"),
    )
    op.create_index("ix_adjustments_billed_month", "adjustments", ["billed_month"], unique=False)
    op.create_table(
        "month_bills",
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("included_units", sa.BigInteger(), nullable=False),
        sa.Column("lines", Json, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("net", Money(), nullable=False),
        sa.Column("vat", Money(), nullable=False),
        sa.Column("gross", Money(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_month_bills_key_id"),
        sa.PrimaryKeyConstraint("month", "key_id", name="pk_month_bills"),
    )
