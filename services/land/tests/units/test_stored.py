"""No stored part of a land unit survives a change that alters it.

The store has the demo's commune and a neighbour, a copy of it that overlaps its eastern edge by OVERLAP_M. Each
partition of both is dropped, or loses every second record, and is loaded again. Then each goes through all states of
loading on demand. After each change every stored answer is compared with a fresh computation.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import pytest
import shapely
from demo_cases import CASES
from demo_records import DemoRecords
from land_builders import on_sqlite
from sqlalchemy import Engine

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.model import AddressQuery
from land.datasets.dataset import Dataset
from land.datasets.partitions import Partition
from land.datasets.planning.records import InForceRecord
from land.errors import FileMissing, SourceUnavailable
from land.loading.load_queue import RETRY_MISSING_S, RETRY_S, LoadKey
from land.loading.loader import load_empty, replace_partition
from land.loading.maintenance import UsageLog
from land.loading.on_demand import OnDemand
from land.loading.prefetch import READY_S, Prefetch
from land.loading.regulation_loader import RegulationLoader
from land.pipeline import Pipeline
from land.registry import DATASETS, replace_rows
from land.rpc import messages
from land.selection import Selection
from land.sources.base import ReadReport
from land.store import loads
from land.store.loads import Load
from land.store.unit_file import UnitFile
from land.units import stamps
from land.units.model import Block
from land.units.stored import StoredUnits
from landpartner.land.v1 import land_pb2 as pb
from servicekit.database import for_writing
from servicekit.errors import ServiceError
from servicekit.languages import in_language

COMMUNE, NEIGHBOUR = "00001", "01099"
PUBLISHED = "03001"
"""The code of the demo's commune where publishers have its data: nothing of the demo is loaded on demand."""
OVERLAP_M = 30.0
BLOCKS: tuple[Block, ...] = ("land", "urbanism", "buildings", "real_estate", "risks")
INSTANT = "2026-01-02T03:04:05Z"


class Change(NamedTuple):
    dataset: str
    partition: Partition
    records: Sequence[Any] | None
    """None drops the partition."""


Loads = dict[tuple[str, Partition], list[Any]]
Answer = tuple[pb.LandUnit, bytes] | None
"""A land unit and its GeoJSON. None if no parcel exists."""
Answers = list[Answer]


class Land:
    """A store, with a pipeline that stores parts of land units and one that computes everything."""

    def __init__(self, store: Engine, folder: Path, loads_of_both: Loads) -> None:
        self.store = store
        self.loads = loads_of_both
        self.count = 0
        self.expected: Answers = []
        self.has_changed = False
        """Whether an answer differs from that of the call of `stale` before."""
        for (dataset, partition), records in loads_of_both.items():
            self.apply(Change(dataset, partition, records))
        self.file = UnitFile(folder, "test", 1 << 30)
        self.file.start()
        self.stored, self.fresh = Pipeline(store, stored=StoredUnits(self.file)), Pipeline(store)

    def apply(self, *changes: Change) -> None:
        for change in changes:
            self._apply(change)

    def _apply(self, change: Change) -> None:
        dataset, code = change.dataset, change.partition.code
        self.count += 1
        if change.records is not None:
            load = Load(
                dataset, change.partition, "e1", "file", INSTANT, INSTANT, len(change.records), 0, str(self.count)
            )
            replace_partition(self.store, load, change.records)
            return
        with for_writing(self.store).begin() as connection:
            for loaded_part in loads.parts_of(connection, dataset, code):
                replace_rows(connection, dataset, Partition(code, loaded_part), [])
            loads.drop(connection, dataset, code)

    def answer(self, parcel_ids: Sequence[str]) -> Answer:
        """The answer from stored parts, which this call adds to."""
        return _answer(self.stored, parcel_ids)

    def computed(self, parcel_ids: Sequence[str]) -> Answer:
        return _answer(self.fresh, parcel_ids)

    def stale(self, units: Sequence[Sequence[str]], known: Answers | None = None) -> list[Sequence[str]]:
        """The units whose stored answer differs from a fresh one, or from the known one. Afterwards all are stored as
        they are.
        """
        expected, stale_units = [], []
        for number, parcel_ids in enumerate(units):
            with in_language("fr" if number % 2 else "en"):
                expected.append(known[number] if known else self.computed(parcel_ids))
                if self.answer(parcel_ids) != expected[-1]:
                    stale_units.append(parcel_ids)
        self.file.flush()
        self.has_changed, self.expected = expected != self.expected, expected
        return stale_units


