"""The query and the body of the routes that find parcels, and the resulting requests to land."""

import json
from typing import Any

import pytest
from running_edge import Edge

from landpartner.land.v1 import land_pb2

PARCELS = "/api/v1/parcels"
SEARCH = f"{PARCELS}/search"
PARCEL = "75118000AB0012"
SQUARE = {"type": "Polygon", "coordinates": [[[2, 48], [2.01, 48], [2.01, 48.01], [2, 48.01], [2, 48]]]}


async def found(edge: Edge, query: str) -> Any:
    return await edge.client.get(f"{PARCELS}?{query}", headers={"x-api-key": edge.key})


def faults(response: Any) -> list[tuple[str, str]]:
    assert response.status_code == 400
    return [(fault["pointer"], fault["code"]) for fault in response.json()["errors"]]


async def test_a_point_or_a_box_reaches_land_with_its_page(edge: Edge) -> None:
    assert (await found(edge, "lat=48.5&lon=-2&limit=7&cursor=next")).status_code == 200
    request = edge.land.requests[0]
    assert (request.place.latitude, request.place.longitude) == (48.5, -2)
    assert (request.page_size, request.page_token) == (7, "next")
    assert (await found(edge, "bbox=-61.1,14.5,-61,14.6")).status_code == 200
    request = edge.land.requests[1]
    assert request.bbox == land_pb2.BoundingBox(west=-61.1, south=14.5, east=-61.0, north=14.6)
    assert (request.page_size, request.scope) == (50, land_pb2.SCOPE_ALL)


@pytest.mark.parametrize(
    ("text", "west"),
    [
        ("-3.8e-05,48.,2.0008,48.5", -3.8e-05),
        (".5, 48, 2, 48.5", 0.5),
        ("+1.5,48,2,48.5", 1.5),
        ("1.5,48,-10,2,48.5,300.5", 1.5),
    ],
)
async def test_a_box_is_read_as_programs_print_it(edge: Edge, text: str, west: float) -> None:
    for path in (PARCELS, "/api/v1/ogc/collections/parcels/items"):
        response = await edge.client.get(path, params={"bbox": text}, headers={"x-api-key": edge.key})
        assert response.status_code == 200, response.text
        box = edge.land.requests[-1].bbox
        assert (box.west, box.south, box.east) == (west, 48, 2 if text[0] != "-" else 2.0008)
        assert box.north == 48.5


async def test_the_answer_is_geojson_with_a_cursor(edge: Edge) -> None:
    response = await found(edge, "lat=48.5&lon=-2")
    assert response.headers["content-type"] == "application/geo+json"
    page = response.json()
    assert (page["type"], page["next_cursor"], page["coverage"]) == ("FeatureCollection", "next", {"dvf": "covered"})
    [feature] = page["features"]
    assert (feature["type"], feature["id"]) == ("Feature", "00001000AB0012")
    assert feature["properties"]["edition"] == "2026-01-01"
    edge.land.parcel_page.next_page_token = ""
    assert (await found(edge, "lat=48.5&lon=-2")).json()["next_cursor"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [("/lat", "required"), ("/bbox", "required")]),
        ("lat=1", [("/lon", "required")]),
        ("lat=1&lon=2&bbox=1,2,3,4", [("/lat", "contradictory"), ("/bbox", "contradictory")]),
        ("lat=nan&lon=2", [("/lat", "out_of_range")]),
        ("bbox=1,2,3", [("/bbox", "malformed")]),
        ("bbox=1,2,3,1e9", [("/bbox", "malformed")]),
        ("lat=1&lon=2&limit=0", [("/limit", "out_of_range")]),
    ],
)
async def test_a_faulty_query_has_pointers(edge: Edge, query: str, expected: list[tuple[str, str]]) -> None:
    assert faults(await found(edge, query)) == expected
    assert not edge.land.requests


async def test_areas_and_filters_reach_land(edge: Edge) -> None:
    filters = {"min_area_m2": 0, "zone_types": ["U"], "sold_since": "2024-01-31", "unbuilt": True}
    bodies = [
        {"geometry": {**SQUARE, "bbox": [2, 48, 2.01, 48.01]}, "filters": filters},
        {"around": {"lat": 48, "lon": 2, "distance_m": 10}, "filters": {}},
        {"around": {"parcel_id": PARCEL.lower(), "distance_m": 0.5}, "geometry": None},
        {"neighbours_of": PARCEL},
    ]
    for body in bodies:
        assert (await edge.post(SEARCH, body)).status_code == 200
    polygon, around_place, around_parcel, neighbours = edge.land.requests
    assert json.loads(polygon.geometry) == SQUARE
    assert polygon.filters == land_pb2.ParcelFilters(
        min_area_m2=0, zone_types=["U"], sold_since="2024-01-31", unbuilt=True
    )
    assert polygon.filters.HasField("min_area_m2")
    assert not polygon.filters.HasField("max_area_m2")
    assert around_place.around.place == land_pb2.Position(longitude=2, latitude=48)
    assert (around_parcel.around.parcel_id, around_parcel.around.distance_m) == (PARCEL, 0.5)
    assert neighbours.neighbours_of == PARCEL


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [("/geometry", "required"), ("/around", "required"), ("/neighbours_of", "required")]),
        (
            {"geometry": SQUARE, "neighbours_of": PARCEL},
            [("/geometry", "contradictory"), ("/neighbours_of", "contradictory")],
        ),
        (
            {"around": {"distance_m": 5}},
            [("/around/lat", "required"), ("/around/parcel_id", "required"), ("/around/address", "required")],
        ),
        ({"around": {"lat": 48, "lon": 2}}, [("/around/distance_m", "required")]),
        ({"neighbours_of": "75118"}, [("/neighbours_of", "malformed")]),
        ({"neighbours_of": PARCEL, "filter": {}}, [("/filter", "unknown_member")]),
        ({"neighbours_of": PARCEL, "filters": {"sold_since": "2023-02-29"}}, [("/filters/sold_since", "malformed")]),
        ({"neighbours_of": PARCEL, "filters": {"unbuilt": "yes"}}, [("/filters/unbuilt", "wrong_type")]),
        ({"geometry": {"type": "Polygon"}}, [("/geometry/coordinates", "required")]),
    ],
)
async def test_a_faulty_body_has_pointers(edge: Edge, body: Any, expected: list[tuple[str, str]]) -> None:
    assert faults(await edge.post(SEARCH, body)) == expected
    assert not edge.land.requests


async def test_a_search_may_have_a_thousand_positions_but_no_endless_body(edge: Edge) -> None:
    def ring(count: int) -> dict[str, Any]:
        return {"geometry": {"type": "Polygon", "coordinates": [[[2.123456, 48.123456, 30.5]] * count]}}

    assert (await edge.post(SEARCH, ring(1_000))).status_code == 200
    assert faults(await edge.post(SEARCH, ring(2_000))) == [("", "too_many")]
