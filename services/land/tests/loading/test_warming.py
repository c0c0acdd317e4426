"""Communes that partners asked for are completed in the background: only while no call runs, and within a bound."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from land_builders import COMMUNE, load, parcel, square
from sqlalchemy import Engine

from land.addresses.model import AddressQuery
from land.errors import ParcelNotFound
from land.loading import warming
from land.loading.warming import Warming
from land.pipeline import Pipeline
from land.rpc import messages
from land.selection import Selection
from land.store.unit_file import UnitFile
from land.units.stored import RequestedUnits, StoredUnits
from servicekit.languages import in_language

IDS = [f"{COMMUNE}000AB000{number}" for number in (1, 2, 3)]


class Land:
    """A store with three parcels, and what computes them in advance."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        load(engine, "cadastre-parcels", COMMUNE, [parcel(number, square(20 * number, 0)) for number in (1, 2, 3)])
        self.file = UnitFile(folder, "test", 1 << 20)
        self.file.start()
        self.requested = RequestedUnits(self.file)
        self.requests = Pipeline(engine, stored=self.requested)
        self.advance = Pipeline(engine, stored=StoredUnits(self.file))
        self.computed: list[str] = []
        self.states = iter([True])
        self.warming = Warming(self.requested, self.advance.parcels_of, self.compute, lambda: next(self.states, True))

    def ask(self, pipeline: Pipeline, parcel_id: str) -> None:
        pipeline.written_land_unit(Selection(AddressQuery(), [parcel_id]), ("land",), "all", messages.write_land_unit)
        self.file.flush()

    def compute(self, parcel_id: str) -> None:
        self.computed.append(parcel_id)
        self.ask(self.advance, parcel_id)

    def stored(self) -> list[str]:
        """The parcels whose history and land a request would find."""
        units = StoredUnits(self.file)
        return self.advance._read(
            lambda reader: [name for name in IDS if len(units.find(reader.reads, [name], ("history", "land"))) == 2]
        )


@pytest.fixture
def land(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Land]:
    monkeypatch.setattr(warming, "PAUSE_S", 0.0)
    land = Land(engine, tmp_path / "units")
    yield land
    land.file.end()
    land.file.join()


def test_the_parcels_of_a_commune_that_was_asked_for_are_stored_in_its_language(land: Land) -> None:
    land.warming.complete()
    assert land.computed == []
    with in_language("fr"):
        land.ask(land.requests, IDS[1])
    land.warming.complete()
    with in_language("fr"):
        assert land.stored() == IDS
    assert land.stored() == []


def test_what_is_computed_in_advance_is_no_request(land: Land) -> None:
    land.ask(land.requests, IDS[0])
    asked = land.requested.asked_since(0.0)
    land.warming.complete()
    assert land.requested.asked_since(0.0) == asked == [(COMMUNE, "en")]


def test_parcels_that_a_test_key_may_not_see_are_not_found(land: Land) -> None:
    with pytest.raises(ParcelNotFound):
        land.requests.written_land_unit(Selection(AddressQuery(), IDS[:1]), ("land",), "demo", messages.write_land_unit)
    assert land.requested.asked_since(0.0) == []


def test_a_commune_that_nobody_asked_for_lately_is_left_alone(land: Land, monkeypatch: pytest.MonkeyPatch) -> None:
    land.ask(land.requests, IDS[0])
    monkeypatch.setattr(warming, "ASKED_WITHIN_S", -1.0)
    land.warming.complete()
    assert land.computed == []


def test_it_waits_while_a_call_runs(land: Land) -> None:
    land.ask(land.requests, IDS[0])
    land.states = iter([False, False, False, True])
    land.warming.complete()
    assert land.computed == IDS
    assert next(land.states, None) is None


def test_it_leaves_half_of_the_file_to_requests(land: Land) -> None:
    land.ask(land.requests, IDS[0])
    land.file.max_bytes = land.file.size_bytes
    land.warming.complete()
    assert land.computed == []


def test_it_ends_with_the_service(land: Land) -> None:
    land.ask(land.requests, IDS[0])
    land.warming.end()
    land.warming.complete()
    assert land.computed == []