def _answer(pipeline: Pipeline, parcel_ids: Sequence[str]) -> Answer:
    """Both forms, the finished one first: it is stored before its parts are looked up again."""
    selection, write = Selection(AddressQuery(), parcel_ids), messages.write_land_unit
    request = pb.GetLandUnitRequest(parcel_ids=parcel_ids)
    finish = partial(messages.write_geojson, request)
    try:
        geojson = pipeline.finished_land_unit(selection, BLOCKS, "all", write, finish)
        return messages.read_land_unit(pipeline.written_land_unit(selection, BLOCKS, "all", write)), geojson
    except ServiceError:
        return None


def shifted(value: Any, metres: float, code: str = NEIGHBOUR) -> Any:
    """A record of the demo's commune as one of another commune, so many metres to the east."""
    degrees = metres / 77_000
    if isinstance(value, str):
        return value.replace(COMMUNE, code).replace("_SUP_00_", f"_SUP_{code[:2]}_")
    if isinstance(value, bytes):
        return bytes(shapely.to_wkb(shapely.transform(shapely.from_wkb(value), lambda xy: np.add(xy, (degrees, 0)))))
    if hasattr(value, "_fields"):
        moved = {name: shifted(item, metres, code) for name, item in value._asdict().items()}
        for name in {"lon", "longitude"} & moved.keys():
            moved[name] = None if moved[name] is None else moved[name] + degrees
        if moved.get("department") == COMMUNE[:2]:
            moved["department"] = code[:2]
        return value._replace(**moved)
    return tuple(shifted(item, metres, code) for item in value) if isinstance(value, tuple) else value


@pytest.fixture(scope="session")
def loads_of_both(small_demo: DemoRecords) -> Loads:
    """The records of the demo's commune and of the neighbour."""
    of_commune: Loads = {}
    for dataset, path in small_demo.demo.files:
        for partition, record in DATASETS[dataset].reader.read(path, ReadReport(path.name)):
            if dataset == "gpu-sup" and partition.code.endswith("_T1") and partition.part != "acts":
                of_commune.setdefault((dataset, Partition(COMMUNE, partition.part)), []).append(record)
            elif dataset != "gpu-sup" or partition.code.endswith(("_T1", "_AC1", "_I4")):
                of_commune.setdefault((dataset, partition), []).append(record)
    of_commune["rnb", Partition("00")] = [
        record._replace(dataset="rnb") for record in of_commune["bdtopo", Partition("00")]
    ]
    of_commune["gpu-in-force", Partition(COMMUNE)] = [InForceRecord(COMMUNE, f"DU_{COMMUNE}")]
    bounds = shapely.total_bounds(
        [shapely.from_wkb(parcel.geometry) for parcel in small_demo.parcels.values() if parcel.geometry]
    )
    width_m = (bounds[2] - bounds[0]) * 77_000
    of_neighbour = {
        (dataset, _of_neighbour(partition)): [shifted(record, width_m - OVERLAP_M) for record in records]
        for (dataset, partition), records in of_commune.items()
    }
    return of_commune | of_neighbour | _of_others(of_commune)


def _of_others(of_commune: Loads) -> Loads:
    """Partitions elsewhere that hold rows of the commune: permits filed there, and files of another département."""
    permits = of_commune["sitadel-housing", Partition(COMMUNE)]
    owners, ownerships = (of_commune[dataset, Partition("00")] for dataset in ("personnes-morales", "rnic"))
    return {
        ("sitadel-housing", Partition("02098")): [
            record._replace(filing_commune="02098", number=f"9{record.number}") for record in permits
        ],
        ("personnes-morales", Partition("02")): [
            record._replace(department="02", holder=f"9{record.holder}") for record in owners
        ],
        ("rnic", Partition("02")): [record._replace(department="02", id=f"9{record.id}") for record in ownerships],
    }


