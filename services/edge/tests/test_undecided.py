"""Requests without a decision of keys."""

import asyncio

import grpc
from fakes import wait_until
from running_edge import Edge, StartEdge, make_key

from servicekit.callers import entry
from servicekit.rpc_server import RpcServer
from servicekit.settings import RpcSettings

RESOLVE = "/api/v1/addresses/resolve"
BODY = {"label": "1 rue des Lilas 00100 Valdemo"}


async def test_a_key_without_a_decision_delays_no_other_key(edge: Edge) -> None:
    held_key, slow_key = make_key(ident="heldheld"), make_key(ident="slowslow")
    edge.keys.held_keys.add(held_key)
    edge.keys.may_decide.clear()
    slow = asyncio.create_task(edge.post(RESOLVE, BODY, headers={"x-api-key": slow_key}))
    await wait_until(lambda: len(edge.keys.lease_requests) == 1)
    edge.keys.may_decide.set()
    refused, granted = await asyncio.gather(
        edge.post(RESOLVE, BODY, headers={"x-api-key": held_key}), edge.post(RESOLVE, BODY)
    )
    assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (503, "unavailable", "1")
    assert (granted.status_code, (await slow).status_code) == (200, 200)


async def test_too_many_concurrent_calls_to_keys_are_503_with_retry_after(edge: Edge) -> None:
    edge.keys.abort_with = grpc.StatusCode.RESOURCE_EXHAUSTED
    response = await edge.post(RESOLVE, BODY)
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert int(response.headers["retry-after"]) > 0
    assert edge.keys.lease_calls == 1


async def test_the_edge_is_not_ready_while_keys_cannot_write(start_edge: StartEdge) -> None:
    def probe() -> None:
        raise RuntimeError("the database is read-only")

    keys = RpcServer(RpcSettings(callers=entry("edge", "token")), [], {}, probe=probe)
    target = f"127.0.0.1:{await keys.start()}"
    try:
        async with start_edge(keys_target=target) as edge:
            ready = await edge.client.get("/readyz")
            assert (ready.status_code, ready.json()["down"]) == (503, ["keys"])
            assert (await edge.client.get("/livez")).status_code == 200
    finally:
        await keys.stop()
