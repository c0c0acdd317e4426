"""Folds rows of geo-dvf into sales: one per mutation and parcel.

A row is a (disposition, parcel, local, nature de culture). For one parcel, the file is the cartesian product of the
units sold and of the cultures of the land. So every figure is on several rows and must be counted once.

- The price of a disposition is repeated on its rows. The price of a sale is the sum over its dispositions.
- Type, area, rooms, lots and address identify a unit (local); nature, special nature and area identify a culture. The
  open data has no other identifier, so rows that are equal in all of them count as one. The product makes such rows, or
  the source repeats them. Identical units, such as two equal flats of a block, are undercounted. A figure that is too
  low is better than an invented one.
- Identical rows of one disposition may be several units, or several pieces of ground. Then the record also has the
  figures that count each of them (`unfolded_*`). Rows of two dispositions are not counted twice. One deed cannot sell
  the same lot or parcel twice, so its dispositions sell shares of it or rights in it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from land.datasets.grouping import grouped
from land.datasets.sales.records import DvfRow, Sale

DEPENDENCY = "3"
MAIN_TYPES = ("1", "2", "4", DEPENDENCY)
"""House, flat, commercial, dependency: the first of these that was sold names the sale."""

Culture = tuple[str, str, str, float | None]
"""Parcel, nature de culture, special nature, area in m²."""


_TEXTS_OF_MAIN_ROW = [
    name
    for name, kind in Sale.__annotations__.items()
    if kind == str | None and name in DvfRow._fields and name not in ("date_mutation", "nature_mutation")
]


def aggregate(rows: Sequence[DvfRow]) -> list[Sale]:
    """The sales in these rows, in the order of their first rows.

    Rows may come in any order; all rows of one mutation and parcel are required. Areas are m², prices euros.
    """
    by_sale = grouped(((row.id_mutation, row.id_parcelle), row) for row in rows)
    parcel_counts = Counter(mutation for mutation, _ in by_sale)
    return [_sale(sale_rows, parcel_counts[mutation]) for (mutation, _), sale_rows in by_sale.items()]


def _sale(rows: Sequence[DvfRow], parcel_count: int) -> Sale:
    first = rows[0]
    main = _main_row(rows)
    units, cultures = _distinct(rows)
    figures = _figures(dict.fromkeys(units, 1), dict.fromkeys(cultures, 1))
    unfolded = _figures(units, cultures)
    if unfolded == figures:
        unfolded = _UNAMBIGUOUS
    return Sale(
        commune_code=first.commune_code,
        id_parcelle=first.id_parcelle,
        id_mutation=first.id_mutation,
        ancien_id_parcelle=next((row.ancien_id_parcelle for row in rows if row.ancien_id_parcelle), ""),
        date_mutation=first.date_mutation or None,
        nature_mutation=first.nature_mutation or None,
        has_dependance=any(row.code_type_local == DEPENDENCY for row in rows),
        lot_count=_lot_count(rows),
        surface_reelle_bati=figures.surface_reelle_bati,
        surface_terrain=figures.surface_terrain,
        nombre_pieces_principales=figures.nombre_pieces_principales,
        valeur_fonciere=_sum(_disposition_prices(rows).values()),
        parcel_count=parcel_count,
        unit_count=figures.unit_count,
        unfolded_unit_count=unfolded.unit_count,
        unfolded_surface_reelle_bati=unfolded.surface_reelle_bati,
        unfolded_surface_terrain=unfolded.surface_terrain,
        unfolded_nombre_pieces_principales=unfolded.nombre_pieces_principales,
        **{name: getattr(main, name) or None for name in _TEXTS_OF_MAIN_ROW},
    )


def _main_row(rows: Sequence[DvfRow]) -> DvfRow:
    """The row of the main unit: the first type, then the largest. For bare land, a row with an address."""

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


def cultures_of(rows: Sequence[DvfRow]) -> dict[Culture, int]:
    """Each culture of each parcel, with the number of identical ones that it may stand for."""
    _, cultures = _distinct(rows)
    return cultures


class _Unit(NamedTuple):
    """What identifies a unit. Bare land is a unit without a type."""

    id_parcelle: str
    code_type_local: str
    surface_reelle_bati: float | None
    nombre_pieces_principales: int | None
    lots: tuple[str, ...]
    adresse_numero: str
    adresse_suffixe: str
    adresse_nom_voie: str


def _distinct(rows: Sequence[DvfRow]) -> tuple[dict[_Unit, int], dict[Culture, int]]:
    """Each unit and each culture, with the number of identical ones that it may stand for.

    Each unit has one row per culture. So identical units repeat the rows of all their cultures, and identical cultures
    explain the other repetitions. Of several dispositions the one with the most repetitions counts.
    """
    dispositions: dict[str, dict[_Unit, Counter[Culture]]] = {}
    for row in rows:
        unit = _Unit(*(getattr(row, name) for name in _Unit._fields))
        culture = (row.id_parcelle, row.code_nature_culture, row.code_nature_culture_speciale, row.surface_terrain)
        dispositions.setdefault(row.numero_disposition, {}).setdefault(unit, Counter())[culture] += 1
    units: dict[_Unit, int] = {}
    cultures: dict[Culture, int] = {}
    for disposition in dispositions.values():
        area_by_culture: dict[Culture, int] = {}
        for unit, counts in disposition.items():
            twins = min(counts.values()) if unit.code_type_local else 1
            units[unit] = max(units.get(unit, 1), twins)
            for culture, count in counts.items():
                area_by_culture[culture] = min(area_by_culture.get(culture, count), count // twins)
        cultures |= {culture: max(cultures.get(culture, 1), count) for culture, count in area_by_culture.items()}
    return units, cultures


class _Figures(NamedTuple):
    """What a sale counts of units and ground; areas in m²."""

    unit_count: int | None
    surface_reelle_bati: float | None
    surface_terrain: float | None
    nombre_pieces_principales: int | None


_UNAMBIGUOUS = _Figures(None, None, None, None)


def _figures(units: Mapping[_Unit, int], cultures: Mapping[Culture, int]) -> _Figures:
    """The figures with each unit and each culture counted as often as given. Dependencies do not count."""
    main = {unit: count for unit, count in units.items() if unit.code_type_local not in ("", DEPENDENCY)}
    room_count = _sum(_times(unit.nombre_pieces_principales, count) for unit, count in main.items())
    return _Figures(
        unit_count=sum(main.values()),
        surface_reelle_bati=_sum(_times(unit.surface_reelle_bati, count) for unit, count in main.items()),
        surface_terrain=_sum(_times(area, count) for (*_, area), count in cultures.items()),
        nombre_pieces_principales=None if room_count is None else int(room_count),
    )


def _disposition_prices(rows: Sequence[DvfRow]) -> dict[str, float | None]:
    prices: dict[str, float | None] = {}
    for row in rows:
        if prices.get(row.numero_disposition) is None:
            prices[row.numero_disposition] = row.valeur_fonciere
    return prices


def _lot_count(rows: Sequence[DvfRow]) -> int:
    """Lots sold on the parcel: each number once. A row names at most 5 and counts all; the unnamed ones are added."""
    counted = {row.lots: row.nombre_lots for row in sorted(rows, key=lambda row: row.nombre_lots)}
    named = {lot for lots in counted for lot in lots}
    return len(named) + sum(max(0, count - len(lots)) for lots, count in counted.items())


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of the known values, to the cent; None without any."""
    known_values = [value for value in values if value is not None]
    return round(sum(known_values), 2) if known_values else None


def _times(value: float | None, count: int) -> float | None:
    return None if value is None else value * count
