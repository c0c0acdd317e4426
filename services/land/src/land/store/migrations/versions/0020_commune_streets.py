"""The streets of each commune in the form that the search reads. `land migrate` then writes those of loaded communes.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
oldest_code = "0020"
"""The code of 0019 loads streets without writing their form: a later version would read the form of older streets."""


def upgrade() -> None:
    op.create_table(
        "commune_streets",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("form_version", sa.Integer, nullable=False),
        sa.Column("form", sa.LargeBinary, nullable=False),
        comment="The streets and lieux-dits of a commune in the form that the search reads.",
    )


def downgrade() -> None:
    op.drop_table("commune_streets")
