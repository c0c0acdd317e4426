"""A load that is killed: its changes are stored with it, or neither are. Each becomes an event once, whenever the
process that makes events is killed.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from land_builders import COMMUNE, dvf_row, load, parcel, square
from sqlalchemy import Engine

from land.datasets.partitions import Partition
from land.events.matching import match_changes
from land.events.watches import Watches
from land.store import loads

pytestmark = pytest.mark.thorough

PARCEL, OWNER = f"{COMMUNE}000AB0001", "all partner-1"
LOAD = """
import os, signal, sys
from land_builders import COMMUNE, dvf_row, load
from land.events import matching, recording
from land.loading import loader
from servicekit.database import open_engine

def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

place, before = {
    "rows": (loader.registry, "replace_rows"),
    "changes": (recording.events, "put_changes"),
    "load": (loader.loads, "put"),
    "fetches": (loader.fetches, "forget"),
    "commit": (loader, "replace_partition"),
    "match": (matching, "_events_of"),
    "take": (matching.events, "take_changes"),
    "events": (matching.events, "add_events"),
    "matched": (matching, "match_changes"),
}[sys.argv[2]]
run = getattr(place, before)

def run_and_die(*arguments, **options):
    run(*arguments, **options)
    die()

setattr(place, before, run_and_die)
import land_builders
land_builders.replace_partition = loader.replace_partition
engine = open_engine(f"sqlite:///{sys.argv[1]}", pool_size=2)
load(engine, "dvf", COMMUNE, [dvf_row(f"{COMMUNE}000AB0001", valeur_fonciere=1.0)], part="2021", edition="e2")
matching.match_changes(engine, 10)
"""
STORED = ("commit", "match", "take", "events", "matched")
"""The steps after which the load is stored."""


@pytest.mark.parametrize("step", ["rows", "changes", "load", "fetches", *STORED])
def test_a_load_that_is_killed_after_a_step(engine: Engine, tmp_path: Path, step: str) -> None:
    load(engine, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    watches = Watches(engine, 1, 1)
    watches.create(OWNER, None, [PARCEL], "", None)
    load(engine, "dvf", COMMUNE, [dvf_row(PARCEL)], part="2021")
    command = [sys.executable, "-c", LOAD, str(tmp_path / "land.sqlite"), step]
    path = str(Path(__file__).parents[1])
    ended = subprocess.run(command, env={"PYTHONPATH": path}, check=False, capture_output=True, timeout=120)
    assert ended.returncode == -9, ended.stderr
    with engine.connect() as connection:
        found = loads.find(connection, "dvf", Partition(COMMUNE, "2021"))
    assert found
    assert (found.edition == "e2") == (step in STORED)
    assert len(watches.events(OWNER, 0, 10)) == (step == "matched")
    match_changes(engine, 10)
    assert len(watches.events(OWNER, 0, 10)) == (step in STORED)
    load(engine, "dvf", COMMUNE, [dvf_row(PARCEL, valeur_fonciere=1.0)], part="2021", edition="e2")
    match_changes(engine, 10)
    assert len(watches.events(OWNER, 0, 10)) == 1
