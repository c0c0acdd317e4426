"""The client of keys: what it returns of outcomes that keys has not counted."""

import pytest
from running_edge import Edge

from edge.clients.keys import KeysClient
from edge.metering.refused import Unsettled
from landpartner.keys.v1 import keys_pb2

IDS = [bytes([number]) * 16 for number in range(9)]
PAYLOADS = [keys_pb2.Outcome(event_id=identifier, key_id="key-1").SerializeToString() for identifier in IDS]


@pytest.fixture
def client(edge: Edge) -> KeysClient:
    keys: KeysClient = edge.app.state.upstreams.keys
    return keys


def unsettled(result: Unsettled) -> tuple[list[bytes], list[bytes]]:
    return list(result.refused), list(result.postponed)


async def test_counted_outcomes_are_not_returned(edge: Edge, client: KeysClient) -> None:
    assert unsettled(await client.send_outcomes(PAYLOADS)) == ([], [])
    assert {outcome.event_id for outcome in edge.keys.outcomes} == set(IDS)


async def test_outcomes_of_locked_keys_are_postponed(edge: Edge, client: KeysClient) -> None:
    edge.keys.postponed_ids = frozenset(IDS[3:5])
    assert unsettled(await client.send_outcomes(PAYLOADS)) == ([], PAYLOADS[3:5])


async def test_an_outcome_in_neither_list_is_refused(
    edge: Edge, client: KeysClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def settle(request: keys_pb2.SettleRequest) -> keys_pb2.SettleResponse:
        return keys_pb2.SettleResponse(acknowledged=IDS[:1], postponed=IDS[1:2])

    monkeypatch.setattr(client, "settle", settle)
    assert unsettled(await client.send_outcomes(PAYLOADS[:3])) == (PAYLOADS[2:3], PAYLOADS[1:2])


async def test_a_payload_that_is_no_outcome_is_refused(edge: Edge, client: KeysClient) -> None:
    assert unsettled(await client.send_outcomes([b"\xff\xff", PAYLOADS[0]])) == ([b"\xff\xff"], [])
    assert len(edge.keys.outcomes) == 1


async def test_a_dead_holder_is_released(edge: Edge, client: KeysClient) -> None:
    assert await client.release_holder(b"d" * 16)
    assert edge.keys.dead_holders == [b"d" * 16]


async def test_a_dead_holder_with_a_lease_of_a_locked_key_is_not_released(edge: Edge, client: KeysClient) -> None:
    edge.keys.postponed_ids = frozenset({b"d" * 16})
    assert not await client.release_holder(b"d" * 16)
