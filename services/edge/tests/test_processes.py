"""`edge serve` with two processes on one port: what they share."""

import asyncio
import contextlib
import os
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from fakes import wait_until
from running_edge import Edge, edge_process

from edge.middleware.attempts import AddressLimit, CredentialLimit, TooManyAttempts
from edge.middleware.shared_table import SharedCounts, SharedTable
from servicekit.processes import Process

RESOLVE = "/api/v1/addresses/resolve"
LIMIT = 20
CONNECTIONS = 40
CLIENTS = 6


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def pair(folder: Path) -> tuple[Process, Process]:
    return Process(0, 2, folder), Process(1, 2, folder)


async def test_two_processes_allow_no_more_attempts_than_one_and_sum_their_metrics(edge: Edge, tmp_path: Path) -> None:
    limits: dict[str, Any] = {"EDGE_OPEN_ATTEMPTS_PER_MINUTE": str(LIMIT), "EDGE_SERVE_METRICS": "true"}
    async with (
        edge_process(edge, tmp_path / "shared-spool", EDGE_PROCESSES="2", **limits) as (_, url),
        httpx.AsyncClient(headers={"connection": "close"}, timeout=60) as client,  # a new connection for each request
    ):

        async def ask(**headers: str) -> int:
            return (await client.post(url + RESOLVE, json={"label": "x"}, headers=headers)).status_code

        statuses = Counter(await asyncio.gather(*(ask() for _ in range(CONNECTIONS))))
        assert set(statuses) == {401, 429}
        assert LIMIT <= statuses[401] <= LIMIT + 2  # the bucket empties while the test runs
        assert {await ask(**{"x-api-key": edge.key}) for _ in range(CONNECTIONS // 2)} == {200}
        served = re.compile(r'edge_requests_total{method="POST",route="[^"]*",status="200"} (.*)')
        metrics = ""

        async def are_counted() -> bool:  # a request is counted after its answer
            nonlocal metrics
            metrics = (await client.get(f"{url}/metrics")).text
            return sum(map(float, served.findall(metrics))) >= CONNECTIONS // 2

        await wait_until(are_counted)
    assert [float(each) for each in served.findall(metrics)] == [CONNECTIONS // 2]
    assert "process_resident_memory_bytes" in metrics


async def test_a_killed_process_is_replaced_and_no_complete_answer_is_lost_or_counted_twice(
    edge: Edge, tmp_path: Path
) -> None:
    spool = tmp_path / "shared-spool"
    edge.keys.accepts_outcomes = False
    completed: list[int] = []
    async with edge_process(edge, spool, EDGE_PROCESSES="2") as (supervisor, url):

        async def keep_asking() -> None:
            async with httpx.AsyncClient(timeout=60) as client:
                while True:
                    with contextlib.suppress(httpx.TransportError):
                        answer = await client.post(url + RESOLVE, json={"label": "x"}, headers={"x-api-key": edge.key})
                        completed.append(answer.status_code)

        clients = [asyncio.create_task(keep_asking()) for _ in range(CLIENTS)]
        await wait_until(lambda: len(completed) > 100)
        killed = children(supervisor.pid)[0]
        os.kill(killed, signal.SIGKILL)
        await wait_until(lambda: len(os.listdir(spool)) == 3)
        assert len(set(children(supervisor.pid)) - {killed}) == 2
        before = len(completed)
        await wait_until(lambda: len(completed) > before + 50)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        edge.keys.accepts_outcomes = True
        await wait_until(lambda: len(os.listdir(spool)) == 2)  # one has adopted the outcomes of the dead process
    counted = len({outcome.event_id for outcome in edge.keys.outcomes})
    assert set(completed) == {200}
    assert len(completed) <= counted <= len(completed) + 2 * CLIENTS
    assert os.listdir(spool) == []


def test_a_limit_of_an_address_holds_for_all_processes(tmp_path: Path) -> None:
    first, second = (AddressLimit(process, "attempts", 3) for process in pair(tmp_path))
    first.take("203.0.113.9")
    second.take("203.0.113.9")
    first.take("203.0.113.9")
    with pytest.raises(TooManyAttempts):
        second.take("203.0.113.9")
    first.refund("203.0.113.9")
    second.take("203.0.113.9")
    second.take("203.0.113.10")


async def test_a_credential_that_one_process_verified_is_known_to_the_other(tmp_path: Path) -> None:
    processes = pair(tmp_path)
    first, second = (CredentialLimit(each, AddressLimit(each, "credentials", 1)) for each in processes)

    async def answer(*, is_valid: bool) -> bool:
        return is_valid

    async def verify(limit: CredentialLimit, credential: str, *, is_valid: bool) -> bool:
        return await limit.verify("203.0.113.9", credential, lambda: answer(is_valid=is_valid), bool)

    assert await verify(first, "good", is_valid=True)
    assert not await verify(second, "bad", is_valid=False)
    with pytest.raises(TooManyAttempts):
        await verify(second, "worse", is_valid=False)
    assert await verify(second, "good", is_valid=True)
    assert not await verify(first, "good", is_valid=False)  # it was revoked
    with pytest.raises(TooManyAttempts):
        await verify(first, "good", is_valid=False)


def test_the_counts_of_a_process_end_with_it(tmp_path: Path) -> None:
    first, second = (SharedCounts(process, "counts") for process in pair(tmp_path))
    assert [first.add("a"), second.add("a"), second.add("a"), second.add("b")] == [1, 2, 3, 1]
    first.remove("a")
    assert first.add("a") == 3
    successor = SharedCounts(Process(1, 2, tmp_path), "counts")
    assert successor.add("a") == 2
    successor.remove("never counted")


def test_a_full_table_replaces_the_oldest_row_but_no_counts() -> None:
    now = [0.0]
    table = SharedTable(Process(), "old", 1, sets=1, clock=lambda: now[0])
    counts = SharedTable(Process(), "counts", 1, is_count=True, sets=1)
    rows = []
    for number in range(20):
        now[0] += 1
        with table.row(b"%d" % number) as row, counts.row(b"%d" % number) as counted:
            assert row is not None
            assert table.columns[0][row] == 0
            table.columns[0][row] = number
            if counted is not None:
                counts.columns[0][counted] = 1
            rows.append(counted)
    for number in range(20):
        with table.row(b"%d" % number, is_added=False) as row:
            assert (row is None) == (number < 12)
    assert rows == [*range(8), *[None] * 12]
