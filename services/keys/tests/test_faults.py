"""Replicas of the real process on one PostgreSQL. They are killed, or keys change while they serve."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import grpc
import pytest
from keys_world import World
from serving import until

from keys.admin import key_changes
from keys.clock import system_clock
from keys.issuing.hashing import Peppers
from keys.quota.months import month_of
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.endpoints import GEOJSON
from servicekit.rpc_client import Outgoing, open_channel

pytestmark = pytest.mark.docker

PEPPERS = f"1:{bytes(range(32)).hex()}"
CALL = Outgoing("token")


class Replica:
    """One `keys serve` process with a separate port."""

    def __init__(self, url: str, **more: str) -> None:
        settings = {
            "KEYS_DATABASE_URL": url,
            "KEYS_PEPPERS": PEPPERS,
            "KEYS_CALLERS": entry("edge", "token"),
            "KEYS_LAPSE_INTERVAL_S": "0.2",
            "KEYS_DRAIN_S": "2",
            **more,
        }
        command = [sys.executable, "-c", "from keys.cli import main; main()", "serve"]
        self._process = subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if "port" in (record := json.loads(line)):
                self.target = f"127.0.0.1:{record['port']}"
                return
        raise AssertionError(f"keys ended with {self._process.wait()}")

    def kill(self) -> None:
        """Kills the process."""
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def stop(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)


@contextlib.contextmanager
def replicas(url: str, count: int, **more: str) -> Iterator[list[Replica]]:
    with contextlib.ExitStack() as stack:
        started = []
        for _ in range(count):
            replica = Replica(url, **more)
            stack.callback(replica.stop)
            started.append(replica)
        yield started


@contextlib.asynccontextmanager
async def stubs(running: list[Replica]) -> AsyncIterator[list[keys_pb2_grpc.KeysServiceAsyncStub]]:
    async with contextlib.AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(open_channel(replica.target)) for replica in running]
        yield [keys_pb2_grpc.KeysServiceStub(channel) for channel in channels]


@pytest.fixture
def world(migrated_postgres: str, open_world: Callable[..., World]) -> World:
    return open_world(migrated_postgres, clock=system_clock, peppers=Peppers.parse(PEPPERS))


def query(api_key: str, endpoint: str = "addresses.resolve") -> keys_pb2.AuthorizationQuery:
    return keys_pb2.AuthorizationQuery(reservation_id=secrets.token_bytes(16), api_key=api_key, endpoint=endpoint)


async def authorize(
    stub: keys_pb2_grpc.KeysServiceAsyncStub, *queries: keys_pb2.AuthorizationQuery
) -> list[keys_pb2.AuthorizationDecision]:
    response = await stub.Authorize(keys_pb2.AuthorizeRequest(queries=queries), **CALL(60.0))
    return list(response.decisions)


async def decide(
    stub: keys_pb2_grpc.KeysServiceAsyncStub, *queries: keys_pb2.AuthorizationQuery
) -> list[keys_pb2.AuthorizationDecision]:
    """Retries, as a client does, while a lock times out."""
    decisions: list[keys_pb2.AuthorizationDecision] = []

    async def are_decided() -> bool:
        decisions[:] = await authorize(stub, *queries)
        return not any(decision.HasField("failure") for decision in decisions)

    await until(are_decided)
    return decisions


async def test_two_hundred_clients_over_three_replicas_get_exactly_the_quota(
    world: World, migrated_postgres: str
) -> None:
    issued = world.key(quota={"monthly_units": 1_000})
    with replicas(migrated_postgres, 3) as running:
        async with stubs(running) as over:

            async def client(number: int) -> int:
                granted = 0
                for turn in range(4):
                    stub = over[(number + turn) % 3]
                    decisions = await decide(stub, query(issued.secret.text), query(issued.secret.text))
                    granted += sum(decision.HasField("grant") for decision in decisions)
                return granted

            assert sum(await asyncio.gather(*map(client, range(200)))) == 1_000
    counts = world.month(issued.record.id, month_of(system_clock()))
    assert (counts["reserved_units"], counts["requests"], counts["errors"]) == (1_000, 600, 600)


async def test_a_replica_that_is_stopped_counts_the_requests_it_refused(world: World, migrated_postgres: str) -> None:
    issued = world.key(scopes=(GEOJSON,))
    with replicas(migrated_postgres, 1, KEYS_REFUSAL_FLUSH_S="600") as (only,):
        async with stubs([only]) as (stub,):
            for _ in range(3):
                await authorize(stub, query(issued.secret.text), query(issued.secret.text))
        assert world.month(issued.record.id, month_of(system_clock())) == {}
    assert world.month(issued.record.id, month_of(system_clock())) == {"requests": 6, "errors": 6}


@pytest.mark.parametrize("change", ["revoke", "rotate", "disable partner", "narrow scope", "lower quota"])
async def test_no_request_is_granted_after_a_change_was_acknowledged(
    world: World, migrated_postgres: str, change: str
) -> None:
    issued = world.key(quota={"monthly_units": 1_000_000})
    with replicas(migrated_postgres, 2) as running:
        async with stubs(running) as over:
            granted, answered = asyncio.Event(), asyncio.Event()

            async def client(number: int) -> tuple[int, int]:
                before = after = 0
                for _ in range(1_000):
                    was_answered = answered.is_set()
                    (decision,) = await authorize(over[number % 2], query(issued.secret.text))
                    if was_answered:
                        after += decision.HasField("grant")
                        break
                    if decision.HasField("grant"):
                        before += 1
                        granted.set()
                return before, after

            clients = [asyncio.create_task(client(number)) for number in range(16)]
            async with asyncio.timeout(60):
                await granted.wait()
            await asyncio.to_thread(make, world, issued.record.id, change)
            answered.set()
            outcomes = await asyncio.gather(*clients)
    assert sum(before for before, _ in outcomes) > 0
    assert sum(after for _, after in outcomes) == 0


def make(world: World, key_id: str, change: str) -> None:
    if change == "revoke":
        world.revoke(key_id)
    elif change == "rotate":
        world.rotate(key_id, timedelta(0))
    elif change == "disable partner":
        with world.change() as at:
            partner = key_changes.update(at, key_id, lambda key: key.draft()).partner
        world.change_partner(partner.id, is_active=False)
    else:
        with world.change() as at:
            key_changes.update(
                at,
                key_id,
                lambda key: (
                    replace(key.draft(), scopes=(GEOJSON,))
                    if change == "narrow scope"
                    else replace(key.draft(), quota=replace(key.quota, monthly_units=0))
                ),
            )


async def test_a_replica_killed_between_counting_and_acknowledging_counts_once(
    world: World, migrated_postgres: str
) -> None:
    issued = world.key()
    with replicas(migrated_postgres, 1) as (steady,):
        async with stubs([steady]) as (stub,):
            decisions = []
            for _ in range(10):
                decisions += await authorize(stub, *(query(issued.secret.text) for _ in range(40)))
            outcomes = [
                keys_pb2.Outcome(
                    event_id=secrets.token_bytes(16),
                    reservation_id=decision.reservation_id,
                    key_id=issued.record.id,
                    endpoint="addresses.resolve",
                    status=200,
                    latency_us=1_000,
                )
                for decision in decisions
            ]
            acknowledged: set[bytes] = set()

            async def ship(to: keys_pb2_grpc.KeysServiceAsyncStub, batch: list[keys_pb2.Outcome]) -> None:
                request = keys_pb2.RecordOutcomesRequest(outcomes=batch)
                with contextlib.suppress(grpc.aio.AioRpcError):
                    acknowledged.update((await to.RecordOutcomes(request, **CALL(60.0))).acknowledged)

            batches = [outcomes[start : start + 10] for start in range(0, 400, 10)]
            for _ in range(2):
                doomed = Replica(migrated_postgres)
                async with stubs([doomed]) as (victim,):
                    shipping = [asyncio.create_task(ship(victim, batch)) for batch in batches]
                    await asyncio.sleep(0.05)
                    doomed.kill()
                    await asyncio.gather(*shipping)
            for batch in batches:
                await ship(stub, batch)
    assert acknowledged == {outcome.event_id for outcome in outcomes}
    counts = world.month(issued.record.id, month_of(system_clock()))
    assert counts == {"requests": 400, "units": 400}
