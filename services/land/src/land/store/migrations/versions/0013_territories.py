"""The territory of each commune, so that land of a commune that is not loaded is not taken for a public way.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0013"
down_revision = "0012"
oldest_code = "0013"


def upgrade() -> None:
    geometry = Geometry().with_variant(sa.LargeBinary(), "sqlite")
    op.create_table(
        "commune_territory",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", geometry, nullable=False),
        comment="The territory of a commune as its plan draws it.",
    )


def downgrade() -> None:
    op.drop_table("commune_territory")
