"""The starts of street names, for texts that are being typed, and the bounding box of each commune's addresses.

`land migrate` then writes the starts of loaded communes together with the form of their streets.

Revision ID: 0021
Revises: 0020
"""

import shapely
import sqlalchemy as sa
from alembic import op

from land.store.geometry import Geometry

revision = "0021"
down_revision = "0020"
oldest_code = "0021"
"""The code of 0020 loads streets without writing their starts."""

changes_data = "The code of 0020 does not run on this schema."
BATCH = 1_000
GEOMETRY = Geometry().with_variant(sa.LargeBinary(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "street_start",
        sa.Column("commune_code", sa.String(5), primary_key=True),
        sa.Column("words", sa.Text(collation="C").with_variant(sa.Text(), "sqlite"), primary_key=True),
        sa.Column("street_id", sa.String(40), primary_key=True),
        sa.Column("street_type", sa.Text, nullable=False),
        sa.Column(
            "tier", sa.SmallInteger, nullable=False, comment="0 for the largest streets of the largest cities, up to 3"
        ),
        sqlite_with_rowid=False,
        comment="Where the canonical names of streets and lieux-dits start, for texts that are being typed.",
    )
    op.create_index("street_start_words", "street_start", ["tier", "words"])
    op.execute("UPDATE commune_streets SET form_version = 0")
    op.add_column("address_commune", sa.Column("geometry", GEOMETRY, comment="the bounding box of its addresses"))
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE address_commune_box USING rtree(id, min_lon, max_lon, min_lat, max_lat)")
    else:
        op.execute("CREATE INDEX address_commune_geometry ON address_commune USING gist (geometry)")
        op.execute(
            "COMMENT ON TABLE address_commune IS"
            " 'On SQLite the virtual table address_commune_box (R*Tree) holds the bounding boxes.'"
        )
    if not op.get_context().as_sql:
        _fill(op.get_bind())


def _fill(connection: sa.Connection) -> None:
    """The boxes of loaded communes."""
    address = sa.table("address", *map(sa.column, ("commune_code", "lon", "lat")))
    commune = sa.table("address_commune", sa.column("commune_code"), sa.column("geometry", GEOMETRY))
    bounds = [f(address.c[name]) for f in (sa.func.min, sa.func.max) for name in ("lon", "lat")]
    found = connection.execute(
        sa.select(address.c.commune_code, *bounds).where(address.c.lon.is_not(None)).group_by(address.c.commune_code)
    ).all()
    change = (
        sa.update(commune).where(commune.c.commune_code == sa.bindparam("code")).values(geometry=sa.bindparam("box"))
    )
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        connection.execute(change, [{"code": code, "box": shapely.box(*box).wkb} for code, *box in batch])
        if connection.dialect.name == "sqlite":
            boxes = [(int(code, 36), west, east, south, north) for code, west, south, east, north in batch]
            connection.exec_driver_sql("INSERT INTO address_commune_box VALUES (?, ?, ?, ?, ?)", boxes)


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE address_commune_box")
    else:
        op.execute("DROP INDEX address_commune_geometry")
        op.execute("COMMENT ON TABLE address_commune IS NULL")
    op.drop_column("address_commune", "geometry")
    op.drop_table("street_start")
