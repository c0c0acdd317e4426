"""Comparable sales in a box: those kept in memory are those of the database."""

from collections.abc import Iterator

import pytest
from land_builders import lon_lat, on_sqlite
from sqlalchemy import Engine

from land.datasets.partitions import Partition
from land.datasets.sales import queries as sales
from land.datasets.sales.queries import MARKET_SALES, sales_in_box
from land.datasets.sales.records import MarketSale
from land.store.boxes import Box
from land.store.cached_reads import ReadCache, Reads
from land.store.snapshot import snapshot
from servicekit.database import for_writing

WEST, SOUTH = lon_lat(0, 0)
EAST, NORTH = lon_lat(100, 100)
BOX = Box(WEST, SOUTH, EAST, NORTH)
COMMUNES = ("18999", "18998")


def _sale(number: int) -> MarketSale:
    """A sale 10 m farther than the one before, of one of two kinds and in one of two communes."""
    kind = ("house", "flat")[number % 2]
    return MarketSale(
        COMMUNES[number // 15], f"2024-{number}", kind, f"2024-06-{number % 28 + 1:02}", None, 200_000.0, 100.0,
        100.0, None, f"18999000ZZ{number:04}", *lon_lat(10 * number % 150, 50),
    )  # fmt: skip


@pytest.fixture
def reads(store: Engine) -> Iterator[Reads]:
    with for_writing(store).begin() as connection:
        for commune, numbers in zip(COMMUNES, (range(15), range(15, 30)), strict=True):
            MARKET_SALES.replace(connection, "dvf", Partition(commune, "2024"), map(_sale, numbers))
    with snapshot(store) as connection:
        yield ReadCache().at(connection, {})


@pytest.mark.parametrize("kinds", [["house"], ["house", "flat"], ["land"]])
def test_kept_sales_are_those_of_the_database(reads: Reads, kinds: list[str]) -> None:
    from_database = sales_in_box(reads, COMMUNES, kinds, BOX)
    assert (0 < len(from_database) < 25) is (kinds != ["land"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sales, "_IN_BOX", None)
        kept_sales = sales_in_box(reads, COMMUNES, kinds, BOX)
        assert kept_sales == sales_in_box(reads, COMMUNES, kinds, BOX)
    assert sorted(kept_sales) == sorted(from_database)
    assert [sale.date_mutation for sale in kept_sales if sale.commune_code == "18999"] == sorted(
        (sale.date_mutation for sale in from_database if sale.commune_code == "18999"), reverse=True
    )


@on_sqlite
@pytest.mark.parametrize("limit", [15, 30])
def test_too_many_sales_are_not_kept(reads: Reads, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads sales of one commune, or of all of a request: the newest are those of the database."""
    monkeypatch.setattr(sales, "MAX_SALES", limit)
    answers = [sales_in_box(reads, COMMUNES, ["house"], BOX) for _ in range(4)]
    assert answers == answers[:1] * 4
