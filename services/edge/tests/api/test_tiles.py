"""Tiles of the map: what the edge asks land, and how a browser keeps them."""

import asyncio

import pytest
from fakes import wait_until
from running_edge import Edge, make_key

from edge.middleware.capacity import MAX_TILES_PER_KEY
from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2

TILE = "/api/v1/tiles/parcels/17/66310/46055.mvt"


async def test_a_tile_asks_land(edge: Edge) -> None:
    response = await edge.client.get(TILE, headers={"x-api-key": edge.key})
    assert (response.status_code, response.content) == (200, b"tile")
    assert response.headers["content-type"] == "application/vnd.mapbox-vector-tile"
    assert (response.headers["etag"], response.headers["cache-control"]) == ('"v1"', "private, no-cache")
    (request,) = edge.land.requests
    assert request == land_pb2.GetTileRequest(
        layer=land_pb2.TILE_LAYER_PARCELS, zoom=17, column=66310, row=46055, scope=land_pb2.SCOPE_ALL
    )
    assert [query.endpoint for query in edge.keys.lease_requests] == ["tiles"]


@pytest.mark.parametrize("etag", ['"v1"', 'W/"v1"'])
async def test_a_tile_that_has_not_changed_is_not_sent_again(edge: Edge, etag: str) -> None:
    response = await edge.client.get(TILE, headers={"x-api-key": edge.key, "if-none-match": etag})
    assert (response.status_code, response.content) == (304, b"")
    assert response.headers["etag"] == '"v1"'


@pytest.mark.parametrize(
    ("path", "pointer"),
    [("roads/17/1/1", "/layer"), ("parcels/1.5/1/1", "/z"), ("parcels/17/-1/1", "/x"), ("parcels/17/1/01", "/y")],
)
async def test_a_fault_of_the_path_has_a_pointer(edge: Edge, path: str, pointer: str) -> None:
    response = await edge.client.get(f"/api/v1/tiles/{path}.mvt", headers={"x-api-key": edge.key})
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.parametrize("mode", [keys_pb2.KEY_MODE_LIVE, keys_pb2.KEY_MODE_TEST])
async def test_the_tiles_of_one_key_wait_for_each_other_and_for_nobody_else(
    edge: Edge, mode: keys_pb2.KeyMode.ValueType
) -> None:
    decide = edge.keys.decide

    def decide_by_key(request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        edge.keys.terms.key_id = request.api_key
        return decide(request)

    edge.keys.terms.mode, edge.keys.decide = mode, decide_by_key
    edge.land.may_answer.clear()
    headers = {"x-api-key": edge.key}
    many = [asyncio.create_task(edge.client.get(TILE, headers=headers)) for _ in range(3 * MAX_TILES_PER_KEY)]
    await wait_until(lambda: len(edge.land.requests) == MAX_TILES_PER_KEY)
    of_other_key = asyncio.create_task(edge.client.get(TILE, headers={"x-api-key": make_key(ident="other123")}))
    await wait_until(lambda: len(edge.land.requests) > MAX_TILES_PER_KEY)
    assert len(edge.land.requests) == MAX_TILES_PER_KEY + 1
    edge.land.may_answer.set()
    assert {response.status_code for response in await asyncio.gather(*many, of_other_key)} == {200}
