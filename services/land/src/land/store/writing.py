"""What a load replaces: all rows of one unit of one dataset, on the connection and in the transaction of the caller.

Each function takes the records of the unit and leaves the tables as if only these had ever been loaded.
"""

from collections.abc import Sequence
from typing import Any

import shapely
from sqlalchemy import Connection, bindparam, delete, select

from land import parcels
from land.facts.mutations import one_id_per_sale
from land.facts.sales import aggregate
from land.normalise import canonical_street
from land.partitions import Partition
from land.records.addresses import AddressRecord, LocalityRecord
from land.records.communes import CommuneRecord, MovementRecord, PostcodesRecord, TerritoryRecord
from land.records.parcels import ParcelRecord
from land.records.permits import PermitRecord
from land.records.sales import DvfRow
from land.sources import cog
from land.sources.sitadel import fold
from land.store import bulk
from land.store.market import replace_market
from land.store.placing import place_references
from land.store.tables import (
    address,
    address_commune,
    cog_commune,
    cog_movement,
    commune_postcodes,
    commune_territory,
    locality,
    parcel,
    permit,
    permit_reference,
    sale,
    street,
)

_DELETE_ADDRESSES = [
    delete(table).where(table.c.commune_code == bindparam("commune")) for table in (address, street, address_commune)
]
"""Built once: a country's 35,000 communes run them as often."""


def replace_cog(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[CommuneRecord | MovementRecord]
) -> None:
    table = cog_commune if unit == cog.COMMUNES else cog_movement
    connection.execute(delete(table))
    unique = {tuple(getattr(r, key.name) for key in table.primary_key): r for r in records}
    rows = (tuple(getattr(r, column.name) for column in table.columns) for _, r in sorted(unique.items()))
    bulk.insert(connection, table, rows)


def replace_postcodes(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[PostcodesRecord]
) -> None:
    connection.execute(delete(commune_postcodes))
    unique = {r.code: r for r in records}
    bulk.insert(connection, commune_postcodes, (unique[code] for code in sorted(unique)))


def replace_localities(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[LocalityRecord]
) -> None:
    connection.execute(delete(locality).where(locality.c.commune_code == unit.code))
    unique = {r.id: r for r in records}
    bulk.insert(
        connection,
        locality,
        (
            (unit.code, r.id, r.name, canonical_street(r.name), r.postcode, r.commune_name, r.old_commune_name, r.lon,
             r.lat)
            for _, r in sorted(unique.items())
        ),
    )  # fmt: skip


def replace_addresses(connection: Connection, dataset: str, unit: Partition, records: Sequence[AddressRecord]) -> None:
    for statement in _DELETE_ADDRESSES:
        connection.execute(statement, {"commune": unit.code})
    if not records:
        return
    by_street: dict[str, list[AddressRecord]] = {}
    for record in records:
        by_street.setdefault(record.street_id, []).append(record)
    bulk.insert(connection, address_commune, [_commune_row(unit.code, records)])
    bulk.insert(connection, street, (_street_row(unit.code, key, by_street[key]) for key in sorted(by_street)))
    bulk.insert(connection, address, _address_rows(unit.code, by_street))


def _commune_row(code: str, records: Sequence[AddressRecord]) -> tuple[Any, ...]:
    postcodes = sorted({r.postcode for r in records if r.postcode})
    former = sorted({r.old_commune_name for r in records if r.old_commune_name} - {records[0].commune_name})
    return (code, records[0].commune_name, "|".join(postcodes), "|".join(former), *_middle(records), len(records))


def _street_row(code: str, street_id: str, records: Sequence[AddressRecord]) -> tuple[Any, ...]:
    first = records[0]
    names = [first.street_name, first.street_name_afnor, *first.alias.split("|")]
    search = "|".join(dict.fromkeys(filter(None, (canonical_street(name) for name in names))))
    former = next((r.old_commune_name for r in records if r.old_commune_name), "")
    postcodes = "|".join(sorted({r.postcode for r in records if r.postcode}))
    return (code, street_id, first.street_name, search, postcodes, former, *_middle(records), len(records))


def _address_rows(code: str, by_street: dict[str, list[AddressRecord]]) -> Sequence[tuple[Any, ...]]:
    rows: dict[tuple[str, int, str], tuple[Any, ...]] = {}
    for street_id in sorted(by_street):
        for r in sorted(by_street[street_id], key=lambda r: (r.number, r.suffix)):
            usual = f"{street_id}_{r.number:05}" + (f"_{r.suffix}" if r.suffix else "")
            ban_id = None if r.id == usual else r.id
            rows.setdefault(
                (street_id, r.number, r.suffix),
                (code, street_id, r.number, r.suffix, ban_id, r.postcode, r.lon, r.lat, r.parcel_ids),
            )
    return list(rows.values())


