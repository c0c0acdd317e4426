"""Creates the table of answers that are stored by idempotency key."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stored_answers",
        sa.Column("key_id", sa.String(100), primary_key=True),
        sa.Column("idempotency_digest", sa.LargeBinary(32), primary_key=True),
        sa.Column("request_digest", sa.LargeBinary(32), nullable=False),
        sa.Column("claim_id", sa.LargeBinary(16), nullable=False),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("outcome", sa.LargeBinary(), nullable=True),
    )
    op.create_index("ix_stored_answers_valid_until", "stored_answers", ["valid_until"])
