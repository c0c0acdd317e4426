"""Concurrent requests: shares of keys and partners, slow bodies, and slots of admins."""

import asyncio

import httpx
import pytest
from fakes import wait_until
from running_edge import StartEdge, listening, make_key

from edge.middleware.capacity import Turns
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2

RESOLVE = "/api/v1/addresses/resolve"

MAX_ATTEMPTS = 1_000


async def send_half(port: int, key: str) -> asyncio.StreamWriter:
    """Sends a request without the end of its body, and waits until the edge reads the body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST {RESOLVE} HTTP/1.1\r\nhost: x\r\nx-api-key: {key}\r\nexpect: 100-continue\r\n"
        "content-type: application/json\r\ncontent-length: 99\r\n\r\n"
    )
    writer.write(head.encode())
    assert b" 100 " in await reader.readline()
    writer.write(b"{")
    return writer


async def test_bodies_that_arrive_slowly_refuse_nobody_else(start_edge: StartEdge) -> None:
    async with start_edge(max_requests=4, max_requests_per_key=6) as edge, listening(edge) as port:
        writers = [await send_half(port, edge.key) for _ in range(6)]
        refused = await edge.post(RESOLVE, {"label": "x"})
        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (
            429,
            "rate_limited",
            "1",
        )
        edge.keys.terms.key_id, edge.keys.terms.partner_id = "key-2", "partner-2"
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200
        assert (await edge.client.get("/readyz")).status_code == 200
        for writer in writers:
            writer.close()
            await writer.wait_closed()
        await wait_until(lambda: len(edge.keys.outcomes) == 8)
        edge.keys.terms.key_id, edge.keys.terms.partner_id = "key-1", "partner-1"
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 200


async def test_requests_that_wait_for_a_decision_leave_slots_to_other_keys(start_edge: StartEdge) -> None:
    async with start_edge(max_requests=3, max_requests_per_key=2) as edge:
        decide = edge.keys.decide

        def decide_by_text(request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
            edge.keys.terms.key_id = request.api_key
            return decide(request)

        edge.keys.decide = decide_by_text
        edge.keys.may_decide.clear()
        burst = [asyncio.create_task(edge.post(RESOLVE, {"label": "x"})) for _ in range(9)]
        await wait_until(lambda: sum(task.done() for task in burst) == 7)
        of_other_key = {"x-api-key": make_key(ident="otherone")}
        other = asyncio.create_task(edge.post(RESOLVE, {"label": "x"}, headers=of_other_key))
        await wait_until(lambda: len(edge.keys.lease_requests) == 2)
        edge.keys.may_decide.set()
        assert (await other).status_code == 200
        assert sorted([(await task).status_code for task in burst]) == [200] * 2 + [429] * 7


async def test_a_request_over_its_share_is_recorded_and_free(start_edge: StartEdge) -> None:
    async with start_edge(max_requests_per_key=1) as edge:
        edge.land.may_answer.clear()
        under_way = asyncio.create_task(edge.post(RESOLVE, {"label": "x"}))
        await wait_until(lambda: edge.land.requests)
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 429
        await wait_until(lambda: edge.keys.outcomes)
        assert [(outcome.status, outcome.code) for outcome in edge.keys.outcomes] == [(429, "rate_limited")]
        edge.land.may_answer.set()
        assert (await under_way).status_code == 200


@pytest.mark.parametrize("taken", ["key", "partner"])
async def test_the_keys_of_a_partner_share_the_limit_of_the_partner(start_edge: StartEdge, taken: str) -> None:
    async with start_edge(max_requests_per_key=9 if taken == "partner" else 2, max_requests_per_partner=2) as edge:
        edge.land.may_answer.clear()
        under_way = []
        for number in range(2):
            edge.keys.terms.key_id = "key-1" if taken == "key" else f"key-{number}"
            under_way.append(asyncio.create_task(edge.post(RESOLVE, {"label": "x"})))
            await wait_until(lambda: len(edge.land.requests) == len(under_way))
        edge.keys.terms.key_id = "key-1" if taken == "key" else "key-2"
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 429
        edge.keys.terms.partner_id, edge.keys.terms.key_id = "other", "other"
        of_other_partner = asyncio.create_task(edge.post(RESOLVE, {"label": "x"}))
        await wait_until(lambda: len(edge.land.requests) == 3)
        edge.land.may_answer.set()
        assert (await of_other_partner).status_code == 200
        assert {response.status_code for response in await asyncio.gather(*under_way)} == {200}


async def test_an_edge_without_slots_serves_admins_and_is_not_ready(
    start_edge: StartEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edge.middleware.capacity.REFUSING_S", 0.2)
    async with start_edge(max_requests=1) as edge:
        edge.keys.may_decide.clear()
        under_way = asyncio.create_task(edge.post(RESOLVE, {"label": "x"}))
        await wait_until(lambda: edge.keys.lease_requests)
        assert (await edge.client.get("/readyz")).status_code == 200
        assert (await edge.post(RESOLVE, {"label": "x"})).status_code == 503
        ready = await edge.client.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "refusing")
        headers = {"authorization": "Bearer lpa_x"}
        assert (await edge.client.get("/api/v1/admin/api-keys", headers=headers)).status_code == 200
        edge.keys.may_decide.set()
        assert (await under_way).status_code == 200
        await asyncio.sleep(0.3)
        assert (await edge.client.get("/readyz")).status_code == 200


async def test_a_body_that_is_complete_without_a_free_slot_gets_503(start_edge: StartEdge) -> None:
    async with start_edge(max_requests=1) as edge, listening(edge) as port:
        body = b'{"label": "x"}'
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = (
            f"POST {RESOLVE} HTTP/1.1\r\nhost: x\r\nx-api-key: {edge.key}\r\nconnection: close\r\n"
            f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body[:4])
        await wait_until(lambda: edge.keys.lease_requests)
        edge.land.may_answer.clear()

        async def occupy_the_slot() -> httpx.Response:
            for _ in range(MAX_ATTEMPTS):
                answer = await edge.post(RESOLVE, {"label": "x"})
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    return answer
                await asyncio.sleep(0.01)  # the first request still has the slot: it does not wait for its body yet
            raise TimeoutError

        under_way = asyncio.create_task(occupy_the_slot())
        await wait_until(lambda: edge.land.requests)
        writer.write(body[4:])
        answer = await reader.read()
        assert b"503" in answer.split(b"\r\n")[0]
        assert b'"code":"unavailable"' in answer
        edge.land.may_answer.set()
        assert (await under_way).status_code == 200
        writer.close()
        await writer.wait_closed()


async def test_a_request_waits_for_its_turn_a_limited_time() -> None:
    turns = Turns(1, wait_s=0.05)
    async with turns.turn("a"):
        with pytest.raises(Problem, match="deadline_exceeded"):
            await turns.turn("a").__aenter__()
        async with turns.turn("b"):
            pass
    async with turns.turn("a"):
        pass
