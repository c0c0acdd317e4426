"""The request bodies of the consumer endpoints, and the resulting requests to land."""

import json
from typing import Any

import pytest
from running_edge import Edge

from contract.endpoints import SCOPES
from contract.enums import BLOCKS
from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2

RESOLVE = "/api/v1/addresses/resolve"
GEOJSON = "/api/v1/land-units/geojson"
DIVIDE = "/api/v1/assistant/divide-land"
PARCEL = "75118000AB0012"


def faults(response: Any) -> list[tuple[str, str]]:
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+json"
    return [(fault["pointer"], fault["code"]) for fault in response.json()["errors"]]


async def test_all_address_fields_reach_land(edge: Edge) -> None:
    body = {
        "label": " 10 rue X ",
        "street": "rue X",
        "number": "10",
        "postcode": "75018",
        "city": "Paris",
        "city_code": "75118",
        "score": 1,
    }
    assert (await edge.post(RESOLVE, body)).status_code == 200
    query = edge.land.requests[0].query
    assert (query.label, query.street, query.number) == ("10 rue X", "rue X", "10")
    assert (query.postcode, query.city, query.city_code) == ("75018", "Paris", "75118")


@pytest.mark.parametrize(
    "body", [{}, {"label": ""}, {"label": None, "city": "  "}, {"label": []}, {"street": {}}, [], ""]
)
async def test_an_empty_query_is_invalid(edge: Edge, body: Any) -> None:
    assert faults(await edge.post(RESOLVE, body)) == [("", "required")]


@pytest.mark.parametrize("value", [12, 1.5, True, ["x"], {"a": 1}])
async def test_a_field_of_the_wrong_type_has_a_pointer(edge: Edge, value: Any) -> None:
    assert faults(await edge.post(RESOLVE, {"label": "x", "number": value})) == [("/number", "wrong_type")]


@pytest.mark.parametrize("path", [GEOJSON, DIVIDE])
@pytest.mark.parametrize(
    "body",
    [{}, {"address": None, "parcel_ids": None}, {"address": {}, "parcel_ids": []}, {"address": {"label": ""}}],
)
async def test_neither_address_nor_parcels_is_invalid(edge: Edge, path: str, body: Any) -> None:
    assert [pointer for pointer, _ in faults(await edge.post(path, body))] == ["/address", "/parcel_ids"]


async def test_parcels_and_address_are_both_sent_to_land(edge: Edge) -> None:
    response = await edge.post(GEOJSON, {"address": {"label": "10 rue X"}, "parcel_ids": [PARCEL]})
    assert response.status_code == 200
    request = edge.land.requests[0]
    assert (list(request.parcel_ids), request.address.label) == ([PARCEL], "10 rue X")
    assert response.json()["features"][0]["properties"]["address"]["label"] == "10 rue X"


async def test_the_address_selects_if_the_list_of_parcels_is_empty(edge: Edge) -> None:
    await edge.post(GEOJSON, {"address": {"label": "10 rue X"}, "parcel_ids": []})
    assert (list(edge.land.requests[0].parcel_ids), edge.land.requests[0].address.label) == ([], "10 rue X")


async def test_parcel_ids_are_normalized_and_deduplicated(edge: Edge) -> None:
    await edge.post(GEOJSON, {"parcel_ids": ["2a004000ab0012", " 2A004000AB0012", PARCEL]})
    assert list(edge.land.requests[0].parcel_ids) == ["2A004000AB0012", PARCEL]


@pytest.mark.parametrize(
    "wrong", ["75118000AB001", "75118000AB00123", "", "2C118000AB0012", "75118000AB00 2", "75118000ab0012\n\n1"]
)
async def test_a_malformed_parcel_id_has_a_pointer(edge: Edge, wrong: str) -> None:
    assert faults(await edge.post(GEOJSON, {"parcel_ids": [PARCEL, wrong]})) == [("/parcel_ids/1", "malformed")]


