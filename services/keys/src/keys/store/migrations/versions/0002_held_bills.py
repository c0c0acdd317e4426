"""Bills that wait for facts about their buyer, and the mails that say so to admins."""

import sqlalchemy as sa
from alembic import op

from keys.store.types import Json

revision = "0002_held_bills"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "held_bills",
        sa.Column("month", sa.String(7), primary_key=True),
        sa.Column("partner_id", sa.String(16), sa.ForeignKey("partners.id"), primary_key=True),
        sa.Column("content", Json, nullable=False),
    )
    for column, length in (("admin_id", 16), ("partner_id", 16), ("month", 7)):
        op.add_column("mails", sa.Column(column, sa.String(length)))
