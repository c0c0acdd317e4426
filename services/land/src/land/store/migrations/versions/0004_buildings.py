"""Buildings of the cadastre, BD TOPO and the national register.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "building",
        sa.Column(
            "key",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
            autoincrement=False,
            comment="its unit, dataset and place in that as one number, so that rows of a unit lie together",
        ),
        sa.Column(
            "unit_code", sa.String(5), nullable=False, comment="the commune, or the département of what is published so"
        ),
        sa.Column("dataset", sa.String(40), nullable=False),
        sa.Column("building_id", sa.String(40), nullable=False),
        sa.Column("rnb_ids", sa.Text, nullable=False, comment="joined by |"),
        sa.Column("is_light", sa.Boolean),
        sa.Column("height_m", sa.Float(53)),
        sa.Column("storeys", sa.Integer),
        sa.Column("usage", sa.Text),
        sa.Column("dwelling_count", sa.Integer),
        sa.Column("construction_year", sa.Integer),
        sa.Column("plots", sa.Text, nullable=False, comment="parcel:ratio joined by |, where the source says it"),
        sa.Column("geometry", Geometry().with_variant(sa.LargeBinary(), "sqlite"), nullable=False),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        comment="A building is here once for each source that has it. On SQLite building_box (R*Tree) holds the boxes.",
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE building_box USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
    else:
        op.execute("CREATE INDEX building_geometry ON building USING gist (geometry)")


def downgrade() -> None:
    op.drop_table("building")
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE building_box")
