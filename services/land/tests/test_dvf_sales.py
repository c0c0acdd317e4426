"""What makes one sale of DVF's rows, in the files of both of the publisher's programs, and rows that are identical:
from the file to the answer, on both kinds of store.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pytest
from land_builders import load, parcel, place, square
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.loading.loader import LoadSummary, load_file
from land.messages import AnswerWarning, Language
from land.pipeline import Pipeline, Selection
from land.records.sales import Sale
from land.registry import DATASETS
from land.sources.dvf import COLUMNS, LOT_COLUMNS
from land.units.model import Block, LandUnit

ABZAC = "33001"
Row = Mapping[str, object]
HOUSE = {"code_type_local": "1", "type_local": "Maison", "surface_reelle_bati": "90", "nombre_pieces_principales": "4"}
GARAGE = {"code_type_local": "3", "type_local": "Dépendance"}
GARDEN = {"code_nature_culture": "J", "surface_terrain": "300"}
CHURCH_STREET = {"adresse_numero": "4", "adresse_nom_voie": "RUE DE L'EGLISE"}
STATION_STREET = {"adresse_numero": "9", "adresse_nom_voie": "RUE DE LA GARE"}


def row(number: int, at: tuple[float, float] | None, *facts: Row, section: str = "AB", **changes: object) -> Row:
    """One row of bare ground on a parcel, drawn in metres, with what is given of it."""
    lon, lat = place(*at) if at else ("", "")
    plain = {
        "id_mutation": "2026-417", "date_mutation": "2026-03-04", "numero_disposition": "000001",
        "nature_mutation": "Vente", "valeur_fonciere": "150000.0", "code_commune": "18999", "nom_commune": "Ville",
        "id_parcelle": f"18999000{section}{number:04}", "nombre_lots": "0", "code_nature_culture": "S",
        "surface_terrain": "400", "longitude": lon, "latitude": lat,
    }  # fmt: skip
    return {**plain, **{key: value for fact in facts for key, value in fact.items()}, **changes}


def imported(store: Engine, rows: Iterable[Row], folder: Path, name: str = "full-2026.csv") -> LoadSummary:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*COLUMNS, *LOT_COLUMNS, "ancien_code_commune"], restval="", extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    return load_file(store, DATASETS["dvf"], str(path), folder / "scratch")


def unit_of(
    store: Engine, parcel_ids: Sequence[str], blocks: Sequence[Block] = (), language: Language = "en"
) -> LandUnit:
    return Pipeline(store).land_unit(Selection(AddressQuery(), parcel_ids), blocks, "all", language)


def ambiguities(unit: LandUnit) -> list[AnswerWarning]:
    return [warning for warning in unit.warnings if warning.code == "dvf_units_ambiguous"]


def sales_of(store: Engine, numbers: Iterable[int], section: str = "AB") -> dict[str, list[Sale]]:
    """The sales of each parcel of the commune's plan."""
    ids = [f"18999000{section}{number:04}" for number in numbers]
    load(store, "cadastre-parcels", "18999", [parcel(int(each[-4:]), section=section) for each in ids])
    unit = unit_of(store, ids)
    return {parcel_id: [sale for sale in unit.history.sales if sale.id_parcelle == parcel_id] for parcel_id in ids}


def only(sales: Sequence[Sale]) -> tuple[str, int]:
    """The id and the number of parcels of the one sale."""
    [sale] = sales
    return sale.id_mutation, sale.parcel_count


# Sales that share an id.


def test_unrelated_houses_of_one_day_and_price_are_two_sales(store: Engine, tmp_path: Path) -> None:
    rows = [
        row(1, (0, 0), HOUSE, CHURCH_STREET),
        row(2, (30, 0), GARDEN, id_parcelle="18999000AB0002"),
        row(7, (2_000, 0), HOUSE, STATION_STREET, surface_reelle_bati="70"),
    ]
    imported(store, rows, tmp_path)
    first, garden, second = sales_of(store, (1, 2, 7)).values()
    assert only(first) == only(garden) == ("2026-417-18999000AB0001", 2)
    assert only(second) == ("2026-417-18999000AB0007", 1)
    assert [sale.valeur_fonciere for sale in (*first, *second)] == [150_000, 150_000]
    warned = [w.detail for w in unit_of(store, ["18999000AB0007"]).warnings if w.code == "sale_multiple_parcels"]
    assert warned == []


