"""The type of a carte communale's sector.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("planning_zone", sa.Column("sector_type", sa.String(2), comment="of a carte communale"))
    # Sectors that are loaded do not say it: they count as outdated, and are fetched again.
    op.execute(
        "UPDATE \"fetch\" SET fetched_at = '2000-01-01T00:00:00Z' WHERE dataset = 'gpu-zones' AND unit IN "
        "(SELECT partition FROM planning_zone WHERE part = 'cc')"
    )


def downgrade() -> None:
    op.drop_column("planning_zone", "sector_type")
