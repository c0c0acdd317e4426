"""Partners, which own keys."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, RowMapping, func, or_, select, tuple_, update

from keys.checks import Fault, refuse
from keys.records import Json, Partner, new_record_id
from keys.store.database import insert_new
from keys.store.locking import lock
from keys.store.tables import keys, partners
from servicekit.languages import Text


def find(connection: Connection, id_or_name: str) -> Partner | None:
    statement = select(partners).where(or_(partners.c.id == id_or_name, partners.c.name == id_or_name))
    rows = connection.execute(statement).mappings().all()
    by_id = sorted(rows, key=lambda row: row["id"] != id_or_name)
    return read(by_id[0]) if by_id else None


def id_of(connection: Connection, id_or_name: str) -> str:
    """Returns the id of the partner with this id, else with this name. Returns an empty text for an empty one. Raises
    InvalidPayload for an unknown partner.
    """
    found = find(connection, id_or_name) if id_or_name else None
    if id_or_name and found is None:
        raise refuse("/partner_id", Fault("unknown_value", Text("ce partenaire est inconnu", "no such partner")))
    return found.id if found else ""


def add(connection: Connection, name: str, metadata: Mapping[str, Json], now: datetime) -> Partner | None:
    """Returns the new partner, or None if the name is taken."""
    partner = Partner(new_record_id(), name, True, now, metadata)
    values = {"id": partner.id, "name": name, "is_active": True, "created_at": now, "metadata": dict(metadata)}
    return partner if insert_new(connection, partners, values) else None


def find_or_add(connection: Connection, id_or_name: str, now: datetime) -> Partner:
    """Returns the partner with this id, else with this name. Creates it if there is none."""
    found = find(connection, id_or_name) or add(connection, id_or_name, {}, now) or find(connection, id_or_name)
    assert found is not None  # noqa: S101 (made above, here or by another)
    return found


def put(connection: Connection, partner: Partner) -> bool:
    """Writes name, activity and metadata. False if another partner has the name. Locks the partner's keys first. So no
    request is granted after a partner was disabled.
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
    """Returns the newest partners first."""
    c = partners.c
    statement = select(partners).order_by(c.created_at.desc(), c.id.desc()).limit(limit)
    if search:
        statement = statement.where(func.lower(c.name).contains(search.lower(), autoescape=True))
    if after is not None:
        statement = statement.where(tuple_(c.created_at, c.id) < tuple_(*after))
    return [read(row) for row in connection.execute(statement).mappings()]


def read(row: RowMapping) -> Partner:
    c = partners.c
    return Partner(row[c.id], row[c.name], row[c.is_active], row[c.created_at], row[c.metadata])
