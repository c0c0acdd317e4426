"""Communes of which something could not be fetched: what an import changes, and what is answered of the others."""

from pathlib import Path
from unittest.mock import ANY

import pytest
from click.testing import CliRunner
from publishers import COMMUNE, OTHER, SALE_YEAR, SITADEL, Publishers, cadastre_path, dvf_path, parcel_id, urls_of
from sqlalchemy import Engine
from supplied_land import Replica

from land.addresses.model import AddressQuery
from land.cli import main
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.loading.loader import load_file
from land.partitions import COUNTRY
from land.pipeline import Selection
from land.registry import at
from land.rpc.servicer import LandServicer
from land.store import loads
from land.units.model import Block, LandUnit
from landpartner.land.v1 import land_pb2 as pb
from servicekit.context import deadline
from servicekit.workers import Workers

EVERYWHERE = ("/ban", "/cadastre", "/dvf", "/sitadel", "/gpu")
BLOCKS: tuple[Block, ...] = ("land", "urbanism", "buildings", "real_estate")


def coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    return {each.dataset: (each.status, each.reason) for each in unit.coverage}


def codes(unit: LandUnit) -> list[str]:
    return [each.code for each in unit.warnings]


def behave(publishers: Publishers, mode: str) -> None:
    for prefix in EVERYWHERE:
        publishers.behave(prefix, mode)  # type: ignore[arg-type]


def import_plan(engine: Engine, publishers: Publishers, folder: Path, commune: str = COMMUNE) -> None:
    """Imports the plan of a commune as another process would: with nothing but the store in common."""
    publishers.behave("/cadastre", "well")
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(commune), folder)
    publishers.behave("/cadastre", "failing")


def whole(replica: Replica, *parcel_ids: str) -> LandUnit:
    with deadline(30.0):
        return replica.land.land_unit(Selection(AddressQuery(), parcel_ids), BLOCKS, "all", "en")


@pytest.fixture
def without_network(publishers: Publishers) -> Publishers:
    """Publishers of whom only the lists of communes can be had."""
    behave(publishers, "failing")
    return publishers


def test_an_import_of_its_plan_heals_a_commune_for_every_replica_at_once(
    store: Engine, without_network: Publishers, tmp_path: Path
) -> None:
    cog = at(without_network.bases)["cog"]
    for url in urls_of(cog, COUNTRY):
        load_file(store, cog, url, tmp_path)
    for path in ("/cog", "/postcodes"):
        without_network.behave(path, "failing")
    replicas = [Replica(store, without_network, tmp_path / "land") for _ in range(2)]
    for replica in replicas:
        with pytest.raises(SourceUnavailable):
            replica.unit(parcel_id(1))
    import_plan(store, without_network, tmp_path)
    for replica in replicas:
        assert [parcel.parcel_id for parcel in replica.unit(parcel_id(1)).parcels] == [parcel_id(1)]
        replica.on_demand.end()