async def test_a_malformed_text_says_its_form_with_an_example(edge: Edge) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": ["AA 1"]}, headers={"accept-language": "en"})
    assert "(14 characters, like 75118000AB0012)" in response.json()["errors"][0]["detail"]


@pytest.mark.parametrize(
    ("path", "body", "pointer", "hint"),
    [
        (
            DIVIDE,
            {"parcel_ids": [PARCEL], "budget": 1},
            "/budget",
            "are: address, parcel_ids, question, project",
        ),
        (GEOJSON, {"parcel_ids": [PARCEL], "includes": []}, "/includes", "did you mean include?"),
        (GEOJSON, {"address": {"lable": "x"}}, "/address/lable", "did you mean label?"),
        (RESOLVE, {"label": "x", "post_code": "75018"}, "/post_code", "did you mean postcode?"),
    ],
)
async def test_an_unknown_member_is_refused_with_the_nearest_name(
    edge: Edge, path: str, body: Any, pointer: str, hint: str
) -> None:
    response = await edge.post(path, body, headers={"accept-language": "en"})
    assert faults(response) == [(pointer, "unknown_member")]
    assert hint in response.json()["errors"][0]["detail"]
    assert not edge.land.requests


@pytest.mark.parametrize(
    ("project", "pointer", "code"),
    [
        ({"lots": [{"area_m2": -5}]}, "/project/lots/0/area_m2", "out_of_range"),
        ({"lots": [{"use": "casino"}]}, "/project/lots/0/use", "unknown_value"),
        ({"lot_count": "three"}, "/project/lot_count", "wrong_type"),
        ({"keep_outs": [{"distance": 3}]}, "/project/keep_outs/0/distance", "unknown_member"),
        ({"owners": [{"share_ratio": 1.5}]}, "/project/owners/0/share_ratio", "out_of_range"),
    ],
)
async def test_a_wrong_member_of_a_project_is_refused_at_its_place(
    edge: Edge, project: Any, pointer: str, code: str
) -> None:
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "project": project})
    assert faults(response) == [(pointer, code)]
    assert not edge.land.requests


async def test_a_project_in_fields_reaches_the_assistant(edge: Edge) -> None:
    project = {
        "lot_count": 3,
        "lots": [{"area_m2": 400, "use": "house", "holder": None}],
        "keeps_house": False,
        "owners": [],
    }
    assert (await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "project": project})).status_code == 200
    told = edge.assistant.requests[0].project
    assert (told.lot_count, told.lots[0].area_m2, told.lots[0].use) == (3, 400, 1)
    assert told.HasField("keeps_house")
    assert not told.HasField("has_shared_way")


@pytest.mark.parametrize("path", [GEOJSON, DIVIDE])
async def test_an_answer_of_resolve_is_a_request(edge: Edge, path: str) -> None:
    resolution = (await edge.post(RESOLVE, {"label": "x"})).json()
    assert {"address", "parcel_ids", "parcels", "alternatives", "sources", "warnings"} == resolution.keys()
    assert (await edge.post(path, resolution)).status_code == 200
    assert (await edge.post(RESOLVE, resolution["address"])).status_code == 200


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"parcel_ids": PARCEL}, "/parcel_ids"),
        ({"parcel_ids": [1]}, "/parcel_ids/0"),
        ({"parcel_ids": [None]}, "/parcel_ids/0"),
        ({"parcel_ids": {"0": PARCEL}}, "/parcel_ids"),
        ({"address": "10 rue X"}, "/address"),
        ({"address": ["x"]}, "/address"),
        ({"address": {"number": 10}}, "/address/number"),
        ({"parcel_ids": [PARCEL], "include": "land"}, "/include"),
        ({"parcel_ids": [PARCEL], "include": [None]}, "/include/0"),
    ],
)
async def test_wrong_types_in_a_body_have_a_pointer(edge: Edge, body: Any, pointer: str) -> None:
    assert pointer in [place for place, _ in faults(await edge.post(GEOJSON, body))]
    assert edge.land.requests == []


