"""Energy ratings, counted by place.

Revision ID: 0032
Revises: 0031
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.create_table(
        "energy_rating",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("lat", sa.Float(53), primary_key=True),
        sa.Column("lon", sa.Float(53), primary_key=True),
        sa.Column("part", sa.String(10), primary_key=True, comment="existing or new dwellings"),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("rnb_id", sa.String(12), nullable=False),
        sa.Column("street_id", sa.String(40), nullable=False),
        sa.Column("house_number", sa.Integer, nullable=False),
        sa.Column("suffix", sa.String(20), nullable=False),
        sa.Column("is_placed", sa.Boolean, nullable=False, comment="whether the point is surely that of its address"),
        sa.Column("energy", sa.String(1), nullable=False),
        sa.Column("greenhouse_gas", sa.String(1), nullable=False),
        sa.Column("rating_count", sa.Integer, nullable=False),
        sa.Column("oldest_on", sa.String(10), nullable=False),
        sa.Column("newest_on", sa.String(10), nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in ("dataset_load", '"fetch"'):
        op.execute(f"DELETE FROM {table} WHERE dataset = 'dpe'")  # noqa: S608 (no values)
    op.drop_table("energy_rating")
