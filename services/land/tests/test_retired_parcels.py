"""Ids that were parcels once: what is kept of them, and what follows on their ground. On both kinds of store."""

import json
from pathlib import Path

import pytest
from land_builders import COMMUNE, dvf_row, load, parcel, permit, reference, service, square
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import ParcelNotFound, ParcelRetired
from land.loading.loader import load_file
from land.pipeline import Pipeline, Selection
from land.records.parcels import ParcelRecord
from land.registry import DATASETS

on_sqlite = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For what the store has no part in."""

WHOLE, LEFT, RIGHT, BESIDE = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 9))


def plan(store: Engine, *records: ParcelRecord, edition: str) -> None:
    load(store, "cadastre-parcels", COMMUNE, records, edition=edition)


def refused(store: Engine | Pipeline, *parcel_ids: str) -> ParcelNotFound:
    land = store if isinstance(store, Pipeline) else service(store)
    with pytest.raises(ParcelNotFound) as caught:
        land.land_unit(Selection(AddressQuery(), parcel_ids), [], "all", "en")
    return caught.value


def successors(store: Engine, *parcel_ids: str) -> list[str]:
    error = refused(store, *parcel_ids)
    assert isinstance(error, ParcelRetired)
    return error.metadata["successors"].split(",") if error.metadata["successors"] else []


def warnings(store: Engine, *parcel_ids: str) -> list[tuple[str, str]]:
    unit = service(store).land_unit(Selection(AddressQuery(), parcel_ids), [], "all", "en")
    return [(w.code, w.detail) for w in unit.warnings if w.code.startswith("parcel_")]


@pytest.fixture
def divided(store: Engine) -> Engine:
    """A parcel that was divided in two between editions, and its neighbour that stayed."""
    plan(store, parcel(1, square(0, 0, 40, 20)), parcel(9, square(40, 0)), edition="2024-01-01")
    halves = [parcel(2, square(0, 0, 10, 20)), parcel(3, square(10, 0, 30, 20))]
    plan(store, *halves, parcel(9, square(39.8, 0)), edition="2025-01-01")
    return store


def test_a_divided_parcel_is_retired_and_names_what_took_its_ground_most_first(divided: Engine) -> None:
    error = refused(divided, WHOLE)
    assert (error.code, error.metadata) == ("parcel_retired", {"successors": f"{RIGHT},{LEFT}"})
    assert error.detail == f"These parcels no longer exist: {WHOLE}."


@on_sqlite
def test_an_id_that_never_was_is_not_found(divided: Engine) -> None:
    assert refused(divided, f"{COMMUNE}000AB0500").code == "parcel_not_found"


@on_sqlite
def test_a_retired_parcel_among_known_ones_is_a_warning(divided: Engine) -> None:
    assert warnings(divided, BESIDE, WHOLE) == [
        (
            "parcel_retired",
            f"Parcel {WHOLE} no longer exists in the cadastral plan; it is left out. "
            f"It was followed by: {RIGHT}, {LEFT}.",
        )
    ]


@on_sqlite
def test_one_retired_parcel_among_unknown_ones_is_what_is_told(divided: Engine) -> None:
    assert successors(divided, f"{COMMUNE}000AB0500", WHOLE) == [RIGHT, LEFT]


@on_sqlite
def test_parcels_that_became_one_are_both_followed_by_it(store: Engine) -> None:
    plan(store, parcel(2, square(0, 0, 4, 20)), parcel(3, square(4, 0, 200, 20)), edition="2024-01-01")
    plan(store, parcel(1, square(0, 0, 204, 20)), edition="2025-01-01")
    assert successors(store, LEFT) == [WHOLE]
    assert successors(store, RIGHT) == [WHOLE]


@on_sqlite
def test_ground_that_became_public_way_has_no_successor(store: Engine) -> None:
    plan(store, parcel(1, square(0, 0)), parcel(9, square(20, 0)), edition="2024-01-01")
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, WHOLE) == []
    assert warnings(store, BESIDE, WHOLE) == [
        (
            "parcel_retired",
            f"Parcel {WHOLE} no longer exists in the cadastral plan; it is left out. "
            "The plan does not show what followed it.",
        )
    ]


def test_the_ground_is_followed_over_several_editions(divided: Engine) -> None:
    thirds = [parcel(4, square(10, 0, 15, 20)), parcel(5, square(25, 0, 15, 20))]
    plan(divided, parcel(2, square(0, 0, 10, 20)), *thirds, edition="2026-01-01")
    later = [f"{COMMUNE}000AB0004", f"{COMMUNE}000AB0005"]
    assert successors(divided, WHOLE) == [*later, LEFT]
    assert successors(divided, RIGHT) == later
    assert successors(divided, BESIDE) == []


@on_sqlite
def test_an_older_edition_retires_nothing(divided: Engine) -> None:
    plan(divided, parcel(1, square(0, 0, 40, 20)), edition="2023-01-01")
    assert refused(divided, LEFT).code == "parcel_not_found"
    unit = service(divided).land_unit(Selection(AddressQuery(), [WHOLE]), [], "all", "en")
    assert [p.parcel_id for p in unit.parcels] == [WHOLE]


def test_a_parcel_that_is_there_again_is_no_longer_retired(divided: Engine) -> None:
    plan(divided, parcel(1, square(0, 0, 40, 20)), edition="2026-01-01")
    unit = service(divided).land_unit(Selection(AddressQuery(), [WHOLE]), [], "all", "en")
    assert [p.parcel_id for p in unit.parcels] == [WHOLE]
    plan(divided, parcel(9, square(0, 0, 40, 20)), edition="2026-06-01")
    assert successors(divided, WHOLE) == [BESIDE]


@on_sqlite
def test_a_retired_parcel_without_an_outline_has_no_successor(store: Engine) -> None:
    plan(store, parcel(1), parcel(9, square(20, 0)), edition="2024-01-01")
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, WHOLE) == []


def test_a_sale_or_a_permit_shows_that_a_parcel_was_once(store: Engine) -> None:
    sold, permitted = f"{COMMUNE}000AC0007", f"{COMMUNE}000AC0008"
    load(store, "dvf", COMMUNE, [dvf_row(sold)], part="2021")
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0008", section="AC"))])
    assert {refused(store, sold).code, refused(store, permitted).code} == {"parcel_not_found"}  # no plan to miss them
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, sold) == []
    assert successors(store, permitted) == []
    assert refused(store, f"{COMMUNE}042AC0008").code == "parcel_not_found"


def test_a_former_id_in_a_sale_leads_to_the_present_one(store: Engine) -> None:
    former = "18900000AB0004"  # of a commune that another one absorbed
    load(store, "dvf", COMMUNE, [dvf_row(BESIDE, ancien_id_parcelle=former)], part="2021")
    assert successors(store, former) == []
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, former) == [BESIDE]


@on_sqlite
def test_test_keys_learn_nothing_of_real_parcels(divided: Engine) -> None:
    with pytest.raises(ParcelNotFound) as caught:
        service(divided).land_unit(Selection(AddressQuery(), [WHOLE]), [], "demo", "en")
    assert caught.value.code == "parcel_not_found"


@pytest.mark.samples
def test_the_lineage_of_a_real_division(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Ustaritz: AN 221 of the plan of 2021 became AN 511, 512 and 513; its neighbours have nothing to do with it."""
    lineage = json.loads((samples / "cadastre" / "cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    for name, features in (
        ("2021-02-01", [lineage["parent"]["feature"]]),
        ("2026-06-01", lineage["current"]["features"]),
    ):
        path = tmp_path / f"{name}-cadastre-64547-parcelles.json"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        summary = load_file(store, DATASETS["cadastre-parcels"], str(path), tmp_path / "scratch")
        assert (summary.edition, summary.rejected_count) == (name, 0)
    assert successors(store, "64547000AN0221") == ["64547000AN0511", "64547000AN0512", "64547000AN0513"]
    assert refused(store, "64547000AN0220").code == "parcel_not_found"
