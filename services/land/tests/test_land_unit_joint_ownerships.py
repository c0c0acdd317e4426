"""Joint ownerships of the national register on a land unit."""

import pytest
from land_builders import building, coverage, land_unit, load, parcel, square, warning_codes
from sqlalchemy import Engine

from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.rpc.messages import land_unit as message_of
from land.units.model import LandUnit

ONE, TWO = "18999000AB0001", "18999000AB0002"


def registered(parcel_id: str = ONE, number: str = "AA0000001", lots: int | None = 39) -> JointOwnershipRecord:
    return JointOwnershipRecord(
        department="18", commune_code=parcel_id[:5], parcel_id=parcel_id, id=number, name="Les Lilas", lot_count=lots,
        dwelling_lot_count=18, construction_period="AVANT_1949", manager_type="professional",
    )  # fmt: skip


@pytest.fixture
def land(store: Engine) -> Engine:
    load(store, "cadastre-parcels", "18999", [parcel(1, square(0, 0)), parcel(2, square(20, 0)), parcel(3)])
    load(store, "cadastre-buildings", "18999", [building("a", square(0, 0, 10, 10))])
    return store


def buildings_of(store: Engine, *parcel_ids: str) -> LandUnit:
    return land_unit(store, *parcel_ids, blocks=["buildings"])


def test_a_joint_ownership_has_its_parcels_and_the_largest_comes_first(land: Engine) -> None:
    rows = [registered(ONE, "AA0000009", None), registered(ONE, "AA0000001", 4), registered(ONE), registered(TWO)]
    load(land, "rnic", "18", [rows[0], rows[1]._replace(id="AA0000002"), *rows[2:], registered("18999000AB0099")])
    unit = buildings_of(land, ONE, TWO)
    assert [(rows[0].id, rows[0].lot_count, [row.parcel_id for row in rows]) for rows in unit.joint_ownerships] == [
        ("AA0000001", 39, [ONE, TWO]),
        ("AA0000002", 4, [ONE]),
        ("AA0000009", None, [ONE]),
    ]
    assert coverage(unit)["rnic"] == ("covered", None)
    assert [source.edition for source in unit.sources if source.id == "rnic"] == ["e1"]
    first = message_of(unit).buildings.joint_ownerships[0]
    assert (first.name, first.manager_type, first.construction_period) == ("Les Lilas", "professional", "AVANT_1949")


def test_without_the_register_nothing_is_known(land: Engine) -> None:
    assert coverage(buildings_of(land, ONE))["rnic"] == ("not_loaded", "not_loaded")


def test_a_joint_ownership_is_known_where_the_buildings_are_not(land: Engine) -> None:
    load(land, "rnic", "18", [registered("18999000AB0003")])
    unit = buildings_of(land, "18999000AB0003")
    assert unit.buildings is None, "the plan does not draw the parcel"
    block = message_of(unit).buildings
    assert (block.HasField("count"), len(block.joint_ownerships)) == (False, 1)
    assert coverage(unit)["rnic"] == ("covered", None)


def test_it_is_a_part_of_the_block_of_buildings_only(land: Engine) -> None:
    load(land, "rnic", "18", [registered()])
    unit = land_unit(land, ONE, blocks=["land", "real_estate"])
    assert unit.joint_ownerships == ()
    assert "rnic" not in coverage(unit)
    assert "rnic" not in {source.id for source in unit.sources}


def test_many_are_cut_with_a_warning(land: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("land.units.joint_ownerships.MAX_JOINT_OWNERSHIPS", 1)
    load(land, "rnic", "18", [registered(), registered(number="AA0000002")])
    unit = buildings_of(land, ONE)
    assert len(unit.joint_ownerships) == 1
    assert "joint_ownerships_truncated" in warning_codes(unit, "buildings")
