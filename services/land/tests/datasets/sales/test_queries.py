"""Comparable sales in a box."""

from collections.abc import Iterator

import pytest
from land_builders import lon_lat
from sqlalchemy import Engine

from land.datasets.partitions import Partition
from land.datasets.sales.queries import MARKET_SALES, sales_in_box
from land.datasets.sales.records import MarketSale
from land.store.boxes import Box
from land.store.snapshot import Snapshot, snapshot
from servicekit.database import for_writing

WEST, SOUTH = lon_lat(0, 0)
EAST, NORTH = lon_lat(100, 100)
BOX = Box(WEST, SOUTH, EAST, NORTH)
COMMUNES = ("18999", "18998")


def _sale(number: int) -> MarketSale:
    """A sale 10 m farther than the one before, of one of two kinds and in one of two communes."""
    kind = ("house", "flat")[number % 2]
    lon, lat = lon_lat(10 * number % 150, 50)
    return MarketSale(
        commune_code=COMMUNES[number // 15], id_mutation=f"2024-{number}", kind=kind,
        date_mutation=f"2024-06-{number % 28 + 1:02}", type_local=None, price_eur=200_000.0, area_m2=100.0,
        built_m2=100.0, land_m2=None, parcel_ids=f"18999000ZZ{number:04}", lon=lon, lat=lat,
    )  # fmt: skip


@pytest.fixture
def connection(store: Engine) -> Iterator[Snapshot]:
    with for_writing(store).begin() as connection:
        for commune, numbers in zip(COMMUNES, (range(15), range(15, 30)), strict=True):
            MARKET_SALES.replace(connection, "dvf", Partition(commune, "2024"), map(_sale, numbers))
    with snapshot(store) as connection:
        yield connection


@pytest.mark.parametrize("kinds", [["house"], ["house", "flat"], ["land"]])
def test_sales_in_a_box_are_those_of_the_kinds_newest_first(connection: Snapshot, kinds: list[str]) -> None:
    all_sales = sorted(map(_sale, range(30)), key=lambda sale: (sale.commune_code, sale.id_mutation))
    expected = [sale for sale in all_sales if sale.kind in kinds and WEST <= (sale.lon or 0) <= EAST]
    expected.sort(key=lambda sale: sale.date_mutation or "", reverse=True)
    assert sales_in_box(connection, COMMUNES, kinds, BOX) == expected
    assert (0 < len(expected) < len(all_sales)) is (kinds != ["land"])
