"""What the parcels of a land unit come from, and what happened on that land before."""

import json
from pathlib import Path

import pytest
from land_builders import (
    COMMUNE,
    dvf_row,
    import_file,
    land_unit,
    load,
    on_sqlite,
    parcel,
    permit,
    reference,
    square,
    statuses,
    warning_codes,
)
from sqlalchemy import Engine

from land.datasets.lineage.records import LineageRecord
from land.errors import ParcelNewer, ParcelNotFound, ParcelRetired
from land.units.history import SectionDivisions

MOTHER, LEFT, RIGHT, OTHER = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 9))


def lot(mothers: list[str], daughters: list[str], number: int = 1, day: str = "2022-03-04") -> list[LineageRecord]:
    key = f"000{number:07}00001"
    return [
        LineageRecord(
            department="18",
            commune_code=COMMUNE,
            parcel_id=parcel_id,
            lot=key,
            nature="5",
            validated_on=day,
            is_mother=is_mother,
        )
        for ids, is_mother in ((mothers, True), (daughters, False))
        for parcel_id in ids
    ]


@pytest.fixture
def divided(store: Engine) -> Engine:
    """The present plan of a parcel that was divided in two, with a sale and a permit of before."""
    halves = [parcel(2, square(0, 0, 10, 20), area=200), parcel(3, square(10, 0, 30, 20), area=600)]
    plan = [record._replace(created_on="2022-06-01") for record in halves]
    load(store, "cadastre-parcels", COMMUNE, [*plan, parcel(9, square(40, 0))], edition="2024-01-01")
    load(store, "dvf", COMMUNE, [dvf_row(MOTHER)], part="2021")
    load(store, "sitadel-housing", COMMUNE, [permit("0189992100001", reference("0001"))])
    return store


def test_documents_name_the_mother_and_what_happened_on_it(divided: Engine) -> None:
    load(divided, "dfi", "18", lot([MOTHER], [LEFT, RIGHT]) * 2, edition="2025-07-01")
    unit = land_unit(divided, LEFT)
    [change] = unit.history.lineage
    assert (change.mothers, change.daughters, change.kind) == ((MOTHER,), (LEFT, RIGHT), "division")
    assert (change.date, change.nature, change.document) == ("2022-03-04", "Document d'arpentage numérique", "0000001")
    [former] = unit.history.former
    assert former.parcel_id == MOTHER
    assert [sale.id_mutation for sale in former.sales] == ["2021-1"]
    assert [(parcel_id, item.number) for parcel_id, item in former.authorizations] == [(MOTHER, "0189992100001")]
    assert (unit.history.sales, unit.history.authorizations, unit.history.is_lineage_known) == ((), (), True)
    assert unit.history.divisions == (SectionDivisions(f"{COMMUNE}000AB", "2022", 1, 2, 200, 400, 600),)
    assert statuses(unit)["dfi"] == "covered"
    assert "lineage_unknown" not in warning_codes(unit)


@on_sqlite
def test_sales_are_followed_over_generations_and_an_unrelated_parcel_has_none(divided: Engine) -> None:
    older = f"{COMMUNE}000AB0700"
    load(divided, "dfi", "18", [*lot([older], [MOTHER], 1, "2019-01-01"), *lot([MOTHER], [LEFT, RIGHT], 2)])
    load(divided, "dvf", COMMUNE, [dvf_row(older), dvf_row(MOTHER, "2021-2")], part="2021")
    unit = land_unit(divided, RIGHT)
    assert [change.kind for change in unit.history.lineage] == ["division", "renumbering"]
    assert [former.parcel_id for former in unit.history.former] == [MOTHER, older]
    assert land_unit(divided, OTHER).history.former == ()


@on_sqlite
def test_without_documents_the_lineage_of_a_young_parcel_is_unknown(divided: Engine) -> None:
    unit = land_unit(divided, LEFT)
    assert (unit.history.lineage, unit.history.is_lineage_known) == ((), False)
    assert "lineage_unknown" in warning_codes(unit, "history")
    assert land_unit(divided, OTHER).history.is_lineage_known  # the plan had it before the first year of sales
    load(divided, "dfi", "18", [record._replace(commune_code="18998") for record in lot([MOTHER], [LEFT])])
    assert not land_unit(divided, LEFT).history.is_lineage_known  # the file has no document of the commune


