"""Every fault of a publisher, for every dataset that loads on demand: what is unknown is never none."""

from concurrent.futures import wait
from pathlib import Path
from typing import get_args

import pytest
from land_builders import coverage, unit_of
from land_replica import Replica
from published_files import COMMUNE, SITADEL, parcel_id
from publishers import Mode, Publishers
from sqlalchemy import Engine

from contract.blocks import DEFAULT_BLOCKS
from land.addresses.model import AddressQuery
from land.loading.loader import MIN_COMPARED
from land.selection import Selection
from land.store import loads
from servicekit.context import deadline

FAULTS = [mode for mode in get_args(Mode) if mode not in ("ok", "slow", "hanging", "truncated once")]
LISTS = ("/cog", "/postcodes")
MAY_BE_EMPTY = {"ban-localities", *SITADEL}
"""A commune may have none of them: its file then has a header only."""
LOADED = {"header only": MAY_BE_EMPTY, "cut at a line": MAY_BE_EMPTY}
"""What a table lost that ends at a line is not known at its first load, unless `least_rows` tells it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_a_publisher_is_taken_for_a_commune_without_rows(
    engine: Engine, publishers: Publishers, tmp_path: Path, fault: Mode
) -> None:
    publishers.set_mode("/", fault)
    for path in LISTS:
        publishers.set_mode(path, "ok")
    replica = Replica(engine, publishers, tmp_path / "land")
    replica.on_demand.load(replica.on_demand.national_keys(), 60.0)
    states = replica.on_demand.load(replica.on_demand.keys(COMMUNE), 60.0)
    assert len(states) >= 25
    loaded = {key.dataset for key, state in states.items() if state != "failed"}
    assert loaded == LOADED.get(fault, set())


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
    assert known == {"cadastre-parcels", "cadastre-buildings", *(SITADEL if fault == "header only" else ())}


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
