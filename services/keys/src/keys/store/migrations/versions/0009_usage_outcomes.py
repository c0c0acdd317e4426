"""Adds usage by status and problem code, latencies by class, and the request id and the problem code of each event.

To build the index blocks writes to events. Until it is built, edges keep their outcomes and send them again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("events", sa.Column("request_id", sa.String(128)))
    op.add_column("events", sa.Column("code", sa.String(40)))
    op.create_index("ix_events_key_id_occurred_at", "events", ["key_id", "occurred_at"])
    op.create_table(
        "usage_outcomes",
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("endpoint", sa.String(40), nullable=False),
        sa.Column("status", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("requests", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "key_id", "endpoint", "status", "code", name="pk_usage_outcomes"),
    )
    op.create_index("ix_usage_outcomes_key_id_day", "usage_outcomes", ["key_id", "day"])
    op.create_table(
        "usage_latencies",
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.String(8), nullable=False),
        sa.Column("endpoint", sa.String(40), nullable=False),
        *(sa.Column(f"class_{number}", sa.BigInteger(), nullable=False) for number in range(62)),
        sa.PrimaryKeyConstraint("day", "key_id", "endpoint", name="pk_usage_latencies"),
    )
    op.create_index("ix_usage_latencies_key_id_day", "usage_latencies", ["key_id", "day"])
