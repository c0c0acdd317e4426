"""Folds rows of geo-dvf into sales: one per mutation and parcel, as contract §2.3 gives them.

A row is a (disposition, parcel, local, nature de culture): inside a parcel the file is the cartesian product of the
units sold and of the cultures of the land, so that every figure stands on several rows and must be taken once.

- The price is that of a disposition, repeated on its rows: it is summed over the dispositions that touch the parcel.
- A unit (local) is told by its type, area, rooms, lots and address; a culture by its nature, special nature and area.
  The open data has no other identifier, so rows that are equal in all of them count as one: an exact duplicate is
  either the product itself or a repetition of the source, and identical twins (two garages, two equal flats of a block)
  are undercounted rather than invented.
"""

from collections.abc import Iterable, Sequence

from land.records import DvfRow, SaleRecord

DEPENDENCY = "3"
MAIN_TYPES = ("1", "2", "4", DEPENDENCY)
"""House, flat, commercial, dependency: the first of these that was sold names the sale."""


def aggregate(rows: Sequence[DvfRow]) -> list[SaleRecord]:
    """The sales that the rows tell, in the order of their first rows.

    Rows may come in any order; those of one mutation and parcel must all be there. Areas are m², prices euros.
    """
    by_sale: dict[tuple[str, str], list[DvfRow]] = {}
    parcels: dict[str, set[str]] = {}
    for row in rows:
        by_sale.setdefault((row.id_mutation, row.id_parcelle), []).append(row)
        parcels.setdefault(row.id_mutation, set()).add(row.id_parcelle)
    return [_sale(sale_rows, len(parcels[mutation])) for (mutation, _), sale_rows in by_sale.items()]


def _sale(rows: Sequence[DvfRow], parcel_count: int) -> SaleRecord:
    first = rows[0]
    main = _main_row(rows)
    units = _distinct_units(rows)
    return SaleRecord(
        commune_code=first.commune_code,
        id_parcelle=first.id_parcelle,
        id_mutation=first.id_mutation,
        ancien_id_parcelle=next((row.ancien_id_parcelle for row in rows if row.ancien_id_parcelle), ""),
        date_mutation=first.date_mutation or None,
        nature_mutation=first.nature_mutation or None,
        type_local=main.type_local or None,
        has_dependance=any(row.code_type_local == DEPENDENCY for row in rows),
        lot_count=_lot_count(rows),
        surface_reelle_bati=_sum(row.surface_reelle_bati for row in units),
        surface_terrain=_sum(area for _, _, area in _distinct_cultures(rows)),
        nombre_pieces_principales=_whole(_sum(row.nombre_pieces_principales for row in units)),
        valeur_fonciere=_sum(_disposition_prices(rows).values()),
        adresse_numero=main.adresse_numero or None,
        adresse_suffixe=main.adresse_suffixe or None,
        adresse_nom_voie=main.adresse_nom_voie or None,
        code_postal=main.code_postal or None,
        nom_commune=main.nom_commune or None,
        parcel_count=parcel_count,
    )


def _main_row(rows: Sequence[DvfRow]) -> DvfRow:
    """The row of the main unit: by type, then the largest; of bare land, the row that has an address."""

    def order(row: DvfRow) -> tuple[int, float, int, bool, tuple[str, ...]]:
        is_known = row.code_type_local in MAIN_TYPES
        return (
            MAIN_TYPES.index(row.code_type_local) if is_known else len(MAIN_TYPES),
            -(row.surface_reelle_bati or 0),
            -(row.nombre_pieces_principales or 0),
            not row.adresse_nom_voie,
            (row.adresse_nom_voie, row.adresse_numero, row.adresse_suffixe),
        )

    return min(rows, key=order)


def _distinct_units(rows: Sequence[DvfRow]) -> list[DvfRow]:
    """One row per unit that is no dependency."""
    units = {
        (
            row.code_type_local,
            row.surface_reelle_bati,
            row.nombre_pieces_principales,
            row.lots,
            row.adresse_numero,
            row.adresse_suffixe,
            row.adresse_nom_voie,
        ): row
        for row in rows
        if row.code_type_local not in ("", DEPENDENCY)
    }
    return list(units.values())


def _distinct_cultures(rows: Sequence[DvfRow]) -> set[tuple[str, str, float | None]]:
    return {(row.code_nature_culture, row.code_nature_culture_speciale, row.surface_terrain) for row in rows}


def _disposition_prices(rows: Sequence[DvfRow]) -> dict[str, float | None]:
    prices: dict[str, float | None] = {}
    for row in rows:
        if prices.get(row.numero_disposition) is None:
            prices[row.numero_disposition] = row.valeur_fonciere
    return prices


def _lot_count(rows: Sequence[DvfRow]) -> int:
    """Lots sold on the parcel: each number once. A row names 5 at most and counts all: the unnamed ones are added."""
    counted = {row.lots: row.nombre_lots for row in sorted(rows, key=lambda row: row.nombre_lots)}
    named = {lot for lots in counted for lot in lots}
    return len(named) + sum(max(0, count - len(lots)) for lots, count in counted.items())


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of what is known, to the cent; None where nothing is."""
    known = [value for value in values if value is not None]
    return round(sum(known), 2) if known else None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
