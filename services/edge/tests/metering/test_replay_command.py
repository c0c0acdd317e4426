"""Outcomes that make keys fail, from the client to the replay command."""

import asyncio
import os
import sys

import grpc
import pytest
from fakes import wait_until
from running_edge import Edge

from edge.clients import keys as client
from edge.metering import outcomes
from edge.metering.refused import Unsettled, path_of
from edge.metering.spool import SpoolFile
from landpartner.keys.v1.keys_pb2 import Outcome, SettleRequest, SettleResponse


def outcome(event_id: bytes) -> Outcome:
    return Outcome(event_id=event_id, lease_id=event_id, key_id="key-1", endpoint="usage", status=200)


def payload_of(event_id: bytes) -> bytes:
    return outcome(event_id).SerializeToString()


IDS = [b"%016d" % number for number in range(100)]


@pytest.mark.parametrize("status", ["INVALID_ARGUMENT", "INTERNAL", "UNKNOWN", "DATA_LOSS"])
async def test_an_outcome_that_fails_in_keys_does_not_block_others(edge: Edge, status: str) -> None:
    edge.keys.failure = grpc.StatusCode[status]
    edge.keys.failing_ids = frozenset({IDS[0], IDS[37]})
    unsettled = await edge.app.state.upstreams.keys.send_outcomes([payload_of(event_id) for event_id in IDS])
    assert unsettled == Unsettled([payload_of(IDS[0]), payload_of(IDS[37])], [])
    assert {outcome.event_id for outcome in edge.keys.outcomes} == set(IDS) - edge.keys.failing_ids


@pytest.mark.parametrize("status", ["UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "UNIMPLEMENTED"])
async def test_a_status_not_caused_by_the_payload_is_no_refusal(edge: Edge, status: str) -> None:
    edge.keys.failure = grpc.StatusCode[status]
    edge.keys.failing_ids = frozenset(IDS)
    with pytest.raises(grpc.aio.AioRpcError):
        await edge.app.state.upstreams.keys.send_outcomes([payload_of(event_id) for event_id in IDS])


async def test_the_search_ends_early_if_keys_fails_on_every_outcome(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge.keys.failing_ids = frozenset(IDS)
    calls = []
    keys: client.KeysClient = edge.app.state.upstreams.keys
    settle = keys.settle

    async def record_and_settle(request: SettleRequest) -> SettleResponse:
        calls.append(request)
        return await settle(request)

    monkeypatch.setattr(keys, "settle", record_and_settle)
    payloads = [payload_of(event_id) for event_id in IDS]
    refused, postponed = await keys.send_outcomes(payloads)
    assert [*refused, *postponed] == payloads
    assert len(calls) < 3 * client.MAX_SINGLE_FAILURES


async def test_many_faulty_outcomes_are_set_aside_soon(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the faulty ones finds first that keys counts another outcome."""
    monkeypatch.setattr(outcomes, "FIRST_BACKOFF_S", 0.01)
    monkeypatch.setattr(outcomes, "LAST_BACKOFF_S", 0.01)
    edge.keys.failing_ids = frozenset(IDS[1:30])
    for event_id in IDS[:30]:
        edge.app.state.outcomes.hold()
        edge.app.state.outcomes.record(outcome(event_id))
        if event_id == IDS[0]:
            await wait_until(lambda: edge.keys.outcomes)
    async with asyncio.timeout(20):  # with the faulty ones first, it takes twice as long
        await wait_until(lambda: not edge.app.state.outcomes._spool.rows)
    file = SpoolFile(path_of(edge.settings.spool_dir))
    assert sorted(file.read_next(100).values()) == [payload_of(event_id) for event_id in IDS[1:30]]
    file.close()


async def test_the_shipper_continues_and_the_command_sends_the_refused_outcomes(edge: Edge) -> None:
    file = path_of(edge.settings.spool_dir)
    outcome_log = edge.app.state.outcomes
    edge.keys.failing_ids = frozenset({IDS[1]})
    for event_id in IDS[:3]:
        outcome_log.hold()
        outcome_log.record(outcome(event_id))
    await wait_until(file.exists)
    assert {outcome.event_id for outcome in edge.keys.outcomes} == {IDS[0], IDS[2]}

    assert await run_command(edge) == (0, "0 outcomes counted, 1 still refused.\n")
    edge.keys.is_down = True
    status, _ = await run_command(edge)
    assert status == 1
    assert file.exists()
    edge.keys.is_down, edge.keys.failing_ids = False, frozenset()
    assert await run_command(edge) == (0, "1 outcomes counted, 0 still refused.\n")
    assert IDS[1] in {outcome.event_id for outcome in edge.keys.outcomes}
    assert await run_command(edge) == (0, "0 outcomes counted, 0 still refused.\n")


async def run_command(edge: Edge) -> tuple[int | None, str]:
    """The status and the standard output of `edge replay-refused`."""
    settings = edge.settings
    token = settings.keys_token.get_secret_value()
    environment = {
        "PATH": os.environ["PATH"],
        "EDGE_LAND_TARGET": settings.land_target,
        "EDGE_KEYS_TARGET": settings.keys_target,
        "EDGE_ASSISTANT_TARGET": settings.assistant_target,
        **dict.fromkeys(("EDGE_KEYS_TOKEN", "EDGE_LAND_TOKEN", "EDGE_ASSISTANT_TOKEN"), token),
        "EDGE_SPOOL_DIR": str(settings.spool_dir),
    }
    command = (sys.executable, "-c", "from edge.cli import main; main()", "replay-refused")
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()
