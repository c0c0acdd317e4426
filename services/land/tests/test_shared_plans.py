"""Planning documents of several communes: a request for one commune fetches them once for all."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from land_builders import coverage, load, unit_of, warning_codes
from land_replica import Replica, two_replicas
from published_files import COMMUNE, EPCI, IN_FORCE, OTHER, cadastre_path, parcel_id
from publishers import Publishers
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.datasets.communes import queries as communes
from land.datasets.communes.records import CommuneRecord, PostcodesRecord
from land.datasets.planning import queries as planning
from land.errors import SourceUnavailable, UnreadableFile
from land.loading.files import DownloadLimits
from land.loading.loader import load_file
from land.registry import at
from land.selection import Selection
from land.store import fetches, loads
from land.units.model import LandUnit
from servicekit.context import deadline

PLUI, SECTORAL = f"DU_{EPCI}", f"DU_{EPCI}_B"
LAYERS = ("document", "zone-urba", "secteur-cc", "prescription-surf", "prescription-lin", "prescription-pct",
          "info-surf", "info-lin", "info-pct")  # fmt: skip
ALL_LAND = [[2.2, 47.0], [2.5, 47.0], [2.5, 47.2], [2.2, 47.2], [2.2, 47.0]]


@pytest.fixture
def publishers(publishers: Publishers) -> Publishers:
    serve_plan(publishers, PLUI)
    return publishers


@pytest.fixture
def replica(store: Engine, publishers: Publishers, tmp_path: Path) -> Iterator[Replica]:
    replica = Replica(store, publishers, tmp_path / "land")
    yield replica
    replica.on_demand.end()


def feature(gid: int, partition: str, **changes: str) -> dict[str, Any]:
    properties = {"gid": gid, "partition": partition, "idurba": f"{partition[3:12]}_PLUi_20240131", **changes}
    geometry = {"type": "Polygon", "coordinates": [ALL_LAND]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def serve_plan(publishers: Publishers, partition: str, *, zones: int = 1, prescriptions: int = 1) -> None:
    """Replaces all plans by one with this many zones and prescriptions, each of which covers all land."""
    document = feature(1, partition, du_type="PLUi", name=f"{partition[3:12]}_PLUi_20240131")
    collections = {
        "document": [document],
        "zone-urba": [feature(zones - n, partition, libelle=f"U{n}", typezone="U") for n in range(zones)],
        "prescription-surf": [feature(n, partition, libelle=f"ER {n}", typepsc="05") for n in range(prescriptions)],
    }
    for layer, features in collections.items():
        publishers.files[f"/gpu/{layer}"] = json.dumps({"type": "FeatureCollection", "features": features}).encode()


def serve_plans_in_force(publishers: Publishers, *partitions: str) -> None:
    features = [feature(1, partition, du_type="PLUi") for partition in partitions]
    publishers.files[IN_FORCE] = json.dumps({"type": "FeatureCollection", "features": features}).encode()


def urbanism_of(replica: Replica, commune: str = COMMUNE, deadline_s: float = 60.0) -> LandUnit:
    with deadline(deadline_s):
        return unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1, commune)]), ["urbanism"], "all")


def zones_of(unit: LandUnit) -> list[str]:
    return [zone.record.label for zone in unit.urbanism.zones] if unit.urbanism else []


def planning_coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    return {dataset: status for dataset, status in coverage(unit).items() if dataset in _DATASETS}


_DATASETS = ("gpu-zones", "gpu-prescriptions", "gpu-informations")
COVERED: dict[str, tuple[str, str | None]] = dict.fromkeys(_DATASETS, ("covered", None))
UNAVAILABLE: dict[str, tuple[str, str | None]] = dict.fromkeys(_DATASETS, ("partial", "source_unavailable"))


def requests_for(publishers: Publishers, partition: str) -> list[str]:
    """The requests that name the document."""
    return sorted(path for path in publishers.requests if path.endswith((f"?partition={partition}", f"'{partition}'")))


def test_a_shared_plan_is_fetched_once_for_all_its_communes(replica: Replica, publishers: Publishers) -> None:
    unit = urbanism_of(replica)
    assert (zones_of(unit), planning_coverage(unit)) == (["U0"], COVERED)
    assert unit.urbanism is not None
    assert [(document.document_id, document.document_type) for document in unit.urbanism.documents] == [
        (f"{EPCI}_PLUi_20240131", "PLUi")
    ]
    assert "source_unavailable" not in warning_codes(unit)
    assert (zones_of(urbanism_of(replica, OTHER)), planning_coverage(urbanism_of(replica, OTHER))) == (["U0"], COVERED)
    assert requests_for(publishers, PLUI) == sorted(f"/gpu/{layer}?partition={PLUI}" for layer in LAYERS)


def test_two_replicas_fetch_a_shared_plan_once(store: Engine, publishers: Publishers, tmp_path: Path) -> None:
    publishers.set_mode("/gpu/zone-urba", "slow")
    with two_replicas(store, publishers, tmp_path / "land") as replicas, ThreadPoolExecutor(2) as pool:
        units = list(pool.map(urbanism_of, replicas, (COMMUNE, OTHER)))
    assert [planning_coverage(unit) for unit in units] == [COVERED, COVERED]
    assert requests_for(publishers, PLUI) == sorted(f"/gpu/{layer}?partition={PLUI}" for layer in LAYERS)


def test_an_intercommunality_without_a_plan_is_no_gap(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, f"DU_{COMMUNE}")
    unit = urbanism_of(replica)
    assert (zones_of(unit), planning_coverage(unit)) == (["U0"], COVERED)
    without = urbanism_of(replica, OTHER)
    assert without.urbanism is not None  # the plan of COMMUNE covers this land too
    assert "source_unavailable" not in {warning.code for warning in (*unit.warnings, *without.warnings)}


def test_urbanism_is_not_published_when_no_plan_exists(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, zones=0, prescriptions=0)
    unit = urbanism_of(replica)
    assert zones_of(unit) == []
    assert planning_coverage(unit) == dict.fromkeys(COVERED, ("not_published", "not_published"))
    assert "source_unavailable" not in warning_codes(unit)


@pytest.mark.parametrize("partition", [SECTORAL, "DU_200057941", "PSMV_18033_A"])
def test_a_plan_in_force_is_fetched_under_any_partition_code(
    replica: Replica, publishers: Publishers, partition: str
) -> None:
    """One of several plans of an intercommunality, a territory of Greater Paris, and a protected quarter."""
    serve_plan(publishers, partition)
    serve_plans_in_force(publishers, partition)
    assert (zones_of(urbanism_of(replica)), planning_coverage(urbanism_of(replica))) == (["U0"], COVERED)
    assert len(requests_for(publishers, partition)) == len(LAYERS)


@pytest.mark.parametrize("mode", ["failing", "html", "truncated"])
def test_an_unavailable_plan_is_partial_until_it_is_fetched(
    store: Engine, publishers: Publishers, tmp_path: Path, mode: str
) -> None:
    for layer in LAYERS:
        publishers.set_mode(f"/gpu/{layer}?partition={PLUI}", mode)  # type: ignore[arg-type]
    first = Replica(store, publishers, tmp_path / "land")
    unit = urbanism_of(first)
    first.on_demand.end()
    assert zones_of(unit) == []
    assert planning_coverage(unit) == UNAVAILABLE
    assert "source_unavailable" in warning_codes(unit)
    publishers.modes.clear()
    later = Replica(store, publishers, tmp_path / "land")
    assert planning_coverage(urbanism_of(later)) == COVERED


def test_zones_are_covered_when_only_prescriptions_fail(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode(f"/gpu/prescription-surf?partition={PLUI}", "failing")
    unit = urbanism_of(replica)
    assert zones_of(unit) == ["U0"]
    assert planning_coverage(unit) == {**COVERED, "gpu-prescriptions": ("partial", "source_unavailable")}


@pytest.mark.parametrize("mode", ["failing", "html"])
def test_zones_that_cover_the_land_need_no_list_of_plans_in_force(
    replica: Replica, publishers: Publishers, mode: str
) -> None:
    publishers.set_mode("/gpu/document?geom=", mode)  # type: ignore[arg-type]
    assert planning_coverage(urbanism_of(replica)) == COVERED


def test_urbanism_is_unknown_without_zones_and_plans_in_force(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, SECTORAL)
    publishers.set_mode("/gpu/document?geom=", "failing")
    unit = urbanism_of(replica)
    assert zones_of(unit) == []
    assert planning_coverage(unit) == UNAVAILABLE


def test_urbanism_is_unknown_without_the_list_of_intercommunalities(replica: Replica, publishers: Publishers) -> None:
    publishers.set_mode("/postcodes", "failing")
    unit = urbanism_of(replica)
    assert zones_of(unit) == []
    assert planning_coverage(unit) == UNAVAILABLE
    assert requests_for(publishers, PLUI) == []


def test_a_long_answer_is_read_in_pages(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, prescriptions=23)
    publishers.max_features, publishers.max_page_features = 10, 8
    unit = urbanism_of(replica)
    assert unit.urbanism is not None
    assert {item.record.label for item in unit.urbanism.prescriptions} == {f"ER {n}" for n in range(23)}
    assert planning_coverage(unit) == COVERED
    pages = [path for path in publishers.requests if path.startswith("/gpu_wfs") and "prescription" in path]
    assert [path.partition("startIndex=")[2].partition("&")[0] for path in pages] == ["0", "8", "16"]


@pytest.mark.parametrize("mode", ["failing", "truncated", "missing"])
def test_an_answer_with_a_failed_page_is_discarded(replica: Replica, publishers: Publishers, mode: str) -> None:
    serve_plan(publishers, PLUI, zones=12)
    publishers.max_features = 10
    publishers.set_mode("/gpu_wfs", mode)  # type: ignore[arg-type]
    unit = urbanism_of(replica)
    assert zones_of(unit) == []
    assert planning_coverage(unit)["gpu-zones"] == ("partial", "source_unavailable")


def test_pages_with_fewer_features_than_announced_are_refused(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, zones=12)
    publishers.max_features, publishers.max_page_features = 10, 0
    assert zones_of(urbanism_of(replica)) == []


def test_an_answer_above_the_row_limit_is_refused(
    replica: Replica, publishers: Publishers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.sources.base.FileReader.max_paged_rows", 11)
    serve_plan(publishers, PLUI, zones=12)
    publishers.max_features = 10
    assert zones_of(urbanism_of(replica)) == []
    assert not any(path.startswith("/gpu_wfs") and "zone" in path for path in publishers.requests)


@pytest.mark.parametrize("bound", ["pages", "bytes"])
def test_pages_are_limited_in_number_and_total_bytes(
    store: Engine, publishers: Publishers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    serve_plan(publishers, PLUI, zones=40)
    publishers.max_features, publishers.max_page_features = 10, 8
    zones, url = at(publishers.bases)["gpu-zones"], f"{publishers.url}/gpu/zone-urba?partition={PLUI}"
    if bound == "pages":
        monkeypatch.setattr("land.loading.loader.MAX_PAGES", 4)
        with pytest.raises(UnreadableFile, match="more than 4 pages"):
            load_file(store, zones, url, tmp_path)
    else:
        with pytest.raises(SourceUnavailable, match=r"gpu_wfs.* more than"):
            load_file(store, zones, url, tmp_path, limits=DownloadLimits(max_bytes=5_000))


def test_a_delegated_commune_or_arrondissement_has_the_plans_of_its_commune(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """The cadastre may still use the code of a delegated commune, and uses that of an arrondissement."""
    part, paris = "18901", ("75118", "75056")
    delegated = [CommuneRecord("COM", COMMUNE, "Bourges", ""), CommuneRecord("COMD", part, "Vieux-Bourg", COMMUNE)]
    load(store, "cog", "FR", delegated, part="communes")
    listed = [
        PostcodesRecord(code=code, name=code, postcodes="", lon=lon, lat=47.0, epci=epci)
        for code, lon, epci in ((COMMUNE, 2.0, EPCI), (paris[0], 3.0, None), (paris[1], 4.0, "200054781"))
    ]
    load(store, "postcodes", "FR", listed)
    with store.connect() as connection:
        assert planning.partitions_of(connection, [part, COMMUNE, paris[0], "01001"]) == {
            part: [f"DU_{COMMUNE}", f"DU_{part}", PLUI],
            COMMUNE: [f"DU_{COMMUNE}", PLUI],
            paris[0]: ["DU_200054781", "DU_75056"],
            "01001": ["DU_01001"],
        }
        centres = [communes.centre(connection, code) for code in (part, COMMUNE, paris[0], "01001")]
    assert centres == [(2.0, 47.0), (2.0, 47.0), (3.0, 47.0), None]


def test_coverage_of_each_commune_lists_its_shared_plans(replica: Replica, publishers: Publishers) -> None:
    serve_plans_in_force(publishers, SECTORAL)
    urbanism_of(replica)
    listed = replica.pipeline.coverage(COMMUNE, "all", ("", "", ""), 100)
    plans = [load for load in listed if load.dataset.startswith("gpu") and "sup" not in load.dataset]
    assert {(load.dataset, load.partition.code) for load in plans} == {
        ("gpu-communes", COMMUNE), ("gpu-in-force", COMMUNE),
        *((dataset, code) for dataset in (*_DATASETS, "gpu-documents")
          for code in (f"DU_{COMMUNE}", PLUI, SECTORAL)),
    }  # fmt: skip
    neighbour = replica.pipeline.coverage(OTHER, "all", ("", "", ""), 100)
    assert {load.partition.code for load in neighbour if load.dataset == "gpu-zones"} == {PLUI}


def test_a_plan_no_longer_in_force_is_not_listed(replica: Replica, publishers: Publishers) -> None:
    serve_plans_in_force(publishers, SECTORAL)
    urbanism_of(replica)
    serve_plans_in_force(publishers)
    [key] = replica.on_demand.keys(COMMUNE, ["gpu-in-force"])
    future = replica.on_demand.refresh(key, "2100-01-01T00:00:00Z")
    assert future is not None
    assert future.exception() is None
    later = replica.on_demand.later_keys([COMMUNE])[COMMUNE]
    assert {key.partition for key in later if key.dataset.startswith("gpu-") and key.dataset != "gpu-sup"} == {
        f"DU_{COMMUNE}",
        PLUI,
    }


def test_a_shared_plan_is_evicted_when_no_commune_uses_it(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """The first eviction makes space for another commune of the plan, the second for a commune without it."""
    replica = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    urbanism_of(replica)
    replica.finish_loads()
    urbanism_of(replica, OTHER)
    replica.finish_loads(OTHER)
    with store.connect() as connection:
        present = fetches.present(connection, [COMMUNE, OTHER, PLUI])
    assert {("gpu-zones", PLUI), ("gpu-prescriptions", PLUI), ("cadastre-parcels", OTHER)} <= present
    assert ("cadastre-parcels", COMMUNE) not in present
    listed = json.loads(publishers.files["/postcodes/communes"])
    publishers.files["/postcodes/communes"] = json.dumps([{**commune, "codeEpci": None} for commune in listed]).encode()
    [postcodes] = [key for key in replica.on_demand.national_keys() if key.dataset == "postcodes"]
    future = replica.on_demand.refresh(postcodes, "2100-01-01T00:00:00Z")
    assert future is not None
    assert future.exception() is None
    replica.on_demand.end()
    later = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    urbanism_of(later)
    with store.connect() as connection:
        assert ("gpu-zones", PLUI) not in fetches.present(connection, [PLUI])
        assert loads.parts_of(connection, "gpu-zones", PLUI) == []


def test_use_of_a_commune_is_use_of_its_shared_plan(replica: Replica, store: Engine) -> None:
    urbanism_of(replica)
    with store.begin() as connection:
        fetches.use(connection, [("gpu-zones", PLUI)], "2020-01-01T00:00:00Z")
    replica.usage.note(OTHER)
    replica.usage.flush()
    with store.connect() as connection:
        fetch = fetches.find(connection, "gpu-zones", PLUI)
    assert fetch is not None
    assert fetch.used_at > "2026"


def test_a_shared_plan_of_an_imported_commune_loads_in_the_background(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    load_file(store, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica = Replica(store, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
    assert zones_of(urbanism_of(replica)) == []
    keys = replica.on_demand.keys_in_use([COMMUNE])
    assert set(replica.on_demand.load(keys, 60.0).values()) == {"loaded"}
    assert planning_coverage(urbanism_of(replica)) == COVERED
