"""keys on a primary with a synchronous standby. The primary is lost under load, and the standby promoted."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedded.processes import free_ports
from partners import load, until
from replicas import LOOPBACK, Backends, edges, spooled
from replication import Server, replicated, url

pytestmark = pytest.mark.docker

QUOTA = 1_500
SERVED_BEFORE = 200
"""Requests that are served before the failover."""
CLIENTS = 6


@pytest.fixture
def servers(docker_engine: None) -> Iterator[list[Server]]:
    with replicated(1, image="postgres:17", is_synchronous=True) as primary_and_standby:
        yield primary_and_standby


@pytest.fixture
def backends(servers: list[Server], tmp_path: Path) -> Iterator[Backends]:
    backends = Backends(
        tmp_path,
        url(*servers),
        keys_ports=free_ports(LOOPBACK, 2),
        metrics_ports=free_ports(LOOPBACK, 2),
        keys_settings={"KEYS_DATABASE_COPIES": "2", "KEYS_REPLICAS": "2"},
    )
    with backends.running():
        yield backends


async def test_a_failover_loses_no_event_counts_none_twice_and_grants_nothing_beyond_the_quota(
    servers: list[Server], backends: Backends, tmp_path: Path
) -> None:
    primary, standby = servers
    key = backends.create_key("failover", "--monthly-units", str(QUOTA))
    with edges(backends, tmp_path / "spool") as [edge]:
        async with load([edge.url], key.secret, CLIENTS) as log:
            await log.more(SERVED_BEFORE)
            await asyncio.to_thread(primary.kill)
            served_at_loss = log.served
            assert await asyncio.to_thread(standby.execute, "SELECT pg_promote()")
            await until(lambda: log.statuses[429] > 0)
        await asyncio.to_thread(edge.process.stop)
        assert spooled(edge.spool) == []
    counts = await backends.counts(key.key_id)
    assert log.unanswered == 0
    assert set(log.statuses) | {503} == {200, 429, 503}  # requests wait for a lease: a quick failover fails none
    assert served_at_loss < QUOTA
    assert counts.units == log.served
    assert counts.units + counts.reserved_units <= QUOTA
    assert log.served + counts.reserved_units == QUOTA  # a lease whose answer was lost stays reserved
