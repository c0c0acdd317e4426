"""Comments that the tables declare and that no migration wrote. SQLite keeps no comments.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        return
    for table in ("street", "address_commune"):
        op.alter_column(table, "address_count", comment="its numbered addresses", existing_type=sa.Integer())
    op.create_table_comment("street", "Streets and places that have numbers.")
