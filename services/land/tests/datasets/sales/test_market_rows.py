"""Which sales can be compared with others, and for what price per m²."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from land_builders import dvf_row

from land.datasets.sales.market_rows import market_sales
from land.datasets.sales.reader import Dvf
from land.datasets.sales.records import DvfRow, MarketSale
from land.sources.base import ReadReport

PARCEL, OTHER = "18999000AB0001", "18999000AB0002"
BARE: dict[str, Any] = {
    "code_type_local": "", "type_local": "", "surface_reelle_bati": None, "nombre_pieces_principales": None,
}  # fmt: skip
DEPENDENCY: dict[str, Any] = BARE | {"code_type_local": "3", "type_local": "Dépendance"}
FLAT: dict[str, Any] = {"code_type_local": "2", "type_local": "Appartement", "surface_reelle_bati": 50.0}


def row(**changes: Any) -> DvfRow:
    return dvf_row(PARCEL, **changes)


def only(*rows: DvfRow) -> MarketSale:
    [sale] = market_sales(rows)
    return sale


def test_a_house_is_compared_by_what_is_built() -> None:
    sale = only(row())
    assert (sale.kind, sale.type_local, sale.price_eur, sale.area_m2) == ("house", "Maison", 250_000.0, 90.0)
    assert (sale.built_m2, sale.land_m2, sale.parcel_ids) == (90.0, 400.0, PARCEL)
    assert (sale.lon, sale.lat) == (row().lon, row().lat)


def test_a_house_with_its_garage_and_garden_is_one_house() -> None:
    garden = {"code_nature_culture": "J", "surface_terrain": 150.0}
    sale = only(row(), row(**garden), row(**DEPENDENCY), row(**DEPENDENCY | garden))
    assert (sale.kind, sale.area_m2, sale.land_m2) == ("house", 90.0, 550.0)


def test_a_sale_over_several_parcels_is_one_with_all_of_its_ground() -> None:
    garden = dvf_row(OTHER, **BARE, code_nature_culture="J", surface_terrain=200.0)
    sale = only(garden, row())
    assert (sale.kind, sale.price_eur, sale.area_m2, sale.land_m2) == ("house", 250_000.0, 90.0, 600.0)
    assert sale.parcel_ids == f"{PARCEL}|{OTHER}"


def test_prices_of_dispositions_add_up_even_where_they_are_equal() -> None:
    second = row(numero_disposition="000002")
    assert only(row(), second).price_eur == 500_000.0
    assert market_sales([row(), second._replace(valeur_fonciere=None)]) == []


@pytest.mark.parametrize("price", [0.15, 1.0, 15.0, 999.0, None])
def test_a_symbolic_price_is_no_price(price: float | None) -> None:
    assert market_sales([row(valeur_fonciere=price)]) == []


@pytest.mark.parametrize("nature", ["Vente en l'état futur d'achèvement", "Echange", "Adjudication", "Expropriation"])
def test_what_is_no_ordinary_sale_is_not_compared(nature: str) -> None:
    assert market_sales([row(nature_mutation=nature)]) == []


@pytest.mark.parametrize(
    "second",
    [
        row(surface_reelle_bati=60.0),
        row(**FLAT),
        dvf_row(OTHER),
        row(),
        row(code_type_local="9", type_local="Autre"),
    ],
)
def test_several_properties_or_rows_that_may_be_twins_have_no_price_each(second: DvfRow) -> None:
    assert market_sales([row(), second]) == []


def test_lots_make_a_flat_no_less_comparable_but_a_house() -> None:
    lots: dict[str, Any] = {"nombre_lots": 2, "lots": ("12", "45"), "surface_terrain": None}
    sale = only(row(**FLAT, **lots), row(**DEPENDENCY, **lots))
    assert (sale.kind, sale.area_m2, sale.land_m2) == ("flat", 50.0, None)
    assert market_sales([row(**lots)]) == []


def test_business_premises_are_a_kind_of_their_own() -> None:
    name = "Local industriel. commercial ou assimilé"
    assert only(row(code_type_local="4", type_local=name)).kind == "commercial"


def test_bare_land_is_compared_by_its_ground() -> None:
    field = row(**BARE, code_nature_culture="T", surface_terrain=8_000.0, valeur_fonciere=6_000.0)
    vineyard = field._replace(id_parcelle=OTHER, code_nature_culture="VI", surface_terrain=2_000.0)
    sale = only(field, vineyard)
    assert (sale.kind, sale.type_local, sale.area_m2, sale.built_m2) == ("land", None, 10_000.0, None)
    plot = row(**BARE, code_nature_culture="AB", surface_terrain=800.0)
    assert only(plot).kind == "building_land"
    assert only(field._replace(nature_mutation="Vente terrain à bâtir")).kind == "building_land"
    assert market_sales([field, plot]) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"nombre_lots": 1},
        {"code_nature_culture": "S"},
        {"surface_terrain": None},
        {"code_type_local": "3", "type_local": "Dépendance"},
    ],
)
def test_ground_under_buildings_lots_and_unknown_areas_are_no_bare_land(changes: dict[str, Any]) -> None:
    land = row(**BARE, code_nature_culture="T", surface_terrain=500.0)
    assert len(market_sales([land])) == 1
    assert market_sales([land._replace(**changes)]) == []


def test_a_sale_without_a_place_or_an_area_is_not_compared() -> None:
    assert market_sales([row(lon=None, lat=None)]) == []
    assert market_sales([row(surface_reelle_bati=None)]) == []
    elsewhere = dvf_row(OTHER, **BARE, code_nature_culture="J", surface_terrain=200.0, lon=2.5, lat=47.5)
    assert (only(row(lon=None, lat=None), elsewhere).lon, only(row(), elsewhere).lon) == (2.5, row().lon)


@pytest.mark.samples
def test_the_sales_of_abzac_that_compare_were_told_apart_by_hand(samples: Path) -> None:
    """41 of 50 mutations: out are two under 1,000 euros, an exchange, three of several or equal properties, two of
    ground under buildings, and vines sold together with ground to build on.
    """
    path = samples / "dvf" / "dvf-33001-2021.csv"
    rows = [row for _, row in Dvf("").read(path, ReadReport(path.name))]
    sales = {sale.id_mutation: sale for sale in market_sales(rows)}
    assert Counter(sale.kind for sale in sales.values()) == {"house": 26, "land": 12, "building_land": 3}
    assert {r.id_mutation for r in rows} - set(sales) == {
        f"2021-{number}" for number in (527101, 527130, 527270, 528605, 530171, 530714, 532516, 532643, 546022)
    }
    house, plot, fields = sales["2021-537813"], sales["2021-531278"], sales["2021-528033"]
    assert (house.price_eur, house.area_m2, house.land_m2, house.parcel_ids.count("|")) == (155_300, 54, 3_517, 4)
    assert (plot.kind, plot.price_eur, plot.area_m2) == ("building_land", 80_900, 1_001)
    assert (fields.kind, fields.price_eur, fields.area_m2) == ("land", 4_500, 10_925)
