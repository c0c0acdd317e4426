"""OGC API Features: what the edge asks land, its links and filters."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import cql2
import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator
from running_edge import Edge, make_key

from contract.collections import COLLECTIONS
from edge.api.v1 import ogc
from landpartner.land.v1 import land_pb2 as pb

OGC = "/api/v1/ogc"
ITEMS = f"{OGC}/collections/zones/items"
LAMBERT = "http://www.opengis.net/def/crs/EPSG/0/2154"


async def get(edge: Edge, path: str, **query: str) -> Any:
    return await edge.client.get(path, params=query, headers={"x-api-key": edge.key})


async def test_a_page_asks_land_and_leads_to_the_next(edge: Edge) -> None:
    query = {"bbox": "1,2,3,4", "datetime": "../2024-01-02T03:04:05Z", "limit": "1000", "crs": LAMBERT}
    response = await get(edge, ITEMS, filter="partition IN ('DU_1', 'DU_2')", **query)
    assert (response.status_code, response.headers["content-crs"]) == (200, f"<{LAMBERT}>")
    (request,) = edge.land.requests
    assert request == pb.ListFeaturesRequest(
        collection=pb.FEATURE_COLLECTION_ZONES,
        bbox=pb.BoundingBox(west=1, south=2, east=3, north=4),
        projection=2154,
        until="2024-01-02",
        conditions=[pb.FeatureCondition(member="partition", values=["DU_1", "DU_2"])],
        scope=pb.SCOPE_ALL,
        page_size=200,
    )
    page = response.json()
    assert page["features"][0]["properties"]["label"] == "UB"
    (following,) = [urlsplit(link["href"]) for link in page["links"] if link["rel"] == "next"]
    assert following.path == ITEMS
    linked = {name: value for name, (value,) in parse_qs(following.query).items()}
    cursor = linked.pop("cursor")
    assert linked == {"filter": "partition IN ('DU_1', 'DU_2')", **query}
    await get(edge, ITEMS, cursor=cursor, **linked)
    assert edge.land.requests[1].page_token == "1"
    assert {lease.endpoint for lease in edge.keys.lease_requests} == {"ogc.items"}


async def is_paid(edge: Edge, response: Any) -> bool:
    """Whether the request of this answer, and the only one since the last call, cost its unit."""
    assert response.status_code == 200
    outcome = await edge.keys.outcome()
    edge.keys.outcomes.clear()
    assert (outcome.endpoint, outcome.units) == ("ogc.items", 1)
    return not outcome.is_free


async def test_a_unit_pays_for_the_pages_that_follow_by_the_cursor(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ogc, "PAID_FEATURES", 600)
    response = await get(edge, ITEMS, bbox="1,2,3,4", limit="200")
    paid = [await is_paid(edge, response)]
    for _ in range(6):
        (following,) = [link["href"] for link in response.json()["links"] if link["rel"] == "next"]
        response = await edge.client.get(following, headers={"x-api-key": edge.key})
        paid.append(await is_paid(edge, response))
    assert [page for page, is_paid_for in enumerate(paid) if is_paid_for] == [0, 3, 6]
    assert {request.page_token for request in edge.land.requests[1:]} == {"1"}


async def test_the_first_ten_features_are_free_and_the_next_page_is_paid(edge: Edge) -> None:
    response = await get(edge, ITEMS, limit="10")
    assert not await is_paid(edge, response)
    (following,) = [link["href"] for link in response.json()["links"] if link["rel"] == "next"]
    query = {name: value for name, (value,) in parse_qs(urlsplit(following).query).items()}
    assert await is_paid(edge, await get(edge, ITEMS, **query))
    for selected in ({"limit": "11"}, {"limit": "10", "bbox": "1,2,3,4"}, {"limit": "10", "filter": "TRUE"}, {}):
        assert await is_paid(edge, await get(edge, ITEMS, **selected))


async def test_a_cursor_is_free_for_its_query_alone(edge: Edge) -> None:
    response = await get(edge, ITEMS, bbox="1,2,3,4")
    assert await is_paid(edge, response)
    (following,) = [link["href"] for link in response.json()["links"] if link["rel"] == "next"]
    query = {name: value for name, (value,) in parse_qs(urlsplit(following).query).items()}
    left, code, after = query["cursor"].split(".")
    forged = [
        f"{int(left) + 1}.{code}.{after}",
        f"{left}.{code}.2",
        f"{left}.{'0' * 24}.{after}",
        "",
        after,
        f"é.é.{after}",
    ]
    for changed in ({"bbox": "1,2,3,5"}, {"limit": "51"}, *({"cursor": cursor} for cursor in forged)):
        assert await is_paid(edge, await get(edge, ITEMS, **query | changed))
    assert await is_paid(edge, await get(edge, ITEMS.replace("zones", "prescriptions"), **query))
    assert not await is_paid(edge, await get(edge, ITEMS, **query))
    edge.keys.terms.key_id, edge.key = "key-2", make_key(ident="efgh5678")
    assert await is_paid(edge, await get(edge, ITEMS, **query))


async def test_a_limit_above_the_maximum_is_the_maximum(edge: Edge) -> None:
    assert (await get(edge, ITEMS, limit="10000000")).status_code == 200
    assert edge.land.requests[0].page_size == 200


async def test_an_extent_has_all_of_france_and_its_territories(edge: Edge) -> None:
    collections = (await get(edge, f"{OGC}/collections")).json()["collections"]
    assert [collection["id"] for collection in collections] == list(COLLECTIONS)
    for collection in collections:
        whole, *territories = collection["extent"]["spatial"]["bbox"]
        wests, souths, easts, norths = zip(*territories, strict=True)
        assert [min(wests), min(souths), max(easts), max(norths)] == whole
        assert len(territories) == len(collection["crs"]) - 1, "one for each legal projection"


async def test_a_filter_in_a_body_is_not_allowed(edge: Edge) -> None:
    filtered = {"op": "=", "args": [{"property": "partition"}, "DU_1"]}
    response = await edge.client.post(ITEMS, json=filtered, headers={"x-api-key": edge.key})
    assert response.status_code == 405
    assert {"GET", "HEAD"} >= set(response.headers["allow"].replace(" ", "").split(",")) >= {"GET"}


async def test_a_box_may_have_heights(edge: Edge) -> None:
    for box in ("1,2,3,4", "1,2,0,3,4,100"):
        assert (await get(edge, ITEMS, bbox=box)).status_code == 200
    assert edge.land.requests[0].bbox == edge.land.requests[1].bbox


@pytest.mark.parametrize("collection", COLLECTIONS)
async def test_a_collection_leads_to_its_features_and_queryables(edge: Edge, collection: str) -> None:
    described = (await get(edge, f"{OGC}/collections/{collection}")).json()
    addresses = {link["rel"].rpartition("/")[2]: urlsplit(link["href"]).path for link in described["links"]}
    assert (await get(edge, addresses["items"])).status_code == 200
    queryables = (await get(edge, addresses["queryables"])).json()["properties"]
    for member in queryables:
        assert (await get(edge, addresses["items"], filter=f"{member} = 'x'")).status_code == 200


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"filter": "label = 'UB'"}, "/filter"),
        ({"filter": "partition LIKE 'x%'"}, "/filter"),
        ({"filter": "partition = 'x' AND label <> 'UB'"}, "/filter"),
        ({"filter": "partition = 1"}, "/filter"),
        ({"filter": "partition IN ('x', 1)"}, "/filter"),
        ({"filter": "NOT partition = 1"}, "/filter"),
        ({"filter": "partition IN (partition)"}, "/filter"),
        ({"filter": "NOT (partition IN ('x', partition))"}, "/filter"),
        ({"filter": "partition = 'x' OR label IS NULL"}, "/filter"),
        ({"filter": "("}, "/filter"),
        ({"filter": "(" * 1_000}, "/filter"),
        ({"filter": "NOT " * 400 + "a"}, "/filter"),
        ({"filter": "\0"}, "/filter"),
        ({"filter": "POINT EMPTY"}, "/filter"),
        ({"filter": "partition = POINT EMPTY"}, "/filter"),
        ({"filter": "partition = POINT Z (1 2 3)"}, "/filter"),
        ({"filter": "S_INTERSECTS(partition, POINT Z(1 2))"}, "/filter"),
        ({"filter-lang": "cql2-json"}, "/filter-lang"),
        ({"bbox": "1,2,3"}, "/bbox"),
        ({"crs": "EPSG:2154"}, "/crs"),
        ({"datetime": "2024"}, "/datetime"),
        ({"limit": "0"}, "/limit"),
        ({"label": "UB"}, "/label"),
    ],
)
async def test_a_fault_of_the_query_has_a_pointer(edge: Edge, query: dict[str, str], pointer: str) -> None:
    response = await get(edge, ITEMS, **query)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, pointer)
    assert not edge.land.requests


@pytest.mark.parametrize("opened", [0, 1, 2, 4, 8, 12])
async def test_the_parser_reads_few_characters_for_many_parentheses(
    edge: Edge, opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    parse = cql2.parse_text

    def note(text: str) -> object:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(cql2, "parse_text", note)
    for length in (2_000, 1_001, 501, 251, 126):
        text = "(" * opened + "a+" * ((length - opened) // 2)
        assert (await get(edge, ITEMS, filter=text)).status_code == 400
    assert all(len(text) * 2 ** text.count("(") <= 4_000 for text in parsed)
    assert bool(parsed) is (opened < 8)


async def test_a_filter_of_many_values_in_parentheses_is_read(edge: Edge) -> None:
    values = ", ".join(f"'DU_{number:04}'" for number in range(80))
    assert (await get(edge, ITEMS, filter=f"(partition IN ({values}))")).status_code == 200
    assert len(edge.land.requests[0].conditions[0].values) == 80


async def test_what_does_not_exist_is_not_found(edge: Edge) -> None:
    for path in (f"{ITEMS}/2", f"{OGC}/collections/roads", f"{OGC}/collections/roads/items"):
        assert (await get(edge, path)).json()["code"] == "not_found"
    assert (await get(edge, f"{ITEMS}/1")).json()["id"] == "1"


@pytest.mark.parametrize(
    ("text", "members", "rest"),
    [
        ("partition = 'it''s'", ["it's"], []),
        ("partition = 'x' AND (partition IN ('y') AND TRUE)", ["x", "y"], [True]),
        ("partition = 'x' AND partition <> 'y'", ["x"], ["<>"]),
        ("NOT partition IS NULL OR FALSE", [], ["or"]),
        ("partition IS NOT NULL", [], ["not"]),
        ("partition >= 'a' AND 'b' < partition", [], [">=", "<"]),
        ("partition = 'x' OR 'y' = partition OR partition IN ('z')", ["x", "y", "z"], []),
        ("TRUE AND (partition = 'x' or \"partition\" = 'y')", ["x", "y"], [True]),
        ("partition = 'x' OR partition <> 'y'", [], ["or"]),
        ("partition = 'x' OR 'y' = 'y'", [], ["or"]),
        ("NOT (partition IN ('x', 'y'))", [], ["not"]),
    ],
)
async def test_basic_cql2_is_asked_of_land(edge: Edge, text: str, members: list[str], rest: list[Any]) -> None:
    assert (await get(edge, ITEMS, filter=text)).status_code == 200
    (request,) = edge.land.requests
    assert [value for condition in request.conditions for value in condition.values] == members
    parts: list[Any] = json.loads(request.filter)["args"] if request.filter else []
    assert [part if isinstance(part, bool) else part["op"] for part in parts] == rest


async def test_values_of_two_members_are_compared_row_by_row(edge: Edge) -> None:
    items = f"{OGC}/collections/parcels/items"
    await get(edge, items, filter="commune_code = '00001' OR parcel_id = '00001000AA0001'")
    (request,) = edge.land.requests
    assert (list(request.conditions), json.loads(request.filter)["args"][0]["op"]) == ([], "or")


@pytest.mark.parametrize("path", [OGC, f"{OGC}/conformance", f"{OGC}/collections"])
async def test_an_address_with_a_slash_at_its_end_is_the_same(edge: Edge, path: str) -> None:
    with_slash = await get(edge, f"{path}/")
    assert (with_slash.status_code, with_slash.json()) == (200, (await get(edge, path)).json())
    assert (await edge.client.get(f"{path}/")).status_code == 401
    assert {lease.endpoint for lease in edge.keys.lease_requests} == {"ogc"}


async def test_the_landing_page_leads_to_a_description_of_ogc_alone(edge: Edge) -> None:
    links = (await get(edge, OGC)).json()["links"]
    (link,) = [link for link in links if link["rel"] == "service-desc"]
    response = await edge.client.get(urlsplit(link["href"]).path)
    assert response.headers["content-type"] == link["type"] == "application/vnd.oai.openapi+json;version=3.0"
    description = response.json()
    OpenAPIV30SpecValidator(description).validate()
    assert [server["url"] for server in description["servers"]] == [f"{edge.client.base_url}{OGC}"]
    assert description["info"]["contact"]["url"].startswith(str(edge.client.base_url))
    assert {"/", "/conformance", "/collections", "/collections/{collection}/items"} <= description["paths"].keys()
    assert len(description["paths"]) == 7
    operation = description["paths"]["/collections/{collection}/items"]["get"]
    query = {part["name"]: part for part in operation["parameters"] if part["in"] == "query"}
    for name in ("bbox", "limit", "datetime", "crs", "bbox-crs"):  # Parts 1 and 2 name these values
        assert (query[name]["style"], query[name]["explode"], query[name]["required"]) == ("form", False, False)
    assert query["bbox"]["schema"]["items"] == {"type": "number"}
    assert {"minimum": 1, "maximum": 200, "default": 50}.items() <= query["limit"]["schema"].items()
