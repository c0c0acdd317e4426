"""What readers ask of parcels and their history. One query per table, however many parcels are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, func, select, text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from land import parcels
from land.errors import StoreUnavailable
from land.records import Box, NearbyAddress, ParcelRecord, PermitRow, Placement, SaleRow
from land.store.geometry import SRID
from land.store.tables import address, address_commune, parcel, permit, permit_reference, placement, sale, street

_PARCEL_COLUMNS = [parcel.c[name] for name in ParcelRecord._fields]

_BOXES_SQLITE = text(
    "SELECT id FROM parcel_box WHERE min_lon <= :east AND max_lon >= :west AND min_lat <= :north AND max_lat >= :south"
)


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the store throughout, whatever loads meanwhile. Raises StoreUnavailable,
    from the opening or from any query inside the block, where the database does not answer.
    """
    if engine.dialect.name != "sqlite":
        engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    try:
        with engine.connect() as connection:
            yield connection
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise StoreUnavailable("The store of land does not answer.", retry_after_s=1) from error


def parcels_by_id(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, ParcelRecord]:
    """Those that exist, by id."""
    communes = sorted({parcel_id[:5] for parcel_id in parcel_ids})
    statement = select(*_PARCEL_COLUMNS).where(parcel.c.commune_code.in_(communes), parcel.c.parcel_id.in_(parcel_ids))
    return {row.parcel_id: ParcelRecord._make(row) for row in connection.execute(statement)}


def parcels_in_box(connection: Connection, box: Box) -> list[ParcelRecord]:
    """Parcels whose bounding box meets this one, in any commune, in order of id."""
    if connection.dialect.name == "sqlite":
        keys = connection.scalars(_BOXES_SQLITE, box._asdict())
        found = parcels_by_id(connection, [parcels.from_key(key) for key in keys])
        return [found[key] for key in sorted(found)]
    envelope = func.ST_MakeEnvelope(*box, SRID)
    statement = select(*_PARCEL_COLUMNS).where(parcel.c.geometry.op("&&")(envelope)).order_by(parcel.c.parcel_id)
    return [ParcelRecord._make(row) for row in connection.execute(statement)]


def addresses_in_box(connection: Connection, communes: Iterable[str], box: Box) -> list[NearbyAddress]:
    """Numbered addresses of these communes whose point lies in the box, in order of street and number."""
    statement = (
        select(
            address.c.commune_code,
            address.c.street_id,
            address.c.number,
            address.c.suffix,
            address.c.ban_id,
            address.c.postcode,
            address.c.lon,
            address.c.lat,
            address.c.parcel_ids,
            street.c.name,
            address_commune.c.name,
        )
        .join(street, (street.c.commune_code == address.c.commune_code) & (street.c.street_id == address.c.street_id))
        .join(address_commune, address_commune.c.commune_code == address.c.commune_code)
        .where(
            address.c.commune_code.in_(sorted(communes)),
            address.c.lat.between(box.south, box.north),
            address.c.lon.between(box.west, box.east),
        )
        .order_by(address.c.commune_code, address.c.street_id, address.c.number, address.c.suffix)
    )
    return [NearbyAddress._make(row) for row in connection.execute(statement)]


def commune_names(connection: Connection, communes: Iterable[str]) -> dict[str, str]:
    statement = select(address_commune.c.commune_code, address_commune.c.name).where(
        address_commune.c.commune_code.in_(sorted(communes))
    )
    return {row.commune_code: row.name for row in connection.execute(statement)}


def sales_on(connection: Connection, parcel_ids: Sequence[str]) -> list[SaleRow]:
    """Sales on these parcels, under their present or their former id, newest first."""
    columns: list[Any] = [
        sale.c[name] if name != "code_commune" else sale.c.commune_code.label("code_commune")
        for name in SaleRow._fields
    ]
    communes = sorted({parcel_id[:5] for parcel_id in parcel_ids})
    here = sale.c.commune_code.in_(communes)
    present = select(*columns).where(here, sale.c.id_parcelle.in_(parcel_ids))
    former = select(*columns).where(
        here, sale.c.ancien_id_parcelle.in_(parcel_ids), sale.c.id_parcelle.not_in(parcel_ids)
    )
    rows = [SaleRow._make(row) for row in connection.execute(present.union_all(former))]
    rows.sort(key=lambda row: (row.id_parcelle, row.id_mutation))
    rows.sort(key=lambda row: row.date_mutation or "", reverse=True)
    return rows


def permits_on(connection: Connection, parcel_ids: Sequence[str]) -> list[PermitRow]:
    """Permits whose reference is placed on one of these parcels, in order of parcel, series, number and file."""
    communes = sorted({parcel_id[:5] for parcel_id in parcel_ids})
    reference = permit_reference.c
    columns = [reference.parcel_id, *(permit.c[name] for name in PermitRow._fields[1:])]
    statement = (
        select(*columns)
        .join(
            permit,
            (permit.c.filing_commune == reference.filing_commune)
            & (permit.c.dataset == reference.dataset)
            & (permit.c.number == reference.permit_number),
        )
        .where(reference.commune_code.in_(communes), reference.parcel_id.in_(parcel_ids))
        .order_by(reference.parcel_id, permit.c.series, permit.c.number, permit.c.dataset)
        .distinct()
    )
    return [PermitRow._make(row) for row in connection.execute(statement)]


def ambiguous_permit_count(connection: Connection, parcel_ids: Sequence[str]) -> int:
    """Permits that name the section and number of one of these parcels, where several parcels have them."""
    ids = [parcels.parse(parcel_id) for parcel_id in parcel_ids]
    wanted = {(i.commune_code, i.section, i.number) for i in ids if i is not None}
    reference = permit_reference.c
    statement = select(
        reference.commune_code, reference.section, reference.number, reference.dataset, reference.permit_number
    ).where(
        reference.commune_code.in_(sorted({key[0] for key in wanted})),
        reference.section.in_(sorted({key[1] for key in wanted})),
        reference.number.in_(sorted({key[2] for key in wanted})),
        reference.placement == "ambiguous",
    )
    rows = connection.execute(statement).all()
    return len({(row[3], row[4]) for row in rows if (row[0], row[1], row[2]) in wanted})


def retired_reference_counts(connection: Connection, communes: Iterable[str]) -> dict[str, int]:
    """By commune, the references of permits that no parcel of its cadastre fits; those with any."""
    statement = select(placement.c.commune_code, placement.c.retired).where(
        placement.c.commune_code.in_(sorted(communes)), placement.c.retired > 0
    )
    return {row.commune_code: row.retired for row in connection.execute(statement)}


def placements(connection: Connection, commune: str) -> list[Placement]:
    """How references of permits fared, by commune; of one commune where given."""
    statement = select(placement).order_by(placement.c.commune_code)
    if commune:
        statement = statement.where(placement.c.commune_code == commune)
    return [Placement._make(row) for row in connection.execute(statement)]
