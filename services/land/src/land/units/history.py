"""History of a land unit: permits and sales as the contract gives them, with what must be said about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from land.messages import AnswerWarning, Language, warning
from land.records.permits import PermitRecord
from land.records.sales import Sale
from land.units.ambiguous import Reading, units_ambiguous


@dataclass(frozen=True)
class UrbanAuthorization:
    """Contract §2.3: one permit on one parcel."""

    parcelle_id: str
    type_dau: str | None
    num_dau: str
    etat_dau: str | None
    date_reelle_autorisation: str | None
    date_reelle_doc: str | None
    date_reelle_daact: str | None
    nature_projet_declaree: str | None
    nature_projet_completee: str | None
    destination_principale: str | None
    superficie_terrain: str | None


def authorizations(permits: Sequence[tuple[str, PermitRecord]]) -> list[UrbanAuthorization]:
    """One item per (permit, parcel), newest first.

    Dwellings and other premises are two files of one series: a mixed project stands in both under one number and is
    one permit, the dwellings' file first and the other filling what it leaves open.
    """
    merged: dict[tuple[str, str, str], list[PermitRecord]] = {}
    for parcel_id, permit in permits:
        merged.setdefault((parcel_id, permit.series, permit.number), []).append(permit)
    items = [_authorization(parcel_id, group) for (parcel_id, *_), group in merged.items()]
    items.sort(key=lambda item: (item.parcelle_id, item.num_dau))
    items.sort(key=lambda item: item.date_reelle_autorisation or "", reverse=True)
    return items


def _authorization(parcel_id: str, group: Sequence[PermitRecord]) -> UrbanAuthorization:
    def first(field: str) -> str | None:
        return next((value for row in group if (value := getattr(row, field)) is not None), None)

    return UrbanAuthorization(
        parcelle_id=parcel_id,
        type_dau=first("type_dau"),
        num_dau=group[0].number,
        etat_dau=first("etat_dau"),
        date_reelle_autorisation=first("date_reelle_autorisation"),
        date_reelle_doc=first("date_reelle_doc"),
        date_reelle_daact=first("date_reelle_daact"),
        nature_projet_declaree=first("nature_projet_declaree"),
        nature_projet_completee=first("nature_projet_completee"),
        destination_principale=first("destination_principale"),
        superficie_terrain=first("superficie_terrain"),
    )


def sale_warnings(sales: Sequence[Sale], selected: Sequence[str], language: Language) -> list[AnswerWarning]:
    """A warning for each sale whose price covers several parcels, for each that names a parcel by a former id, and for
    each sale on a parcel with rows that may be one unit or several.
    """
    said: dict[tuple[str, str], AnswerWarning] = {}
    chosen = set(selected)
    for sale in sales:
        if sale.parcel_count > 1:
            said.setdefault(
                ("sale_multiple_parcels", sale.id_mutation),
                warning(
                    "sale_multiple_parcels",
                    language,
                    "history",
                    id_mutation=sale.id_mutation,
                    count=sale.parcel_count,
                ),
            )
        if sale.id_parcelle not in chosen:
            said.setdefault(
                ("sale_former_parcel", sale.id_mutation),
                warning(
                    "sale_former_parcel",
                    language,
                    "history",
                    id_mutation=sale.id_mutation,
                    parcel_id=sale.ancien_id_parcelle,
                ),
            )
        ambiguous = units_ambiguous(sale.id_mutation, [sale.id_parcelle], _readings(sale), "history", language)
        if ambiguous:
            said["dvf_units_ambiguous", f"{sale.id_mutation} {sale.id_parcelle}"] = ambiguous
    return list(said.values())


def _readings(sale: Sale) -> list[Reading]:
    return [
        ("units", sale.unit_count, sale.unfolded_unit_count),
        ("built", sale.surface_reelle_bati, sale.unfolded_surface_reelle_bati),
        ("rooms", sale.nombre_pieces_principales, sale.unfolded_nombre_pieces_principales),
        ("land", sale.surface_terrain, sale.unfolded_surface_terrain),
    ]
