"""Adds corrections of bills."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Instant, Money

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "corrections",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("net", Money(), nullable=False),
        sa.Column("vat_rate", Money(), nullable=False),
        sa.Column("reason_fr", sa.String(200), nullable=False),
        sa.Column("reason_en", sa.String(200), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("billed_month", sa.String(7), nullable=True),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name="fk_corrections_key_id"),
        sa.PrimaryKeyConstraint("id", name="pk_corrections"),
    )
    op.create_index("ix_corrections_key_id", "corrections", ["key_id"])
