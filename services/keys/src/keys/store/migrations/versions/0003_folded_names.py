"""Names without accents and case, by which partners and plans are found, and keys and customers searched."""

import sqlalchemy as sa
from alembic import op

from keys.values.checks import folded

revision = "0003_folded_names"
down_revision = "0002_held_bills"

_NAMES = {"partners": "name", "plans": "name", "keys": "label", "customers": "legal_name"}


def upgrade() -> None:
    for table_name, name in _NAMES.items():
        op.add_column(table_name, sa.Column(f"folded_{name}", sa.String(), nullable=False, server_default=""))
        if op.get_context().as_sql:  # printed, without rows to read
            continue
        key = "partner_id" if table_name == "customers" else "id"
        table = sa.table(table_name, sa.column(key), sa.column(name), sa.column(f"folded_{name}"))
        taken = set()
        records = op.get_bind().execute(sa.select(table.c[key], table.c[name]).order_by(table.c[key])).all()
        for record_id, text in records:
            value = folded(text)
            if table_name in ("partners", "plans") and value in taken:
                value = f"{value} {record_id}"  # older records may have equal names: they stay, and no more are made
            taken.add(value)
            op.execute(sa.update(table).where(table.c[key] == record_id).values({f"folded_{name}": value}))
    for table_name in ("partners", "plans"):
        is_known = sa.text("folded_name <> ''")  # a program of the version before writes none
        op.create_index(
            f"ix_{table_name}_folded_name",
            table_name,
            ["folded_name"],
            unique=True,
            sqlite_where=is_known,
            postgresql_where=is_known,
        )
