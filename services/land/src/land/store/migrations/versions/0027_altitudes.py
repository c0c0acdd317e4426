"""Altitudes of parcels.

Revision ID: 0027
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "altitude",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True),
        sa.Column("samples", sa.Text, nullable=False, comment="longitude latitude altitude of each point, in one text"),
        sa.Column("max_slope_percent", sa.Float(53)),
        sa.Column("retrieved_at", sa.String(20), nullable=False, comment="empty for imported ones; others are a cache"),
        sqlite_with_rowid=False,
    )
    op.create_index("altitude_retrieved", "altitude", ["retrieved_at"])


def downgrade() -> None:
    op.execute("DELETE FROM dataset_load WHERE dataset = 'altimetry'")
    op.drop_table("altitude")
