"""What the Géoportail says of planning documents themselves.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "planning_document",
        sa.Column("partition", sa.String(40), primary_key=True),
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Column("document_type", sa.String(4)),
        sa.Column("approved_on", sa.String(10)),
        sa.Column("url", sa.Text),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("planning_document")
