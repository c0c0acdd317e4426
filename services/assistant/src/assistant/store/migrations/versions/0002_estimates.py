"""Whether a run's tokens are an estimate; not known of those that are there."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
oldest_code = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("tokens_estimated", sa.Boolean(), nullable=True))
