"""The information layers of planning documents.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "planning_information",
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
        sa.Column("geometry", Geometry().with_variant(sa.LargeBinary(), "sqlite"), nullable=False),
    )
    op.create_index("planning_information_document", "planning_information", ["partition", "part"])
    if not sqlite:
        op.execute("CREATE INDEX planning_information_geometry ON planning_information USING gist (geometry)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DELETE FROM planning_box WHERE id IN (SELECT id FROM planning_information)")
    op.execute("DELETE FROM dataset_load WHERE dataset = 'gpu-informations'")
    op.drop_table("planning_information")
