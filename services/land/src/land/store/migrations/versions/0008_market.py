"""Sales that can be compared, in a table of their own.

They are made from the rows of DVF's files, which the store does not keep: sales are unloaded, to be loaded again.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "market_sale",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column(
            "part", sa.String(10), primary_key=True, comment="year of the file: mutation ids are unique within it"
        ),
        sa.Column("id_mutation", sa.String(40), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False, comment="house, flat, commercial, building_land or land"),
        sa.Column("date_mutation", sa.String(10), nullable=False),
        sa.Column("type_local", sa.Text),
        sa.Column("price_eur", sa.Float(53), nullable=False),
        sa.Column("area_m2", sa.Float(53), nullable=False, comment="what the price is divided by"),
        sa.Column("built_m2", sa.Float(53)),
        sa.Column("land_m2", sa.Float(53)),
        sa.Column("parcel_ids", sa.Text, nullable=False, comment="joined by |"),
        sa.Column("lon", sa.Float(53), nullable=False),
        sa.Column("lat", sa.Float(53), nullable=False),
        sqlite_with_rowid=False,
        comment="Mutations that can be compared with others of their kind, each once.",
    )
    op.create_index("market_sale_place", "market_sale", ["commune_code", "kind", "lat", "lon"])
    op.create_index("market_sale_date", "market_sale", ["commune_code", "date_mutation"])
    op.execute("DELETE FROM dataset_load WHERE dataset = 'dvf'")
    op.execute("DELETE FROM sale")


def downgrade() -> None:
    op.drop_table("market_sale")
