"""The lists of communes, postcodes and lieux-dits.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "cog_commune",
        sa.Column("code", sa.String(5), primary_key=True),
        sa.Column("kind", sa.String(4), primary_key=True, comment="COM, ARM, COMD or COMA: a code may be two of them"),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parent_code", sa.String(5), nullable=False, comment="empty for COM"),
        sqlite_with_rowid=False,
        comment="The communes that exist, with their arrondissements and the delegated and associated ones.",
    )
    op.create_table(
        "cog_movement",
        sa.Column("old_code", sa.String(5), primary_key=True, comment="empty where a commune was made anew"),
        sa.Column("effective_on", sa.String(10), primary_key=True),
        sa.Column("change", sa.String(2), primary_key=True, comment="MOD of INSEE"),
        sa.Column("old_kind", sa.String(4), primary_key=True),
        sa.Column("new_code", sa.String(5), primary_key=True),
        sa.Column("new_kind", sa.String(4), primary_key=True),
        sa.Column("old_name", sa.Text, nullable=False),
        sa.Column("new_name", sa.Text, nullable=False),
        sqlite_with_rowid=False,
        comment="Changes of communes since 1943.",
    )
    op.create_table(
        "commune_postcodes",
        sa.Column("code", sa.String(5), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("postcodes", sa.Text, nullable=False, comment="joined by |"),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "locality",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("locality_id", sa.String(40), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("search_name", sa.Text, nullable=False, comment="its canonical form"),
        sa.Column("postcode", sa.String(5), nullable=False),
        sa.Column("commune_name", sa.Text, nullable=False),
        sa.Column("former_commune_name", sa.Text, nullable=False),
        sa.Column("lon", sa.Float(53)),
        sa.Column("lat", sa.Float(53)),
        sqlite_with_rowid=False,
        comment="Lieux-dits. One that has numbers is a street too, under the same id, and that one is shown.",
    )
    # Lieux-dits have a table of their own, so that neither load can drop the other's rows.
    op.drop_column("street", "is_locality")


def downgrade() -> None:
    op.add_column("street", sa.Column("is_locality", sa.Boolean, nullable=False, server_default=sa.false()))
    for table in ("locality", "commune_postcodes", "cog_movement", "cog_commune"):
        op.drop_table(table)
