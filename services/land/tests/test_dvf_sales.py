"""Sales from DVF's rows: ids that unrelated sales share, deeds over several parcels, and identical rows.

The publisher has numbered mutations with two programs. The second one gives all mutations of a day and price one id.
"""

import csv
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import pytest
from dvf_rows import (
    CHURCH_STREET,
    GARAGE,
    GARDEN,
    HOUSE,
    STATION_STREET,
    Row,
    ambiguity_warnings,
    import_rows,
    row,
    write_rows,
)
from land_builders import land_unit, load, parcel, square
from sqlalchemy import Engine

from land.datasets.sales.queries import market_sales_in, sales_on
from land.datasets.sales.records import Sale
from land.errors import UnreadableFile
from land.loading.loader import load_file
from land.registry import DATASETS
from land.store import loads

IDS_OF_DEED = ["18999000AB0001", "18998000AB0002"]
ABZAC = "33001"


def sales_of(store: Engine, numbers: Iterable[int], section: str = "AB") -> dict[str, list[Sale]]:
    """The sales by parcel. Loads a plan with these parcels."""
    ids = [f"18999000{section}{number:04}" for number in numbers]
    load(store, "cadastre-parcels", "18999", [parcel(int(parcel_id[-4:]), section=section) for parcel_id in ids])
    unit = land_unit(store, *ids)
    return {parcel_id: [sale for sale in unit.history.sales if sale.id_parcelle == parcel_id] for parcel_id in ids}


def id_and_parcel_count(sales: Sequence[Sale]) -> tuple[str, int]:
    """The price of the only sale in the list."""
    [sale] = sales
    return sale.id_mutation, sale.parcel_count


# Sales that share an id.


def test_unrelated_houses_of_one_day_and_price_are_two_sales(store: Engine, tmp_path: Path) -> None:
    rows = [
        row(1, (0, 0), HOUSE, CHURCH_STREET),
        row(2, (30, 0), GARDEN, id_parcelle="18999000AB0002"),
        row(7, (2_000, 0), HOUSE, STATION_STREET, surface_reelle_bati="70"),
    ]
    import_rows(store, rows, tmp_path)
    first, garden, second = sales_of(store, (1, 2, 7)).values()
    assert id_and_parcel_count(first) == id_and_parcel_count(garden) == ("2026-417-18999000AB0001", 2)
    assert id_and_parcel_count(second) == ("2026-417-18999000AB0007", 1)
    assert [sale.valeur_fonciere for sale in (*first, *second)] == [150_000, 150_000]
    warnings = [str(w.detail) for w in land_unit(store, "18999000AB0007").warnings if w.code == "sale_multiple_parcels"]
    assert warnings == []


def test_sales_that_share_an_id_are_separate_comparables(store: Engine, tmp_path: Path) -> None:
    plan = [parcel(n, square(x, 0), area=400) for n, x in ((1, 0), (7, 2_000), (9, 500))]
    load(store, "cadastre-parcels", "18999", plan)
    import_rows(store, [row(1, (10, 10), HOUSE, CHURCH_STREET), row(7, (2_010, 10), HOUSE, STATION_STREET)], tmp_path)
    block = land_unit(store, "18999000AB0009", blocks=["real_estate"]).real_estate
    assert block is not None
    assert sorted(item.sale.id_mutation for item in block.comparables) == [
        "2026-417-18999000AB0001",
        "2026-417-18999000AB0007",
    ]


def test_sale_ids_do_not_depend_on_the_order_of_rows(store: Engine, tmp_path: Path) -> None:
    rows = [row(1, (0, 0), HOUSE, CHURCH_STREET), row(7, (2_000, 0), HOUSE, STATION_STREET), row(2, (30, 0), GARDEN)]
    import_rows(store, rows, tmp_path)
    before = sales_of(store, (1, 2, 7))
    import_rows(store, reversed(rows), tmp_path, "full-2026-again.csv")
    assert sales_of(store, (1, 2, 7)) == before


def test_sales_of_another_commune_with_the_same_id_are_ignored(store: Engine, tmp_path: Path) -> None:
    elsewhere = row(1, (9_000, 0), HOUSE, code_commune="18998", id_parcelle="18998000AB0001")
    import_rows(store, [row(1, (0, 0), HOUSE), elsewhere], tmp_path)
    assert id_and_parcel_count(sales_of(store, (1,))["18999000AB0001"]) == ("2026-417", 1)


