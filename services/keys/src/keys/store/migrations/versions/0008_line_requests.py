"""Adds the requests that have many lines."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Instant

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "line_requests",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("endpoint", sa.String(40), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("reserved_at", Instant(), nullable=False),
        sa.Column("renewed_at", Instant(), nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("reserved_units", sa.BigInteger(), nullable=False),
        sa.Column("charged", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_line_requests"),
    )
    op.create_index("ix_line_requests_renewed_at", "line_requests", ["renewed_at"])
