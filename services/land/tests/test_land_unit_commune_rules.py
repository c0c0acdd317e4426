"""What lists say of communes, from the files to the block `land`."""

from pathlib import Path

import pytest
from land_builders import COMMUNE, coverage, import_file, land_unit, load, parcel, square
from sqlalchemy import Engine
from written_files import Writer

from land.datasets.commune_rules.registration import COAST, MOUNTAIN, PLANS, TAX
from land.datasets.dataset import Dataset
from land.errors import UnreadableFile, WrongHeader
from land.rpc.messages import land_unit as message_of
from landpartner.land.v1 import land_pb2 as pb

LOT = f"{COMMUNE}000AB0001"


@pytest.fixture
def land(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    return store


def rules_of(store: Engine) -> list[pb.CommuneRules]:
    return list(message_of(land_unit(store, LOT)).land.commune_rules)


def test_the_newest_rates_have_the_range_of_the_sectors(land: Engine, write: Writer, tmp_path: Path) -> None:
    lines = [
        "Code INSEE;Année;Taux communal;Taux départemental",
        f"{COMMUNE};2026;3,5;2.3 %",
        f"{COMMUNE};2025;1;",
        f"{COMMUNE};2026;5;2,3",
    ]
    import_file(land, TAX.id, write("rates.csv", "\n".join([*lines, ""])), tmp_path)
    [rules] = rules_of(land)
    tax = rules.development_tax
    assert (tax.year, tax.commune_percent, tax.highest_percent, tax.department_percent) == (2026, 3.5, 5, 2.3)
    assert not tax.HasField("region_percent")
    assert not rules.HasField("mountain_law"), "the list is not loaded"
    assert coverage(land_unit(land, LOT))[MOUNTAIN.id] == ("not_loaded", "not_loaded")


def test_a_commune_that_is_on_no_national_list_is_outside(land: Engine, write: Writer, tmp_path: Path) -> None:
    mountain = [f"{COMMUNE};P", *(f"0500{number % 9};T" for number in range(3_000))]
    import_file(land, MOUNTAIN.id, write("mountain.csv", "\n".join(["insee_com;classement", *mountain])), tmp_path)
    import_file(land, COAST.id, write("coast.csv", "\n".join(["insee_com", *["17300"] * 600])), tmp_path)
    [rules] = rules_of(land)
    assert (rules.mountain_law, rules.coast_law) == ("part", "none")


@pytest.mark.parametrize("dataset", [MOUNTAIN, COAST])
def test_a_national_list_that_was_cut_is_refused(land: Engine, write: Writer, tmp_path: Path, dataset: Dataset) -> None:
    with pytest.raises(UnreadableFile, match="2 rows of at least"):
        import_file(land, dataset.id, write("list.csv", "insee_com;classement\n05001;P\n17300;T\n"), tmp_path)
    assert rules_of(land) == []


def test_the_demo_says_nothing_of_real_communes(land: Engine, write: Writer, tmp_path: Path) -> None:
    import_file(land, COAST.id, write("coast.csv", "insee_com\n00001\n"), tmp_path)
    assert rules_of(land) == []


@pytest.mark.parametrize(("state", "plan"), [("9", None), ("3", "PLU en révision")])
def test_a_plan_under_way_is_named(land: Engine, write: Writer, tmp_path: Path, state: str, plan: str | None) -> None:
    header = "code_insee,plan_etat_code1,plan_libelle_etat_code1,plan_etat_code2,plan_libelle_etat_code2"
    path = write("plans.csv", f"{header}\n{COMMUNE},3,PLU approuvé,{state},PLU en révision\n")
    import_file(land, PLANS.id, path, tmp_path)
    [rules] = rules_of(land)
    assert rules.plan_in_force == "PLU approuvé"
    assert (rules.plan_under_way if rules.HasField("plan_under_way") else None) == plan


def test_a_file_without_a_required_column_is_refused(land: Engine, write: Writer, tmp_path: Path) -> None:
    with pytest.raises(WrongHeader, match="taux_communal"):
        import_file(land, TAX.id, write("rates.csv", f"code_insee;annee\n{COMMUNE};2026\n"), tmp_path)
