"""Every fault of a publisher, for every dataset that loads on demand: what is unknown is never none."""

import json
import re
from concurrent.futures import wait
from pathlib import Path
from typing import get_args

import pytest
from land_builders import coverage, unit_of
from land_replica import Replica
from published_files import (
    COMMUNE,
    EDITION,
    SITADEL,
    ban_file,
    ban_path,
    cadastre_path,
    localities_path,
    parcel_id,
    permits_path,
)
from publishers import Mode, Publishers
from sqlalchemy import Engine, update

from contract.enums import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery
from land.datasets.addresses.registration import MOST_INHABITANTS
from land.datasets.parcels.registration import PARCELS
from land.datasets.permits.codes import FAMILIES
from land.errors import SourceError
from land.loading.loader import MIN_COMPARED, load_file
from land.registry import DATASETS
from land.selection import Selection
from land.store import fetches, loads
from land.store.tables import fetch
from servicekit.context import deadline

FAULTS = [mode for mode in get_args(Mode) if mode not in ("ok", "slow", "hanging", "truncated once")]
INHABITANTS = 40_000
LISTS = ("/cog", "/postcodes")
MAY_BE_EMPTY = {"ban-localities", *SITADEL}
"""A commune may have none of them: its file then has a header only."""
LOADED = {"header only": MAY_BE_EMPTY, "cut at a line": MAY_BE_EMPTY}
"""Tables of so few rows that a later edition may have none."""


@pytest.fixture(autouse=True)
def town(publishers: Publishers) -> None:
    """A town with hardly more addresses and permits than its inhabitants must have."""
    listed = json.loads(publishers.files["/postcodes/communes"])
    for commune in listed:
        commune["population"] = INHABITANTS
    publishers.files["/postcodes/communes"] = json.dumps(listed).encode()
    publishers.files[ban_path()] = ban_file(range(1, INHABITANTS // MOST_INHABITANTS + 2))
    for family in FAMILIES:
        header, row = publishers.files[permits_path(family.id)].decode().splitlines()
        numbers = range(1, INHABITANTS // family.inhabitants + 2)
        rows = [re.sub(r"(0[0-9]{5}24A)[0-9]{4}", rf"\g<1>{number:04}", row) for number in numbers]
        publishers.files[permits_path(family.id)] = "\n".join((header, *rows, "")).encode()


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_a_publisher_is_taken_for_a_commune_without_rows(
    engine: Engine, publishers: Publishers, tmp_path: Path, fault: Mode
) -> None:
    """Each dataset that is loaded on demand fails with a reason, also if the lists and the plan are there."""
    publishers.set_mode("/", fault)
    replica = Replica(engine, publishers, tmp_path / "land")
    lists = replica.on_demand.national_keys()
    assert replica.on_demand.load(lists, 60.0) == dict.fromkeys(lists, "failed")
    for path in (*LISTS, cadastre_path(), cadastre_path(edition=EDITION)):
        publishers.set_mode(path, "ok")
    wait([future for key in lists if (future := replica.on_demand.refresh(key, "9999"))], 60.0)
    replica = Replica(engine, publishers, tmp_path / "later")
    replica.on_demand.load([*replica.on_demand.national_keys(), *replica.on_demand.keys(COMMUNE, [PARCELS.id])], 60.0)
    keys = [key for key in replica.on_demand.keys_in_use([COMMUNE]) if key.dataset != PARCELS.id]
    replica.on_demand.load(keys, 60.0)
    with engine.connect() as connection:
        reasons = {load.dataset: load.reason for load in fetches.of_partition(connection, "") if not load.is_complete}
    assert {key.dataset for key in keys} == reasons.keys()
    assert all(reasons.values())
    on_demand = {dataset.id for dataset in DATASETS.values() if dataset.hosts and not dataset.is_asked}
    assert on_demand == {*reasons, *(key.dataset for key in lists), PARCELS.id}


@pytest.mark.parametrize("dataset", [dataset.id for dataset in DATASETS.values() if not dataset.hosts])
@pytest.mark.parametrize(
    "content",
    [b"", b"<html>we have moved</html>", b'{"error": {"code": 500}}', b"\x1f\x8b\x08\x00", b"other;header\n1;2\n"],
    ids=["empty", "html", "json error", "not gzip", "other header"],
)
def test_no_import_of_another_file_is_taken_for_a_file_without_rows(
    engine: Engine, tmp_path: Path, dataset: str, content: bytes
) -> None:
    (tmp_path / "D018_file.csv").write_bytes(content)
    with pytest.raises(SourceError):
        load_file(engine, DATASETS[dataset], str(tmp_path / "D018_file.csv"), tmp_path, department="18")
    with engine.connect() as connection:
        assert loads.by_dataset(connection) == {}


def test_a_table_with_fewer_rows_than_usual_is_believed_if_it_stays_so(
    replica: Replica, publishers: Publishers, engine: Engine, tmp_path: Path
) -> None:
    publishers.set_mode(localities_path(), "header only")
    [key] = replica.on_demand.keys(COMMUNE, ["ban-localities"])
    replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
    assert replica.on_demand.load([key], 60.0) == {key: "failed"}
    with engine.begin() as connection:
        assert fetches.of_partition(connection, COMMUNE)[0].reason == f"{COMMUNE}: 0 rows, where at least 1 are usual"
        connection.execute(update(fetch).values(fetched_at="2020-01-01T00:00:00Z"))
    later = Replica(engine, publishers, tmp_path)
    assert later.on_demand.load([key], 60.0) == {key: "loaded"}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_says_of_no_dataset_that_a_fault_left_nothing(
    engine: Engine, publishers: Publishers, tmp_path: Path, fault: Mode
) -> None:
    """The parcel's plan is loaded; every other publisher fails."""
    publishers.set_mode("/", fault)
    for path in (*LISTS, "/cadastre"):
        publishers.set_mode(path, "ok")
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
    replica.on_demand.load(replica.on_demand.keys(COMMUNE), 60.0)
    with deadline(60.0):
        unit = unit_of(replica.pipeline, Selection(AddressQuery(), [parcel_id(1)]), DEFAULT_BLOCKS, "all")
    known = {name for name, (status, _) in coverage(unit).items() if status in ("covered", "not_published")}
    assert known == {"cadastre-parcels", "cadastre-buildings"}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_a_publisher_replaces_what_is_loaded(
    replica: Replica, publishers: Publishers, engine: Engine, fault: Mode
) -> None:
    """Tables of fewer rows than are compared may change: a commune has a few permits."""
    replica.on_demand.load(keys := replica.on_demand.keys(COMMUNE), 60.0)
    with engine.connect() as connection:
        before = {load.dataset: load.row_count for load in loads.of_partitions(connection, [COMMUNE])}
    publishers.set_mode("/", fault)
    wait([future for key in keys if (future := replica.on_demand.refresh(key, "9999"))], 60.0)
    with engine.connect() as connection:
        after = {load.dataset: load.row_count for load in loads.of_partitions(connection, [COMMUNE])}
    assert before["ban"] >= MIN_COMPARED
    assert {name for name, count in after.items() if count < before[name]} <= LOADED.get(fault, set())
