"""Which intercommunality a commune is in, and which planning documents are in force there.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("commune_postcodes", sa.Column("epci", sa.String(9), comment="SIREN of its intercommunality"))
    op.create_table(
        "planning_in_force",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("partition", sa.String(40), primary_key=True),
        sqlite_with_rowid=False,
        comment="The planning documents in force in the middle of a commune.",
    )
    # The list that is loaded does not say the intercommunalities: it counts as outdated, and is fetched again.
    op.execute("UPDATE \"fetch\" SET fetched_at = '2000-01-01T00:00:00Z' WHERE dataset = 'postcodes'")


def downgrade() -> None:
    op.drop_table("planning_in_force")
    op.drop_column("commune_postcodes", "epci")
