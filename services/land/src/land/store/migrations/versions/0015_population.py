"""The population of each commune, so that a query that may mean many communes loads the likeliest first.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("commune_postcodes", sa.Column("population", sa.Integer))


def downgrade() -> None:
    op.drop_column("commune_postcodes", "population")
