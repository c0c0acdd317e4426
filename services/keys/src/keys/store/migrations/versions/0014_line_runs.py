"""Stores which runs of a request with many lines are open, in place of their number."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Json

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None
contract = "An old replica cannot serve files of lines beside a new one. No version was released."
oldest_code = "0014"


def upgrade() -> None:
    op.drop_column("line_requests", "runs")
    op.add_column("line_requests", sa.Column("runs", Json, nullable=False, server_default="{}"))
