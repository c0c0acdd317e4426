"""Quotas, metering and key changes with real processes, and the outcomes of an edge that dies.

Two edges and three replicas of keys share one PostgreSQL. Each count is compared with the log of the clients.
tests/faults kills every process and the database.
"""

import asyncio
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

import databases
from partners import ADDRESS, LAND, Log, ask, http, load, post, until
from replicas import Admin, Backends, Counts, Edge, IssuedKey, edges, spooled

pytestmark = pytest.mark.docker

QUOTA = 500
ODD_QUOTA = 251
CROWD = 100
CLIENTS = 8
SERVED_OR_BUSY = (200, 503)
"""On a slow machine, keys answers some of a crowd with 503 and counts nothing for them. They ask again."""
FILE_LINES, SMALL_BUFFER = 1_000, 4_096
WARM_UP_REQUESTS = 100
"""Requests served before a fault, so that all parts are in use."""


@pytest.fixture(scope="module")
def backends(docker_engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    with databases.server(tmp_path_factory) as server, databases.database(server, "metering") as url:
        services = Backends(tmp_path_factory.mktemp("replicas"), url)
        with services.running():
            yield services


@pytest.fixture(scope="module")
def steady(backends: Backends, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Edge]]:
    """Two edges without faults."""
    spool = tmp_path_factory.mktemp("spool")
    with edges(backends, spool, spool) as pair:
        yield pair


@pytest.fixture(scope="module")
def admin(backends: Backends, steady: list[Edge]) -> Admin:
    return Admin(backends.command, steady[0].url)


async def counted(backends: Backends, running_edges: list[Edge], key: IssuedKey) -> Counts:
    """The counts of a key after every edge has stopped and sent all its outcomes."""
    for edge in running_edges:
        await asyncio.to_thread(edge.process.stop)
    assert [name for edge in running_edges for name in spooled(edge.spool)] == []
    return await backends.counts(key.key_id)


async def test_concurrent_clients_get_exactly_the_quota_and_pay_for_each_request(
    backends: Backends, steady: list[Edge], admin: Admin
) -> None:
    key = backends.create_key("crowd", "--monthly-units", str(QUOTA))
    log = Log()

    async def until_refused(number: int) -> None:
        async with http() as client:
            while await ask(client, steady[number % 2].url, key.secret, log) in SERVED_OR_BUSY:
                number += 1

    await asyncio.gather(*(until_refused(number) for number in range(CROWD)))
    assert all(await backends.lease_calls())
    del log.statuses[503]
    assert log == Log(Counter({200: QUOTA, 429: CROWD}))
    counts = await backends.settled(key.key_id, QUOTA + CROWD)
    assert counts == (QUOTA + CROWD, CROWD, QUOTA, 0)
    summary = admin.ask("GET", f"/usage?key_id={key.key_id}")["summary"]
    assert (summary["requests"], summary["errors"]) == (QUOTA + CROWD, CROWD)
    async with http() as client:
        answer = await client.get(f"{steady[1].url}/api/v1/usage", headers={"x-api-key": key.secret})
    usage = answer.raise_for_status().json()
    assert [usage[name] for name in ("requests", "errors", "units", "reserved_units")] == list(counts)


async def test_requests_of_different_weight_never_exceed_the_quota(backends: Backends, steady: list[Edge]) -> None:
    key = backends.create_key("weights", "--monthly-units", str(ODD_QUOTA))
    lands, addresses = Log(), Log()

    async def until_refused(number: int) -> None:
        async with http() as client:
            for question, log in ((LAND, lands), (ADDRESS, addresses))[:: 1 if number % 4 else -1]:
                while await ask(client, steady[number % 2].url, key.secret, log, question) in SERVED_OR_BUSY:
                    number += 1

    await asyncio.gather(*(until_refused(number) for number in range(CROWD)))
    assert set(lands.statuses) - {503} == set(addresses.statuses) - {503} == {200, 429}
    assert 2 * lands.served + addresses.served == ODD_QUOTA
    assert (await backends.settled(key.key_id)).units == ODD_QUOTA