def _middle(records: Sequence[AddressRecord]) -> tuple[float | None, float | None]:
    """The mean of the points, to the seventh decimal."""
    points = [(r.lon, r.lat) for r in records if r.lon is not None and r.lat is not None]
    if not points:
        return None, None
    return round(sum(p[0] for p in points) / len(points), 7), round(sum(p[1] for p in points) / len(points), 7)


def replace_parcels(connection: Connection, dataset: str, unit: Partition, records: Sequence[ParcelRecord]) -> None:
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        old = connection.scalars(select(parcel.c.parcel_id).where(parcel.c.commune_code == unit.code))
        keys = [(parcels.to_key(parcel_id),) for parcel_id in old]
        if keys:
            connection.exec_driver_sql("DELETE FROM parcel_box WHERE id = ?", keys)
    connection.execute(delete(parcel).where(parcel.c.commune_code == unit.code))
    unique = {record.parcel_id: record for record in records}
    ordered = [unique[key] for key in sorted(unique)]
    bulk.insert(
        connection,
        parcel,
        (
            (r.commune_code, r.parcel_id, r.prefix, r.section, r.number, r.cadastral_area_m2, r.is_surveyed,
             r.created_on, r.updated_on, r.is_repaired, r.geometry)
            for r in ordered
        ),
    )  # fmt: skip
    if sqlite:
        drawn = [r for r in ordered if r.geometry is not None]
        bounds = shapely.bounds(shapely.from_wkb([r.geometry for r in drawn])).tolist()
        boxes = [
            (parcels.to_key(r.parcel_id), west, east, south, north)
            for r, (west, south, east, north) in zip(drawn, bounds, strict=True)
        ]
        if boxes:
            connection.exec_driver_sql("INSERT INTO parcel_box VALUES (?, ?, ?, ?, ?)", boxes)
    place_references(connection, {unit.code})


def replace_territory(
    connection: Connection, dataset: str, unit: Partition, records: Sequence[TerritoryRecord]
) -> None:
    connection.execute(delete(commune_territory).where(commune_territory.c.commune_code == unit.code))
    bulk.insert(connection, commune_territory, records[-1:])


def replace_sales(connection: Connection, dataset: str, unit: Partition, records: Sequence[DvfRow]) -> None:
    connection.execute(delete(sale).where(sale.c.commune_code == unit.code, sale.c.part == unit.part))
    rows = one_id_per_sale(records)
    bulk.insert(
        connection,
        sale,
        (
            (s.commune_code, s.id_parcelle, unit.part, s.id_mutation, s.ancien_id_parcelle, s.date_mutation,
             s.nature_mutation, s.type_local, s.has_dependance, s.lot_count, s.surface_reelle_bati, s.surface_terrain,
             s.nombre_pieces_principales, s.valeur_fonciere, s.adresse_numero, s.adresse_suffixe, s.adresse_nom_voie,
             s.code_postal, s.nom_commune, s.parcel_count, s.unit_count, s.unfolded_unit_count,
             s.unfolded_surface_reelle_bati, s.unfolded_surface_terrain, s.unfolded_nombre_pieces_principales)
            for s in aggregate(rows)
        ),
    )  # fmt: skip
    replace_market(connection, unit, rows)


def replace_permits(connection: Connection, dataset: str, unit: Partition, records: Sequence[PermitRecord]) -> None:
    permits = fold(records)  # a file may give a number in rows far apart
    references = permit_reference.c
    here = (references.filing_commune == unit.code, references.dataset == dataset)
    touched = set(connection.scalars(select(references.commune_code).where(*here).distinct()))
    connection.execute(delete(permit_reference).where(*here))
    connection.execute(delete(permit).where(permit.c.filing_commune == unit.code, permit.c.dataset == dataset))
    bulk.insert(
        connection,
        permit,
        (
            (unit.code, dataset, r.number, r.series, r.type_dau, r.etat_dau, r.date_reelle_autorisation,
             r.date_reelle_doc, r.date_reelle_daact, r.nature_projet_declaree, r.nature_projet_completee,
             r.destination_principale, r.superficie_terrain, r.unreadable_references)
            for r in permits
        ),
    )  # fmt: skip
    rows = {
        (ref.commune_code, ref.section, ref.number, dataset, r.number, ref.prefix or "")
        for r in permits
        for ref in r.references
    }
    bulk.insert(connection, permit_reference, ((*key, unit.code, "unchecked", None) for key in sorted(rows)))
    place_references(connection, touched | {key[0] for key in rows})
