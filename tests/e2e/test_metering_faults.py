"""What the commercial half promises, over real processes and through real faults: two edges, three replicas of keys on
one PostgreSQL, and every count held to the clients' own log.
"""

import asyncio
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from partners import ADDRESS, LAND, PAUSE_S, Log, ask, http, load, post, until
from replicas import Admin, Backends, Counts, Edge, IssuedKey, edges

if TYPE_CHECKING:
    from testcontainers.community.postgres import PostgresContainer

pytestmark = pytest.mark.docker

OUTAGE_S = 120.0
"""How long the database is stopped."""
QUOTA = 1_000
ODD_QUOTA = 501
CROWD = 200
CLIENTS = 8
KILLS = 3
UNDER_WAY = 200
"""Requests served before a fault, so that all parts are under way."""


@pytest.fixture(scope="module")
def postgres(docker_engine: None) -> Iterator["PostgresContainer"]:
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (reads the variable as it loads)

    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    container = PostgresContainer("postgres:17", driver="psycopg")
    container.with_command("postgres -c fsync=off -c max_connections=200")  # nothing here outlives the machine
    container.with_bind_ports(5432, port)  # the same after a stop
    with container:
        yield container


@pytest.fixture(scope="module")
def backends(postgres: "PostgresContainer", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    made = Backends(tmp_path_factory.mktemp("replicas"), postgres.get_connection_url())
    with made.running():
        yield made


@pytest.fixture(scope="module")
def steady(backends: Backends, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Edge]]:
    """Two edges that nothing happens to."""
    spool = tmp_path_factory.mktemp("spool")
    with edges(backends, spool, spool) as made:
        yield made


@pytest.fixture(scope="module")
def admin(backends: Backends, steady: list[Edge]) -> Admin:
    return Admin(backends, steady[0].url)


async def counted(backends: Backends, made: list[Edge], key: IssuedKey) -> Counts:
    """What is counted of a key once every edge has ended and handed over all it had."""
    for edge in made:
        await asyncio.to_thread(edge.process.stop)
    assert [name for edge in made for name in os.listdir(edge.spool)] == []
    return await backends.counts(key.key_id)


async def test_a_crowd_gets_exactly_the_quota_and_is_charged_for_each_request(
    backends: Backends, steady: list[Edge], admin: Admin
) -> None:
    key = backends.create_key("crowd", "--monthly-units", str(QUOTA))
    log = Log()

    async def until_refused(number: int) -> None:
        async with http() as client:
            while await ask(client, steady[number % 2].url, key.secret, log) == httpx.codes.OK:
                number += 1

    await asyncio.gather(*(until_refused(number) for number in range(CROWD)))
    assert all(await backends.authorize_calls())
    assert log == Log(Counter({200: QUOTA, 429: CROWD}))
    counts = await backends.settled(key.key_id, QUOTA + CROWD)
    assert counts == (QUOTA + CROWD, CROWD, QUOTA, 0)
    summary = admin.ask("GET", f"/usage?key_id={key.key_id}")["summary"]
    assert (summary["requests"], summary["errors"]) == (QUOTA + CROWD, CROWD)
    async with http() as client:
        answer = await client.get(f"{steady[1].url}/api/v1/usage", headers={"x-api-key": key.secret})
    seen = answer.raise_for_status().json()
    assert [seen[name] for name in ("requests", "errors", "units", "reserved_units")] == list(counts)


async def test_requests_of_different_weight_never_pass_the_quota_together(
    backends: Backends, steady: list[Edge]
) -> None:
    key = backends.create_key("weights", "--monthly-units", str(ODD_QUOTA))
    lands, addresses = Log(), Log()

    async def until_refused(number: int) -> None:
        async with http() as client:
            for question, log in ((LAND, lands), (ADDRESS, addresses))[:: 1 if number % 4 else -1]:
                while await ask(client, steady[number % 2].url, key.secret, log, question) == httpx.codes.OK:
                    number += 1

    await asyncio.gather(*(until_refused(number) for number in range(CROWD)))
    assert set(lands.statuses) == set(addresses.statuses) == {200, 429}
    assert 2 * lands.served + addresses.served == ODD_QUOTA
    assert (await backends.settled(key.key_id)).units == ODD_QUOTA


def revoke(admin: Admin, key: IssuedKey) -> None:
    admin.ask("POST", f"/api-keys/{key.key_id}/revoke")


def rotate(admin: Admin, key: IssuedKey) -> None:
    admin.ask("POST", f"/api-keys/{key.key_id}/rotate", {"grace_days": 0})


def lower_quota(admin: Admin, key: IssuedKey) -> None:
    admin.ask("PATCH", f"/api-keys/{key.key_id}", {"quota": {"monthly_units": 1}})


def narrow_scope(admin: Admin, key: IssuedKey) -> None:
    admin.ask("PATCH", f"/api-keys/{key.key_id}", {"scopes": ["land-units.geojson"]})


def disable_partner(admin: Admin, key: IssuedKey) -> None:
    partner = admin.ask("GET", f"/api-keys/{key.key_id}")["partner"]
    admin.ask("PATCH", f"/partners/{partner['id']}", {"status": "disabled"})