@on_sqlite
def test_documents_that_are_older_than_a_parcel_do_not_tell_its_lineage(divided: Engine) -> None:
    load(divided, "dfi", "18", lot([f"{COMMUNE}000AB0700"], [MOTHER]), edition="2021-07-01")
    assert not land_unit(divided, LEFT).history.is_lineage_known


@on_sqlite
def test_a_division_after_the_plan_names_the_daughters(divided: Engine) -> None:
    newer = f"{COMMUNE}000AB0801"
    load(divided, "dfi", "18", lot([OTHER], [newer], day="2025-02-01"))
    unit = land_unit(divided, OTHER)
    assert [change.daughters for change in unit.history.lineage] == [(newer,)]
    assert unit.history.former == ()


@on_sqlite
def test_a_parcel_that_only_later_facts_name_is_newer_than_the_plan(divided: Engine) -> None:
    sold, permitted, made = (f"{COMMUNE}000AC{number:04}" for number in (1, 2, 3))
    load(divided, "dvf", COMMUNE, [dvf_row(sold, date_mutation="2024-05-01")], part="2024")
    load(divided, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0002", section="AC"))])
    load(divided, "dfi", "18", lot([OTHER], [made], day="2024-02-01"))
    for newer in (sold, permitted, made):
        with pytest.raises(ParcelNewer):
            land_unit(divided, newer)
    assert "parcel_newer" in warning_codes(land_unit(divided, OTHER, sold))
    load(divided, "dvf", COMMUNE, [dvf_row(sold)], part="2021")
    with pytest.raises(ParcelRetired):
        land_unit(divided, sold)


@on_sqlite
def test_documents_name_the_successors_of_a_retired_parcel(divided: Engine) -> None:
    between = f"{COMMUNE}000AB0700"
    load(divided, "dfi", "18", [*lot([MOTHER], [LEFT, between]), *lot([between], [RIGHT], 2)])
    with pytest.raises(ParcelRetired) as caught:
        land_unit(divided, MOTHER)
    assert caught.value.metadata == {"successors": f"{LEFT},{RIGHT}"}


@on_sqlite
def test_a_parcel_whose_plan_is_not_loaded_is_not_said_to_be_missing_from_it(divided: Engine) -> None:
    assert "parcel_plan_not_loaded" in warning_codes(land_unit(divided, OTHER, "18998000AB0001"))
    with pytest.raises(ParcelNotFound, match="plan is not loaded for: 18998"):
        land_unit(divided, "18998000AB0001")


@pytest.mark.samples
def test_a_real_division_keeps_the_sales_of_its_mother_apart(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Ustaritz: AN 221 of the plan of 2021 became AN 511, 512 and 513."""
    lineage = json.loads((samples / "cadastre" / "cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    mother, daughter = "64547000AN0221", "64547000AN0511"
    load(store, "dvf", "64547", [dvf_row(mother)], part="2021")
    editions = {"2021-02-01": [lineage["parent"]["feature"]], "2026-06-01": lineage["current"]["features"]}
    for edition, features in editions.items():
        path = tmp_path / f"{edition}-cadastre-64547-parcelles.json"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        import_file(store, "cadastre-parcels", path, tmp_path)
    history = land_unit(store, daughter).history
    [change] = history.lineage
    assert (change.mothers, len(change.daughters), change.kind) == ((mother,), 3, "division")
    assert (change.date, change.last_edition, change.source) == (None, "2021-02-01", "cadastre-parcels")
    assert [(former.parcel_id, len(former.sales)) for former in history.former] == [(mother, 1)]
    assert history.sales == ()
    assert [(item.year, item.division_count, item.parcel_count) for item in history.divisions] == [("2021", 1, 3)]
