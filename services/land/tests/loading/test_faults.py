"""Loads that are killed or run out of disk space: readers see whole editions, and the next load completes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from published_files import (
    COMMUNE,
    SALE_YEARS,
    ban_file,
    ban_path,
    cadastre_file,
    cadastre_path,
    dvf_file,
    dvf_path,
    parcel_id,
)
from publishers import Publishers, local_publishers
from sqlalchemy import Engine, select

from land.datasets.addresses.street_queries import address
from land.datasets.parcels.queries import parcel
from land.datasets.sales.queries import sale
from land.store import fetches, loads
from land.store.snapshot import snapshot

pytestmark = pytest.mark.thorough

DATASETS = ("ban", "cadastre-parcels", "dvf")
OLD, NEW = list(range(1, 400)), list(range(200, 1_200))
KILLS = 8
Edition = tuple[tuple[int, ...], int, tuple[str, ...]]

_FORK_SERVER = """
import os, resource, sys
from dataclasses import replace
from pathlib import Path
from land.loading.on_demand import LoadLimits, OnDemand
from land.registry import HOSTS, at
from land.store import open_store
from pydantic import SecretStr

store, publishers, folder, commune, datasets = sys.argv[1:6]
bases = {name: f"{publishers}/{name}" for name in HOSTS}

def load(older_than):
    on_demand = OnDemand(open_store(SecretStr(store)), at(bases), Path(folder), LoadLimits(max_concurrent=2))
    on_demand.start()
    futures = [on_demand.refresh(key, older_than) for key in on_demand.keys(commune, datasets.split(","))]
    return 1 if any([future.exception() for future in futures]) else 0

for line in sys.stdin:
    older_than, limit = line.split()
    pid = os.fork()
    if pid == 0:
        if int(limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
        os._exit(load(older_than))
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


class ForkServer:
    """Forks a process for each load. A fork starts quickly, since the modules are already imported."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, older_than: str, limit_bytes: int = 0) -> int:
        """Starts a load of everything older than the instant. Returns its process id."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{older_than} {limit_bytes}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def status(self) -> int:
        """Waits until the load ends. Returns its exit status."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def fork_server(store: Engine, publishers: Publishers, folder: Path) -> Iterator[ForkServer]:
    url = store.url.render_as_string(hide_password=False)
    command = [sys.executable, "-c", _FORK_SERVER, url, publishers.url, str(folder), COMMUNE, ",".join(DATASETS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield ForkServer(process)
        finally:
            process.kill()


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    with local_publishers() as served:
        serve(served, OLD)
        yield served


def serve(publishers: Publishers, numbers: list[int]) -> None:
    publishers.files[ban_path()] = ban_file(numbers)
    publishers.files[cadastre_path()] = cadastre_file(numbers)
    publishers.files |= {dvf_path(year): dvf_file(39, year=year) for year in SALE_YEARS}
    publishers.files[dvf_path()] = dvf_file(numbers[0])


def seen(store: Engine) -> Edition:
    """The commune as a reader sees it in one snapshot."""
    with snapshot(store) as connection:
        numbers = connection.scalars(select(address.c.number).where(address.c.commune_code == COMMUNE))
        plots = connection.scalars(select(parcel.c.parcel_id).where(parcel.c.commune_code == COMMUNE))
        sold = connection.scalars(
            select(sale.c.id_parcelle).where(sale.c.commune_code == COMMUNE, sale.c.id_parcelle != parcel_id(39))
        )
        return tuple(sorted(numbers)), len(list(plots)), tuple(sold)


def edition_of(numbers: list[int]) -> Edition:
    return tuple(numbers), len(numbers), (f"{COMMUNE}000AB{numbers[0]:04}",)


def is_whole(edition: Edition) -> bool:
    """Whether each dataset is the old edition or the new one."""
    both = edition_of(OLD), edition_of(NEW)
    return all(part in (old, new) for part, old, new in zip(edition, *both, strict=True))


def test_killed_at_any_moment_readers_see_whole_editions_and_the_next_load_completes(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    with fork_server(store, publishers, tmp_path) as started:
        started.start("2000-01-01T00:00:00Z")
        assert started.status() == 0
        assert seen(store) == edition_of(OLD)
        serve(publishers, NEW)
        mixtures: list[Edition] = []
        reading_on = threading.Event()

        def read_on() -> None:
            while not reading_on.is_set():
                edition = seen(store)
                if not is_whole(edition):
                    mixtures.append(edition)

        reader = threading.Thread(target=read_on)
        reader.start()
        statuses = []
        for kill in range(KILLS):
            pid = started.start("2100-01-01T00:00:00Z")
            time.sleep(0.05 * 1.5**kill)
            _kill(pid)
            statuses.append(started.status())
        started.start("2100-01-01T00:00:00Z")
        assert started.status() == 0
        reading_on.set()
        reader.join()
    assert mixtures == []
    assert -signal.SIGKILL in statuses
    assert seen(store) == edition_of(NEW)
    with store.connect() as connection:
        assert fetches.present(connection, [COMMUNE]) == {(dataset, COMMUNE) for dataset in DATASETS}


def test_a_dataset_whose_first_load_was_killed_counts_as_missing(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    publishers.set_mode(dvf_path(), "hanging")
    with fork_server(store, publishers, tmp_path) as started:
        pid = started.start("2000-01-01T00:00:00Z")
        while dvf_path() not in publishers.requests:
            time.sleep(0.02)
        _kill(pid)
        assert started.status() == -signal.SIGKILL
        with store.connect() as connection:
            assert ("dvf", COMMUNE) not in fetches.present(connection, [COMMUNE])
        publishers.set_mode(dvf_path(), "ok")
        publishers.released.set()
        started.start("2000-01-01T00:00:00Z")
        assert started.status() == 0
    assert seen(store) == edition_of(OLD)


def test_without_disk_space_nothing_changes_and_with_it_the_load_completes(
    store: Engine, publishers: Publishers, tmp_path: Path
) -> None:
    """The process may only write small files: first too small for a download, then for new pages of SQLite."""
    with fork_server(store, publishers, tmp_path) as started:
        started.start("2000-01-01T00:00:00Z")
        assert started.status() == 0
        serve(publishers, NEW)
        for room_bytes in (20_000, 200_000) if store.dialect.name == "sqlite" else (20_000,):
            started.start("2100-01-01T00:00:00Z", room_bytes)
            assert started.status() == 1
            assert is_whole(seen(store))
            assert seen(store)[0] == tuple(OLD)
        started.start("2100-01-01T00:00:00Z")
        assert started.status() == 0
    assert seen(store) == edition_of(NEW)
    with store.connect() as connection:
        assert {load.dataset for load in loads.of_partitions(connection, [COMMUNE])} == set(DATASETS)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):  # the load has ended
        os.kill(pid, signal.SIGKILL)
