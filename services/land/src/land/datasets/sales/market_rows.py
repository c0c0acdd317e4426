"""Folds rows of geo-dvf into comparable sales: one thing of one kind, with its price.

A sale is a mutation. It is comparable if all of these conditions are met.

- It is an ordinary sale, not a sale off plan, an exchange, an auction or an expropriation.
- Each of its dispositions has a price, and the sum is not symbolic.
- It sold exactly one house, flat or business premises, with or without cellars and garages, or bare land without lots.
- A house was sold without lots (copropriété). With lots, the ground is not the property of the buyer.
- The divisor of its price is known: the built area, or the ground. With identical rows the ground is not known.
- DVF gives it a point.

A sale of several parcels is one sale: the prices of its dispositions are added, and so are the areas of its ground. Its
parts in several communes are in several files: `deed_queries` leaves out such a sale once these are loaded.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from land.datasets.grouping import grouped
from land.datasets.sales.mutations import one_id_per_sale
from land.datasets.sales.records import DvfRow, MarketSale, Sale
from land.datasets.sales.rows import DEPENDENCY, aggregate, cultures_of

Kind = Literal["house", "flat", "commercial", "building_land", "land"]
BUILT: Final[Sequence[Kind]] = ("house", "flat", "commercial")
BARE: Final[Sequence[Kind]] = ("building_land", "land")

SYMBOLIC_BELOW_EUR = 1_000.0
"""Our assumption: 0.15, 1 or 15 euros are not a price, nor are most amounts of a few hundred euros."""
ORDINARY = ("Vente", "Vente terrain à bâtir")
BUILDING_LAND_SALE = "Vente terrain à bâtir"
BUILDING_LAND_CULTURE = "AB"
GROUND_OF_BUILDINGS = "S"
"""Nature de culture: sols."""
KIND_OF_TYPE: Final[dict[str, Kind]] = {"1": "house", "2": "flat", "4": "commercial"}


def sale_rows(records: Sequence[DvfRow]) -> tuple[list[Sale], list[MarketSale]]:
    """The sales of parcels, and the comparable sales."""
    rows = one_id_per_sale(records)
    return aggregate(rows), market_sales(rows)


def market_sales(rows: Sequence[DvfRow]) -> list[MarketSale]:
    """The comparable sales, in the order of their first rows. Requires all rows of each mutation."""
    sales = (_market_sale(mutation) for mutation in grouped((row.id_mutation, row) for row in rows).values())
    return [sale for sale in sales if sale is not None]


def _market_sale(rows: Sequence[DvfRow]) -> MarketSale | None:
    price = _price(rows)
    if price is None or price < SYMBOLIC_BELOW_EUR or any(row.nature_mutation not in ORDINARY for row in rows):
        return None
    main = [row for row in rows if row.code_type_local not in ("", DEPENDENCY)]
    kind = _built_kind(main, rows) if main else _bare_kind(rows)
    land_m2, unfolded_land_m2 = _land_m2(rows)
    is_ambiguous = unfolded_land_m2 != land_m2
    bare_m2 = None if is_ambiguous else land_m2
    area_m2 = main[0].surface_reelle_bati if main else bare_m2
    row_with_point = next((row for row in (*main, *rows) if row.lon is not None and row.lat is not None), None)
    if (
        kind is None
        or not area_m2
        or row_with_point is None
        or row_with_point.lon is None
        or row_with_point.lat is None
    ):
        return None
    return MarketSale(
        commune_code=rows[0].commune_code,
        id_mutation=rows[0].id_mutation,
        kind=kind,
        date_mutation=rows[0].date_mutation,
        type_local=main[0].type_local if main else None,
        price_eur=price,
        area_m2=area_m2,
        built_m2=main[0].surface_reelle_bati if main else None,
        land_m2=land_m2,
        parcel_ids="|".join(sorted({row.id_parcelle for row in rows})),
        lon=row_with_point.lon,
        lat=row_with_point.lat,
        unfolded_land_m2=unfolded_land_m2 if is_ambiguous else None,
    )


def _price(rows: Iterable[DvfRow]) -> float | None:
    """The sum of the dispositions' prices, each once; None if one of them has no price."""
    prices = {row.numero_disposition: row.valeur_fonciere for row in rows}
    known_prices = [price for price in prices.values() if price is not None]
    return round(sum(known_prices), 2) if len(known_prices) == len(prices) else None


def _built_kind(main: Sequence[DvfRow], rows: Sequence[DvfRow]) -> Kind | None:
    """The kind of the one built thing that was sold; None if several were. Identical rows may be several things,
    such as two equal flats.
    """
    units = {
        (row.id_parcelle, row.code_type_local, row.surface_reelle_bati, row.nombre_pieces_principales, row.lots)
        for row in main
    }
    if len(units) > 1 or max(Counter(main).values()) > 1:
        return None
    kind = KIND_OF_TYPE.get(main[0].code_type_local)
    return None if kind == "house" and any(row.nombre_lots for row in rows) else kind


def _bare_kind(rows: Sequence[DvfRow]) -> Kind | None:
    """The kind of bare land. None if lots or dependencies were sold, or building land together with other land. None
    also for the ground of a building that the file does not list.
    """
    if any(row.nombre_lots or row.code_type_local for row in rows):
        return None
    is_for_building = {
        row.nature_mutation == BUILDING_LAND_SALE or row.code_nature_culture == BUILDING_LAND_CULTURE for row in rows
    }
    if is_for_building == {True}:
        return "building_land"
    is_open = not any(row.code_nature_culture == GROUND_OF_BUILDINGS for row in rows)
    return "land" if is_for_building == {False} and is_open else None


def _land_m2(rows: Sequence[DvfRow]) -> tuple[float | None, float | None]:
    """The ground sold, with each culture of each parcel counted once, then once per identical row. None if one has no
    area.
    """
    counts = {culture: count for culture, count in cultures_of(rows).items() if culture[1] or culture[3] is not None}
    areas = [(area, count) for (*_, area), count in counts.items() if area is not None]
    if not areas or len(areas) < len(counts):
        return None, None
    return round(sum(area for area, _ in areas), 2), round(sum(area * count for area, count in areas), 2)