def test_mutations_of_different_nature_are_separate_sales(store: Engine, tmp_path: Path) -> None:
    import_rows(store, [row(1, (0, 0)), row(2, (30, 0), nature_mutation="Echange")], tmp_path)
    first, second = sales_of(store, (1, 2)).values()
    assert (id_and_parcel_count(first), id_and_parcel_count(second)) == (
        ("2026-417-18999000AB0001", 1),
        ("2026-417-18999000AB0002", 1),
    )


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (250, 0), HOUSE, STATION_STREET)],
            id="houses near each other",
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
def test_rows_that_may_be_one_deed_are_one_sale(store: Engine, tmp_path: Path, rows: list[Row]) -> None:
    import_rows(store, rows, tmp_path)
    sales = sales_of(store, (1, 2))
    assert [id_and_parcel_count(sales) for sales in sales.values()] == [("2026-417", len(rows))] * 2


def test_distant_garages_are_two_sales_and_a_field_joins_the_nearer_one(store: Engine, tmp_path: Path) -> None:
    rows = [
        row(1, (0, 0), GARAGE, CHURCH_STREET),
        row(2, (2_000, 0), GARAGE, STATION_STREET),
        row(3, (1_400, 0), GARDEN),
        row(4, None, GARDEN, id_parcelle="18999000ZA0004"),
    ]
    import_rows(store, rows, tmp_path)
    first, second, field = sales_of(store, (1, 2, 3)).values()
    assert id_and_parcel_count(first) == ("2026-417-18999000AB0001", 2)
    assert id_and_parcel_count(second) == id_and_parcel_count(field) == ("2026-417-18999000AB0002", 2)


def test_rows_without_a_price_are_one_sale_per_parcel_and_date(store: Engine, tmp_path: Path) -> None:
    """The second program gives each of these rows a different id."""
    rows = [
        row(1, (0, 0), HOUSE, id_mutation="2026-1", valeur_fonciere=""),
        row(1, (0, 0), GARAGE, id_mutation="2026-2", valeur_fonciere=""),
        row(2, (0, 0), GARDEN, id_mutation="2026-3", valeur_fonciere=""),
        row(2, (0, 0), GARDEN, id_mutation="2026-4", valeur_fonciere="", date_mutation="2026-03-05"),
    ]
    import_rows(store, reversed(rows), tmp_path)
    house, gardens = sales_of(store, (1, 2)).values()
    assert id_and_parcel_count(house) == ("2026-1", 1)
    assert (house[0].has_dependance, house[0].valeur_fonciere) == (True, None)
    assert [sale.id_mutation for sale in gardens] == ["2026-4", "2026-3"]


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(
            row(5, (0, 0), id_mutation="2026-420", valeur_fonciere="90"), id="a number that the price contradicts"
        ),
        pytest.param(row(5, (0, 0), valeur_fonciere="90", id_mutation="2026-417"), id="two prices of one id"),
        pytest.param(row(5, (0, 0), id_mutation="2026-500", date_mutation="2026-01-01"), id="an earlier day later"),
        pytest.param(row(5, (0, 0), id_mutation="2026-418"), id="two ids of one day and price"),
        pytest.param(row(5, (0, 0), id_mutation="V-1"), id="an id of another form"),
    ],
)
def test_an_id_is_one_sale_in_files_of_the_first_program(store: Engine, tmp_path: Path, evidence: Row) -> None:
    """`evidence` is a row that the second program cannot have written."""
    deed = [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (2_000, 0), HOUSE, STATION_STREET)]
    import_rows(store, [*deed, evidence], tmp_path)
    for sales in sales_of(store, (1, 2)).values():
        assert id_and_parcel_count(sales)[0] == "2026-417"


def test_a_former_parcel_id_does_not_join_unrelated_sales(store: Engine, tmp_path: Path) -> None:
    houses = [row(1, (0, 0), HOUSE, CHURCH_STREET), row(2, (2_000, 0), HOUSE, STATION_STREET)]
    divided = row(5, (0, 0), ancien_id_parcelle="18998000AB0005", id_mutation="2026-1", valeur_fonciere="90")
    import_rows(store, [*houses, divided], tmp_path)
    ids = [id_and_parcel_count(sales)[0] for sales in sales_of(store, (1, 2)).values()]
    assert ids == ["2026-417-18999000AB0001", "2026-417-18999000AB0002"]


