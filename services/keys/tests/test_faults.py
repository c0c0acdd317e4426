"""Replicas of the real process on one PostgreSQL. They are killed, or keys change while they serve."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import grpc
import pytest
from keys_world import World
from serving import until

import databases
from contract.endpoints import GEOJSON, RESOLVE
from embedded.processes import free_ports
from keys.clock import system_clock
from keys.errors import Blocked
from keys.keys import changes as key_changes
from keys.keys.hashing import Peppers
from keys.months import month_of
from keys.store.database import Database
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from replicas import Replica
from servicekit.callers import entry
from servicekit.healthcheck import is_serving
from servicekit.rpc_client import Outgoing, open_channel

pytestmark = pytest.mark.docker

PEPPERS = f"1:{bytes(range(32)).hex()}"
CALL = Outgoing("token")
QUOTA = 500


class KeysReplica(Replica):
    """One `keys serve` process with a separate port."""

    def __init__(self, url: str, folder: Path) -> None:
        [port] = free_ports("127.0.0.1", 1)
        self.target = f"127.0.0.1:{port}"
        settings = {
            "KEYS_DATABASE_URL": url,
            "KEYS_PEPPERS": PEPPERS,
            "KEYS_CALLERS": entry("edge", "token"),
            "KEYS_HOST": "127.0.0.1",
            "KEYS_PORT": str(port),
            "KEYS_LAPSE_INTERVAL_S": "0.2",
            "KEYS_DRAIN_S": "2",
        }
        is_ready = partial(is_serving, self.target, timeout_s=1)
        super().__init__("keys", settings, folder / f"keys-{port}.log", is_ready)
        self.start()


@pytest.fixture(scope="module")
def database_url(postgres_url: str) -> Iterator[str]:
    """The URL of a database that the replicas and all tests share. Each test has its own key."""
    with databases.database(postgres_url, "keys") as url:
        with contextlib.closing(Database(url)) as database:
            database.migrate()
        yield url


@pytest.fixture(scope="module")
def replicas(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[KeysReplica]]:
    with contextlib.ExitStack() as stack:
        started = []
        for _ in range(3):
            replica = KeysReplica(database_url, tmp_path_factory.mktemp("keys"))
            stack.callback(replica.stop)
            started.append(replica)
        yield started


@contextlib.asynccontextmanager
async def stubs(running: list[KeysReplica]) -> AsyncIterator[list[keys_pb2_grpc.KeysServiceAsyncStub]]:
    async with contextlib.AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(open_channel(replica.target)) for replica in running]
        yield [keys_pb2_grpc.KeysServiceStub(channel) for channel in channels]


@pytest.fixture
def world(database_url: str, open_world: Callable[..., World]) -> World:
    return open_world(database_url, clock=system_clock, peppers=Peppers.parse(PEPPERS))


def request_of(api_key: str, count: int = 1, holder: bytes = b"h" * 16) -> keys_pb2.LeaseRequest:
    return keys_pb2.LeaseRequest(
        lease_id=secrets.token_bytes(16),
        holder=holder,
        api_key=api_key,
        endpoint=RESOLVE,
        expected=keys_pb2.Counters(units=count, requests=count),
    )


def outcome_of(request: keys_pb2.LeaseRequest, grant: keys_pb2.LeaseGrant) -> keys_pb2.Outcome:
    """The outcome of a request that took one unit of a lease."""
    return keys_pb2.Outcome(
        event_id=secrets.token_bytes(16),
        lease_id=request.lease_id,
        key_id=grant.terms.key_id,
        endpoint=RESOLVE,
        status=200,
        latency_us=1_000,
        occurred_at=grant.leased_at,
        leased_at=grant.leased_at,
        units=1,
    )


async def settle(stub: keys_pb2_grpc.KeysServiceAsyncStub, request: keys_pb2.SettleRequest) -> set[bytes]:
    """Settles, and sends again what is postponed, as an edge does. Returns the acknowledged ids."""
    acknowledged: set[bytes] = set()

    async def is_settled() -> bool:
        answer = await stub.Settle(request, **CALL(60.0))
        acknowledged.update(answer.acknowledged)
        return not answer.postponed

    await until(is_settled)
    return acknowledged


async def test_twenty_edges_at_three_replicas_get_exactly_the_quota(world: World, replicas: list[KeysReplica]) -> None:
    """Each leases more than it uses, and returns the rest."""
    issued = world.key(quota={"monthly_units": QUOTA})
    async with stubs(replicas) as over:

        async def edge(number: int) -> int:
            used = 0
            while True:
                stub = over[(number + used) % 3]
                request = request_of(issued.secret.text, 20, bytes([number] * 16))
                try:
                    answer = await stub.Lease(request, **CALL(60.0))
                except grpc.aio.AioRpcError:  # the lock of the key timed out, or too many wait
                    continue
                if answer.HasField("denial"):
                    assert answer.denial.code == "quota_exhausted"
                    return used
                if answer.HasField("later"):
                    await asyncio.sleep(answer.later.retry_after_ms / 5_000)
                    continue
                left = answer.grant.counters
                count = min(1 + number % 7, left.units, left.requests)
                used += count
                unused = keys_pb2.Counters(units=left.units - count, requests=left.requests - count)
                end = keys_pb2.LeaseEnd(lease_id=request.lease_id, key_id=issued.record.id, unused=unused)
                outcomes = [outcome_of(request, answer.grant) for _ in range(count)]
                await settle(stub, keys_pb2.SettleRequest(outcomes=outcomes, ended=[end]))

        assert sum(await asyncio.gather(*map(edge, range(20)))) == QUOTA
    assert world.month(issued.record.id, month_of(system_clock())) == {"requests": QUOTA, "units": QUOTA}
    assert not [lease for lease in world.leases() if lease.key_id == issued.record.id]


@pytest.mark.parametrize("change", ["revoke", "rotate", "disable partner", "narrow scope", "lower quota"])
async def test_no_request_is_granted_after_a_change_was_acknowledged(
    world: World, replicas: list[KeysReplica], change: str
) -> None:
    issued = world.key(partner=change, quota={"monthly_units": 1_000_000})
    async with stubs(replicas[:2]) as over:
        granted, answered = asyncio.Event(), asyncio.Event()

        async def client(number: int) -> tuple[int, int]:
            """Uses each lease to its end. Returns the uses before and after the answer to the change."""
            before = after = 0
            while not answered.is_set():
                asked_at = time.monotonic()
                with contextlib.suppress(grpc.aio.AioRpcError):  # the lock of the key timed out
                    answer = await over[number % 2].Lease(request_of(issued.secret.text), **CALL(60.0))
                    while time.monotonic() < asked_at + answer.grant.valid_ms / 1_000:
                        granted.set()
                        before, after = before + (not answered.is_set()), after + answered.is_set()
                        await asyncio.sleep(0.01)
                await asyncio.sleep(0.01)
            while True:
                with contextlib.suppress(grpc.aio.AioRpcError):
                    last = await over[number % 2].Lease(request_of(issued.secret.text), **CALL(60.0))
                    return before, after + last.HasField("grant")

        clients = [asyncio.create_task(client(number)) for number in range(16)]
        async with asyncio.timeout(60):
            await granted.wait()
        while True:
            with contextlib.suppress(Blocked):  # the requests hold the lock too long: the admin tries again
                await asyncio.to_thread(make, world, issued.record.id, change)
                break
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
    world: World, database_url: str, replicas: list[KeysReplica], tmp_path: Path
) -> None:
    issued = world.key()
    async with stubs(replicas[:1]) as (stub,):
        request = request_of(issued.secret.text, 400)
        grant = (await stub.Lease(request, **CALL(60.0))).grant
        assert grant.counters.requests == 400
        outcomes = [outcome_of(request, grant) for _ in range(400)]
        acknowledged: set[bytes] = set()

        async def ship(to: keys_pb2_grpc.KeysServiceAsyncStub, batch: list[keys_pb2.Outcome]) -> None:
            with contextlib.suppress(grpc.aio.AioRpcError):
                acknowledged.update(await settle(to, keys_pb2.SettleRequest(outcomes=batch)))

        batches = [outcomes[start : start + 10] for start in range(0, 400, 10)]
        for _ in range(2):
            doomed = KeysReplica(database_url, tmp_path)
            async with stubs([doomed]) as (victim,):
                shipping = [asyncio.create_task(ship(victim, batch)) for batch in batches]
                await asyncio.sleep(0.05)
                doomed.kill()
                await asyncio.gather(*shipping)
        for batch in batches:
            await ship(stub, batch)
    assert acknowledged == {outcome.event_id for outcome in outcomes}
    assert world.month(issued.record.id, month_of(system_clock())) == {"requests": 400, "units": 400}
    world.check_reserved()
