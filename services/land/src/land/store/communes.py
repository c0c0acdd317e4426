"""The lists of communes as they are loaded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, select

from land import datasets
from land.communes import CommuneRegister
from land.records import CommuneRecord, MovementRecord, PostcodesRecord
from land.store import loads
from land.store.tables import cog_commune, cog_movement, commune_postcodes

_MIDDLE = select(commune_postcodes.c.lon, commune_postcodes.c.lat).where(commune_postcodes.c.code == bindparam("code"))


def revision(connection: Connection) -> int:
    """Goes up when one of the lists is loaded anew."""
    return sum(loads.revisions(connection, datasets.COMMUNE_LISTS).values())


def register(connection: Connection) -> CommuneRegister:
    """Everything that the lists say; a third of a second for the country. Keep it until `revision` changes."""
    return CommuneRegister(
        (CommuneRecord._make(row) for row in connection.execute(_of(cog_commune, CommuneRecord._fields))),
        (MovementRecord._make(row) for row in connection.execute(_of(cog_movement, MovementRecord._fields))),
        (PostcodesRecord._make(row) for row in connection.execute(_of(commune_postcodes, PostcodesRecord._fields))),
    )


def middle(connection: Connection, code: str) -> tuple[float, float] | None:
    """longitude, latitude of a present commune; None where it is not known."""
    row = connection.execute(_MIDDLE, {"code": code}).first()
    return None if row is None or None in row else (row.lon, row.lat)


def _of(table: Table, names: Sequence[str]) -> Select[Any]:
    return select(*(table.c[name] for name in names))
