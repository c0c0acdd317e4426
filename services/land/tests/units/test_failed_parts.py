"""A block whose computation fails is left out and named, its facts are unknown, and it is never stored."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from land_builders import COMMUNE, coverage, dvf_row, land_unit, load, on_sqlite, parcel, square, unit_of
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from land.addresses.model import AddressQuery
from land.datasets.easements.registration import GPU_SUP_DOCUMENTS
from land.errors import StoreUnavailable
from land.pipeline import Pipeline
from land.rpc import messages
from land.selection import Selection
from land.store.unit_file import UnitFile
from land.units import assembly
from land.units.assembly import RECIPES
from land.units.model import LandUnit
from land.units.stored import StoredUnits
from landpartner.land.v1 import land_pb2 as pb

BLOCKS = ("land", "urbanism", "buildings", "real_estate", "risks")
A = f"{COMMUNE}000AB0001"
pytestmark = on_sqlite


def fail(*_: object) -> Any:
    raise ZeroDivisionError


def with_defect(name: str, compute: Any = fail) -> Sequence[Any]:
    return [replace(recipe, compute=compute) if recipe.name == name else recipe for recipe in RECIPES]


@pytest.fixture
def plain(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    load(store, "dvf", COMMUNE, [dvf_row(A)])
    return store


@pytest.mark.parametrize("name", [recipe.name for recipe in RECIPES])
def test_a_block_that_fails_costs_itself(monkeypatch: pytest.MonkeyPatch, plain: Engine, name: str) -> None:
    whole = land_unit(plain, A, blocks=BLOCKS)
    monkeypatch.setattr(assembly, "RECIPES", with_defect(name))
    unit = land_unit(plain, A, blocks=BLOCKS)
    assert (unit.geometry, unit.parcels) == (whole.geometry, whole.parcels)
    lost = {name} | ({"real_estate"} if name == "history" else set())  # it compares the land's own sales
    details = {warning.detail.en for warning in unit.warnings if warning.code == "part_failed"}
    assert details == {f"Because of a defect of the service, the answer lacks: {part}." for part in lost}
    for recipe in RECIPES:
        if hasattr(LandUnit, recipe.name):
            expected = LandUnit if recipe.name in lost else whole
            assert getattr(unit, recipe.name) == getattr(expected, recipe.name)
    [failed] = [recipe for recipe in RECIPES if recipe.name == name]
    assert all(coverage(unit)[dataset] == ("not_covered", "part_failed") for dataset in failed.datasets)
    messages.land_unit(unit)


def test_a_failed_block_is_computed_again_with_the_next_request(
    monkeypatch: pytest.MonkeyPatch, plain: Engine, tmp_path: Path
) -> None:
    file = UnitFile(tmp_path, "test", 1 << 30)
    file.start()
    pipeline = Pipeline(plain, stored=StoredUnits(file))

    def answer() -> pb.LandUnit:
        selection = Selection(AddressQuery(), [A])
        return messages.read_land_unit(pipeline.written_land_unit(selection, BLOCKS, "all", messages.write_land_unit))

    with monkeypatch.context() as patch:
        patch.setattr(assembly, "RECIPES", with_defect("easements"))
        failed = [answer() for _ in range(2)]
    for unit in failed:
        assert [warning.block for warning in unit.warnings if warning.code == "part_failed"] == ["urbanism"]
        assert {item.reason for item in unit.coverage if item.dataset == GPU_SUP_DOCUMENTS.id} == {"part_failed"}
    whole = messages.land_unit(unit_of(Pipeline(plain), Selection(AddressQuery(), [A]), BLOCKS, "all"))
    file.flush()
    monkeypatch.setattr(assembly, "RECIPES", with_defect("buildings"))  # it is stored: nothing computes it again
    again = answer()
    assert "part_failed" not in {warning.code for warning in again.warnings}
    assert sorted(item.code for item in again.warnings) == sorted(item.code for item in whole.warnings)


def test_a_store_that_does_not_answer_is_no_failed_block(monkeypatch: pytest.MonkeyPatch, plain: Engine) -> None:
    def lose_connection(*_: object) -> Any:
        raise OperationalError("SELECT 1", {}, Exception("gone"))

    monkeypatch.setattr(assembly, "RECIPES", with_defect("land", lose_connection))
    with pytest.raises(StoreUnavailable):
        land_unit(plain, A, blocks=BLOCKS)
