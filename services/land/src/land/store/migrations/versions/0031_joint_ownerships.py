"""Joint ownerships of the national register.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.create_table(
        "joint_ownership",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True),
        sa.Column("id", sa.String(20), primary_key=True, comment="number in the register"),
        sa.Column("department", sa.String(3), nullable=False, comment="of the first parcel that it names"),
        sa.Column("name", sa.Text),
        sa.Column("lot_count", sa.Integer),
        sa.Column("dwelling_lot_count", sa.Integer),
        sa.Column("construction_period", sa.String(40)),
        sa.Column("manager_type", sa.String(20), comment="professional or volunteer"),
        sqlite_with_rowid=False,
        comment="Joint ownerships of the national register, one row for each parcel that they name.",
    )
    op.create_index("joint_ownership_department", "joint_ownership", ["department"])


def downgrade() -> None:
    op.execute("DELETE FROM dataset_load WHERE dataset = 'rnic'")
    op.execute("DELETE FROM \"fetch\" WHERE dataset = 'rnic'")
    op.drop_table("joint_ownership")
