"""The figures of sales where identical rows of DVF count each.

Sales that were loaded before have none: they are null until their file is loaded again.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    once, each = (
        "houses, flats and premises, identical rows once",
        "identical rows each; null where that changes no figure",
    )
    op.add_column("sale", sa.Column("unit_count", sa.Integer, comment=once))
    op.add_column("sale", sa.Column("unfolded_unit_count", sa.Integer, comment=each))
    op.add_column("sale", sa.Column("unfolded_surface_reelle_bati", sa.Float(53)))
    op.add_column("sale", sa.Column("unfolded_surface_terrain", sa.Float(53)))
    op.add_column("sale", sa.Column("unfolded_nombre_pieces_principales", sa.Integer))
    ground = "the ground, identical rows each; null where it is land_m2"
    op.add_column("market_sale", sa.Column("unfolded_land_m2", sa.Float(53), comment=ground))


def downgrade() -> None:
    for name in ("unit_count", "surface_reelle_bati", "surface_terrain", "nombre_pieces_principales"):
        op.drop_column("sale", f"unfolded_{name}")
    op.drop_column("sale", "unit_count")
    op.drop_column("market_sale", "unfolded_land_m2")
