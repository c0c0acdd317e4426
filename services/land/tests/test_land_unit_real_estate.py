"""The block `real_estate`, from rows of DVF in the store to the answer."""

from typing import Any

import pytest
from land_builders import (
    COMMUNE,
    PARTITION,
    building,
    coverage,
    dvf_row,
    land_unit,
    load,
    lon_lat,
    parcel,
    square,
    warning_codes,
    zone,
)
from sqlalchemy import Engine

from land.datasets.sales.records import DvfRow
from land.units.model import LandUnit

A, B = (f"{COMMUNE}000AB{number:04}" for number in (1, 2))
ALSACE = "67999"


def real_estate_of(store: Engine, *parcel_ids: str) -> LandUnit:
    return land_unit(store, *parcel_ids, blocks=["real_estate"])


def house(number: int, x: float, **changes: Any) -> DvfRow:
    lon, lat = lon_lat(x, 10)
    facts = {"date_mutation": f"2021-05-{number:02}", "valeur_fonciere": 100_000.0 * number, "lon": lon, "lat": lat}
    return dvf_row(f"{COMMUNE}000AB{number:04}", f"2021-{number}", **facts | changes)


@pytest.fixture
def street(store: Engine) -> Engine:
    """Two lots and six sales of houses. The first sale is on lot 1, the others are 20 to 60 m east of it."""
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    rows = [house(1, 10), *(house(n, 20 + 10 * n) for n in range(2, 7))]
    load(store, "dvf", COMMUNE, rows, part="2021")
    return store


def test_comparables_exclude_sales_of_the_land_itself_and_of_withdrawn_years(street: Engine) -> None:
    withdrawn = house(2, 40, id_mutation="2014-1", date_mutation="2014-05-01")
    load(street, "dvf-archive", COMMUNE, [withdrawn], part="2014")
    unit = real_estate_of(street, A)
    block = unit.real_estate
    assert block is not None
    assert [(item.sale.id_mutation, round(item.distance_m, 1)) for item in block.comparables] == [
        (f"2021-{n}", 10.0 * n) for n in range(2, 7)
    ]
    assert (block.sale_count, block.last_sale_on, block.kind, block.kind_basis) == (
        5,
        "2021-05-06",
        "house",
        "own_sale",
    )
    assert block.median_price_eur_per_m2 == round(400_000 / 90, 2)
    assert (block.period_from, block.period_to) == ("2021-01-01", "2021-05-06")
    assert warning_codes(unit, "real_estate") == []
    assert [sale.id_mutation for sale in unit.history.sales] == ["2021-1"]


def test_symbolic_prices_and_sales_of_several_houses_are_no_comparables(street: Engine) -> None:
    rows = [
        house(1, 30, valeur_fonciere=1.0),
        house(2, 31),
        house(2, 31, surface_reelle_bati=50.0),
        house(3, 32, valeur_fonciere=0.15),
    ]
    load(street, "dvf", COMMUNE, rows, part="2021", edition="e2")
    block = real_estate_of(street, A).real_estate
    assert block is not None
    assert (block.sale_count, block.median_price_eur_per_m2, block.period_to) == (0, None, None)


def test_a_new_edition_of_a_year_replaces_that_year_only(street: Engine) -> None:
    load(street, "dvf", COMMUNE, [house(9, 30, date_mutation="2022-01-09")], part="2022")
    load(street, "dvf", COMMUNE, [house(8, 40)], part="2021", edition="e2")
    block = real_estate_of(street, B).real_estate
    assert block is not None
    assert sorted(item.sale.id_mutation for item in block.comparables) == ["2021-8", "2021-9"]
    assert (block.period_from, block.period_to) == ("2021-01-01", "2022-01-09")


def test_bare_land_is_compared_with_bare_land(street: Engine) -> None:
    load(street, "cadastre-buildings", COMMUNE, [building("a", square(100, 100))])
    plot = {"code_type_local": "", "type_local": "", "surface_reelle_bati": None, "code_nature_culture": "AB"}
    load(street, "dvf", COMMUNE, [house(7, 60, **plot), house(8, 60)], part="2023")
    unit = real_estate_of(street, B)
    assert unit.real_estate is not None
    assert (unit.real_estate.kind, unit.real_estate.kind_basis) == ("building_land", "nothing_built")
    assert [item.sale.id_mutation for item in unit.real_estate.comparables] == ["2021-7"]
    assert unit.buildings is None
    assert "cadastre-buildings" in [source.id for source in unit.sources]


@pytest.mark.parametrize(("zone_type", "kind"), [("U", "building_land"), ("N", "land")])
def test_the_zone_says_what_bare_land_is_compared_as(street: Engine, zone_type: str, kind: str) -> None:
    load(street, "cadastre-buildings", COMMUNE, [building("a", square(100, 100))])
    plot: dict[str, Any] = {"code_type_local": "", "type_local": "", "surface_reelle_bati": None}
    fields = [house(n, 30 + n, **plot, code_nature_culture="T") for n in (7, 8, 9)]
    load(street, "dvf", COMMUNE, [*fields, house(6, 60, **plot, code_nature_culture="AB")], part="2023")
    load(street, "gpu-zones", PARTITION, [zone("Z", square(0, 0, 60, 60), zone_type)])
    unit = real_estate_of(street, B)
    assert unit.real_estate is not None
    assert (unit.real_estate.kind, unit.real_estate.kind_basis) == (kind, "zone")
    assert "gpu-zones" in [source.id for source in unit.sources]


def test_real_estate_is_unknown_when_sales_are_not_loaded(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    unit = real_estate_of(store, A)
    assert (unit.real_estate, warning_codes(unit, "real_estate")) == (None, ["real_estate_not_covered"])


def test_real_estate_is_unknown_where_dvf_is_not_published(store: Engine) -> None:
    load(store, "cadastre-parcels", ALSACE, [parcel(1, square(0, 0), commune=ALSACE)])
    unit = real_estate_of(store, f"{ALSACE}000AB0001")
    assert (unit.real_estate, warning_codes(unit, "real_estate")) == (None, ["real_estate_not_covered"])
    assert coverage(unit)["dvf"] == ("not_published", "not_published")


def test_real_estate_is_unknown_without_an_outline(street: Engine) -> None:
    load(street, "cadastre-parcels", COMMUNE, [parcel(1)], edition="e2")
    unit = real_estate_of(street, A)
    assert (unit.real_estate, warning_codes(unit, "real_estate")) == (None, ["real_estate_not_placed"])


def test_real_estate_is_absent_unless_requested(street: Engine) -> None:
    assert land_unit(street, A, blocks=["buildings"]).real_estate is None