async def test_a_file_that_is_read_slowly_keeps_its_units_while_it_is_sent_again(
    backends: Backends, steady: list[Edge], tmp_path: Path
) -> None:
    """The repetition goes to another edge and is reset. Its end must not free the units of the first run, for which
    another file waits.
    """
    key = backends.create_key("files", "--monthly-units", str(2 * FILE_LINES))
    line = b'{"parcel_ids": ["00001000AA0001"]}\n'
    first, second = (httpx.URL(edge.url) for edge in steady)
    reader, writer = await send_file(first, key.secret, line * FILE_LINES, limit=SMALL_BUFFER)
    answer = await reader.readuntil(b'"line":2,')
    repeated, repetition = await send_file(second, key.secret, line * FILE_LINES)
    await repeated.readexactly(50)
    repetition.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    repetition.close()
    await asyncio.sleep(1.0)  # the end of the second run reaches keys
    with edges(backends, tmp_path / "spool", EDGE_KEYS_DEADLINE_S="1") as [hasty]:
        other, others_writer = await send_file(httpx.URL(hasty.url), key.secret, line * 400, name="other")
        assert b" 503 " in (await other.readline())
        others_writer.close()
    answer += await reader.read()
    writer.close()
    assert answer.count(b'"status":200,') == FILE_LINES
    assert (await backends.settled(key.key_id)).units == 2 * FILE_LINES


async def send_file(
    url: httpx.URL, secret: str, body: bytes, *, name: str = "file", limit: int = 2**16
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sends a file of land units. `limit` bounds what is read ahead of its answer."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limit)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, (url.host, url.port))
    reader, writer = await asyncio.open_connection(sock=connection, limit=10 * limit)
    head = (
        f"POST /api/v1/land-units/batch HTTP/1.1\r\nhost: {url.host}\r\nx-api-key: {secret}\r\nconnection: close\r\n"
        f"idempotency-key: {name}\r\ncontent-type: application/x-ndjson\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    return reader, writer


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
    admin.command("keys", "revoke-key", key.key_id)


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
async def test_a_change_of_a_key_takes_effect_on_every_edge_immediately(
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

    async def send_requests(number: int) -> None:
        async with http() as client:
            while not is_made.is_set():
                response = await post(client, steady[number % 2].url, key.secret)
                before.append(response.status_code)
                if response.status_code != httpx.codes.OK:  # further attempts with a wrong key would be slowed down
                    await is_made.wait()
            for edge in steady:
                response = await post(client, edge.url, key.secret)
                after.append((response.status_code, response.json().get("code", "")))

    async with asyncio.TaskGroup() as group:
        for number in range(CLIENTS):
            group.create_task(send_requests(number))
        await until(lambda: len(before) > CLIENTS)
        await asyncio.to_thread(change, admin, key)
        is_made.set()
    assert 200 in before
    assert after == [(status, code)] * 2 * CLIENTS


async def test_the_other_edge_sends_the_outcomes_of_a_dead_edge(backends: Backends, tmp_path: Path) -> None:
    key = backends.create_key("inherited edge")
    spool = tmp_path / "shared"
    with edges(backends, spool, spool) as pair:
        async with load([edge.url for edge in pair], key.secret, CLIENTS) as log:
            await log.more(WARM_UP_REQUESTS)
            assert len(spooled(spool)) == 2
            pair[0].process.kill()
            await until(lambda: len(spooled(spool)) == 1)
        counts = await counted(backends, pair, key)
    assert log.served == log.statuses.total()
    assert log.unanswered <= CLIENTS
    assert log.served <= counts.units <= counts.units + counts.reserved_units <= log.served + log.unanswered
    assert (counts.requests, counts.errors) == (counts.units, 0)