async def test_a_hundred_parcels_are_accepted_and_one_more_is_refused(edge: Edge) -> None:
    ids = [f"75118000AB{number:04}" for number in range(101)]
    assert (await edge.post(GEOJSON, {"parcel_ids": ids[:100]})).status_code == 200
    assert faults(await edge.post(GEOJSON, {"parcel_ids": ids})) == [("/parcel_ids", "too_many")]


@pytest.mark.parametrize(
    ("include", "blocks"),
    [
        (None, ["land", "urbanism", "buildings", "real_estate"]),
        ("", ["land", "urbanism", "buildings", "real_estate"]),
        ([], []),
        (["real_estate", "land", "land"], ["real_estate", "land"]),
        (["land", "risks"], ["land", "risks"]),
    ],
)
async def test_include_selects_blocks(edge: Edge, include: Any, blocks: list[str]) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL], "include": include})
    assert list(edge.land.requests[0].blocks) == [land_pb2.Block.Value(f"BLOCK_{name.upper()}") for name in blocks]
    properties = response.json()["features"][0]["properties"]
    assert [name for name in BLOCKS if name in properties] == sorted(blocks, key=BLOCKS.index)
    assert {"urban_authorizations", "dvf_sales", "former", "lineage"} <= set(properties["history"])


async def test_an_unknown_block_is_refused(edge: Edge) -> None:
    response = await edge.post(GEOJSON, {"parcel_ids": [PARCEL], "include": ["land", "moon"]})
    assert faults(response) == [("/include/1", "unknown_value")]


async def test_an_answer_of_resolve_is_a_valid_body_for_the_other_endpoints(edge: Edge) -> None:
    answer = (await edge.post(RESOLVE, {"label": "x"})).json()
    for path in (GEOJSON, DIVIDE):
        assert (await edge.post(path, answer)).status_code == 200
    request = edge.land.requests[-1]
    assert list(request.parcel_ids) == answer["parcel_ids"]
    assert (request.address.number, request.address.city_code) == ("10 bis", "00001")


async def test_an_answer_without_number_or_parcels_is_a_valid_body(edge: Edge) -> None:
    edge.land.resolution = land_pb2.ResolveAddressResponse(
        address=land_pb2.Address(label="Rue des Lilas", street="Rue des Lilas", type=land_pb2.ADDRESS_TYPE_STREET)
    )
    answer = (await edge.post(RESOLVE, {"label": "x"})).json()
    assert answer["address"]["number"] is None
    assert answer["parcel_ids"] == []
    assert (await edge.post(GEOJSON, answer)).status_code == 200
    assert edge.land.requests[-1].address.street == "Rue des Lilas"


async def test_questions_reach_the_assistant_up_to_their_limit(edge: Edge) -> None:
    assert (await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "question": "q" * 2000})).status_code == 200
    assert edge.assistant.requests[0].question == "q" * 2000
    assert (await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "question": ""})).status_code == 200
    assert edge.assistant.requests[1].question == ""
    response = await edge.post(DIVIDE, {"parcel_ids": [PARCEL], "question": "q" * 2001})
    assert faults(response) == [("/question", "too_long")]


async def test_json_with_a_byte_order_mark_is_read(edge: Edge) -> None:
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    body = b'\xef\xbb\xbf{"label": "1 rue"}'
    assert (await edge.client.post(RESOLVE, content=body, headers=headers)).status_code == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"{'label': 'x'}",
        b'{"label": NaN}',
        b'{"label": "x",}',
        b'{"label": "\xff"}',
        b'{"label": "\\ud800"}',
        b"\x1f\x8b\x08",
        b"[" * 100_000,
        b'{"a":' * 40_000,
        b"label=x",
    ],
)
async def test_invalid_json_is_refused(edge: Edge, raw: bytes) -> None:
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    response = await edge.client.post(RESOLVE, content=raw, headers=headers)
    assert (response.status_code, response.json()["code"], response.json()["errors"]) == (400, "invalid_json", [])


