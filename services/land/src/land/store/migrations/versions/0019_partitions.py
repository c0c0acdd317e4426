"""The word "partition" for the pieces of a dataset, and the area of each parcel.

Revision ID: 0019
Revises: 0018
"""

import shapely
import sqlalchemy as sa
from alembic import op

from land import territory

revision = "0019"
down_revision = "0018"
contract = "The code of 0018 names the renamed columns in every load and every answer: it does not run on this schema."
oldest_code = "0019"
changes_data = "The code of 0018 cannot write parcels without an area: it does not run on this schema."

BATCH = 10_000
"""Parcels in one query."""
_NEXT = sa.text(
    "SELECT commune_code, parcel_id, geometry FROM parcel WHERE (commune_code, parcel_id) > (:commune, :parcel)"
    " AND geometry IS NOT NULL ORDER BY commune_code, parcel_id LIMIT :batch"
)
_SET = sa.text("UPDATE parcel SET geometric_area_m2 = :area WHERE commune_code = :commune AND parcel_id = :parcel")
_PARTITION = "the commune, or the département if it is published by département"
_COMMENTS = {
    "dataset_load": "One row per loaded partition and part. A later load of the same replaces it.",
    "revision": "Counts the loads of a dataset, so that caches detect a change by reading one row.",
    "dropped_partition": "Partitions whose rows were deleted, so that caches drop them.",
    "fetch": "Partitions loaded on demand. Imported ones have no row here and are never evicted.",
    "locality": "Lieux-dits. One with numbers is also a street with the same id; then only the street is shown.",
    "placement": "By commune, counts of the permit references to its parcels.",
    "building": "One row per building and source. On SQLite building_box (R*Tree) holds the bounding boxes.",
}
_COLUMN_COMMENTS = [
    ("fetch", "commune_code", "the commune whose files were downloaded"),
    ("fetch", "used_at", "to about one hour"),
    ("cog_movement", "old_code", "empty if no commune existed before"),
    ("placement", "unchecked", "no cadastre is loaded to look for them"),
    ("retired_parcel", "last_edition", "last edition of the plan that has the parcel"),
    ("building", "key", "partition, dataset and place as one number, so that rows of a partition are adjacent"),
    ("building", "partition", _PARTITION),
    ("building", "plots", "parcel:ratio joined by |, if the source has it"),
]


def upgrade() -> None:
    op.rename_table("dropped_unit", "dropped_partition")
    _rename("unit", "partition")
    op.alter_column("building", "unit_code", new_column_name="partition")
    area = sa.Column("geometric_area_m2", sa.Float(53), comment="in the legal projection, to one decimal")
    op.add_column("parcel", area)
    if op.get_context().dialect.name != "sqlite":  # SQLite keeps no comments
        for table, comment in _COMMENTS.items():
            op.create_table_comment(table, comment)
        for table, column, comment in _COLUMN_COMMENTS:
            op.alter_column(table, column, comment=comment)
    if not op.get_context().as_sql:
        _fill(op.get_bind())


def downgrade() -> None:
    op.drop_column("parcel", "geometric_area_m2")
    op.alter_column("building", "partition", new_column_name="unit_code")
    _rename("partition", "unit")
    op.rename_table("dropped_partition", "dropped_unit")


def _rename(old: str, new: str) -> None:
    """Renames the column in three tables, and the indexes that have its name."""
    for table, index in (
        ("dataset_load", ("dataset_load_{}", ["{}"])),
        ("fetch", ("fetch_{}", ["{}"])),
        ("dropped_partition", ("dropped_{}_revision", ["dataset", "revision"])),
    ):
        name, columns = index
        op.drop_index(name.format(old), table)
        op.alter_column(table, old, new_column_name=new)
        op.create_index(name.format(new), table, [column.format(new) for column in columns])


def _fill(connection: sa.Connection) -> None:
    """Computes the areas, in the order of the primary key."""
    last = {"commune": "", "parcel": ""}
    while rows := connection.execute(_NEXT, {**last, "batch": BATCH}).all():
        last = {"commune": rows[-1].commune_code, "parcel": rows[-1].parcel_id}
        by_projection: dict[int, list[sa.Row[tuple[str, str, bytes]]]] = {}
        for row in rows:
            by_projection.setdefault(territory.projection_of(row.commune_code), []).append(row)
        for projection, same in by_projection.items():
            outlines = list(shapely.from_wkb([row.geometry for row in same]))
            areas = shapely.area(territory.all_to_metres(outlines, projection)).tolist()
            connection.execute(
                _SET,
                [
                    {"commune": row.commune_code, "parcel": row.parcel_id, "area": round(area, 1)}
                    for row, area in zip(same, areas, strict=True)
                ],
            )