def test_sales_that_share_an_id_are_compared_each_for_its_own_price(store: Engine, tmp_path: Path) -> None:
    plan = [parcel(n, square(x, 0), area=400) for n, x in ((1, 0), (7, 2_000), (9, 500))]
    load(store, "cadastre-parcels", "18999", plan)
    imported(store, [row(1, (10, 10), HOUSE, CHURCH_STREET), row(7, (2_010, 10), HOUSE, STATION_STREET)], tmp_path)
    block = unit_of(store, ["18999000AB0009"], ["real_estate"]).real_estate
    assert block is not None
    assert sorted(item.sale.id_mutation for item in block.comparables) == [
        "2026-417-18999000AB0001",
        "2026-417-18999000AB0007",
    ]


def test_the_ids_of_sales_do_not_depend_on_the_order_of_rows(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE, CHURCH_STREET), row(7, (2_000, 0), HOUSE, STATION_STREET), row(2, (30, 0), GARDEN)]
    imported(store, rows, tmp_path)
    before = sales_of(store, (1, 2, 7))
    imported(store, reversed(rows), tmp_path, "full-2026-again.csv")
    assert sales_of(store, (1, 2, 7)) == before


def test_sales_of_other_communes_with_the_same_id_are_not_seen(store: Engine, tmp_path: Path) -> None:
    elsewhere = row(1, (9_000, 0), HOUSE, code_commune="18998", id_parcelle="18998000AB0001")
    imported(store, [row(1, (0, 0), HOUSE), elsewhere], tmp_path)
    assert only(sales_of(store, (1,))["18999000AB0001"]) == ("2026-417", 1)


def test_other_natures_are_other_sales(store: Engine, tmp_path: Path) -> None:
    imported(store, [row(1, (0, 0)), row(2, (30, 0), nature_mutation="Echange")], tmp_path)
    first, second = sales_of(store, (1, 2)).values()
    assert (only(first), only(second)) == (("2026-417-18999000AB0001", 1), ("2026-417-18999000AB0002", 1))


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (250, 0), HOUSE, STATION_STREET)],
            id="houses beside one another",
        ),
        pytest.param(
            [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (2_000, 0), HOUSE, CHURCH_STREET)], id="houses of one street"
        ),
        pytest.param(
            [row(1, None, HOUSE, CHURCH_STREET), row(2, (2_000, 0), HOUSE, STATION_STREET)],
            id="houses of one section, one without a point",
        ),
        pytest.param([row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (3_000, 0), GARDEN)], id="a house and a far field"),
        pytest.param(
            [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (900, 0), GARAGE, STATION_STREET)], id="a house and a garage"
        ),
        pytest.param([row(1, (0, 0), GARDEN), row(2, (3_000, 0), GARDEN)], id="fields"),
        pytest.param(
            [
                row(1, (0, 0), HOUSE, CHURCH_STREET),
                row(3, (250, 0), GARDEN),
                row(2, (500, 0), HOUSE, STATION_STREET),
            ],
            id="houses of one estate",
        ),
    ],
)
def test_what_may_be_one_deed_stays_one_sale(store: Engine, tmp_path: Path, rows: list[Row]) -> None:
    imported(store, rows, tmp_path)
    found = sales_of(store, (1, 2))
    assert [only(sales) for sales in found.values()] == [("2026-417", len(rows))] * 2


def test_garages_far_apart_are_two_sales_and_a_field_goes_with_the_nearer_house(store: Engine, tmp_path: Path) -> None:
    rows = [
        row(1, (0, 0), GARAGE, CHURCH_STREET),
        row(2, (2_000, 0), GARAGE, STATION_STREET),
        row(3, (1_400, 0), GARDEN),
        row(4, None, GARDEN, id_parcelle="18999000ZA0004"),
    ]
    imported(store, rows, tmp_path)
    first, second, field = sales_of(store, (1, 2, 3)).values()
    assert only(first) == ("2026-417-18999000AB0001", 2)
    assert only(second) == only(field) == ("2026-417-18999000AB0002", 2)


def test_rows_without_a_price_are_one_sale_of_their_parcel(store: Engine, tmp_path: Path) -> None:
    """The publisher's second program gives each of them an id of its own."""
    rows = [
        row(1, (0, 0), HOUSE, id_mutation="2026-1", valeur_fonciere=""),
        row(1, (0, 0), GARAGE, id_mutation="2026-2", valeur_fonciere=""),
        row(2, (0, 0), GARDEN, id_mutation="2026-3", valeur_fonciere=""),
        row(2, (0, 0), GARDEN, id_mutation="2026-4", valeur_fonciere="", date_mutation="2026-03-05"),
    ]
    imported(store, reversed(rows), tmp_path)
    house, gardens = sales_of(store, (1, 2)).values()
    assert only(house) == ("2026-1", 1)
    assert (house[0].has_dependance, house[0].valeur_fonciere) == (True, None)
    assert [sale.id_mutation for sale in gardens] == ["2026-4", "2026-3"]


