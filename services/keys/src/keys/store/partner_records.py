"""Partners: the records that keys belong to."""

from datetime import datetime

from sqlalchemy import Connection, RowMapping, insert, or_, select

from keys.admin.records import Partner
from keys.store.database import upsert
from keys.store.ids import new_record_id
from keys.store.tables import partners


def find(connection: Connection, id_or_name: str) -> Partner | None:
    wanted = select(partners).where(or_(partners.c.id == id_or_name, partners.c.name == id_or_name))
    rows = connection.execute(wanted).mappings().all()
    by_id = sorted(rows, key=lambda row: row["id"] != id_or_name)
    return read(by_id[0]) if by_id else None


def find_or_create(connection: Connection, id_or_name: str, now: datetime) -> Partner:
    """The partner of that id, else of that name, made where there is none."""
    found = find(connection, id_or_name)
    if found is None:
        row = {"id": new_record_id(), "name": id_or_name, "is_active": True, "created_at": now, "metadata": {}}
        connection.execute(upsert(connection, partners).on_conflict_do_nothing(index_elements=[partners.c.name]), row)
        found = find(connection, id_or_name)
    assert found is not None  # noqa: S101 (made above, here or by another)
    return found


def add(connection: Connection, partner: Partner) -> None:
    connection.execute(
        insert(partners).values(
            id=partner.id,
            name=partner.name,
            is_active=partner.is_active,
            created_at=partner.created_at,
            metadata=dict(partner.metadata),
        )
    )


def read(row: RowMapping) -> Partner:
    c = partners.c
    return Partner(row[c.id], row[c.name], row[c.is_active], row[c.created_at], row[c.metadata])
