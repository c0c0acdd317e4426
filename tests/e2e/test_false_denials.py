"""No edge answers 429 while units are free or may come back, with real processes that are stopped, killed or late."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from held_calls import Call, proxy

import databases
from landpartner.keys.v1 import keys_pb2
from partners import Log, ask, http, post
from replicas import Backends, Edge, IssuedKey, edges

pytestmark = pytest.mark.docker

SHORT_DEADLINE = {"EDGE_KEYS_DEADLINE_S": "2"}
LEASE_ENDED_S = 1.5
"""After it, an edge has ended its lease, which lasts a second."""
PAUSE_S = 11.0


@pytest.fixture(scope="module")
def backends(docker_engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    with databases.server(tmp_path_factory) as server, databases.database(server, "denials") as url:
        services = Backends(tmp_path_factory.mktemp("replicas"), url)
        with services.running():
            yield services


@pytest.fixture(scope="module")
def pair(backends: Backends, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Edge]]:
    spool = tmp_path_factory.mktemp("spool")
    with edges(backends, spool, spool, **SHORT_DEADLINE) as pair:
        yield pair


async def statuses_until(client: httpx.AsyncClient, edge: Edge, key: IssuedKey, ending: int) -> list[int]:
    """The statuses other than 503 until this one."""
    statuses: list[int] = []
    while ending not in statuses:
        response = await post(client, edge.url, key.secret)
        if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            assert int(response.headers["retry-after"]) > 0
        else:
            statuses.append(response.status_code)
    return statuses


async def reserves(backends: Backends, key: IssuedKey, units: int) -> None:
    while (await backends.counts(key.key_id)).reserved_units != units:  # noqa: ASYNC110 (keys is another process)
        await asyncio.sleep(0.02)


async def test_units_of_requests_that_may_still_fail_are_not_denied(backends: Backends, pair: list[Edge]) -> None:
    first, second = pair
    key = backends.create_key("under way", "--monthly-units", "5")
    async with http() as client, asyncio.timeout(60):
        with backends.land.paused():
            under_way = [asyncio.create_task(post(client, first.url, key.secret)) for _ in range(5)]
            await reserves(backends, key, 5)
            await asyncio.sleep(LEASE_ENDED_S)
            other = await post(client, second.url, key.secret)
            assert (other.status_code, other.headers["retry-after"]) == (503, "1")
            await asyncio.to_thread(backends.land.kill)
        assert {response.status_code for response in await asyncio.gather(*under_way)} == {503}
        await asyncio.to_thread(backends.land.start)
        assert await statuses_until(client, second, key, 200) == [200]
    assert (await backends.settled(key.key_id)).units == 1


async def test_what_a_stopped_edge_has_leased_is_not_denied(backends: Backends, pair: list[Edge]) -> None:
    first, second = pair
    key = backends.create_key("stopped", "--monthly-units", "10")
    log = Log()
    async with http() as client, asyncio.timeout(90):
        await asyncio.gather(*(ask(client, first.url, key.secret, log) for _ in range(4)))
        await ask(client, first.url, key.secret, log)
        with first.process.paused():  # it has leased what its last second used, and has not ended the lease
            assert log.statuses == {200: 5}
            stopped_at = asyncio.get_running_loop().time()
            while await ask(client, second.url, key.secret, log) == httpx.codes.OK:
                pass
            assert log.served < 10, "the stopped edge has leased nothing"
            await asyncio.sleep(stopped_at + PAUSE_S - asyncio.get_running_loop().time())
            await ask(client, second.url, key.secret, log)
            assert log.statuses == {200: log.served, 503: 2}
        served = await statuses_until(client, second, key, 429)
    assert log.served + served.count(200) == 10
    assert (await backends.settled(key.key_id)).units == 10


async def test_a_lease_that_comes_after_its_end_holds_nothing(backends: Backends, tmp_path: Path) -> None:
    key = backends.create_key("late", "--monthly-units", "1")
    is_ended, is_leased = asyncio.Event(), asyncio.Event()
    held: list[bytes] = []

    async def serve(method: str, message: bytes, call: Call) -> bytes:
        is_held = method.endswith("/Lease") and not held
        if is_held:
            held.append(keys_pb2.LeaseRequest.FromString(message).lease_id)
            await is_ended.wait()
        answer = await call(message)
        if is_held:
            is_leased.set()
        elif method.endswith("/Settle") and set(held) & set(keys_pb2.SettleResponse.FromString(answer).acknowledged):
            is_ended.set()
        return answer

    async with proxy(backends.keys_target, backends.token, serve) as target, http() as client, asyncio.timeout(60):
        with edges(backends, tmp_path / "spool", EDGE_KEYS_TARGET=target, **SHORT_DEADLINE) as [edge]:
            response = await post(client, edge.url, key.secret)
            assert response.status_code == httpx.codes.SERVICE_UNAVAILABLE
            await is_leased.wait()
            assert (await backends.counts(key.key_id)).reserved_units == 0
            assert (await post(client, edge.url, key.secret)).status_code == httpx.codes.OK