@pytest.mark.parametrize(
    "told_by",
    [
        pytest.param(
            row(5, (0, 0), id_mutation="2026-420", valeur_fonciere="90"), id="a number that the price contradicts"
        ),
        pytest.param(row(5, (0, 0), valeur_fonciere="90", id_mutation="2026-417"), id="two prices of one id"),
        pytest.param(row(5, (0, 0), id_mutation="2026-500", date_mutation="2026-01-01"), id="an earlier day later"),
        pytest.param(row(5, (0, 0), id_mutation="2026-418"), id="two ids of one day and price"),
        pytest.param(row(5, (0, 0), id_mutation="V-1"), id="an id of another form"),
        pytest.param(
            row(5, (0, 0), ancien_id_parcelle="18998000AB0005", id_mutation="2026-1", valeur_fonciere="90"),
            id="a former parcel id",
        ),
    ],
)
def test_a_deed_over_two_places_stays_one_sale_in_files_of_the_first_program(
    store: Engine, tmp_path: Path, told_by: Row
) -> None:
    deed = [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (2_000, 0), HOUSE, STATION_STREET)]
    imported(store, [*deed, told_by], tmp_path)
    for sales in sales_of(store, (1, 2)).values():
        assert only(sales)[0] == "2026-417"


def rebuilt(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows as the publisher's second program numbers them: by date and price, whatever the deed."""

    def price(each: Row) -> tuple[object, float]:
        return each["date_mutation"], float(str(each["valeur_fonciere"]))

    ordered = groupby(sorted(rows, key=price), key=price)
    return [
        {**each, "id_mutation": f"2021-{number}", "valeur_fonciere": str(value), "ancien_id_parcelle": ""}
        for number, ((_, value), same) in enumerate(ordered, start=70_000)
        for each in same
    ]


@pytest.fixture
def abzac(store: Engine, samples: Path) -> list[dict[str, object]]:
    """The rows of a file of the first program, and a plan with their parcels."""
    with (samples / "dvf" / "dvf-33001-2021.csv").open(encoding="utf-8") as file:
        rows: list[dict[str, object]] = [dict(each) for each in csv.DictReader(file)]
    ids = sorted({str(each["id_parcelle"]) for each in rows})
    plan = [parcel(int(i[10:]), section=i[8:10], prefix=i[5:8], commune=ABZAC) for i in ids]
    load(store, "cadastre-parcels", ABZAC, plan)
    return rows


def facts(store: Engine, parcel_ids: Iterable[object]) -> list[Sale]:
    """The sales on these parcels, without their ids."""
    unit_ids = sorted({str(each) for each in parcel_ids})
    found = [unit_of(store, unit_ids[start : start + 100]).history.sales for start in range(0, len(unit_ids), 100)]
    return sorted((sale._replace(id_mutation="") for sales in found for sale in sales), key=repr)


@pytest.mark.samples
def test_both_programs_files_give_the_same_sales_of_abzac(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    ids = [each["id_parcelle"] for each in abzac]
    imported(store, abzac, tmp_path, "old-2021.csv")
    old = facts(store, ids)
    imported(store, rebuilt(abzac), tmp_path, "new-2021.csv")
    assert facts(store, ids) == old
    assert len(old) == 123


@pytest.mark.samples
def test_a_house_of_the_day_and_price_of_another_changes_no_sale_of_abzac(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """The house and four parcels of 2021-537813, and a house of the same day and price at the other end of Abzac."""
    sold = [each for each in abzac if each["id_mutation"] == "2021-537813"]
    house = next(each for each in sold if each["type_local"] == "Maison")
    other = {**house, "id_parcelle": "330010000A0132", "adresse_nom_voie": "LES ARNAUDS"}
    other |= {"longitude": "-0.136697", "latitude": "45.017309"}
    ids = [each["id_parcelle"] for each in sold]
    imported(store, abzac, tmp_path, "old-2021.csv")
    old = facts(store, ids)
    imported(store, rebuilt([*abzac, other]), tmp_path, "new-2021.csv")
    assert facts(store, ids) == old
    sales = unit_of(store, ["330010000A0132"]).history.sales
    assert [(sale.valeur_fonciere, sale.parcel_count) for sale in sales if sale.valeur_fonciere == 155_300] == [
        (155_300, 1)
    ]


# Identical rows.


@pytest.mark.samples
def test_identical_flats_of_abzac_are_warned_of_with_both_readings(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """2021-527270 has 35, 56 and 56 m² on ZM0048, each with one room on 576 m²."""
    imported(store, abzac, tmp_path, "2021.csv")
    unit = unit_of(store, ["33001000ZM0048", "33001000ZM0047"])
    assert [sale.surface_reelle_bati for sale in unit.history.sales] == [None, 91]
    [warning] = ambiguities(unit)
    assert (warning.block, warning.detail) == (
        "history",
        "Mutation 2021-527270 (33001000ZM0048) has identical rows, counted once: DVF does not say whether they are one "
        "thing or several. Counted once, or each: 2 or 3 units, 91 or 147 m² built, 2 or 3 main rooms.",
    )
    [french] = ambiguities(unit_of(store, ["33001000ZM0048"], language="fr"))
    assert french.detail.endswith("2 ou 3 locaux, 91 ou 147 m² bâtis, 2 ou 3 pièces principales.")


@pytest.mark.samples
def test_the_ambiguous_sales_of_abzac_are_those_of_identical_units(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """Dependencies that stand twice, as on AB0595 and B2064, change no figure."""
    imported(store, abzac, tmp_path, "2021.csv")
    ids = sorted({str(each["id_parcelle"]) for each in abzac})
    found = [warning.detail for start in (0, 100) for warning in ambiguities(unit_of(store, ids[start : start + 100]))]
    assert sorted(detail[9:37] for detail in found) == [
        "2021-527130 (33001000AC0495)",
        "2021-527270 (33001000ZM0048)",
        "2021-530714 (33001000AB0107)",
    ]


def readings(store: Engine, rows: Iterable[Row], folder: Path) -> list[str]:
    """The readings of the warnings of parcel AB 1."""
    load(store, "cadastre-parcels", "18999", [parcel(1, square(0, 0))])
    imported(store, rows, folder)
    return [warning.detail.rpartition(": ")[2] for warning in ambiguities(unit_of(store, ["18999000AB0001"]))]


def test_units_that_stand_beside_each_culture_are_not_ambiguous(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), unit, ground) for unit in (HOUSE, GARAGE) for ground in ({}, GARDEN)]
    assert readings(store, rows, tmp_path) == []


def test_units_that_stand_twice_beside_each_culture_are(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE, ground) for ground in ({}, GARDEN, {}, GARDEN)]
    assert readings(store, rows, tmp_path) == ["1 or 2 units, 90 or 180 m² built, 4 or 8 main rooms."]


def test_ground_that_stands_twice_beside_a_unit_of_other_ground_is_ambiguous(store: Engine, tmp_path: Path) -> None:
    """Two equal houses would stand beside the garden, too."""
    rows = [row(1, (0, 0), HOUSE, ground) for ground in ({}, GARDEN, {})]
    assert readings(store, rows, tmp_path) == ["700 or 1100 m² of land."]


def test_dispositions_that_name_the_same_unit_sell_shares_of_it(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE), row(1, (0, 0), HOUSE, numero_disposition="000002")]
    assert readings(store, rows, tmp_path) == []


def test_identical_rows_of_bare_land_are_ambiguous_and_not_compared(store: Engine, tmp_path: Path) -> None:
    field = row(1, (10, 10), GARDEN, surface_terrain="300.5")
    assert readings(store, [field, field], tmp_path) == ["300.5 or 601 m² of land."]
    load(store, "cadastre-parcels", "18999", [parcel(2, square(50, 0))], edition="e2")
    block = unit_of(store, ["18999000AB0002"], ["real_estate"]).real_estate
    assert block is not None
    assert block.sale_count == 0
    imported(store, [field], tmp_path, "full-2026-corrected.csv")
    block = unit_of(store, ["18999000AB0002"], ["real_estate"]).real_estate
    assert block is not None
    assert block.sale_count == 1


def test_a_comparable_with_identical_rows_of_ground_is_warned_of(store: Engine, tmp_path: Path) -> None:
    load(store, "cadastre-parcels", "18999", [parcel(9, square(100, 0))])
    garden = row(2, (30, 0), GARDEN)
    imported(store, [row(1, (10, 10), HOUSE), garden, garden], tmp_path)
    unit = unit_of(store, ["18999000AB0009"], ["real_estate"])
    assert unit.real_estate is not None
    [comparable] = unit.real_estate.comparables
    assert (comparable.sale.land_m2, comparable.price_eur_per_m2) == (700, 150_000 / 90)
    [warning] = ambiguities(unit)
    assert warning.block == "real_estate"
    assert "2026-417 (18999000AB0001, 18999000AB0002)" in warning.detail
    assert warning.detail.endswith("700 or 1000 m² of land.")
