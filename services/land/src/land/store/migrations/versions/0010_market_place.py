"""Find sales by place within a commune first: with the kind before the place, SQLite read the whole commune.

Revision ID: 0010
Revises: 0009
"""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.drop_index("market_sale_place", "market_sale")
    op.create_index("market_sale_place", "market_sale", ["commune_code", "lat", "lon", "kind"])


def downgrade() -> None:
    op.drop_index("market_sale_place", "market_sale")
    op.create_index("market_sale_place", "market_sale", ["commune_code", "kind", "lat", "lon"])
