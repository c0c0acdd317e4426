"""Adds who pays a plan, and the bills of plans that the keys of a partner share.

Older code charges each plan per key. So a plan is charged per partner only once no older replica runs.
"""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Json, Money

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("plan_terms", sa.Column("charged_per", sa.String(8), nullable=False, server_default="key"))
    op.add_column("month_bills", sa.Column("plan_id", sa.String(16)))
    op.add_column("month_bills", sa.Column("charged_per", sa.String(8)))
    op.create_table(
        "shared_bills",
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("partner_id", sa.String(16), nullable=False),
        sa.Column("plan_id", sa.String(16), nullable=False),
        sa.Column("units", sa.BigInteger(), nullable=False),
        sa.Column("included_units", sa.BigInteger(), nullable=False),
        sa.Column("lines", Json, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("net", Money(), nullable=False),
        sa.Column("vat", Money(), nullable=False),
        sa.Column("gross", Money(), nullable=False),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name="fk_shared_bills_partner_id"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.id"], name="fk_shared_bills_plan_id"),
        sa.PrimaryKeyConstraint("month", "partner_id", "plan_id", name="pk_shared_bills"),
    )