def revoke_on_the_server(admin: Admin, key: IssuedKey) -> None:
    admin.backends.command("keys", "revoke-key", key.key_id)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (revoke, 401, "revoked_key"),
        (revoke_on_the_server, 401, "revoked_key"),
        (rotate, 401, "invalid_key"),
        (disable_partner, 401, "revoked_key"),
        (lower_quota, 429, "quota_exhausted"),
        (narrow_scope, 403, "scope_denied"),
    ],
)
async def test_no_edge_lets_a_request_through_once_a_change_has_answered(
    backends: Backends,
    steady: list[Edge],
    admin: Admin,
    change: Callable[[Admin, IssuedKey], None],
    status: int,
    code: str,
) -> None:
    key = backends.create_key(change.__name__)
    is_made = asyncio.Event()
    before: list[int] = []
    after: list[tuple[int, str]] = []

    async def keep_asking(number: int) -> None:
        async with http() as client:
            while not is_made.is_set():
                response = await post(client, steady[number % 2].url, key.secret)
                before.append(response.status_code)
            for edge in steady:
                response = await post(client, edge.url, key.secret)
                after.append((response.status_code, response.json().get("code", "")))

    async with asyncio.TaskGroup() as group:
        for number in range(CLIENTS):
            group.create_task(keep_asking(number))
        await until(lambda: len(before) > CLIENTS)
        await asyncio.to_thread(change, admin, key)
        is_made.set()
    assert 200 in before
    assert after == [(status, code)] * 2 * CLIENTS


async def test_an_edge_killed_under_load_hands_over_every_completed_answer_when_it_starts_again(
    backends: Backends, tmp_path: Path
) -> None:
    key = backends.create_key("killed edge")
    with edges(backends, tmp_path / "first", tmp_path / "second") as made:
        async with load([edge.url for edge in made], key.secret, CLIENTS) as log:
            for _ in range(KILLS):
                await log.more(UNDER_WAY)
                made[0].process.kill()
                await log.more(UNDER_WAY)
                made[0].process.begin()
                await asyncio.to_thread(made[0].process.wait)
        counts = await counted(backends, made, key)
    assert log.served == log.statuses.total()
    assert log.unanswered <= KILLS * CLIENTS
    assert log.served <= counts.units <= counts.units + counts.reserved_units <= log.served + log.unanswered
    assert (counts.requests, counts.errors) == (counts.units, 0)


async def test_an_edge_that_stays_dead_is_inherited_by_the_other(backends: Backends, tmp_path: Path) -> None:
    key = backends.create_key("inherited edge")
    spool = tmp_path / "shared"
    with edges(backends, spool, spool) as made:
        async with load([edge.url for edge in made], key.secret, CLIENTS) as log:
            await log.more(UNDER_WAY)
            assert len(os.listdir(spool)) == 2
            made[0].process.kill()
            await until(lambda: len(os.listdir(spool)) == 1)
        counts = await counted(backends, made, key)
    assert log.served == log.statuses.total()
    assert log.unanswered <= CLIENTS
    assert log.served <= counts.units <= counts.units + counts.reserved_units <= log.served + log.unanswered
    assert (counts.requests, counts.errors) == (counts.units, 0)


async def test_a_killed_replica_of_keys_costs_no_event_and_doubles_none(backends: Backends, tmp_path: Path) -> None:
    key = backends.create_key("killed keys")
    with edges(backends, tmp_path / "spool", tmp_path / "spool") as made:
        async with load([edge.url for edge in made], key.secret, CLIENTS) as log:
            for replica in backends.keys:
                await log.more(UNDER_WAY)
                replica.kill()
                await log.more(UNDER_WAY)
                replica.begin()
                await asyncio.to_thread(replica.wait)
        counts = await counted(backends, made, key)
    assert log.unanswered == 0
    assert set(log.statuses) <= {200, 503}
    assert counts[:3] == (log.served, 0, log.served)


async def test_while_the_database_is_stopped_nothing_is_served_or_billed_and_nothing_before_is_lost(
    backends: Backends, postgres: "PostgresContainer", tmp_path: Path
) -> None:
    key = backends.create_key("outage")
    database = postgres.get_wrapped_container()
    with edges(backends, tmp_path / "spool", tmp_path / "spool") as made:
        async with load([edge.url for edge in made], key.secret, CLIENTS) as log:
            await log.more(UNDER_WAY)
            await asyncio.to_thread(database.stop)
            try:
                during = await asked_for(made, key, OUTAGE_S)
            finally:
                await asyncio.to_thread(database.start)
            await log.more(UNDER_WAY)
        counts = await counted(backends, made, key)
    assert set(during) == {(503, "unavailable")}
    assert log.unanswered == 0
    assert set(log.statuses) == {200, 503}
    assert counts[:3] == (log.served, 0, log.served)


async def asked_for(made: list[Edge], key: IssuedKey, seconds: float) -> Counter[tuple[int, str]]:
    """Asks both edges for so long, and counts the answers by status and code."""
    answers: Counter[tuple[int, str]] = Counter()
    ends = time.monotonic() + seconds
    async with http() as client:
        while time.monotonic() < ends:
            for edge in made:
                response = await post(client, edge.url, key.secret)
                answers[response.status_code, response.json().get("code", "")] += 1
            await asyncio.sleep(PAUSE_S)
    return answers
