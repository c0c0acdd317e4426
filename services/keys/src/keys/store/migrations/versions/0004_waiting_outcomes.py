"""Adds the queue of outcomes of locked keys, and a table to test that the database can be written."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "waiting_outcomes",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("outcome", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_waiting_outcomes"),
    )
    op.create_index("ix_waiting_outcomes_key_id", "waiting_outcomes", ["key_id"])
    op.create_table(
        "write_probes",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_write_probes"),
    )


def downgrade() -> None:
    op.drop_table("write_probes")
    op.drop_table("waiting_outcomes")