def renumbered(rows: Iterable[Row]) -> list[dict[str, object]]:
    """The rows with the ids of the second program, which depend on date and price only."""

    def price(row: Row) -> tuple[object, float]:
        return row["date_mutation"], float(str(row["valeur_fonciere"]))

    ordered = groupby(sorted(rows, key=price), key=price)
    return [
        {**row, "id_mutation": f"2021-{number}", "valeur_fonciere": str(value), "ancien_id_parcelle": ""}
        for number, ((_, value), same) in enumerate(ordered, start=70_000)
        for row in same
    ]


@pytest.fixture
def abzac(store: Engine, samples: Path) -> list[dict[str, object]]:
    """The rows of a file of the first program, and a plan with their parcels."""
    with (samples / "dvf" / "dvf-33001-2021.csv").open(encoding="utf-8") as file:
        rows: list[dict[str, object]] = [dict(row) for row in csv.DictReader(file)]
    ids = sorted({str(row["id_parcelle"]) for row in rows})
    plan = [parcel(int(i[10:]), section=i[8:10], prefix=i[5:8], commune=ABZAC) for i in ids]
    load(store, "cadastre-parcels", ABZAC, plan)
    return rows


def sales_without_ids(store: Engine, parcel_ids: Iterable[object]) -> list[Sale]:
    """The sales on these parcels in a fixed order."""
    ids = sorted({str(parcel_id) for parcel_id in parcel_ids})
    sales = [land_unit(store, *ids[start : start + 100]).history.sales for start in range(0, len(ids), 100)]
    return sorted((sale._replace(id_mutation="") for sales in sales for sale in sales), key=repr)


