"""How many addresses a street and a commune have: of two that a query may mean, people rather mean the larger.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    for table in ("street", "address_commune"):
        op.add_column(table, sa.Column("address_count", sa.Integer, nullable=False, server_default="0"))
