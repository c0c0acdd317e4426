"""Partners: the records that keys belong to."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, func, or_, select, tuple_, update

from keys.records import Json, Partner, new_record_id
from keys.store.database import insert_new
from keys.store.locking import lock
from keys.store.tables import keys, partners


def find(connection: Connection, id_or_name: str) -> Partner | None:
    wanted = select(partners).where(or_(partners.c.id == id_or_name, partners.c.name == id_or_name))
    rows = connection.execute(wanted).mappings().all()
    by_id = sorted(rows, key=lambda row: row["id"] != id_or_name)
    return read(by_id[0]) if by_id else None


def add(connection: Connection, name: str, metadata: Mapping[str, Json], now: datetime) -> Partner | None:
    """The new partner, None where the name is taken."""
    partner = Partner(new_record_id(), name, True, now, metadata)
    values = {"id": partner.id, "name": name, "is_active": True, "created_at": now, "metadata": dict(metadata)}
    return partner if insert_new(connection, partners, values) else None


def find_or_add(connection: Connection, id_or_name: str, now: datetime) -> Partner:
    """The partner of that id, else of that name, made where there is none."""
    found = find(connection, id_or_name) or add(connection, id_or_name, {}, now) or find(connection, id_or_name)
    assert found is not None  # noqa: S101 (made above, here or by another)
    return found


def put(connection: Connection, partner: Partner) -> bool:
    """Writes name, activity and metadata. False where the name is another's. Whoever uses one of the partner's keys
    at this moment is waited for, so that nobody is let in once a partner is disabled.
    """
    c = partners.c
    taken = select(c.id).where(c.name == partner.name, c.id != partner.id)
    if connection.execute(taken).first() is not None:
        return False
    lock(connection, connection.execute(select(keys.c.id).where(keys.c.partner_id == partner.id)).scalars())
    values = {"name": partner.name, "is_active": partner.is_active, "metadata": dict(partner.metadata)}
    connection.execute(update(partners).where(c.id == partner.id).values(**values))
    return True


def page(connection: Connection, search: str, after: tuple[datetime, str] | None, limit: int) -> list[Partner]:
    """The newest first."""
    c = partners.c
    wanted = select(partners).order_by(c.created_at.desc(), c.id.desc()).limit(limit)
    if search:
        wanted = wanted.where(func.lower(c.name).contains(search.lower(), autoescape=True))
    if after is not None:
        wanted = wanted.where(tuple_(c.created_at, c.id) < tuple_(*after))
    return [read(row) for row in connection.execute(wanted).mappings()]


def read(row: RowMapping) -> Partner:
    c = partners.c
    return Partner(row[c.id], row[c.name], row[c.is_active], row[c.created_at], row[c.metadata])
