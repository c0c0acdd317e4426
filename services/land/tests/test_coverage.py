"""What is loaded: the partitions, the datasets in numbers, and the communes; also for a test key."""

from datetime import timedelta

import pytest
from land_builders import COMMUNE, address, load, parcel, permit, square, territory_of
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.datasets.communes.records import CommuneRecord, PostcodesRecord
from land.pipeline import Pipeline
from land.registry import DATASETS
from land.store import fetches


def listed_partitions(store: Engine, commune: str = "", scope: Scope = "all") -> list[tuple[str, str]]:
    page = Pipeline(store).coverage(commune, scope, ("", "", ""), 100)
    return [(load.dataset, load.partition.code) for load in page]


@pytest.fixture
def loaded(store: Engine) -> Engine:
    load(store, "cog", "FR", [CommuneRecord("COM", COMMUNE, "Trifouillis", "")], part="communes")
    load(store, "ban", COMMUNE, [address(1, "Rue des Lilas", (0, 0))])
    load(store, "ban", "00001", [address(1, "Rue des Lilas", (0, 0), commune="00001")])
    load(store, "cadastre-parcels", "75118", [parcel(1, square(0, 0), commune="75118")])
    load(store, "sitadel-housing", "75056", [permit("0750561800001")._replace(filing_commune="75056")])
    load(store, "gpu-zones", "DU_00001", [])
    return store


def test_loads_are_listed_by_dataset_and_partition(loaded: Engine) -> None:
    assert listed_partitions(loaded) == [
        ("ban", "00001"),
        ("ban", COMMUNE),
        ("cadastre-parcels", "75118"),
        ("cog", "FR"),
        ("gpu-zones", "DU_00001"),
        ("sitadel-housing", "75056"),
    ]


def test_loads_of_a_commune_include_every_partition_with_its_rows(loaded: Engine) -> None:
    assert listed_partitions(loaded, "75118") == [
        ("cadastre-parcels", "75118"),
        ("cog", "FR"),
        ("sitadel-housing", "75056"),
    ]
    assert listed_partitions(loaded, COMMUNE) == [("ban", COMMUNE), ("cog", "FR")]


def test_a_test_key_lists_demo_loads_only(loaded: Engine) -> None:
    assert listed_partitions(loaded, scope="demo") == [("ban", "00001"), ("gpu-zones", "DU_00001")]


def test_datasets_are_counted_without_the_demo(loaded: Engine) -> None:
    load(loaded, "dvf", COMMUNE, [], part="2024", edition="2025-04")
    load(loaded, "dvf", COMMUNE, [], part="2025", edition="2026-04")
    load(loaded, "dvf", "18998", [], part="2025", edition="unknown")
    with loaded.begin() as connection:
        for dataset, code, at in (("dvf", COMMUNE, "2026-01-02T00:00:00Z"), ("dvf", "18998", "2026-02-02T00:00:00Z")):
            fetches.begin(connection, dataset, code, code, at)
            fetches.complete(connection, dataset, code, at, 1)
    states = {state.dataset.id: state for state in Pipeline(loaded, max_age=timedelta(days=30)).dataset_states()}
    assert set(states) == set(DATASETS)
    dvf = states["dvf"]
    assert dvf.loads is not None
    assert (dvf.loads.partition_count, dvf.loads.oldest_edition, dvf.loads.newest_edition) == (2, "2025-04", "2026-04")
    assert (dvf.loads.loaded_at, dvf.way) == ("2026-01-02T03:04:06Z", "on_demand")
    assert dvf.refresh_at == "2026-02-01T00:00:00Z"
    assert states["ban"].refresh_at is None
    assert (states["bdtopo"].way, states["bdtopo"].loads) == ("import", None)
    assert states["georisques"].way == "lookup"
    assert {state.refresh_at for state in Pipeline(loaded).dataset_states()} == {None}, "nothing is refreshed"


def test_communes_are_listed_with_their_datasets_and_place(loaded: Engine) -> None:
    load(loaded, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(0, 0, 1_000, 1_000))])
    load(
        loaded,
        "postcodes",
        "FR",
        [
            PostcodesRecord(
                code="75118",
                name="Paris 18e",
                postcodes="75018",
                lon=2.35,
                lat=48.89,
                epci=None,
            )
        ],
    )
    load(loaded, "rnb", "18", [])
    load(loaded, "gpu-sup-documents", "172014607_SUP_75_AC1", [])
    pipeline = Pipeline(loaded)
    communes = pipeline.communes("all", "", 100)
    assert [(commune.code, commune.name) for commune in communes] == [
        ("00001", "Trifouillis-sur-Cher"), (COMMUNE, "Trifouillis-sur-Cher"), ("75056", None), ("75118", None),
    ]  # fmt: skip
    assert communes[0].datasets == ["ban", "gpu-zones"]
    assert communes[1].datasets == ["ban", "cadastre-communes", "rnb"]
    assert communes[3].datasets == ["cadastre-parcels", "sitadel-housing"]
    assert [commune.geometry and commune.geometry.geom_type for commune in communes] == [None, "Polygon", None, "Point"]
    assert [commune.code for commune in pipeline.communes("all", "00001", 2)] == [COMMUNE, "75056"]
    assert [commune.code for commune in pipeline.communes("demo", "", 100)] == ["00001"]
