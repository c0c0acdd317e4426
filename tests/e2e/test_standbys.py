"""land reads from two streaming standbys of its database. One is killed under load, and the other falls behind.

`LOAD_S=120 make test ARGS=tests/e2e/test_standbys.py` keeps up the load for longer.
"""

import asyncio
import contextlib
import os
import re
import secrets
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import grpc
import httpx
import pytest
from google.protobuf.message import Message

from databases import IMAGE
from embedded.processes import free_ports, program
from landpartner.land.v1 import land_pb2, land_pb2_grpc
from partners import until
from replicas import LOOPBACK, Replica, serving
from replication import Server, replicated, url
from servicekit.callers import entry
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel
from stacks import PATIENCE_S

pytestmark = pytest.mark.docker

LOAD_S = float(os.environ.get("LOAD_S", "0"))
"""How long the load goes on after each step."""
CLIENTS = 4
MAX_LAG_S = 2
ANSWERS_WITHIN_S = 30.0
QUERY = land_pb2.AddressQuery(label="1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction")
RESOLVE = land_pb2.ResolveAddressesRequest(requests=[land_pb2.ResolveAddressRequest(query=QUERY)])
UNIT = land_pb2.GetLandUnitRequest(parcel_ids=["00001000AA0001"])


@dataclass
class Land:
    """One process of land, and its metrics."""

    target: str
    metrics: str
    token: str

    async def reads(self) -> dict[str, float]:
        """Answers by the kind of server that they were read from."""
        async with httpx.AsyncClient() as client:
            page = (await client.get(self.metrics)).text
        samples = re.findall(r'^land_reads_total{server="(\w+)"} (\S+)', page, re.MULTILINE)
        return {kind: float(count) for kind, count in samples}


@pytest.fixture(scope="module")
def servers(docker_engine: None) -> Iterator[list[Server]]:
    """A primary and two standbys."""
    with replicated(2, image=IMAGE) as servers:
        yield servers


@pytest.fixture(scope="module")
def land(servers: list[Server], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Land]:
    folder = tmp_path_factory.mktemp("land")
    port, metrics_port = free_ports(LOOPBACK, 2)
    token = secrets.token_hex(16)
    environment = {
        "LAND_DATABASE_URL": url(servers[0]),
        "LAND_STANDBY_URL": url(*servers[1:]),
        "LAND_STANDBY_LAG_S": str(MAX_LAG_S),
        "LAND_DATA_DIR": str(folder / "land"),
        "LAND_ON_DEMAND": "off",
        "LAND_CALLERS": entry("edge", token),
        "LAND_HOST": LOOPBACK,
        "LAND_PORT": str(port),
        "LAND_METRICS_PORT": str(metrics_port),
    }
    for command in ("migrate", "demo"):
        subprocess.run([program("land"), command], env={**os.environ, **environment}, check=True, capture_output=True)
    target = f"{LOOPBACK}:{port}"
    with serving([Replica("land", environment, folder / "land.log", lambda: is_serving(target, timeout_s=1))]):
        yield Land(target, f"http://{LOOPBACK}:{metrics_port}/metrics", token)


@dataclass
class Answers:
    count: int = 0
    failures: list[str] = field(default_factory=list)
    different: set[bytes] = field(default_factory=set)
    """The serialized answers, without duplicates."""

    async def more(self, count: int = 100) -> None:
        enough, ends = self.count + count, time.monotonic() + LOAD_S
        await until(lambda: self.count >= enough and time.monotonic() >= ends, PATIENCE_S + LOAD_S)


@contextlib.asynccontextmanager
async def asking(land: Land) -> AsyncIterator[Answers]:
    """Clients that send requests to land until the end of the block."""
    answers, ending = Answers(), asyncio.Event()

    async def ask(calls: Sequence[Callable[..., Awaitable[Message]]]) -> None:
        while not ending.is_set():
            for call in calls:
                try:
                    answer = await call(**Outgoing(land.token)(ANSWERS_WITHIN_S))
                except grpc.aio.AioRpcError as error:
                    answers.failures.append(f"{error.code()} {error.details()}")
                else:
                    answers.different.add(answer.SerializeToString(deterministic=True))
                    answers.count += 1
                await asyncio.sleep(0.01)

    async with open_channel(land.target) as channel, asyncio.TaskGroup() as group:
        stub = land_pb2_grpc.LandServiceStub(channel)
        calls = (partial(stub.ResolveAddresses, RESOLVE), partial(stub.GetLandUnit, UNIT))
        for _ in range(CLIENTS):
            group.create_task(ask(calls))
        try:
            yield answers
        finally:
            ending.set()


async def more_reads(land: Land, kind: str) -> None:
    """Waits until more answers were read from this kind of server."""
    before = (await land.reads()).get(kind, 0)
    async with asyncio.timeout(PATIENCE_S):
        while (await land.reads()).get(kind, 0) <= before:  # noqa: ASYNC110 (another process counts)
            await asyncio.sleep(0.1)


async def test_no_read_fails_when_a_standby_is_killed_and_another_falls_behind(
    servers: list[Server], land: Land
) -> None:
    primary, lost, lagging = servers
    async with asking(land) as answers:
        await more_reads(land, "standby")
        await answers.more()
        await asyncio.to_thread(lost.kill)
        await answers.more()
        await more_reads(land, "standby")  # the other one
        await asyncio.to_thread(lagging.execute, "SELECT pg_wal_replay_pause()")
        await asyncio.to_thread(primary.execute, "UPDATE revision SET value = value + 1 RETURNING value")
        await more_reads(land, "primary")
        await answers.more()  # those that began before have ended
        before = await land.reads()
        await answers.more()
        after = await land.reads()
        assert after["standby"] == before["standby"]
        await asyncio.to_thread(lagging.execute, "SELECT pg_wal_replay_resume()")
        await more_reads(land, "standby")
        await asyncio.to_thread(lost.start)
        await asyncio.to_thread(primary.wait_for_standbys, 2)
        await answers.more()
    assert answers.failures == []
    assert len(answers.different) == 2
