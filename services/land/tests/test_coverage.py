"""What is listed as loaded, for everybody, for a commune, for a test key."""

import pytest
from land_builders import COMMUNE, address, load, parcel, permit, service, square
from sqlalchemy import Engine

from land.addresses.model import Scope
from land.records.communes import CommuneRecord


def listed(store: Engine, commune: str = "", scope: Scope = "all") -> list[tuple[str, str]]:
    page = service(store).coverage(commune, scope, ("", "", ""), 100)
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


def test_everything_is_listed_in_order(loaded: Engine) -> None:
    assert listed(loaded) == [
        ("ban", "00001"),
        ("ban", COMMUNE),
        ("cadastre-parcels", "75118"),
        ("cog", "FR"),
        ("gpu-zones", "DU_00001"),
        ("sitadel-housing", "75056"),
    ]


def test_a_commune_is_listed_with_the_units_that_hold_it(loaded: Engine) -> None:
    assert listed(loaded, "75118") == [("cadastre-parcels", "75118"), ("cog", "FR"), ("sitadel-housing", "75056")]
    assert listed(loaded, COMMUNE) == [("ban", COMMUNE), ("cog", "FR")]


def test_a_test_key_sees_the_demo_alone(loaded: Engine) -> None:
    assert listed(loaded, scope="demo") == [("ban", "00001"), ("gpu-zones", "DU_00001")]
