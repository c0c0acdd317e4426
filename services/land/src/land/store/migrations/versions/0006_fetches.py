"""What is fetched on demand, and what was dropped again.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "dropped_unit",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("unit", sa.String(40), primary_key=True),
        sa.Column("revision", sa.BigInteger, nullable=False),
        comment="Units that were loaded once and are no more, so that caches forget them.",
    )
    op.create_index("dropped_unit_revision", "dropped_unit", ["dataset", "revision"])
    op.create_table(
        "fetch",
        sa.Column("dataset", sa.String(40), primary_key=True),
        sa.Column("unit", sa.String(40), primary_key=True),
        sa.Column("commune_code", sa.String(5), nullable=False, comment="whose files were asked for"),
        sa.Column("is_complete", sa.Boolean, nullable=False),
        sa.Column("fetched_at", sa.String(20), nullable=False),
        sa.Column("used_at", sa.String(20), nullable=False, comment="to the hour or so"),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        comment="What was fetched on demand; what was imported by hand is not here, and is never dropped.",
    )
    op.create_index("fetch_unit", "fetch", ["unit"])
    op.create_index("fetch_used", "fetch", ["used_at"])
    # Every answer asks for the loads of its communes' units.
    op.create_index("dataset_load_unit", "dataset_load", ["unit"])


def downgrade() -> None:
    op.drop_index("dataset_load_unit", "dataset_load")
    op.drop_table("fetch")
    op.drop_table("dropped_unit")
