"""Parcels that a newer edition of the plan no longer has, and an index on the former ids in sales.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    geometry = Geometry().with_variant(sa.LargeBinary(), "sqlite")
    op.create_table(
        "retired_parcel",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True),
        sa.Column("last_edition", sa.String(40), nullable=False, comment="of the plan, the last that had it"),
        sa.Column("geometry", geometry, comment="as in that edition"),
        sqlite_with_rowid=False,
    )
    former = sa.text("ancien_id_parcelle <> ''")
    op.create_index("sale_former_id", "sale", ["ancien_id_parcelle"], sqlite_where=former, postgresql_where=former)


def downgrade() -> None:
    op.drop_index("sale_former_id", "sale")
    op.drop_table("retired_parcel")
