"""Retired parcels: ids of former editions of the plan, and the parcels that succeed them."""

import json
from pathlib import Path

import pytest
from land_builders import COMMUNE, dvf_row, import_file, land_unit, load, on_sqlite, parcel, permit, reference, square
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.datasets.parcels.records import ParcelRecord
from land.errors import ParcelNotFound, ParcelRetired

WHOLE, LEFT, RIGHT, NEIGHBOUR = (f"{COMMUNE}000AB{number:04}" for number in (1, 2, 3, 9))


def plan(store: Engine, *records: ParcelRecord, edition: str) -> None:
    load(store, "cadastre-parcels", COMMUNE, records, edition=edition)


def refusal(store: Engine, *parcel_ids: str, scope: Scope = "all") -> ParcelNotFound:
    with pytest.raises(ParcelNotFound) as caught:
        land_unit(store, *parcel_ids, scope=scope)
    return caught.value


def successors(store: Engine, *parcel_ids: str) -> list[str]:
    error = refusal(store, *parcel_ids)
    assert isinstance(error, ParcelRetired)
    return error.metadata["successors"].split(",") if error.metadata["successors"] else []


def warnings(store: Engine, *parcel_ids: str) -> list[tuple[str, str]]:
    unit = land_unit(store, *parcel_ids)
    return [(w.code, str(w.detail)) for w in unit.warnings if w.code.startswith("parcel_")]


@pytest.fixture
def divided(store: Engine) -> Engine:
    """A parcel that was divided in two between editions, and its neighbour, which kept its id."""
    plan(store, parcel(1, square(0, 0, 40, 20)), parcel(9, square(40, 0)), edition="2024-01-01")
    halves = [parcel(2, square(0, 0, 10, 20)), parcel(3, square(10, 0, 30, 20))]
    plan(store, *halves, parcel(9, square(39.8, 0)), edition="2025-01-01")
    return store


def test_a_divided_parcel_lists_its_successors_by_area(divided: Engine) -> None:
    error = refusal(divided, WHOLE)
    assert (error.code, error.metadata) == ("parcel_retired", {"successors": f"{RIGHT},{LEFT}"})
    assert str(error.detail) == f"These parcels no longer exist: {WHOLE}."


@on_sqlite
def test_an_id_that_never_existed_is_not_found(divided: Engine) -> None:
    assert refusal(divided, f"{COMMUNE}000AB0500").code == "parcel_not_found"


@on_sqlite
def test_a_retired_parcel_among_known_ones_has_a_warning(divided: Engine) -> None:
    assert warnings(divided, NEIGHBOUR, WHOLE) == [
        (
            "parcel_retired",
            f"Parcel {WHOLE} no longer exists in the cadastral plan; it is left out. "
            f"It was followed by: {RIGHT}, {LEFT}.",
        )
    ]


@on_sqlite
def test_a_retired_parcel_takes_precedence_over_unknown_ones(divided: Engine) -> None:
    assert successors(divided, f"{COMMUNE}000AB0500", WHOLE) == [RIGHT, LEFT]


@on_sqlite
def test_merged_parcels_have_the_same_successor(store: Engine) -> None:
    plan(store, parcel(2, square(0, 0, 4, 20)), parcel(3, square(4, 0, 200, 20)), edition="2024-01-01")
    plan(store, parcel(1, square(0, 0, 204, 20)), edition="2025-01-01")
    assert successors(store, LEFT) == [WHOLE]
    assert successors(store, RIGHT) == [WHOLE]


@on_sqlite
def test_a_parcel_that_became_a_public_road_has_no_successor(store: Engine) -> None:
    plan(store, parcel(1, square(0, 0)), parcel(9, square(20, 0)), edition="2024-01-01")
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, WHOLE) == []
    assert warnings(store, NEIGHBOUR, WHOLE) == [
        (
            "parcel_retired",
            f"Parcel {WHOLE} no longer exists in the cadastral plan; it is left out. "
            "The plan does not show what followed it.",
        )
    ]