@pytest.mark.samples
def test_files_of_both_programs_give_the_same_sales(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    ids = [row["id_parcelle"] for row in abzac]
    import_rows(store, abzac, tmp_path, "old-2021.csv")
    old = sales_without_ids(store, ids)
    import_rows(store, renumbered(abzac), tmp_path, "new-2021.csv")
    assert sales_without_ids(store, ids) == old
    assert len(old) == 123


@pytest.mark.samples
def test_a_house_with_the_day_and_price_of_another_changes_no_sale(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """2021-537813 has a house and four parcels. The other house is at the far end of Abzac."""
    sold = [row for row in abzac if row["id_mutation"] == "2021-537813"]
    house = next(row for row in sold if row["type_local"] == "Maison")
    other = {**house, "id_parcelle": "330010000A0132", "adresse_nom_voie": "LES ARNAUDS"}
    other |= {"longitude": "-0.136697", "latitude": "45.017309"}
    ids = [row["id_parcelle"] for row in sold]
    import_rows(store, abzac, tmp_path, "old-2021.csv")
    old = sales_without_ids(store, ids)
    import_rows(store, renumbered([*abzac, other]), tmp_path, "new-2021.csv")
    assert sales_without_ids(store, ids) == old
    sales = land_unit(store, "330010000A0132").history.sales
    assert [(sale.valeur_fonciere, sale.parcel_count) for sale in sales if sale.valeur_fonciere == 155_300] == [
        (155_300, 1)
    ]


# Identical rows.


@pytest.mark.samples
def test_the_warning_for_identical_flats_gives_both_readings(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """2021-527270 has 35, 56 and 56 m² on ZM0048, each with one room on 576 m²."""
    import_rows(store, abzac, tmp_path, "2021.csv")
    unit = land_unit(store, "33001000ZM0048", "33001000ZM0047")
    assert [sale.surface_reelle_bati for sale in unit.history.sales] == [None, 91]
    [warning] = ambiguity_warnings(unit)
    assert (warning.block, str(warning.detail)) == (
        "history",
        "Mutation 2021-527270 (33001000ZM0048) has identical rows, counted once: DVF does not say whether they are one "
        "thing or several. Counted once, or each: 2 or 3 units, 91 or 147 m² built, 2 or 3 main rooms.",
    )
    assert warning.detail.read("fr").endswith("2 ou 3 locaux, 91 ou 147 m² bâtis, 2 ou 3 pièces principales.")


@pytest.mark.samples
def test_only_identical_units_make_a_sale_of_abzac_ambiguous(
    store: Engine, tmp_path: Path, abzac: list[dict[str, object]]
) -> None:
    """Dependencies that are repeated, as on AB0595 and B2064, change no figure."""
    import_rows(store, abzac, tmp_path, "2021.csv")
    ids = sorted({str(row["id_parcelle"]) for row in abzac})
    sales = [
        str(warning.detail)
        for start in (0, 100)
        for warning in ambiguity_warnings(land_unit(store, *ids[start : start + 100]))
    ]
    assert sorted(detail[9:37] for detail in sales) == [
        "2021-527130 (33001000AC0495)",
        "2021-527270 (33001000ZM0048)",
        "2021-530714 (33001000AB0107)",
    ]


# Files that were cut.


def test_a_year_with_less_than_a_quarter_of_the_rows_of_other_years_is_refused(store: Engine, tmp_path: Path) -> None:
    def rows(year: int, count: int) -> list[Row]:
        days = {"date_mutation": f"{year}-03-04"}
        return [row(number, (0, 0), days, id_mutation=f"{year}-{number}") for number in range(1, count + 1)]

    import_rows(store, [*rows(2021, 40), *rows(2022, 44)], tmp_path)
    this_year = datetime.now(UTC).year
    for year, count in ((2023, 10), (this_year, 3)):
        load_file(store, DATASETS["dvf"], str(write_rows(rows(year, count), tmp_path)), tmp_path, is_import=False)
    with pytest.raises(UnreadableFile, match="18999 2024: 9 rows, where at least 10 are usual"):
        load_file(store, DATASETS["dvf"], str(write_rows(rows(2024, 9), tmp_path)), tmp_path, is_import=False)


# Deeds over two communes.


def deed_rows(*, of: str = "") -> list[Row]:
    """A house in one commune and its field in the other, and enough other sales to tell which program numbered them."""
    deed = {"id_mutation": "2026-77", "date_mutation": "2026-02-01"}
    sold = [
        row(1, (0, 0), HOUSE, deed),
        row(2, (90, 0), deed, code_commune="18998", id_parcelle="18998000AB0002", code_nature_culture="T"),
        row(3, (500, 0), HOUSE, id_mutation="2026-78", date_mutation="2026-01-01"),
        row(4, (700, 0), code_commune="18998", id_parcelle="18998000AB0004", code_nature_culture="T"),
    ]
    return [item for item in sold if not of or item["code_commune"] == of]


@pytest.mark.parametrize("communes", [("18999", "18998"), ("18998", "18999"), ("",)])
def test_a_deed_over_two_communes_counts_its_parcels_in_both_and_is_compared_in_neither(
    store: Engine, tmp_path: Path, communes: tuple[str, ...]
) -> None:
    for commune in communes:
        import_rows(store, deed_rows(of=commune), tmp_path)
    with store.connect() as connection:
        compared = {sale.id_mutation for sale in market_sales_in(connection, ["18999", "18998"])}
        sales = {sale.id_parcelle: sale.parcel_count for sale in sales_on(connection, IDS_OF_DEED)}
    assert compared == {"2026-78", "2026-417"}
    assert sales == dict.fromkeys(IDS_OF_DEED, 2)
    load(store, "cadastre-parcels", "18998", [parcel(2, commune="18998")])
    codes = [warning.code for warning in land_unit(store, "18998000AB0002").warnings]
    assert "sale_multiple_parcels" in codes


def test_an_answer_that_was_stored_before_the_other_commune_was_loaded_is_computed_again(
    engine: Engine, tmp_path: Path
) -> None:
    import_rows(engine, deed_rows(of="18998"), tmp_path)
    with engine.connect() as connection:
        before = loads.identities(connection, ["18998"])
    import_rows(engine, deed_rows(of="18999"), tmp_path)
    with engine.connect() as connection:
        assert loads.identities(connection, ["18998"]) != before


def test_equal_ids_of_the_program_of_2026_are_no_deed_over_two_communes(store: Engine, tmp_path: Path) -> None:
    """Its ids follow date and price in all of France."""
    elsewhere = {"code_commune": "18998", "code_nature_culture": "T"}
    rows = [
        row(1, (0, 0), HOUSE, id_mutation="2026-77", date_mutation="2026-02-01"),
        row(2, (90, 0), elsewhere, id_parcelle="18998000AB0002", id_mutation="2026-77", date_mutation="2026-02-01"),
        row(3, (500, 0), HOUSE, id_mutation="2026-78", date_mutation="2026-02-01", valeur_fonciere="160000.0"),
        row(4, (700, 0), elsewhere, id_parcelle="18998000AB0004", id_mutation="2026-79", date_mutation="2026-02-02"),
    ]
    import_rows(store, rows, tmp_path)
    with store.connect() as connection:
        assert len(market_sales_in(connection, ["18999", "18998"])) == 4
        assert {sale.parcel_count for sale in sales_on(connection, IDS_OF_DEED)} == {1}
