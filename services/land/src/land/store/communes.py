"""The lists of communes as they are loaded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, select

from land.communes import CommuneRegister
from land.partitions import filing_commune
from land.records.communes import CommuneRecord, MovementRecord, PostcodesRecord
from land.store import loads
from land.store.tables import cog_commune, cog_movement, commune_postcodes

_MIDDLES = select(commune_postcodes.c.code, commune_postcodes.c.lon, commune_postcodes.c.lat).where(
    commune_postcodes.c.code.in_(bindparam("codes", expanding=True))
)
_PARENTS = select(cog_commune.c.code, cog_commune.c.parent_code).where(
    cog_commune.c.code.in_(bindparam("codes", expanding=True)), cog_commune.c.kind.in_(["COMD", "COMA"])
)


def revision(connection: Connection) -> int:
    """Goes up when one of the lists is loaded anew."""
    return sum(loads.revisions(connection, ("cog", "postcodes")).values())


def register(connection: Connection) -> CommuneRegister:
    """Everything that the lists say; a third of a second for the country. Keep it until `revision` changes."""
    return CommuneRegister(
        (CommuneRecord._make(row) for row in connection.execute(_of(cog_commune, CommuneRecord._fields))),
        (MovementRecord._make(row) for row in connection.execute(_of(cog_movement, MovementRecord._fields))),
        (PostcodesRecord._make(row) for row in connection.execute(_of(commune_postcodes, PostcodesRecord._fields))),
    )


def middle(connection: Connection, code: str) -> tuple[float, float] | None:
    """longitude, latitude of a commune, or of that which it is a part of; None where it is not known."""
    whole = wholes_of(connection, [code])[code]
    rows = {row.code: (row.lon, row.lat) for row in connection.execute(_MIDDLES, {"codes": [code, whole]})}
    lon, lat = rows.get(code) or rows.get(whole) or (None, None)
    return None if lon is None or lat is None else (lon, lat)


def wholes_of(connection: Connection, codes: Sequence[str]) -> dict[str, str]:
    """By code, the commune of today that it is a part of, where its plan may be under its own code: Paris, Lyon or
    Marseille of an arrondissement, that of a delegated or associated commune; else itself.
    """
    parents = {row.code: row.parent_code for row in connection.execute(_PARENTS, {"codes": list(codes)})}
    return {code: parents.get(code, filing_commune(code)) for code in codes}


def _of(table: Table, names: Sequence[str]) -> Select[Any]:
    return select(*(table.c[name] for name in names))
