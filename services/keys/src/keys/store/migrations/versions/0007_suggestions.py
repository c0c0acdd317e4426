"""The suggestions that were granted to a key in a month: after the free ones, each tenth costs one unit.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("key_months", sa.Column("suggestions", sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("key_months", "suggestions")