def is_of_neighbour(partition: Partition) -> bool:
    return partition.code == "01" or NEIGHBOUR in partition.code or "_SUP_01_" in partition.code


def _of_neighbour(partition: Partition) -> Partition:
    return Partition("01" if partition.code == "00" else shifted(partition.code, 0), partition.part)


@pytest.fixture(scope="session")
def units(small_demo: DemoRecords) -> list[list[str]]:
    """Parcels at the limit of the neighbour and inside, single and several, and some of both communes."""
    outlines = {
        name: shapely.from_wkb(parcel.geometry) for name, parcel in small_demo.parcels.items() if parcel.geometry
    }
    eastern = sorted(outlines, key=lambda name: -float(outlines[name].bounds[2]))
    inside = eastern[len(eastern) // 2]
    return [
        [eastern[1]],
        [inside],
        list(CASES["sale_flat_with_lots"].parcel_ids),
        [*eastern[:6], inside],
        [eastern[1], shifted(eastern[-1], 0)],
        [shifted(eastern[-2], 0)],
    ]


@contextmanager
def opened(store: Engine, folder: Path, loads_of_land: Loads) -> Iterator[Land]:
    land = Land(store, folder / "units", loads_of_land)
    yield land
    land.file.end()
    land.file.join()


@pytest.fixture
def land(store: Engine, tmp_path: Path, loads_of_both: Loads) -> Iterator[Land]:
    with opened(store, tmp_path, loads_of_both) as land:
        yield land


def every_second(records: Sequence[Any]) -> Sequence[Any]:
    return records[::2] if len(records) > 1 else []


class Changes(NamedTuple):
    """The changes of all parts of one partition. Each list is made at once, in this order."""

    halve: list[Change]
    """It loses every second record."""
    drop: list[Change]
    restore: list[Change]


def changes_of(loads_of_both: Loads) -> list[Changes]:
    return [
        Changes(
            [Change(*key, every_second(loads_of_both[key])) for key in parts],
            [Change(parts[0][0], Partition(parts[0][1].code), None)],
            [Change(*key, loads_of_both[key]) for key in parts],
        )
        for parts in partitions_of(loads_of_both)
    ]


def partitions_of(loads_of_both: Loads) -> list[list[tuple[str, Partition]]]:
    """The parts of each partition of each dataset."""
    by_code: dict[tuple[str, str], list[tuple[str, Partition]]] = {}
    for dataset, partition in loads_of_both:
        by_code.setdefault((dataset, partition.code), []).append((dataset, partition))
    return list(by_code.values())


@pytest.fixture
def exact_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of about a metre, so that the rounding of boxes hides no mistake."""
    monkeypatch.setattr(stamps, "CELLS_PER_DEG", 100_000)


@pytest.mark.thorough
@pytest.mark.usefixtures("exact_cells")
def test_no_stored_answer_survives_a_change_that_alters_it(land: Land, units: list[list[str]]) -> None:
    altering: set[tuple[str, bool]] = set()
    changeable = {
        (dataset, is_of_neighbour(partition)) for dataset, partition in land.loads if dataset != "ban-localities"
    }  # localities name communes that the register does not have
    is_postgis = land.store.dialect.name != "sqlite"
    if is_postgis:  # the same statements but for boxes
        units = units[::2]
        changeable = {("cadastre-parcels", True), ("gpu-zones", True), ("bdtopo", False), ("dvf", False)}
    assert land.stale(units) == []
    complete = land.expected
    for halve, drop, restore in changes_of(land.loads):
        dataset, partition, _ = halve[0]
        for changes in (halve if is_postgis and not is_of_neighbour(partition) else drop, restore):
            land.apply(*changes)
            assert land.stale(units, complete if changes is restore else None) == [], f"after {dataset} {partition}"
            if land.has_changed:
                altering.add((dataset, is_of_neighbour(partition)))
    assert altering >= changeable


def no_loads_of(dataset: str) -> Callable[[pytest.MonkeyPatch], None]:
    identities = loads.identities

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loads, "identities", lambda *at: [row for row in identities(*at) if row[0] != dataset])

    return patch


BREAKS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    **{f"without {dataset}": (dataset, no_loads_of(dataset)) for dataset in ("dvf", "bdtopo", "gpu-zones", "dpe")},
    "no neighbours": ("cadastre-parcels", lambda patch: patch.setattr(loads, "partitions_in", lambda *_: set())),
    "no partitions of others": ("sitadel-housing", lambda patch: patch.setattr(stamps, "_OF_OTHERS", [])),
}  # fmt: skip
"""What is left out of the stamp, and a dataset whose changes then leave stale answers."""


@pytest.mark.thorough
@pytest.mark.usefixtures("exact_cells")
@pytest.mark.parametrize("left_out", BREAKS)
@on_sqlite
def test_a_stamp_with_something_left_out_leaves_stale_answers(
    land: Land, units: list[list[str]], left_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, patch = BREAKS[left_out]
    patch(monkeypatch)
    assert land.stale(units) == []
    of_dataset = {key: records for key, records in land.loads.items() if key[0] == dataset}
    stale_units: list[Sequence[str]] = []
    for changes in chain.from_iterable(changes_of(of_dataset)):
        land.apply(*changes)
        stale_units += land.stale(units)
    assert stale_units


@pytest.mark.usefixtures("exact_cells")
@pytest.mark.parametrize(("reach_m", "is_stale"), [(stamps.REACH_M, False), (0.0, True)])
@on_sqlite
def test_what_lies_across_the_way_is_within_the_reach(
    store: Engine, tmp_path: Path, loads_of_both: Loads, units: list[list[str]], reach_m: float, is_stale: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The plan of the neighbour begins 10 m from the commune, and nothing else of it is loaded."""
    monkeypatch.setattr(stamps, "REACH_M", reach_m)
    plan = ("cadastre-parcels", Partition(NEIGHBOUR))
    moved = {plan: [shifted(record, OVERLAP_M + 10) for record in loads_of_both[plan]]}
    with opened(
        store, tmp_path, {key: records for key, records in loads_of_both.items() if COMMUNE in key[1].code} | moved
    ) as land:
        assert land.stale(units) == []
        land.apply(Change(*plan, None))
        assert bool(land.stale(units)) == is_stale
        assert land.has_changed


class Publisher:
    """Loads partitions on demand as its mode says, from the records of the test."""

    def __init__(self, land: Land) -> None:
        self.land = land
        self.mode: Literal["ok", "failing", "missing"] = "ok"
        self.answers = threading.Event()
        self.answers.set()

    def load(self, _: Dataset, key: LoadKey) -> None:
        self.answers.wait(60)
        if self.mode == "failing":
            raise SourceUnavailable("down")
        if self.mode == "missing":
            raise FileMissing("no such file")
        for (dataset, partition), records in self.land.loads.items():
            if (dataset, partition.code) == key.id:
                self.land.apply(Change(dataset, partition, records))


class Loading:
    """Loads what is missing of a land on demand. Fresh answers look everything up again."""

    def __init__(self, land: Land, folder: Path) -> None:
        self.now_s, self.land, self.publisher = 0.0, land, Publisher(land)
        self.on_demand = OnDemand(land.store, DATASETS, folder, clock=lambda: self.now_s)
        self.on_demand._loader = cast(RegulationLoader, self.publisher)
        keys = [*self.on_demand.national_keys(), *self.on_demand.keys_in_use([PUBLISHED, NEIGHBOUR])]
        for key in self.on_demand.missing(keys):
            load_empty(land.store, DATASETS[key.dataset], key.partition, "file", is_import=True)
        self.keys = list(
            {key.id: key for key in keys if any(key.id == (name, p.code) for name, p in land.loads)}.values()
        )
        self.on_demand.start()
        instants = count(0.0, 1_000.0)
        land.stored = self._pipeline(lambda: self.now_s, StoredUnits(land.file))
        land.fresh = self._pipeline(lambda: next(instants), None)

    def _pipeline(self, clock: Callable[[], float], stored: StoredUnits | None) -> Pipeline:
        store, communes = self.land.store, CommuneLookup(self.land.store)
        addresses, usage = AddressCache(communes), UsageLog(store, self.on_demand)
        prefetch = Prefetch(self.on_demand, communes, addresses.has_addresses_in, usage, 8, clock=clock)
        return Pipeline(store, addresses, prefetch, stored=stored)

    def states(self, key: LoadKey) -> Iterator[str]:
        """Brings the load of a partition into each state in turn."""
        self.land.apply(Change(key.dataset, Partition(key.partition), None))
        self.now_s += 2 * READY_S  # until then, what was present counts as present
        self.publisher.answers.clear()
        self.on_demand.refresh(key, "")
        yield "loading"
        self.publisher.mode = "missing"
        self._finish(key)
        yield "not covered"
        self.publisher.mode, self.now_s = "failing", self.now_s + RETRY_MISSING_S
        self._finish(key)
        yield "failed"
        self.publisher.answers.clear()
        self.now_s += RETRY_S
        yield "retry due"
        self.publisher.mode = "ok"
        self._finish(key)
        yield "loaded"

    def _finish(self, key: LoadKey) -> None:
        """Lets the publisher answer, and waits for the load of the key."""
        load = self.on_demand.refresh(key, "")
        self.publisher.answers.set()
        assert load is not None
        load.exception(60)


@pytest.fixture
def loading(store: Engine, tmp_path: Path, loads_of_both: Loads) -> Iterator[Loading]:
    """The same two communes, both in départements whose data are published."""
    published: Loads = {}
    for (dataset, (code, part)), records in loads_of_both.items():
        published_code = PUBLISHED[:2] if code == COMMUNE[:2] else shifted(code, 0, PUBLISHED)
        published[dataset, Partition(published_code, part)] = [shifted(record, 0, PUBLISHED) for record in records]
    with opened(store, tmp_path, published) as land:
        loading = Loading(land, tmp_path / "on-demand")
        yield loading
        loading.publisher.answers.set()
        loading.on_demand.end()


@pytest.fixture
def published_units(units: list[list[str]]) -> list[Sequence[str]]:
    """A parcel at the limit of the neighbour, and one of the neighbour."""
    return [shifted(tuple(units[number]), 0, PUBLISHED) for number in (0, 5)]


@pytest.mark.thorough
@on_sqlite
def test_stored_answers_equal_fresh_ones_in_every_state_of_a_load(
    loading: Loading, published_units: list[Sequence[str]]
) -> None:
    land = loading.land
    assert land.stale(published_units) == []
    complete, altering = land.expected, set()
    for key in loading.keys:
        if key.dataset == "cadastre-parcels":
            continue  # without it there is no answer
        for state in loading.states(key):
            if is_of_neighbour(Partition(key.partition)) and state not in ("failed", "loaded"):
                continue  # to save time
            expected = complete if state == "loaded" else None
            assert land.stale(published_units, expected) == [], f"{key}: {state}"
            if land.has_changed:
                altering.add((key.dataset, state))
            if state == "failed":
                land.stored, on_demand = Pipeline(land.store, stored=StoredUnits(land.file)), land.stored
                land.fresh, fresh = Pipeline(land.store), land.fresh
                assert land.stale(published_units) == [], f"{key}: off"
                land.stored, land.fresh = on_demand, fresh
    assert {state for _, state in altering} >= {"loading", "not covered", "failed", "loaded"}
    assert {"dvf", "sitadel-housing", "cadastre-communes", "gpu-zones"} <= {dataset for dataset, _ in altering}


@on_sqlite
@pytest.mark.parametrize("left_out", ["details", "validity"])
def test_a_state_that_is_left_out_leaves_stale_answers(
    loading: Loading, published_units: list[Sequence[str]], left_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if left_out == "details":
        monkeypatch.setattr("land.unit_answers._details", lambda *_: {})
    else:
        monkeypatch.setattr(loading.land.stored._selector._prefetch, "_is_valid", lambda *_: True)
    [key] = [key for key in loading.keys if key.id == ("cadastre-communes", PUBLISHED)]
    assert loading.land.stale(published_units) == []
    stale_units = [unit for _ in loading.states(key) for unit in loading.land.stale(published_units)]
    assert stale_units
