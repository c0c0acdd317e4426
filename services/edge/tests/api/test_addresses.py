"""Suggestions and the address of a place: what the edge asks land, and the faults of parameters."""

import pytest
from answer_schemas import checked
from running_edge import Edge

from landpartner.land.v1 import land_pb2

SUGGEST, PLACE = "/api/v1/addresses/suggest", "/api/v1/addresses/reverse"


@pytest.mark.parametrize("commune", ["commune_code", "city_code"])  # the second one is its former name
async def test_suggest_asks_land(edge: Edge, commune: str) -> None:
    response = await edge.client.get(
        f"{SUGGEST}?q=%20rue%20d&limit=3&lat=48.5&lon=-2&{commune}=2A004", headers={"x-api-key": edge.key}
    )
    assert response.status_code == 200
    checked("SuggestResponse", response.json())
    (request,) = edge.land.requests
    near = land_pb2.Position(latitude=48.5, longitude=-2)
    assert request == land_pb2.SuggestAddressesRequest(
        text="rue d", limit=3, near=near, city_code="2A004", scope=land_pb2.SCOPE_ALL
    )
    assert [query.endpoint for query in edge.keys.lease_requests] == ["addresses.suggest"]


async def test_suggest_without_options(edge: Edge) -> None:
    await edge.client.get(f"{SUGGEST}?q=r", headers={"x-api-key": edge.key})
    (request,) = edge.land.requests
    assert (request.limit, request.HasField("near"), request.city_code) == (5, False, "")


async def test_reverse_asks_land(edge: Edge) -> None:
    response = await edge.client.get(f"{PLACE}?lat=48.5&lon=-2", headers={"x-api-key": edge.key})
    checked("ReverseResponse", response.json())
    assert response.json()["distance_m"] == 1.5
    (request,) = edge.land.requests
    assert (request.position.latitude, request.position.longitude) == (48.5, -2)


@pytest.mark.parametrize(
    ("path", "pointers"),
    [
        (SUGGEST, ["/q"]),
        (f"{SUGGEST}?q=%20", ["/q"]),
        (f"{SUGGEST}?q={'x' * 201}", ["/q"]),
        (f"{SUGGEST}?q=a%01", ["/q"]),
        (f"{SUGGEST}?q=a&limit=0&commune_code=7511", ["/limit", "/commune_code"]),
        (f"{SUGGEST}?q=a&limit=11", ["/limit"]),
        (f"{SUGGEST}?q=a&limit=1.5", ["/limit"]),
        (f"{SUGGEST}?q=a&lat=1", ["/lon"]),
        (f"{SUGGEST}?q=a&lon=1", ["/lat"]),
        (f"{PLACE}?lat=1", ["/lon"]),
        (f"{PLACE}?lat=nan&lon=inf", ["/lat", "/lon"]),
        (f"{PLACE}?lat=90.1&lon=-180.1", ["/lat", "/lon"]),
    ],
)
async def test_a_fault_has_a_pointer(edge: Edge, path: str, pointers: list[str]) -> None:
    response = await edge.client.get(path, headers={"x-api-key": edge.key})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert [fault["pointer"] for fault in response.json()["errors"]] == pointers
    assert edge.land.requests == []
