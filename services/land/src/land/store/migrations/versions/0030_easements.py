"""Public easements, and the documents of them that are published.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "easement",
        sa.Column(
            "id", sa.BigInteger, primary_key=True, autoincrement=False, comment="made of partition, part and place"
        ),
        sa.Column("partition", sa.String(40), nullable=False, comment="a commune, or a document of easements"),
        sa.Column("part", sa.String(10), nullable=False, comment="surface, line or point"),
        sa.Column("document", sa.String(40), nullable=False),
        sa.Column("category", sa.String(20), nullable=False),
        sa.Column("easement_id", sa.Text, nullable=False),
        sa.Column("generator_id", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("technical_name", sa.Text, nullable=False),
        sa.Column("type", sa.Text),
        sa.Column("act_file", sa.Text),
        sa.Column("act_url", sa.Text),
        sa.Column("is_repaired", sa.Boolean, nullable=False),
        sa.Column("geometry", Geometry().with_variant(sa.LargeBinary(), "sqlite"), nullable=False),
        comment="Pieces of the land that bears easements: an outline of many corners has several rows.",
    )
    op.create_index("easement_partition", "easement", ["partition", "part"])
    op.create_table(
        "easement_detail",
        sa.Column("partition", sa.String(40), nullable=False),
        sa.Column("part", sa.String(10), nullable=False),
        sa.Column("document", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False, comment="generator, servitude, link, act or file"),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("refers_to", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("type", sa.Text),
        sa.Column("decided_on", sa.String(10)),
    )
    op.create_index("easement_detail_partition", "easement_detail", ["partition", "part"])
    op.create_index("easement_detail_key", "easement_detail", ["document", "kind", "key"])
    op.create_table(
        "easement_document",
        sa.Column("department", sa.String(3), primary_key=True),
        sa.Column("document", sa.String(40), primary_key=True),
        sa.Column("category", sa.String(20), nullable=False),
        sa.Column("territory", sa.String(5), nullable=False),
        sqlite_with_rowid=False,
        comment="The documents of easements that are published for land of a département.",
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE easement_box USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
    else:
        op.execute("CREATE INDEX easement_geometry ON easement USING gist (geometry)")


def downgrade() -> None:
    op.execute("DELETE FROM dataset_load WHERE dataset IN ('gpu-sup', 'gpu-sup-documents')")
    for table in ("easement_document", "easement_detail", "easement"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE easement_box")
