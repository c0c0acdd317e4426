"""Ties the references of permits to parcels, whichever of the two was loaded last.

A reference names a section and a number, hardly ever the prefix. It is placed where exactly one parcel of the
commune's whole cadastre fits; where several fit it is ambiguous, and where none does the parcel is retired (or the
reference wrong). Only a placed one is ever shown on a parcel.
"""

from collections.abc import Iterable

from sqlalchemy import Connection, case, delete, func, insert, literal, null, select, update

from land.store.loads import lock
from land.store.tables import parcel, permit_reference, placement

OUTCOMES = ("placed", "ambiguous", "retired", "unchecked")


def place_references(connection: Connection, communes: Iterable[str]) -> None:
    """Decides anew on all references to these communes' parcels, and counts the outcome."""
    for commune in sorted(communes):
        lock(connection, f"placing {commune}")
        _place(connection, commune)


def _place(connection: Connection, commune: str) -> None:
    reference = permit_reference.c
    here = reference.commune_code == commune
    has_cadastre = connection.scalar(select(parcel.c.parcel_id).where(parcel.c.commune_code == commune).limit(1))
    if has_cadastre is None:
        connection.execute(update(permit_reference).where(here).values(placement="unchecked", parcel_id=None))
    else:
        fits = (
            select(func.count(), func.min(parcel.c.parcel_id))
            .where(
                parcel.c.commune_code == reference.commune_code,
                parcel.c.section == reference.section,
                parcel.c.number == reference.number,
                (reference.prefix == "") | (reference.prefix == parcel.c.prefix),
            )
            .correlate(permit_reference)
        )
        count = fits.with_only_columns(func.count()).scalar_subquery()
        only = fits.with_only_columns(func.min(parcel.c.parcel_id)).scalar_subquery()
        connection.execute(
            update(permit_reference)
            .where(here)
            .values(
                placement=case((count == 1, "placed"), (count > 1, "ambiguous"), else_="retired"),
                parcel_id=case((count == 1, only), else_=null()),
            )
        )
    connection.execute(delete(placement).where(placement.c.commune_code == commune))
    connection.execute(
        insert(placement).from_select(
            ["commune_code", *OUTCOMES],
            select(
                literal(commune),
                *(func.count().filter(reference.placement == outcome) for outcome in OUTCOMES),
            ).where(here),
        )
    )