def test_successors_are_followed_over_several_editions(divided: Engine) -> None:
    thirds = [parcel(4, square(10, 0, 15, 20)), parcel(5, square(25, 0, 15, 20))]
    plan(divided, parcel(2, square(0, 0, 10, 20)), *thirds, edition="2026-01-01")
    later = [f"{COMMUNE}000AB0004", f"{COMMUNE}000AB0005"]
    assert successors(divided, WHOLE) == [*later, LEFT]
    assert successors(divided, RIGHT) == later
    assert successors(divided, NEIGHBOUR) == []


@on_sqlite
def test_an_older_edition_retires_no_parcel(divided: Engine) -> None:
    plan(divided, parcel(1, square(0, 0, 40, 20)), edition="2023-01-01")
    assert refusal(divided, LEFT).code == "parcel_not_found"
    assert [p.parcel_id for p in land_unit(divided, WHOLE).parcels] == [WHOLE]


def test_a_restored_parcel_is_no_longer_retired(divided: Engine) -> None:
    plan(divided, parcel(1, square(0, 0, 40, 20)), edition="2026-01-01")
    assert [p.parcel_id for p in land_unit(divided, WHOLE).parcels] == [WHOLE]
    plan(divided, parcel(9, square(0, 0, 40, 20)), edition="2026-06-01")
    assert successors(divided, WHOLE) == [NEIGHBOUR]


@on_sqlite
def test_a_retired_parcel_without_an_outline_has_no_successor(store: Engine) -> None:
    plan(store, parcel(1), parcel(9, square(20, 0)), edition="2024-01-01")
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, WHOLE) == []


def test_a_parcel_known_from_a_sale_or_permit_only_is_retired(store: Engine) -> None:
    sold, permitted = f"{COMMUNE}000AC0007", f"{COMMUNE}000AC0008"
    load(store, "dvf", COMMUNE, [dvf_row(sold)], part="2021")
    load(store, "sitadel-housing", COMMUNE, [permit("0189992400001", reference("0008", section="AC"))])
    assert {refusal(store, sold).code, refusal(store, permitted).code} == {"parcel_not_found"}  # no plan is loaded
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, sold) == []
    assert successors(store, permitted) == []
    assert refusal(store, f"{COMMUNE}042AC0008").code == "parcel_not_found"


def test_the_successor_of_a_former_id_is_the_parcel_of_its_sale(store: Engine) -> None:
    former = "18900000AB0004"  # of a commune that another one absorbed
    load(store, "dvf", COMMUNE, [dvf_row(NEIGHBOUR, ancien_id_parcelle=former)], part="2021")
    assert successors(store, former) == []
    plan(store, parcel(9, square(20, 0)), edition="2025-01-01")
    assert successors(store, former) == [NEIGHBOUR]


@on_sqlite
def test_a_test_key_gets_no_successors_of_real_parcels(divided: Engine) -> None:
    assert refusal(divided, WHOLE, scope="demo").code == "parcel_not_found"


@pytest.mark.samples
def test_a_real_divided_parcel_has_its_successors(store: Engine, samples: Path, tmp_path: Path) -> None:
    """Ustaritz: AN 221 of the plan of 2021 became AN 511, 512 and 513; its neighbours are not successors."""
    lineage = json.loads((samples / "cadastre" / "cadastre-64547-an221-lineage.json").read_text(encoding="utf-8"))
    for name, features in (
        ("2021-02-01", [lineage["parent"]["feature"]]),
        ("2026-06-01", lineage["current"]["features"]),
    ):
        path = tmp_path / f"{name}-cadastre-64547-parcelles.json"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        summary = import_file(store, "cadastre-parcels", path, tmp_path)
        assert (summary.edition, summary.rejected_count) == (name, 0)
    assert successors(store, "64547000AN0221") == ["64547000AN0511", "64547000AN0512", "64547000AN0513"]
    assert refusal(store, "64547000AN0220").code == "parcel_not_found"