def test_the_import_command_heals_a_commune(
    engine: Engine, without_network: Publishers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = Replica(engine, without_network, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.unit(parcel_id(1))
    file = tmp_path / f"cadastre-{COMMUNE}-parcelles.json.gz"
    file.write_bytes(without_network.files[without_network.redirects[cadastre_path()]])
    monkeypatch.setenv("LAND_DATABASE_URL", engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LAND_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(main, ["import", "cadastre-parcels", str(file)])
    assert done.exit_code == 0, done.output
    assert replica.unit(parcel_id(1)).parcels[0].parcel_id == parcel_id(1)
    replica.on_demand.end()


def test_an_import_of_its_addresses_heals_a_commune(
    engine: Engine, without_network: Publishers, tmp_path: Path
) -> None:
    replica = Replica(engine, without_network, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    import_plan(engine, without_network, tmp_path)
    without_network.behave("/ban", "well")
    ban = at(without_network.bases)["ban"]
    [url] = urls_of(ban)
    load_file(engine, ban, url, tmp_path)
    without_network.behave("/ban", "failing")
    assert replica.resolve() == [parcel_id(12)]
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="12 rue qui n'existe pas 18000 Bourges"))
    replica.on_demand.end()


def test_an_import_of_what_is_loaded_already_ends_the_fetch_that_missed_other_files(
    replica: Replica, engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.behave(dvf_path(SALE_YEAR - 1), "failing")
    assert coverage(replica.unit(parcel_id(1)))["dvf"] == ("partial", "source_unavailable")
    summary = load_file(engine, at(publishers.bases)["dvf"], publishers.url + dvf_path(), tmp_path)
    assert summary.changed == []
    assert coverage(replica.unit(parcel_id(1)))["dvf"] == ("covered", None)


def test_what_was_fetched_and_then_imported_is_not_evicted(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(engine, publishers, tmp_path / "land", max_store_bytes=1)
    replica.unit(parcel_id(1))
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica.unit(parcel_id(1, OTHER))
    with engine.connect() as connection:
        kept = {load.dataset for load in loads.of_partitions(connection, [COMMUNE])}
    assert kept & {"ban", "cadastre-parcels", "dvf"} == {"cadastre-parcels"}
    replica.on_demand.end()


@pytest.fixture
def healthy(engine: Engine, without_network: Publishers, tmp_path: Path) -> Replica:
    """A replica that has the plan of OTHER and cannot fetch that of COMMUNE."""
    import_plan(engine, without_network, tmp_path, OTHER)
    return Replica(engine, without_network, tmp_path / "land")


def test_a_parcel_whose_plan_cannot_be_had_is_left_out_with_a_warning(healthy: Replica) -> None:
    unit = healthy.unit(parcel_id(1), parcel_id(2, OTHER), parcel_id(2))
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    named = [each.detail for each in unit.warnings if each.code == "parcel_unavailable"]
    assert [parcel_id(1) in named[0], parcel_id(2) in named[1], len(named)] == [True, True, 2]
    assert "parcel_not_found" not in codes(unit)
    assert unit.land is not None
    assert unit.land.commune_code == OTHER
    healthy.on_demand.end()


def test_a_parcel_whose_plan_cannot_be_had_is_left_out_while_other_files_of_its_commune_load(
    healthy: Replica, without_network: Publishers
) -> None:
    without_network.behave("/dvf", "silent")
    unit = healthy.unit(parcel_id(1), parcel_id(2, OTHER), within_s=3.0)
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    with pytest.raises(SourceUnavailable):
        healthy.unit(parcel_id(1), within_s=3.0)
    without_network.released.set()
    healthy.on_demand.end()


def test_who_needs_all_parcels_is_refused_where_one_cannot_be_had(healthy: Replica) -> None:
    selection = Selection(AddressQuery(), [parcel_id(1), parcel_id(1, OTHER)], needs_all=True)
    with deadline(30.0), pytest.raises(SourceUnavailable) as caught:
        healthy.land.land_unit(selection, BLOCKS, "all", "en")
    assert COMMUNE in caught.value.detail
    assert OTHER not in caught.value.detail
    whole_unit = Selection(AddressQuery(), [parcel_id(1, OTHER)], needs_all=True)
    with deadline(30.0):
        assert healthy.land.land_unit(whole_unit, BLOCKS, "all", "en").parcels
    healthy.on_demand.end()


async def test_a_call_leaves_parcels_out_unless_it_needs_all(healthy: Replica) -> None:
    land = LandServicer(healthy.land, Workers(1))
    request = pb.GetLandUnitRequest(parcel_ids=[parcel_id(1), parcel_id(1, OTHER)])
    answer = await land.GetLandUnit(request, ANY)
    assert list(answer.land_unit.parcel_ids) == [parcel_id(1, OTHER)]
    request.needs_all_parcels = True
    with pytest.raises(SourceUnavailable):
        await land.GetLandUnit(request, ANY)
    healthy.on_demand.end()


@pytest.mark.parametrize("other", [parcel_id(9_999, OTHER), "18999000AB0001"])
def test_without_any_known_parcel_one_whose_plan_cannot_be_had_is_not_said_not_to_exist(
    healthy: Replica, other: str
) -> None:
    with pytest.raises(SourceUnavailable):
        healthy.unit(parcel_id(1), other)
    with pytest.raises(ParcelNotFound):
        healthy.unit(other)
    healthy.on_demand.end()


def test_without_the_list_of_communes_what_is_loaded_is_answered(healthy: Replica, without_network: Publishers) -> None:
    without_network.behave("/cog", "failing")
    without_network.behave("/postcodes", "failing")
    unit = healthy.unit(parcel_id(1), parcel_id(2, OTHER))
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    assert "parcel_unavailable" in codes(unit)
    with pytest.raises(SourceUnavailable):
        healthy.unit(parcel_id(1))
    healthy.on_demand.end()


def test_a_parcel_whose_plan_is_being_loaded_is_waited_for(healthy: Replica, without_network: Publishers) -> None:
    healthy.on_demand.load(healthy.on_demand.national_keys(), 15.0)
    without_network.behave("/cadastre", "silent")
    with pytest.raises(CommuneLoading):
        healthy.unit(parcel_id(1), parcel_id(2, OTHER), within_s=1.5)
    without_network.released.set()
    healthy.on_demand.end()


def test_what_cannot_be_fetched_of_an_imported_commune_is_partial_and_said(healthy: Replica) -> None:
    whole(healthy, parcel_id(1, OTHER))
    healthy.on_demand.load(healthy.on_demand.keys(OTHER), 15.0)
    unit = whole(healthy, parcel_id(1, OTHER))
    lost = ("partial", "source_unavailable")
    fetched = ("ban", "dvf", *SITADEL, "cadastre-buildings", "gpu-zones", "gpu-prescriptions")
    assert {dataset: coverage(unit)[dataset] for dataset in fetched} == dict.fromkeys(fetched, lost)
    assert coverage(unit)["cadastre-parcels"] == ("covered", None)
    assert coverage(unit)["rnb"] == ("not_loaded", "not_loaded")
    said = {each.detail.split()[1] for each in unit.warnings if each.code == "source_unavailable"}
    assert said >= {*fetched, "cadastre-communes"}
    assert unit.land is not None
    assert unit.land.frontage_m is None
    healthy.on_demand.end()


def test_only_datasets_of_the_blocks_asked_for_are_named_in_warnings(healthy: Replica) -> None:
    healthy.on_demand.load(healthy.on_demand.keys(OTHER), 15.0)
    with deadline(30.0):
        unit = healthy.land.land_unit(Selection(AddressQuery(), [parcel_id(1, OTHER)]), [], "all", "en")
    said = {each.detail.split()[1] for each in unit.warnings if each.code == "source_unavailable"}
    assert said == {"ban", "dvf", *SITADEL}
    healthy.on_demand.end()


def test_what_is_being_fetched_of_an_imported_commune_is_loading(healthy: Replica, without_network: Publishers) -> None:
    behave(without_network, "silent")
    unit = whole(healthy, parcel_id(1, OTHER))
    assert coverage(unit)["dvf"] == ("loading", "loading")
    assert "dataset_loading" in codes(unit)
    without_network.released.set()
    healthy.on_demand.end()


def test_sales_of_some_years_are_partial_while_those_of_others_are_being_fetched(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.behave(dvf_path(SALE_YEAR - 1), "failing")
    before = Replica(engine, publishers, tmp_path / "land")
    assert coverage(before.unit(parcel_id(1)))["dvf"] == ("partial", "source_unavailable")
    before.on_demand.end()
    import_plan(engine, publishers, tmp_path)
    publishers.behave("/dvf", "silent")
    after = Replica(engine, publishers, tmp_path / "land")
    unit = after.unit(parcel_id(1))
    assert (coverage(unit)["dvf"], len(unit.history.sales)) == (("partial", "loading"), 1)
    publishers.released.set()
    after.on_demand.end()


def test_what_the_publisher_has_not_of_an_imported_commune_is_not_published(
    healthy: Replica, without_network: Publishers
) -> None:
    without_network.behave("/dvf", "missing")
    healthy.on_demand.load(healthy.on_demand.keys(OTHER, ["dvf"]), 15.0)
    assert coverage(whole(healthy, parcel_id(1, OTHER)))["dvf"] == ("not_published", "not_published")
    healthy.on_demand.end()
