"""Adds whether the tokens of a run are an estimate. NULL for existing runs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
oldest_code = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("tokens_estimated", sa.Boolean(), nullable=True))
