"""The national lists of communes."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, func, select

from land.datasets.communes.records import CommuneRecord, MovementRecord, PostcodesRecord
from land.datasets.partitions import filing_commune
from land.store.prepared import IN_COMMUNES, Prepared, any_of, of_communes
from land.store.repository import Repository
from land.store.tables import table_of

cog_commune = table_of(CommuneRecord, "cog_commune", ["code", "kind"])
cog_movement = table_of(
    MovementRecord, "cog_movement", ["old_code", "effective_on", "change", "old_kind", "new_code", "new_kind"]
)
commune_postcodes = table_of(PostcodesRecord, "commune_postcodes", ["code"])
COMMUNES = Repository(cog_commune, CommuneRecord, only_part="communes")
MOVEMENTS = Repository(cog_movement, MovementRecord, only_part="movements")
POSTCODES = Repository(commune_postcodes, PostcodesRecord)
Lists = tuple[Iterator[CommuneRecord], Iterator[MovementRecord], Iterator[PostcodesRecord]]
_CENTRES = select(commune_postcodes.c.code, commune_postcodes.c.lon, commune_postcodes.c.lat).where(
    commune_postcodes.c.code.in_(any_of("codes"))
)
names = Prepared(
    select(cog_commune.c.code, cog_commune.c.name).where(
        cog_commune.c.code.in_(IN_COMMUNES), (cog_commune.c.kind == "COM") | (cog_commune.c.kind == "ARM")
    )
).pairs(of_communes)
"""The names of present communes and arrondissements."""
_PARENTS = select(cog_commune.c.code, cog_commune.c.parent_code).where(cog_commune.c.kind.in_(["COMD", "COMA"]))
_parent, _merger, _present = _PARENTS.subquery(), cog_movement.c, cog_commune.alias()
_WHOLE = func.coalesce(_parent.c.parent_code, _merger.new_code)
_MERGERS = (
    select(_merger.old_code, _WHOLE.label("whole"))
    .outerjoin(_parent, _parent.c.code == _merger.old_code)
    .where(_merger.change == "32", _merger.old_kind == "COM", _merger.new_kind == "COM")
    .where(_merger.effective_on >= "2013", _merger.old_code != _merger.new_code)
    .where(~select(_present).where(_present.c.code == _merger.old_code, _present.c.kind == "COM").exists())
    .distinct()
)
"""Communes that merged since 2013, the year of the first published permits, and the present communes with them."""


def lists(connection: Connection) -> Lists:
    """All rows of the lists, to read while the connection is open; takes 0.3 s for the whole country."""
    return (
        map(CommuneRecord._make, connection.execute(COMMUNES.select())),
        map(MovementRecord._make, connection.execute(MOVEMENTS.select())),
        map(PostcodesRecord._make, connection.execute(POSTCODES.select())),
    )


def centre(connection: Connection, code: str) -> tuple[float, float] | None:
    """Longitude and latitude of a commune, else of the commune that contains it; None if the lists have neither."""
    whole = whole_communes(connection, [code])[code]
    rows = {row.code: (row.lon, row.lat) for row in connection.execute(_CENTRES, {"codes": [code, whole]})}
    lon, lat = rows.get(code) or rows.get(whole) or (None, None)
    return None if lon is None or lat is None else (lon, lat)


def centres(connection: Connection, codes: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Longitude and latitude of these communes, if the lists have them."""
    rows = connection.execute(_CENTRES, {"codes": list(codes)})
    return {row.code: (row.lon, row.lat) for row in rows if row.lon is not None and row.lat is not None}


def population(connection: Connection, code: str) -> int:
    """The inhabitants of a present commune; 0 if the lists do not have them."""
    return connection.scalar(select(commune_postcodes.c.population).where(commune_postcodes.c.code == code)) or 0


def whole_communes(connection: Connection, codes: Sequence[str]) -> dict[str, str]:
    """The present commune that contains each commune: Paris, Lyon or Marseille for an arrondissement, the parent of a
    delegated or associated commune, the commune that a former one merged into, else the commune itself.
    """
    parents = _PARENTS.where(cog_commune.c.code.in_(any_of("codes")))
    mergers = _MERGERS.where(_merger.old_code.in_(any_of("codes")))
    wholes = {row.code: row.parent_code for row in connection.execute(parents.union(mergers), {"codes": list(codes)})}
    return {code: wholes.get(code, filing_commune(code)) for code in codes}


def merged_communes(connection: Connection, codes: Sequence[str]) -> dict[str, list[str]]:
    """The communes that merged into each of these since 2013, in order, and have no code of a present commune."""
    mergers = connection.execute(
        _MERGERS.where(_WHOLE.in_(any_of("codes"))).order_by("old_code"), {"codes": list(codes)}
    )
    merged: dict[str, list[str]] = {code: [] for code in codes}
    for former, whole in mergers:
        merged[whole].append(former)
    return merged