@pytest.mark.parametrize("raw", [b"1e999", b"9" * 4000, b'{"label": 1e400}', b"true", b'"text"', b"[1, 2]"])
async def test_json_of_another_shape_is_an_invalid_payload(edge: Edge, raw: bytes) -> None:
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    response = await edge.client.post(RESOLVE, content=raw, headers=headers)
    assert response.status_code == 400


async def test_null_is_an_empty_request(edge: Edge) -> None:
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    assert faults(await edge.client.post(RESOLVE, content=b"null", headers=headers)) == [("", "required")]


async def test_control_characters_are_refused(edge: Edge) -> None:
    assert faults(await edge.post(RESOLVE, {"label": "a\u0000b"})) == [("/label", "malformed")]


async def test_the_last_of_repeated_members_wins(edge: Edge) -> None:
    headers = {"x-api-key": edge.key, "content-type": "application/json"}
    await edge.client.post(RESOLVE, content=b'{"label": "a", "label": "b"}', headers=headers)
    assert edge.land.requests[0].query.label == "b"


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/json", "content-encoding": "gzip"},
        {},
    ],
)
async def test_other_media_types_are_415(edge: Edge, headers: dict[str, str]) -> None:
    response = await edge.client.post(
        RESOLVE, content=json.dumps({"label": "x"}).encode(), headers={"x-api-key": edge.key, **headers}
    )
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


async def test_test_keys_get_only_the_demo_commune(edge: Edge) -> None:
    edge.keys.terms.mode = keys_pb2.KEY_MODE_TEST
    for path, body in (
        (RESOLVE, {"label": "x"}),
        (GEOJSON, {"parcel_ids": [PARCEL]}),
        (DIVIDE, {"parcel_ids": [PARCEL]}),
    ):
        await edge.post(path, body)
    headers = {"x-api-key": edge.key}
    await edge.client.get("/api/v1/coverage", headers=headers)
    assert {request.scope for request in edge.land.requests} == {land_pb2.SCOPE_DEMO}
    edge.keys.terms.mode = keys_pb2.KEY_MODE_LIVE
    await edge.post(RESOLVE, {"label": "x"})
    assert edge.land.requests[-1].scope == land_pb2.SCOPE_ALL


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, "fr"),
        ("en", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("de, fr;q=0.5, en;q=0.6", "en"),
        ("*", "fr"),
        (";q=x,", "fr"),
    ],
)
async def test_the_language_is_sent_to_land(edge: Edge, header: str | None, expected: str) -> None:
    headers = {} if header is None else {"accept-language": header}
    await edge.post(RESOLVE, {"label": "x"}, headers=headers)
    assert edge.land.languages == [expected]
    missing = await edge.client.post(RESOLVE, headers=headers)
    assert missing.headers["content-language"] == expected


async def test_an_empty_object_counts_as_absent_in_every_body(edge: Edge) -> None:
    edge.keys.terms.scopes.extend(SCOPES)
    assert (await edge.post(RESOLVE, {"label": "10 rue X", "city_code": {}})).status_code == 200
    assert (await edge.post(GEOJSON, {"parcel_ids": [PARCEL], "include": {}})).status_code == 200
    around = {"parcel_id": PARCEL, "distance_m": 5, "lat": {}, "lon": {}}
    search = {"around": around, "limit": {}, "filters": {"unbuilt": {}}}
    assert (await edge.post("/api/v1/parcels/search", search)).status_code == 200
    watch = {"parcel_ids": [PARCEL], "commune_code": {}, "area": {}}
    assert (await edge.post("/api/v1/watches", watch)).status_code == 200
    assert (await edge.post("/api/v1/keys/abcdefgh/rotate", {"grace_days": {}})).status_code == 200
    assert faults(await edge.post("/api/v1/webhooks", {"url": {}})) == [("/url", "required")]
