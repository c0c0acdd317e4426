"""keys on a primary with a synchronous standby. The primary is lost under load, and the standby promoted.

`FAILOVERS=8 make test ARGS="tests/e2e/test_failover.py --log-cli-level=WARNING"` repeats it, with kills and partitions,
and logs how long each took.
"""

import asyncio
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clusters import Cluster, running

from containers import freeze, thaw
from embedded.processes import free_ports
from partners import Log, load, until
from replicas import LOOPBACK, Backends, edges

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.docker

FAILOVERS = int(os.environ.get("FAILOVERS", "1"))
QUOTA = 900 * FAILOVERS
BEFORE = 200
"""Requests that are served before each failover."""
CLIENTS = 6
SYNCHRONOUS = 'ANY 1 ("db-a", "db-b")'


@pytest.fixture(scope="module")
def cluster(docker_engine: None) -> Iterator[Cluster]:
    with running(Cluster(("db-a", "db-b"), synchronous=SYNCHRONOUS)) as made:
        yield made


@pytest.fixture(scope="module")
def backends(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    made = Backends(
        tmp_path_factory.mktemp("failover"),
        cluster.url("db-a", "db-b"),
        keys_ports=free_ports(LOOPBACK, 2),
        metrics_ports=free_ports(LOOPBACK, 2),
        keys_settings={"KEYS_DATABASE_COPIES": "2", "KEYS_REPLICAS": "2"},
    )
    with made.running():
        yield made


def isolate(cluster: Cluster, primary: str, standby: str) -> None:
    """Promotes the standby while the primary is frozen, then lets both run. The former one must not
    acknowledge a commit.
    """
    container = cluster.compose("ps", "--quiet", primary)
    freeze(container)
    cluster.ha(standby, "promote", "alone")
    thaw(container)
    insert = "INSERT INTO write_probes (id) VALUES ('\\x00')"
    with pytest.raises(RuntimeError, match="status 124"):  # it still waited for its standby
        cluster.compose("exec", "-T", primary, "timeout", "5", "psql", "-U", "postgres", "-c", insert)
    cluster.compose("kill", primary)


def kill(cluster: Cluster, primary: str, standby: str) -> None:
    cluster.compose("kill", primary)
    cluster.ha(standby, "promote", "alone")


async def test_a_failover_loses_no_event_counts_none_twice_and_grants_nothing_beyond_the_quota(
    cluster: Cluster, backends: Backends, tmp_path: Path
) -> None:
    key = backends.create_key("failover", "--monthly-units", str(QUOTA))
    with edges(backends, tmp_path / "spool") as made:
        async with load([made[0].url], key.secret, CLIENTS) as log:
            for number in range(FAILOVERS):
                await fail_over(cluster, log, number)
            while not log.statuses[429]:
                await log_more(log)
        for edge in made:
            await asyncio.to_thread(edge.process.stop)
        assert os.listdir(made[0].spool) == []
    counts = await backends.counts(key.key_id)
    assert log.unanswered == 0
    assert set(log.statuses) == {200, 429, 503}
    assert counts.units == log.served
    assert counts.units + counts.reserved_units <= QUOTA
    assert log.served >= QUOTA - FAILOVERS * CLIENTS  # grants of requests whose answer was lost stay reserved


async def fail_over(cluster: Cluster, log: Log, number: int) -> None:
    primary, standby = ("db-a", "db-b")[:: -1 if number % 2 else 1]
    await log.more(BEFORE)
    began = time.monotonic()
    await asyncio.to_thread(isolate if number % 4 in {1, 2} else kill, cluster, primary, standby)
    promoted = time.monotonic()
    await log_more(log)
    served = time.monotonic()
    logger.warning("failover: %.1f s, %.1f s of them after the promotion", served - began, served - promoted)
    cluster.compose("start", primary)
    await asyncio.to_thread(cluster.wait_for_standbys, standby, 1)
    cluster.ha(standby, "copies")


async def log_more(log: Log) -> None:
    """Waits until one more request is served or refused for its quota."""
    done = log.served + log.statuses[429]
    await until(lambda: log.served + log.statuses[429] > done)
