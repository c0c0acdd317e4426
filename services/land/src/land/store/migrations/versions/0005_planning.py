"""Planning documents: zones, prescriptions, communes under the national rules.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    geometry = Geometry().with_variant(sa.LargeBinary(), "sqlite")
    op.create_table(
        "planning_zone",
        sa.Column(
            "id", sa.BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"
        ),
        sa.Column("partition", sa.String(40), nullable=False),
        sa.Column("part", sa.String(10), nullable=False, comment="cc for a carte communale"),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("document_type", sa.String(4)),
        sa.Column("approved_on", sa.String(10)),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("long_label", sa.Text),
        sa.Column("zone_type", sa.String(3)),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", geometry, nullable=False),
        comment="Zones of planning documents. On SQLite the virtual table planning_box (R*Tree) holds the bounding "
        "boxes.",
    )
    op.create_index("planning_zone_document", "planning_zone", ["partition", "part"])
    op.create_table(
        "planning_prescription",
        sa.Column(
            "id", sa.BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"
        ),
        sa.Column("partition", sa.String(40), nullable=False),
        sa.Column("part", sa.String(10), nullable=False, comment="surface, line or point"),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("document_type", sa.String(4)),
        sa.Column("approved_on", sa.String(10)),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("type_code", sa.String(2)),
        sa.Column("subtype_code", sa.String(2)),
        sa.Column("regulation_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", geometry, nullable=False),
    )
    op.create_index("planning_prescription_document", "planning_prescription", ["partition", "part"])
    op.create_table(
        "planning_commune",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("is_rnu", sa.Boolean),
    )
    if sqlite:
        op.execute("CREATE VIRTUAL TABLE planning_box USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
    else:
        op.execute("CREATE INDEX planning_zone_geometry ON planning_zone USING gist (geometry)")
        op.execute("CREATE INDEX planning_prescription_geometry ON planning_prescription USING gist (geometry)")


def downgrade() -> None:
    for table in ("planning_commune", "planning_prescription", "planning_zone"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE planning_box")
