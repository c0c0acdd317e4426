"""The list of loaded partitions: of all communes, of one commune, and for a test key."""

import pytest
from land_builders import COMMUNE, address, load, parcel, permit, square
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.pipeline import Pipeline
from land.records.communes import CommuneRecord


def listed_partitions(store: Engine, commune: str = "", scope: Scope = "all") -> list[tuple[str, str]]:
    page = Pipeline(store).coverage(commune, scope, ("", "", ""), 100)
    return [(each.dataset, each.partition.code) for each in page.loads]


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
