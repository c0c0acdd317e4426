"""Plans of several communes, fetched when land of one of them is asked for: once, whole, and told for each of them."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from land_builders import load
from publishers import COMMUNE, EPCI, IN_FORCE, OTHER, Publishers, cadastre_path, parcel_id
from sqlalchemy import Engine
from supplied_land import POOL_SIZE, Replica

from land.addresses.model import AddressQuery
from land.errors import SourceUnavailable, UnreadableFile
from land.loading.download import DownloadLimits
from land.loading.loader import load_file
from land.pipeline import Selection
from land.records.communes import CommuneRecord, PostcodesRecord
from land.registry import at
from land.store import communes, fetches, loads, planning
from land.units.model import LandUnit
from servicekit.context import deadline
from servicekit.database import open_engine

PLUI, SECTORAL = f"DU_{EPCI}", f"DU_{EPCI}_B"
LAYERS = ("document", "zone-urba", "secteur-cc", "prescription-surf", "prescription-lin", "prescription-pct")
EVERYWHERE = [[2.2, 47.0], [2.5, 47.0], [2.5, 47.2], [2.2, 47.2], [2.2, 47.0]]


@pytest.fixture
def publishers(publishers: Publishers) -> Publishers:
    serve_plan(publishers, PLUI)
    return publishers


@pytest.fixture
def replica(store: Engine, publishers: Publishers, tmp_path: Path) -> Iterator[Replica]:
    replica = Replica(store, publishers, tmp_path / "land")
    yield replica
    replica.on_demand.end()


def feature(gid: int, partition: str, **facts: str) -> dict[str, Any]:
    properties = {"gid": gid, "partition": partition, "idurba": f"{partition[3:12]}_PLUi_20240131", **facts}
    geometry = {"type": "Polygon", "coordinates": [EVERYWHERE]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def serve_plan(publishers: Publishers, partition: str, *, zones: int = 1, prescriptions: int = 1) -> None:
    """A plan with these in place of every other, drawn over all land."""
    document = feature(1, partition, du_type="PLUi", name=f"{partition[3:12]}_PLUi_20240131")
    collections = {
        "document": [document],
        "zone-urba": [feature(zones - n, partition, libelle=f"U{n}", typezone="U") for n in range(zones)],
        "prescription-surf": [feature(n, partition, libelle=f"ER {n}", typepsc="05") for n in range(prescriptions)],
    }
    for layer, features in collections.items():
        publishers.files[f"/gpu/{layer}"] = json.dumps({"type": "FeatureCollection", "features": features}).encode()


def say_in_force(publishers: Publishers, *partitions: str) -> None:
    features = [feature(1, partition, du_type="PLUi") for partition in partitions]
    publishers.files[IN_FORCE] = json.dumps({"type": "FeatureCollection", "features": features}).encode()


def planned(replica: Replica, commune: str = COMMUNE, within_s: float = 30.0) -> LandUnit:
    with deadline(within_s):
        return replica.land.land_unit(Selection(AddressQuery(), [parcel_id(1, commune)]), ["urbanism"], "all", "en")


def zones_of(unit: LandUnit) -> list[str]:
    return [zone.zone.label for zone in unit.urbanism.zones] if unit.urbanism else []


def coverage(unit: LandUnit) -> dict[str, tuple[str, str | None]]:
    return {each.dataset: (each.status, each.reason) for each in unit.coverage if each.dataset.startswith("gpu")}


WHOLE: dict[str, tuple[str, str | None]] = {"gpu-zones": ("covered", None), "gpu-prescriptions": ("covered", None)}
LOST: dict[str, tuple[str, str | None]] = {
    "gpu-zones": ("partial", "source_unavailable"),
    "gpu-prescriptions": ("partial", "source_unavailable"),
}


def about(publishers: Publishers, partition: str) -> list[str]:
    """The questions that were asked of a document."""
    return sorted(path for path in publishers.asked if path.endswith((f"?partition={partition}", f"'{partition}'")))


def test_the_plan_of_the_intercommunality_is_fetched_once_for_all_its_communes(
    replica: Replica, publishers: Publishers
) -> None:
    unit = planned(replica)
    assert (zones_of(unit), coverage(unit)) == (["U0"], WHOLE)
    assert unit.urbanism is not None
    assert [(each.document_id, each.document_type) for each in unit.urbanism.documents] == [
        (f"{EPCI}_PLUi_20240131", "PLUi")
    ]
    assert "source_unavailable" not in {each.code for each in unit.warnings}
    assert (zones_of(planned(replica, OTHER)), coverage(planned(replica, OTHER))) == (["U0"], WHOLE)
    assert about(publishers, PLUI) == sorted(f"/gpu/{layer}?partition={PLUI}" for layer in LAYERS)


def test_two_replicas_asked_for_two_of_its_communes_fetch_it_once(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    url = store.url.render_as_string(hide_password=False)
    engines = [open_engine(url, pool_size=POOL_SIZE) for _ in range(2)]
    replicas = [Replica(engine, publishers, tmp_path / "land") for engine in engines]
    publishers.behave("/gpu/zone-urba", "slow")
    with ThreadPoolExecutor(2) as pool:
        units = list(pool.map(planned, replicas, (COMMUNE, OTHER)))
    for replica in replicas:
        replica.on_demand.end()
    for engine in engines:
        engine.dispose()
    assert [coverage(unit) for unit in units] == [WHOLE, WHOLE]
    assert about(publishers, PLUI) == sorted(f"/gpu/{layer}?partition={PLUI}" for layer in LAYERS)


def test_an_intercommunality_without_a_plan_lacks_nothing(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, f"DU_{COMMUNE}")
    unit = planned(replica)
    assert (zones_of(unit), coverage(unit)) == (["U0"], WHOLE)
    without = planned(replica, OTHER)
    assert without.urbanism is not None  # drawn over its land
    assert "source_unavailable" not in {each.code for each in (*unit.warnings, *without.warnings)}


def test_where_nobody_has_a_plan_none_is_known_and_nothing_is_lost(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, zones=0, prescriptions=0)
    unit = planned(replica)
    assert unit.urbanism is None
    assert coverage(unit) == dict.fromkeys(WHOLE, ("not_published", "not_published"))
    assert "source_unavailable" not in {each.code for each in unit.warnings}


@pytest.mark.parametrize("partition", [SECTORAL, "DU_200057941", "PSMV_18033_A"])
def test_a_plan_under_another_name_is_fetched_where_it_is_in_force(
    replica: Replica, publishers: Publishers, partition: str
) -> None:
    """One of several of an intercommunality, one of a territory of Greater Paris, one of a protected quarter."""
    serve_plan(publishers, partition)
    say_in_force(publishers, partition)
    assert (zones_of(planned(replica)), coverage(planned(replica))) == (["U0"], WHOLE)
    assert len(about(publishers, partition)) == len(LAYERS)


@pytest.mark.parametrize("mode", ["failing", "changed", "cut"])
def test_a_plan_that_cannot_be_had_is_said_and_comes_later(
    store: Engine, publishers: Publishers, tmp_path: Path, mode: str
) -> None:
    for layer in LAYERS:
        publishers.behave(f"/gpu/{layer}?partition={PLUI}", mode)  # type: ignore[arg-type]
    first = Replica(store, publishers, tmp_path / "land")
    unit = planned(first)
    first.on_demand.end()
    assert unit.urbanism is None
    assert coverage(unit) == LOST
    assert "source_unavailable" in {each.code for each in unit.warnings}
    publishers.modes.clear()
    later = Replica(store, publishers, tmp_path / "land")
    assert coverage(planned(later)) == WHOLE
    later.on_demand.end()


def test_prescriptions_alone_that_cannot_be_had_leave_the_zones_known(replica: Replica, publishers: Publishers) -> None:
    publishers.behave(f"/gpu/prescription-surf?partition={PLUI}", "failing")
    unit = planned(replica)
    assert zones_of(unit) == ["U0"]
    assert coverage(unit) == {**WHOLE, "gpu-prescriptions": ("partial", "source_unavailable")}


@pytest.mark.parametrize("mode", ["failing", "changed"])
def test_without_the_plans_in_force_it_is_said_unless_zones_cover_the_land(
    replica: Replica, publishers: Publishers, mode: str
) -> None:
    publishers.behave("/gpu/document?geom=", mode)  # type: ignore[arg-type]
    assert coverage(planned(replica)) == WHOLE


def test_without_the_plans_in_force_where_no_zone_is_known_what_applies_is_unknown(
    replica: Replica, publishers: Publishers
) -> None:
    serve_plan(publishers, SECTORAL)
    publishers.behave("/gpu/document?geom=", "failing")
    unit = planned(replica)
    assert unit.urbanism is None
    assert coverage(unit) == LOST


def test_without_the_list_of_intercommunalities_what_applies_is_unknown(
    replica: Replica, publishers: Publishers
) -> None:
    publishers.behave("/postcodes", "failing")
    unit = planned(replica)
    assert unit.urbanism is None
    assert coverage(unit) == LOST
    assert about(publishers, PLUI) == []


def test_a_long_answer_is_read_page_by_page(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, prescriptions=23)
    publishers.most_features, publishers.most_features_of_a_page = 10, 8
    unit = planned(replica)
    assert unit.urbanism is not None
    assert {item.prescription.label for item in unit.urbanism.prescriptions} == {f"ER {n}" for n in range(23)}
    assert coverage(unit) == WHOLE
    pages = [path for path in publishers.asked if path.startswith("/gpu_wfs")]
    assert [path.partition("startIndex=")[2].partition("&")[0] for path in pages] == ["0", "8", "16"]


@pytest.mark.parametrize("mode", ["failing", "cut", "missing"])
def test_of_an_answer_whose_pages_cannot_be_had_nothing_is_taken(
    replica: Replica, publishers: Publishers, mode: str
) -> None:
    serve_plan(publishers, PLUI, zones=12)
    publishers.most_features = 10
    publishers.behave("/gpu_wfs", mode)  # type: ignore[arg-type]
    unit = planned(replica)
    assert unit.urbanism is None
    assert coverage(unit)["gpu-zones"] == ("partial", "source_unavailable")


def test_pages_that_have_less_than_was_said_are_refused(replica: Replica, publishers: Publishers) -> None:
    serve_plan(publishers, PLUI, zones=12)
    publishers.most_features, publishers.most_features_of_a_page = 10, 0
    assert planned(replica).urbanism is None


def test_an_answer_past_all_bounds_is_refused(
    replica: Replica, publishers: Publishers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("land.loading.loader.MAX_PAGED_ROWS", 11)
    serve_plan(publishers, PLUI, zones=12)
    publishers.most_features = 10
    assert planned(replica).urbanism is None
    assert not any(path.startswith("/gpu_wfs") for path in publishers.asked)


@pytest.mark.parametrize("bound", ["pages", "bytes"])
def test_pages_are_bounded_in_number_and_together(
    store: Engine, publishers: Publishers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    serve_plan(publishers, PLUI, zones=40)
    publishers.most_features, publishers.most_features_of_a_page = 10, 8
    zones, url = at(publishers.bases)["gpu-zones"], f"{publishers.url}/gpu/zone-urba?partition={PLUI}"
    if bound == "pages":
        monkeypatch.setattr("land.loading.loader.MAX_PAGES", 4)
        with pytest.raises(UnreadableFile, match="more than 4 pages"):
            load_file(store, zones, url, tmp_path)
    else:
        with pytest.raises(SourceUnavailable, match=r"gpu_wfs.* more than"):
            load_file(store, zones, url, tmp_path, limits=DownloadLimits(max_bytes=5_000))


def test_a_part_of_a_commune_has_the_plans_of_the_whole(store: Engine, publishers: Publishers, tmp_path: Path) -> None:
    """Its parcels may be under its own code still: a delegated commune, as an arrondissement."""
    part, paris = "18901", ("75118", "75056")
    delegated = [CommuneRecord("COM", COMMUNE, "Bourges", ""), CommuneRecord("COMD", part, "Vieux-Bourg", COMMUNE)]
    load(store, "cog", "FR", delegated, part="communes")
    listed = [
        PostcodesRecord(code, code, "", lon, 47.0, epci)
        for code, lon, epci in ((COMMUNE, 2.0, EPCI), (paris[0], 3.0, None), (paris[1], 4.0, "200054781"))
    ]
    load(store, "postcodes", "FR", listed)
    with store.connect() as connection:
        assert planning.partitions_of(connection, [part, COMMUNE, paris[0], "01001"]) == {
            part: [f"DU_{COMMUNE}", PLUI],
            COMMUNE: [PLUI],
            paris[0]: ["DU_200054781"],
            "01001": [],
        }
        middles = [communes.centre(connection, code) for code in (part, COMMUNE, paris[0], "01001")]
    assert middles == [(2.0, 47.0), (2.0, 47.0), (3.0, 47.0), None]


def test_every_commune_of_a_plan_lists_it(replica: Replica, publishers: Publishers) -> None:
    say_in_force(publishers, SECTORAL)
    planned(replica)
    listed = replica.land.coverage(COMMUNE, "all", ("", "", ""), 100).loads
    assert {(load.dataset, load.partition.code) for load in listed if load.dataset.startswith("gpu")} == {
        ("gpu-communes", COMMUNE), ("gpu-in-force", COMMUNE),
        *((dataset, unit) for dataset in ("gpu-zones", "gpu-prescriptions", "gpu-documents")
          for unit in (f"DU_{COMMUNE}", PLUI, SECTORAL)),
    }  # fmt: skip
    neighbour = replica.land.coverage(OTHER, "all", ("", "", ""), 100).loads
    assert {load.partition.code for load in neighbour if load.dataset == "gpu-zones"} == {PLUI}


def test_a_plan_in_force_no_more_is_listed_no_more(replica: Replica, publishers: Publishers) -> None:
    say_in_force(publishers, SECTORAL)
    planned(replica)
    say_in_force(publishers)
    [key] = replica.on_demand.keys(COMMUNE, ["gpu-in-force"])
    future = replica.on_demand.refresh(key, "2100-01-01T00:00:00Z")
    assert future is not None
    assert future.exception() is None
    assert {key.partition for key in replica.on_demand.shared_plan_keys([COMMUNE])[COMMUNE]} == {PLUI}


def test_it_outlives_one_of_its_communes_and_is_dropped_in_its_own_time(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """Room is made for another of its communes, then for one elsewhere."""
    replica = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    planned(replica)
    planned(replica, OTHER)
    with store.connect() as connection:
        present = fetches.present(connection, [COMMUNE, OTHER, PLUI])
    assert {("gpu-zones", PLUI), ("gpu-prescriptions", PLUI), ("cadastre-parcels", OTHER)} <= present
    assert ("cadastre-parcels", COMMUNE) not in present
    listed = json.loads(publishers.files["/postcodes/communes"])
    publishers.files["/postcodes/communes"] = json.dumps([{**each, "codeEpci": None} for each in listed]).encode()
    [postcodes] = [key for key in replica.on_demand.national_keys() if key.dataset == "postcodes"]
    future = replica.on_demand.refresh(postcodes, "2100-01-01T00:00:00Z")
    assert future is not None
    assert future.exception() is None
    replica.on_demand.end()
    later = Replica(store, publishers, tmp_path / "land", max_store_bytes=1)
    planned(later)
    with store.connect() as connection:
        assert ("gpu-zones", PLUI) not in fetches.present(connection, [PLUI])
        assert loads.parts_of(connection, "gpu-zones", PLUI) == []
    later.on_demand.end()


def test_one_of_its_communes_in_use_keeps_it_in_use(replica: Replica, store: Engine) -> None:
    planned(replica)
    with store.begin() as connection:
        fetches.use(connection, [("gpu-zones", PLUI)], "2020-01-01T00:00:00Z")
    replica.usage.note(OTHER)
    replica.usage.flush()
    with store.connect() as connection:
        found = fetches.find(connection, "gpu-zones", PLUI)
    assert found is not None
    assert found.used_at > "2026"


def test_beside_a_plan_of_parcels_that_was_imported_it_comes_for_those_who_ask_later(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    load_file(store, at(publishers.bases)["cadastre-parcels"], publishers.url + cadastre_path(), tmp_path)
    replica = Replica(store, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 15.0)
    assert planned(replica).urbanism is None
    keys = replica.on_demand.keys_in_use([COMMUNE])
    assert set(replica.on_demand.load(keys, 15.0).values()) == {"loaded"}
    assert coverage(planned(replica)) == WHOLE
    replica.on_demand.end()
