"""The altimetry service, asked for the parcels of a request: what it gets, what is cached, and what a failure costs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import shapely
from land_builders import (
    COMMUNE,
    building,
    coverage,
    import_file,
    land_unit,
    load,
    lon_lat,
    parcel,
    square,
    unit_of,
    warning_codes,
)
from publishers import Publishers, local_publishers
from sqlalchemy import Engine, update

from land.addresses.model import AddressQuery
from land.datasets.relief.client import AltimetryService
from land.datasets.relief.queries import altitude, altitudes_of, cache
from land.datasets.relief.rows import parsed
from land.loading.publisher_calls import FAILURES, Breakers, Turns
from land.pipeline import Pipeline
from land.rpc import messages
from land.selection import Selection
from land.units.model import LandUnit
from servicekit.context import deadline

PATH = "/altimetry/rest/elevation.json"
ONE, TWO = f"{COMMUNE}000AB0001", f"{COMMUNE}000AB0002"
SOUTH, PER_DEGREE_M = 47.0, 111_170.0


@pytest.fixture
def service() -> Iterator[Publishers]:
    """Ground that rises by 10 % to the north."""
    with local_publishers() as served:
        served.altitude_m = lambda longitude, latitude: (latitude - SOUTH) * PER_DEGREE_M / 10
        yield served


@pytest.fixture
def lots(store: Engine) -> Engine:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40)), parcel(2, square(40, 0, 40, 40))])
    load(store, "cadastre-buildings", COMMUNE, [building("house", square(5, 5, 15, 15))])
    return store


def pipeline(store: Engine, service: Publishers, per_s: float = 100.0) -> Pipeline:
    altimetry = AltimetryService(f"{service.url}/altimetry", store, Breakers(), Turns(per_s))
    return Pipeline(store, altimetry=altimetry)


def ask(land: Pipeline, *parcel_ids: str, deadline_s: float = 60.0) -> LandUnit:
    with deadline(deadline_s):
        return unit_of(land, Selection(AddressQuery(), parcel_ids), ["land"], "all")


def test_one_call_gives_the_relief_of_all_parcels_and_is_cached(lots: Engine, service: Publishers) -> None:
    land = pipeline(lots, service)
    unit = ask(land, ONE, TWO)
    assert unit.land is not None
    terrain = unit.land.terrain
    assert terrain is not None
    assert terrain.mean_slope_percent == pytest.approx(10.0, abs=0.1)
    assert terrain.aspect == "s"
    assert terrain.max_slope_percent == pytest.approx(10.0, abs=0.3)
    assert terrain.min_altitude_m < terrain.mean_altitude_m < terrain.max_altitude_m
    assert terrain.sample_count == len(parsed(" ".join(terrain.samples))) >= 18
    assert coverage(unit)["altimetry"] == ("covered", None)
    [source] = [source for source in unit.sources if source.id == "altimetry"]
    assert (source.publisher, source.edition) == ("IGN", "unknown")
    assert ask(land, TWO).sources[-1] == source
    assert land_unit(lots, ONE, TWO).land == unit.land  # also where the service is off
    assert service.requests == [PATH]


def test_samples_are_given_with_outlines_only_and_not_under_buildings(lots: Engine, service: Publishers) -> None:
    unit = ask(pipeline(lots, service), ONE)
    assert not messages.without_outlines(messages.land_unit(unit)).land.terrain.samples
    samples = messages.land_unit(unit).land.terrain.samples
    points = [shapely.Point(sample.position.longitude, sample.position.latitude) for sample in samples]
    house = shapely.from_wkb(building("house", square(5.1, 5.1, 14.8, 14.8)).geometry)
    assert len(points) >= 9
    assert not any(house.contains(point) for point in points)


def test_old_altitudes_are_asked_for_again_and_answer_if_that_fails(lots: Engine, service: Publishers) -> None:
    land = pipeline(lots, service)
    ask(land, ONE)
    with lots.begin() as connection:
        connection.execute(update(altitude).values(retrieved_at="2020-01-01T00:00:00Z"))
    service.set_mode(PATH, "failing")
    unit = ask(land, ONE)
    assert unit.land is not None
    assert unit.land.terrain is not None
    assert unit.sources[-1].retrieved_at == "2020-01-01T00:00:00Z"
    assert "source_unavailable" not in warning_codes(unit)
    service.set_mode(PATH, "ok")
    assert ask(land, ONE).sources[-1].retrieved_at > "2020-01-01T00:00:00Z"


@pytest.mark.parametrize("mode", ["failing", "html", "truncated"])
def test_a_failure_costs_only_the_relief(engine: Engine, service: Publishers, mode: str) -> None:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40))])
    service.set_mode(PATH, mode)  # type: ignore[arg-type]
    land = pipeline(engine, service)
    for _ in range(FAILURES + 2):
        unit = ask(land, ONE)
        assert unit.land is not None
        assert unit.land.terrain is None
        assert unit.land.geometric_area_m2 == 1600.0
        assert coverage(unit)["altimetry"] == ("partial", "source_unavailable")
        assert warning_codes(unit, "land") == ["frontage_unknown", "source_unavailable"]
    assert len(service.requests) == FAILURES  # then the breaker is open


def test_no_call_is_made_without_time_or_turn(engine: Engine, service: Publishers) -> None:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0)), parcel(2, square(20, 0))])
    land = pipeline(engine, service, per_s=0.01)
    assert coverage(ask(land, ONE, deadline_s=0.5))["altimetry"] == ("partial", "source_unavailable")
    assert service.requests == []
    assert coverage(ask(land, ONE))["altimetry"] == ("covered", None)
    assert coverage(ask(land, TWO))["altimetry"] == ("partial", "source_unavailable")
    assert service.requests == [PATH]


def test_turns_are_apart() -> None:
    now = 50.0
    turns = Turns(2.0, lambda: now)
    assert [turns.take(1.0) for _ in range(4)] == [0.0, 0.5, 1.0, None]
    now = 52.0
    assert turns.take(1.0) == 0.0


def test_ground_without_data_is_not_asked_for_again(engine: Engine, service: Publishers) -> None:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0, 40, 40))])
    service.altitude_m = lambda longitude, latitude: -99_999
    land = pipeline(engine, service)
    for _ in range(2):
        unit = ask(land, ONE)
        assert coverage(unit)["altimetry"] == ("not_covered", "no_data")
        assert "altimetry" not in {source.id for source in unit.sources}
    assert service.requests == [PATH]


def test_imported_altitudes_are_never_asked_for(lots: Engine, service: Publishers, tmp_path: Path) -> None:
    path = tmp_path / "altitudes-2026-01-01.csv"
    corners = [lon_lat(x, y) for x in (0, 40) for y in (0, 40)]
    rows = [f"{ONE},{longitude},{latitude},{120 + at}" for at, (longitude, latitude) in enumerate(corners)]
    path.write_text("\n".join(["parcel_id,longitude,latitude,altitude_m", *rows, ""]))
    assert import_file(lots, "altimetry", path, tmp_path).changed
    unit = ask(pipeline(lots, service), ONE, TWO)
    assert unit.land is not None
    assert unit.land.terrain is not None
    assert unit.land.terrain.sample_count == 4
    assert coverage(unit)["altimetry"] == ("partial", "not_loaded")
    assert [source.edition for source in unit.sources if source.id == "altimetry"] == ["2026-01-01"]
    other = ask(pipeline(lots, service), TWO)
    assert coverage(other)["altimetry"] == ("not_loaded", "not_loaded")
    assert "altimetry" not in {source.id for source in other.sources}
    assert service.requests == []


def test_the_cache_keeps_imported_rows_and_evicts_the_oldest(lots: Engine, service: Publishers) -> None:
    ask(pipeline(lots, service), ONE, TWO)
    with lots.begin() as connection:
        [one, two] = altitudes_of(connection, [ONE, TWO]).values()
        connection.execute(update(altitude).where(altitude.c.parcel_id == ONE).values(retrieved_at=""))
        cache(connection, "altimetry", [one._replace(samples="")])
        assert altitudes_of(connection, [ONE])[ONE].samples == one.samples
        cache(connection, "altimetry", [two._replace(parcel_id=f"{COMMUNE}000AB0003", retrieved_at="9")], max_cached=1)
        assert set(altitudes_of(connection, [ONE, TWO, f"{COMMUNE}000AB0003"])) == {ONE, f"{COMMUNE}000AB0003"}
