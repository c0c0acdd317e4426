"""Rights of legal persons on parcels.

Revision ID: 0029
Revises: 0028
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "owner",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("parcel_id", sa.String(14), primary_key=True),
        sa.Column("right_code", sa.String(1), primary_key=True),
        sa.Column("holder", sa.String(20), primary_key=True, comment="SIREN, or the provisional number of the DGFiP"),
        sa.Column("department", sa.String(3), nullable=False),
        sa.Column("name", sa.Text, comment="null if it may be the name of an individual"),
        sa.Column("siren", sa.String(9)),
        sa.Column("legal_form_code", sa.String(4)),
        sa.Column("legal_form", sa.Text),
        sa.Column("group_code", sa.String(1)),
        sqlite_with_rowid=False,
        comment="Rights of legal persons on parcels.",
    )
    op.create_index("owner_department", "owner", ["department"])


def downgrade() -> None:
    op.execute("DELETE FROM dataset_load WHERE dataset = 'personnes-morales'")
    op.execute("DELETE FROM \"fetch\" WHERE dataset = 'personnes-morales'")
    op.drop_table("owner")
