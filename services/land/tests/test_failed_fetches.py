"""Answers when fetches fail, and imports that replace a failed fetch."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast
from unittest.mock import ANY

import pytest
from click.testing import CliRunner
from land_builders import coverage, unit_of, warning_codes
from land_replica import Replica
from prometheus_client import REGISTRY
from published_files import COMMUNE, OTHER, SALE_YEAR, SITADEL, cadastre_path, dvf_path, parcel_id, urls_of
from publishers import Publishers
from sqlalchemy import Engine

from contract.enums import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery
from land.cli import main
from land.datasets.addresses.registration import ADDRESSES
from land.datasets.partitions import COUNTRY
from land.errors import AddressNotFound, CommuneLoading, ParcelNotFound, SourceUnavailable
from land.events.watches import Watches
from land.loading.load_queue import RETRY_S, LoadKey
from land.loading.loader import load_file
from land.loading.on_demand import OnDemand
from land.registry import at
from land.rpc.servicer import LandServicer
from land.selection import Selection
from land.store import loads
from land.units.model import LandUnit
from landpartner.land.v1 import land_pb2 as pb
from servicekit.context import deadline
from servicekit.workers import Workers

PREFIXES = ("/ban", "/cadastre", "/dvf", "/sitadel", "/gpu")
OUTCOME = {"dataset": "dvf", "outcome": "failed"}


def unavailable_datasets(unit: LandUnit) -> set[str]:
    """The datasets named in warnings."""
    return {str(warning.detail).split()[1] for warning in unit.warnings if warning.code == "source_unavailable"}


def set_modes(publishers: Publishers, mode: str) -> None:
    for prefix in PREFIXES:
        publishers.set_mode(prefix, mode)  # type: ignore[arg-type]


def import_parcels(engine: Engine, publishers: Publishers, folder: Path, commune: str = COMMUNE) -> None:
    """Imports the parcels of a commune as another process does: it shares only the store with the replicas."""
    publishers.set_mode("/cadastre", "ok")
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(commune), folder)
    publishers.set_mode("/cadastre", "failing")


def all_blocks(replica: Replica, *parcel_ids: str) -> LandUnit:
    with deadline(60.0):
        return unit_of(replica.pipeline, Selection(AddressQuery(), parcel_ids), DEFAULT_BLOCKS, "all")


@pytest.fixture
def failing_publishers(publishers: Publishers) -> Publishers:
    """Publishers that serve only the lists of communes."""
    set_modes(publishers, "failing")
    return publishers


def test_every_replica_serves_imported_parcels_at_once(
    store: Engine, failing_publishers: Publishers, tmp_path: Path
) -> None:
    cog = at(failing_publishers.bases)["cog"]
    for url in urls_of(cog, COUNTRY):
        load_file(store, cog, url, tmp_path)
    for path in ("/cog", "/postcodes"):
        failing_publishers.set_mode(path, "failing")
    replicas = [Replica(store, failing_publishers, tmp_path / "land") for _ in range(2)]
    for replica in replicas:
        with pytest.raises(SourceUnavailable):
            replica.land_unit(parcel_id(1))
    import_parcels(store, failing_publishers, tmp_path)
    for replica in replicas:
        assert [parcel.parcel_id for parcel in replica.land_unit(parcel_id(1)).parcels] == [parcel_id(1)]
        replica.on_demand.end()


def test_a_failure_that_lasts_is_logged_once_per_pause(
    store: Engine, failing_publishers: Publishers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now_s = 0.0
    on_demand = OnDemand(store, at(failing_publishers.bases), tmp_path, clock=lambda: now_s)
    on_demand.start()
    failed = REGISTRY.get_sample_value("land_loads_on_demand_total", OUTCOME) or 0
    for _ in range(8):
        load = on_demand.refresh(LoadKey("dvf", COMMUNE, COMMUNE), "")
        assert load is not None
        assert load.exception(60) is not None
        now_s += RETRY_S
    on_demand.end()
    lines = [vars(record) for record in caplog.records if record.getMessage() == "load failed"]
    assert [(line["dataset"], line["suppressed"]) for line in lines] == [("dvf", 0), ("dvf", 4)]
    assert REGISTRY.get_sample_value("land_loads_on_demand_total", OUTCOME) == failed + 8


def test_parcels_imported_by_command_are_served(
    engine: Engine, failing_publishers: Publishers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = Replica(engine, failing_publishers, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.land_unit(parcel_id(1))
    file = tmp_path / f"cadastre-{COMMUNE}-parcelles.json.gz"
    file.write_bytes(failing_publishers.files[failing_publishers.redirects[cadastre_path()]])
    monkeypatch.setenv("LAND_DATABASE_URL", engine.url.render_as_string(hide_password=False))
    monkeypatch.setenv("LAND_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(main, ["import", "cadastre-parcels", str(file)])
    assert done.exit_code == 0, done.output
    assert replica.land_unit(parcel_id(1)).parcels[0].parcel_id == parcel_id(1)


def test_imported_addresses_are_served(engine: Engine, failing_publishers: Publishers, tmp_path: Path) -> None:
    replica = Replica(engine, failing_publishers, tmp_path / "land")
    with pytest.raises(SourceUnavailable):
        replica.resolve()
    import_parcels(engine, failing_publishers, tmp_path)
    failing_publishers.set_mode("/ban", "ok")
    for dataset in ADDRESSES:
        ban = at(failing_publishers.bases)[dataset]
        [url] = urls_of(ban)
        load_file(engine, ban, url, tmp_path)
    failing_publishers.set_mode("/ban", "failing")
    assert replica.resolve() == [parcel_id(12)]
    with pytest.raises(AddressNotFound):
        replica.resolve(AddressQuery(label="12 rue qui n'existe pas 18000 Bourges"))


def test_an_import_without_changes_ends_a_partial_fetch(
    replica: Replica, engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.set_mode(dvf_path(SALE_YEAR - 1), "failing")
    assert coverage(replica.land_unit(parcel_id(1)))["dvf"] == ("partial", "source_unavailable")
    summary = load_file(engine, at(publishers.bases)["dvf"], publishers.url + dvf_path(), tmp_path)
    assert summary.changed == []
    assert coverage(replica.land_unit(parcel_id(1)))["dvf"] == ("covered", None)


def test_a_fetched_partition_that_is_imported_is_not_evicted(
    engine: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    replica = Replica(engine, publishers, tmp_path / "land", max_store_bytes=1)
    replica.land_unit(parcel_id(1))
    replica.finish_loads()  # each load evicts what its own commune does not use
    load_file(engine, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica.land_unit(parcel_id(1, OTHER))
    with engine.connect() as connection:
        remaining = {load.dataset for load in loads.of_partitions(connection, [COMMUNE])}
    assert remaining & {"ban", "cadastre-parcels", "dvf"} == {"cadastre-parcels"}


@pytest.fixture
def partly_loaded(engine: Engine, failing_publishers: Publishers, tmp_path: Path) -> Iterator[Replica]:
    """A replica with the parcels of OTHER, which cannot fetch those of COMMUNE."""
    import_parcels(engine, failing_publishers, tmp_path, OTHER)
    replica = Replica(engine, failing_publishers, tmp_path / "land")
    yield replica
    replica.on_demand.end()


def test_a_parcel_with_an_unavailable_plan_is_omitted_with_a_warning(partly_loaded: Replica) -> None:
    unit = partly_loaded.land_unit(parcel_id(1), parcel_id(2, OTHER), parcel_id(2))
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    named = [str(warning.detail) for warning in unit.warnings if warning.code == "parcel_unavailable"]
    assert [parcel_id(1) in named[0], parcel_id(2) in named[1], len(named)] == [True, True, 2]
    assert "parcel_not_found" not in warning_codes(unit)
    assert unit.land is not None
    assert unit.land.commune_code == OTHER


def test_a_parcel_with_an_unavailable_plan_is_omitted_while_other_files_load(
    partly_loaded: Replica, failing_publishers: Publishers
) -> None:
    failing_publishers.set_mode("/dvf", "hanging")
    unit = partly_loaded.land_unit(parcel_id(1), parcel_id(2, OTHER), deadline_s=6.0)
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    with pytest.raises(SourceUnavailable):
        partly_loaded.land_unit(parcel_id(1), deadline_s=1.5)
    failing_publishers.released.set()


def test_needs_all_fails_when_the_plan_of_one_parcel_is_unavailable(partly_loaded: Replica) -> None:
    selection = Selection(AddressQuery(), [parcel_id(1), parcel_id(1, OTHER)], needs_all=True)
    with deadline(60.0), pytest.raises(SourceUnavailable) as caught:
        unit_of(partly_loaded.pipeline, selection, DEFAULT_BLOCKS, "all")
    assert COMMUNE in str(caught.value.detail)
    assert OTHER not in str(caught.value.detail)
    loaded_parcel = Selection(AddressQuery(), [parcel_id(1, OTHER)], needs_all=True)
    with deadline(60.0):
        assert unit_of(partly_loaded.pipeline, loaded_parcel, DEFAULT_BLOCKS, "all").parcels


async def test_an_rpc_omits_parcels_unless_it_needs_all(partly_loaded: Replica) -> None:
    land = LandServicer(partly_loaded.pipeline, Workers(1), cast(Watches, None))
    request = pb.GetLandUnitRequest(parcel_ids=[parcel_id(1), parcel_id(1, OTHER)])
    answer = await land.GetLandUnit(request, ANY)
    assert list(answer.land_unit.parcel_ids) == [parcel_id(1, OTHER)]
    request.needs_all_parcels = True
    with pytest.raises(SourceUnavailable):
        await land.GetLandUnit(request, ANY)


@pytest.mark.parametrize("other", [parcel_id(9_999, OTHER), "18999000AB0001"])
def test_an_unavailable_plan_takes_precedence_over_unknown_parcels(partly_loaded: Replica, other: str) -> None:
    with pytest.raises(SourceUnavailable):
        partly_loaded.land_unit(parcel_id(1), other)
    with pytest.raises(ParcelNotFound):
        partly_loaded.land_unit(other)


def test_loaded_parcels_are_served_without_the_lists_of_communes(
    partly_loaded: Replica, failing_publishers: Publishers
) -> None:
    failing_publishers.set_mode("/cog", "failing")
    failing_publishers.set_mode("/postcodes", "failing")
    unit = partly_loaded.land_unit(parcel_id(1), parcel_id(2, OTHER))
    assert [parcel.parcel_id for parcel in unit.parcels] == [parcel_id(2, OTHER)]
    assert "parcel_unavailable" in warning_codes(unit)
    with pytest.raises(SourceUnavailable):
        partly_loaded.land_unit(parcel_id(1))


def test_a_request_waits_for_a_plan_that_is_loading(partly_loaded: Replica, failing_publishers: Publishers) -> None:
    partly_loaded.on_demand.load(partly_loaded.on_demand.national_keys(), 60.0)
    failing_publishers.set_mode("/cadastre", "hanging")
    with pytest.raises(CommuneLoading):
        partly_loaded.land_unit(parcel_id(1), parcel_id(2, OTHER), deadline_s=1.5)
    failing_publishers.released.set()


def test_failed_fetches_of_an_imported_commune_are_partial_with_warnings(partly_loaded: Replica) -> None:
    all_blocks(partly_loaded, parcel_id(1, OTHER))
    partly_loaded.on_demand.load(partly_loaded.on_demand.keys(OTHER), 60.0)
    unit = all_blocks(partly_loaded, parcel_id(1, OTHER))
    failed = ("partial", "source_unavailable")
    fetched = ("ban", "dvf", *SITADEL, "cadastre-buildings", "gpu-zones", "gpu-prescriptions")
    assert {dataset: coverage(unit)[dataset] for dataset in fetched} == dict.fromkeys(fetched, failed)
    assert coverage(unit)["cadastre-parcels"] == ("covered", None)
    assert coverage(unit)["rnb"] == ("not_loaded", "not_loaded")
    assert unavailable_datasets(unit) >= {*fetched, "cadastre-communes"}
    assert unit.land is not None
    assert unit.land.frontage_m is None


def test_warnings_name_datasets_of_the_requested_blocks_only(partly_loaded: Replica) -> None:
    partly_loaded.on_demand.load(partly_loaded.on_demand.keys(OTHER), 60.0)
    with deadline(60.0):
        unit = unit_of(partly_loaded.pipeline, Selection(AddressQuery(), [parcel_id(1, OTHER)]), [], "all")
    assert unavailable_datasets(unit) == {"ban", "dvf", *SITADEL}


def test_pending_fetches_of_an_imported_commune_are_loading(
    partly_loaded: Replica, failing_publishers: Publishers
) -> None:
    set_modes(failing_publishers, "hanging")
    unit = all_blocks(partly_loaded, parcel_id(1, OTHER))
    assert coverage(unit)["dvf"] == ("loading", "loading")
    assert "dataset_loading" in warning_codes(unit)
    failing_publishers.released.set()


def test_sales_are_partial_while_other_years_load(engine: Engine, publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode(dvf_path(SALE_YEAR - 1), "failing")
    before = Replica(engine, publishers, tmp_path / "land")
    assert coverage(before.land_unit(parcel_id(1)))["dvf"] == ("partial", "source_unavailable")
    before.on_demand.end()
    import_parcels(engine, publishers, tmp_path)
    publishers.set_mode("/dvf", "hanging")
    after = Replica(engine, publishers, tmp_path / "land")
    unit = after.land_unit(parcel_id(1))
    assert (coverage(unit)["dvf"], len(unit.history.sales)) == (("partial", "loading"), 1)
    publishers.released.set()


def test_a_missing_file_of_an_imported_commune_is_not_published(
    partly_loaded: Replica, failing_publishers: Publishers
) -> None:
    failing_publishers.set_mode("/dvf", "ok")
    partly_loaded.on_demand.load(partly_loaded.on_demand.keys(COMMUNE, ["dvf"]), 60.0)
    failing_publishers.set_mode("/dvf", "missing")
    partly_loaded.on_demand.load(partly_loaded.on_demand.keys(OTHER, ["dvf"]), 60.0)
    assert coverage(all_blocks(partly_loaded, parcel_id(1, OTHER)))["dvf"] == ("not_published", "not_published")
