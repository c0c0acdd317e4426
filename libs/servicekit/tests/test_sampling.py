"""Metrics that a thread reads."""

import threading
from pathlib import Path

from prometheus_client import REGISTRY

from servicekit import sampling
from servicekit.database import open_engine
from servicekit.pool_metrics import sample_pool
from servicekit.sampling import Sampler
from servicekit.workers import Workers


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def test_a_reading_that_fails_stops_no_other() -> None:
    both, count = threading.Event(), 0

    def fail() -> None:
        raise ConnectionError

    def read() -> None:
        nonlocal count
        count += 1
        if count == 2:
            both.set()

    sampler = Sampler([fail, read], interval_s=0.001)
    sampler.start()
    assert both.wait(60)
    sampler.end()


def test_a_slow_reading_runs_once_in_its_interval_and_again_after_an_error() -> None:
    count = 0

    def fail_once() -> None:
        nonlocal count
        count += 1
        if count == 1:
            raise ConnectionError

    read = sampling.every(3600, fail_once)
    sampler = Sampler([read, read, read], interval_s=3600)
    sampler.end()
    sampler.start()
    sampler.join()
    assert count == 2


def test_disks_threads_and_connections_are_measured(tmp_path: Path) -> None:
    sampling.disk("test", tmp_path)()
    assert 0 < (value("disk_free_bytes", volume="test") or 0) <= (value("disk_size_bytes", volume="test") or 0)
    workers = Workers(3)
    workers.sample()
    assert (value("workers_threads"), value("workers_unfinished")) == (3, 0)
    workers.close()
    engine = open_engine(f"sqlite:///{tmp_path / 'test.sqlite'}", pool_size=5)
    with engine.connect():
        sample_pool(engine)
    assert (value("database_connections_in_use"), value("database_connections_max")) == (1, 5)
    engine.dispose()
