"""Results are read again when a dataset was loaded, and kept until then."""

import pytest
from land_builders import COMMUNE, land_unit, load, on_sqlite, parcel, square, territory_of, unit_of
from sqlalchemy import Engine

from contract.enums import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery
from land.pipeline import Pipeline
from land.selection import Selection
from land.store import cached_reads
from land.store.cached_reads import ReadCache
from land.store.snapshot import Snapshot, snapshot


class Counted:
    """A read that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, _: Snapshot, key: str) -> str | None:
        self.calls.append(key)
        return None if key == "none" else key


@on_sqlite
def test_a_result_is_read_once_for_each_set_of_revisions(store: Engine) -> None:
    cache, read = ReadCache(), Counted()
    with snapshot(store) as connection:
        first = cache.at(connection, {"ban": 1})
        assert [first.cached(read, key) for key in ("a", "none", "a", "none")] == ["a", None, "a", None]
        assert cache.at(connection, {"ban": 1}).cached(read, "a") == "a"
        assert read.calls == ["a", "none"]
        cache.at(connection, {"ban": 2}).cached(read, "a")
        assert read.calls == ["a", "none", "a"]


@on_sqlite
def test_the_number_of_results_is_bounded(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_reads, "MAX_RESULTS", 3)
    cache, read = ReadCache(), Counted()
    with snapshot(store) as connection:
        reads = cache.at(connection, {})
        for number in range(10):
            reads.cached(read, str(number))
        assert len(reads._results) <= 3


def test_answers_follow_each_load(store: Engine) -> None:
    """One pipeline answers before and after loads of other datasets, as a new one does."""
    lots = [parcel(1, square(0, 0)), parcel(2, square(0, 60, 20, 20)), parcel(3, square(0, -60, 20, 20))]
    load(store, "cadastre-parcels", COMMUNE, [*lots, parcel(4, square(60, 0)), parcel(5, square(-60, 0))])
    pipeline, parcel_id = Pipeline(store), lots[0].parcel_id
    blocks = DEFAULT_BLOCKS

    def answer() -> object:
        unit = unit_of(pipeline, Selection(AddressQuery(), [parcel_id]), blocks, "all")
        assert unit == land_unit(store, parcel_id, blocks=blocks)
        return unit.land and unit.land.frontage_m

    assert answer() == pytest.approx(80, abs=0.5)
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(-5, -5, 30, 30))])
    assert answer() is None
    load(store, "cadastre-communes", COMMUNE, [territory_of(COMMUNE, square(-300, -300, 600, 600))])
    assert answer() == pytest.approx(80, abs=0.5)
    for dataset in ("dvf", "cadastre-buildings", "gpu-communes", "gpu-in-force", "ban"):
        load(store, dataset, COMMUNE, [])
        answer()
