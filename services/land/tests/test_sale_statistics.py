"""Prices of the sales of an area, on both stores."""

from typing import Any

import pytest
import shapely
from land_builders import COMMUNE, dvf_row, load, lon_lat, parcel, square, territory_of
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.datasets.sales.records import DvfRow
from land.parcel_search.sale_statistics import SaleGroup, SaleQuestion, SaleStatistics
from land.pipeline import Pipeline

OTHER = "18998"
HOUSES = SaleGroup(2021, "house", 6, 225_000, 350_000, 475_000, 2_250, 3_500, 4_750)


def house(number: int, section: str = "AB", commune: str = COMMUNE, **changes: Any) -> DvfRow:
    """A house of 100 m² for so many times 100,000 euros."""
    facts = {"valeur_fonciere": 100_000.0 * number, "surface_reelle_bati": 100.0}
    return dvf_row(f"{commune}000{section}{number:04}", f"2021-{number}", **facts | changes)


@pytest.fixture
def loaded(store: Engine) -> Engine:
    """Six sales of houses in a commune. The sixth is of two parcels there, and of a field in the next commune, which
    has four more sales.
    """
    dependency = house(6, "AC", code_type_local="3", type_local="Dépendance")
    dependency = dependency._replace(id_parcelle=f"{COMMUNE}000AC0007")
    field = house(6, commune=OTHER, code_type_local="", type_local="", code_nature_culture="T")
    sales = [house(n, commune=OTHER, lon=lon_lat(310, 0)[0]) for n in range(11, 15)]
    load(store, "dvf", COMMUNE, [*(house(n) for n in range(1, 6)), house(6, "AC"), dependency], part="2021")
    load(store, "dvf", OTHER, [field, *sales], part="2021")
    for commune, west in ((COMMUNE, -100), (OTHER, 200)):
        load(store, "cadastre-parcels", commune, [parcel(1, square(west, 0), commune=commune)])
        load(store, "cadastre-communes", commune, [territory_of(commune, square(west, -100, 300, 300))])
    return store


def ask(store: Engine, scope: Scope = "all", **question: Any) -> SaleStatistics:
    return Pipeline(store).sale_statistics(SaleQuestion(**question), scope)


def test_a_sale_of_several_parcels_counts_once(loaded: Engine) -> None:
    answer = ask(loaded, commune_code=COMMUNE)
    assert answer.groups == [HOUSES]
    assert (answer.period_from, answer.period_to) == ("2021-01-01", "2021-05-06")
    assert [item.status for item in answer.coverage] == ["covered"]
    assert [source.id for source in answer.sources] == ["dvf"]
    assert not answer.warnings


def test_a_sale_in_two_communes_of_an_area_counts_once_for_its_building(loaded: Engine) -> None:
    answer = ask(loaded, shape=shapely.box(*lon_lat(-90, -90), *lon_lat(490, 190)))
    assert answer.commune_codes == (OTHER, COMMUNE)
    assert [(group.kind, group.sale_count) for group in answer.groups] == [("house", 10)]


def test_a_polygon_has_the_sales_with_their_point_in_it(loaded: Engine) -> None:
    answer = ask(loaded, shape=shapely.box(*lon_lat(-90, -90), *lon_lat(190, 190)))
    assert answer.groups == [HOUSES]
    assert not answer.warnings


def test_fewer_than_five_sales_are_withheld(loaded: Engine) -> None:
    field = SaleGroup(2021, "land", None)
    assert ask(loaded, commune_code=OTHER).groups == [SaleGroup(2021, "house", None), field]
    assert ask(loaded, commune_code=OTHER, kind="land").groups == [field]
    assert ask(loaded, commune_code=OTHER, year=2020).groups == []


def test_a_sale_belongs_to_the_section_of_its_first_parcel(loaded: Engine) -> None:
    sections = {name: ask(loaded, commune_code=COMMUNE, section=f"{COMMUNE}000{name}") for name in ("AB", "AC", "AD")}
    counts = {name: [group.sale_count for group in answer.groups] for name, answer in sections.items()}
    assert counts == {"AB": [5], "AC": [None], "AD": []}


def test_what_is_not_loaded_is_stated(loaded: Engine) -> None:
    unloaded = ask(loaded, commune_code="64547")
    assert (unloaded.groups, unloaded.period_from) == ([], None)
    assert [item.status for item in unloaded.coverage] == ["not_loaded"]
    assert [item.code for item in unloaded.warnings] == ["dataset_not_covered"]
    away = ask(loaded, shape=shapely.box(2, 48, 2.01, 48.01))
    assert [item.code for item in away.warnings] == ["area_not_covered", "dataset_not_covered"]


def test_the_demo_hides_other_communes(loaded: Engine) -> None:
    assert ask(loaded, "demo", commune_code=COMMUNE).groups == []
