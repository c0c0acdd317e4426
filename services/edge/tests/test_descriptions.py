"""The two API descriptions and their pages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answer_schemas import checked
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV30SpecValidator, validate
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from running_edge import Edge, StartEdge

from contract.endpoints import SCOPES
from contract.messages.schemas import Composed, enum
from contract.messages.shape import Shape
from edge.access import PathClass
from edge.batches.spreadsheets import XLSX
from edge.descriptions.examples import examples_of
from edge.descriptions.forms import with_named_enums
from edge.descriptions.operations import operation_of
from edge.routing import FORMER_NAMES, PlainRoute
from landpartner.keys.v1 import keys_pb2
from landpartner.land.v1 import land_pb2

CONTRACT = {
    ("get", "/api/v1/health"),
    ("get", "/api/v1/openapi.json"),
    ("get", "/api/v1/openapi-public.json"),
    ("get", "/api/v1/docs/public"),
    ("get", "/api/docs"),
    ("get", "/api/docs/public"),
    ("get", "/playground"),
    ("get", "/admin"),
    ("post", "/api/v1/addresses/resolve"),
    ("post", "/api/v1/land-units/geojson"),
    ("post", "/api/v1/assistant/divide-land"),
    ("get", "/api/v1/admin/setup"),
    ("post", "/api/v1/admin/setup"),
    ("get", "/api/v1/admin/api-keys"),
    ("post", "/api/v1/admin/api-keys"),
    ("post", "/api/v1/admin/api-keys/{keyId}/revoke"),
    ("get", "/api/v1/admin/usage"),
}


def operations(document: Any) -> dict[tuple[str, str], Any]:
    return {
        (method, path): operation
        for path, members in document["paths"].items()
        for method, operation in members.items()
    }


async def test_both_descriptions_are_valid_and_cover_the_contract(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    validate(full)
    validate(public)
    assert set(operations(full)) >= CONTRACT
    consumer = {
        (method.lower(), route.path.rstrip("/"))  # an entrance of OGC is also reached with a slash
        for route in edge.routes()
        if isinstance(route, PlainRoute) and route.access.path_class in (PathClass.KEY, PathClass.AGENT)
        for method in route.methods or ()
    }
    assert set(operations(public)) == consumer
    assert public["info"]["version"] == "1.0.0"
    assert public["components"]["securitySchemes"] == {
        "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"}
    }
    assert all(operation["security"] == [{"apiKey": []}] for operation in operations(public).values())


async def test_every_route_of_the_api_is_described(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    unlisted = {"/health", "/livez", "/readyz", "/api/v1/livez", "/api/v1/readyz", "/assets/{name:path}"}
    unlisted |= {f"/api/docs/{{name}}.{ending}" for ending in ("md", "tar.gz", "csv", "qgs", "png")}
    unlisted |= {"/llms.txt", "/.well-known/security.txt"}
    unlisted |= {"/api/v1/home-sample", "/api/v1/ogc/api"}
    routes = {
        (method.lower(), route.path.rstrip("/") or "/")
        for route in edge.routes()
        for method in route.methods or ()
        if route.path not in unlisted
    }
    assert set(operations(full)) == routes


async def test_consumer_operations_name_every_status_of_the_contract(edge: Edge) -> None:
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    described = operations(public)
    for path in ("/api/v1/land-units/geojson", "/api/v1/assistant/divide-land", "/api/v1/addresses/resolve"):
        statuses = set(described["post", path]["responses"])
        assert statuses >= {"200", "400", "401", "403", "404", "413", "415", "429", "502", "503", "504"}
        assert ("422" in statuses) == ("assistant" in path)  # the status of another body for an Idempotency-Key


async def test_only_operations_that_accept_an_idempotency_key_declare_it(edge: Edge) -> None:
    described = operations((await edge.client.get("/api/v1/openapi.json")).json())
    declaring = {
        place: next(
            parameter["schema"] for parameter in operation["parameters"] if parameter["name"] == "Idempotency-Key"
        )
        for place, operation in described.items()
        if any(parameter["name"] == "Idempotency-Key" for parameter in operation["parameters"])
    }
    accepting = ("addresses/resolve/batch", "land-units/batch", "assistant/divide-land", "admin/api-keys")
    assert set(declaring) == {("post", f"/api/v1/{path}") for path in accepting}
    validator = OAS31Validator(declaring["post", "/api/v1/assistant/divide-land"])
    assert validator.is_valid("x" * 255)
    assert not any(validator.is_valid(key) for key in ("", " ", "x" * 256, "clé", "a\tb"))
    responses = described["post", "/api/v1/assistant/divide-land"]["responses"]
    assert set(responses["409"]["headers"]) == {"Retry-After"}


async def test_examples_match_the_schemas(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    registry: Registry[Any] = Registry().with_resource("urn:full", DRAFT202012.create_resource(full))
    checked = lines = 0
    for operation in operations(full).values():
        contents = [response.get("content", {}) for response in operation["responses"].values()]
        contents.append(operation.get("requestBody", {}).get("content", {}))
        for media in (media for content in contents for media in content.values()):
            examples = [item["value"] for item in media.get("examples", {}).values()]
            if line := media["schema"].get("x-line"):
                assert media["schema"]["type"] == "string"
                examples = [json.loads(text) for example in examples for text in example.splitlines()]
                lines += len(examples)
            reference = (line or media["schema"]).get("$ref")
            for example in examples if reference else ():
                OAS31Validator({"$ref": f"urn:full{reference}"}, registry=registry).validate(example)
                checked += 1
    assert (checked > 100, lines) == (True, 4)


async def test_examples_of_answers_have_no_member_beyond_the_declared_ones(edge: Edge) -> None:
    count = 0
    for route in edge.routes():
        operation = operation_of(route)
        if operation is None or not isinstance(operation.answer, Shape | Composed):
            continue
        for method in route.methods or ():
            for example in examples_of(method, route.path):
                if (example.status, example.media_type) == (operation.status, operation.media_type):
                    is_text = isinstance(example.body, str)  # of lines
                    for body in map(json.loads, example.body.splitlines()) if is_text else [example.body]:
                        checked(operation.answer.name, body)
                        count += 1
    assert count > 10


async def test_answers_may_have_members_that_clients_do_not_know(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    schemas = full["components"]["schemas"]
    waiting = references([operation["responses"] for operation in operations(full).values()])
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= references(schemas[name]) - reached
    assert len(reached) > 50
    assert not [name for name in reached if schemas[name].get("additionalProperties") is False]


@pytest.mark.parametrize("openapi", ["3.1", "3.0"])
@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/openapi-public.json"])
async def test_generators_of_clients_can_use_every_schema(edge: Edge, path: str, openapi: str) -> None:
    document = (await edge.client.get(path, params={"openapi": openapi})).json()
    schemas = document["components"]["schemas"]
    for place, schema in schemas_in(document):
        assert "not" not in schema, place
        assert "anyOf" not in schema or (openapi, schema["anyOf"][1:]) == ("3.1", [{"type": "null"}]), place
        assert "oneOf" not in schema or ("discriminator" in schema and openapi == "3.1"), place
        assert not isinstance(schema.get("type"), list) or schema["type"][1:] == ["null"], place
        assert schema.get("type") != "array" or "items" in schema, place
        if "enum" in schema and schema["enum"][1:]:  # one value is a constant of OpenAPI 3.0
            assert place in {f"/components/schemas/{name}" for name in schemas}, place
            assert isinstance(schema["x-may-grow"], bool), place
    assert len({name.casefold() for name in schemas}) == len(schemas)
    assert references(document) == set(schemas), "every schema is used"
    for operation in operations(document).values():
        if operation["tags"] == ["consumer"]:
            assert operation["security"] == [{"apiKey": []}], "generators send the key"
    assert {"contact", "license"} <= document["info"].keys()
    for route, operation in operations(document).items():
        answers = operation["responses"].get("200", {}).get("content", {})
        assert sum("json" in media_type for media_type in answers) <= 1, route


async def test_geometries_facts_of_events_and_layers_of_tiles_have_types(edge: Edge) -> None:
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    schemas = public["components"]["schemas"]
    for kind, reference in schemas["Geometry"]["discriminator"]["mapping"].items():
        coordinates, depth = schemas[reference.rpartition("/")[2]]["properties"]["coordinates"], 0
        while coordinates["type"] == "array":
            coordinates, depth = coordinates["items"], depth + 1
        depths = {"Point": 1, "MultiPoint": 2, "LineString": 2, "MultiLineString": 3, "Polygon": 3, "MultiPolygon": 4}
        assert (coordinates, depth) == ({"type": "number"}, depths[kind])
    kinds = schemas["LandEvent"]["discriminator"]["mapping"]
    assert set(kinds) == {kind.removeprefix("FACT_KIND_").lower() for kind in land_pb2.FactKind.keys()[1:]}
    for reference in kinds.values():
        event = schemas[reference.rpartition("/")[2]]["properties"]
        assert event["before"]["anyOf"] == event["after"]["anyOf"] != []
        assert schemas[event["after"]["anyOf"][0]["$ref"].rpartition("/")[2]]["properties"]
    [layer] = [
        parameter["schema"]["$ref"]
        for operation in operations(public).values()
        for parameter in operation["parameters"]
        if parameter["name"] == "layer"
    ]
    assert set(schemas[layer.rpartition("/")[2]]["enum"]) >= {"parcels", "buildings"}


def schemas_in(value: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a description that may be schemas, with their places. Lists of members and examples are not."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from schemas_in(item, f"{place}/{number}")
    if isinstance(value, dict):
        if not place.endswith("/properties"):
            yield place, value
        for name, part in value.items():
            if name not in ("examples", "example", "x-values") or place.endswith("/properties"):
                yield from schemas_in(part, f"{place}/{name}")


async def test_an_enumeration_says_whether_values_may_be_added(edge: Edge) -> None:
    schemas = (await edge.client.get("/api/v1/openapi.json")).json()["components"]["schemas"]
    may_grow = {name: schema["x-may-grow"] for name, schema in schemas.items() if "enum" in schema}
    assert may_grow["CoverageStatus"]
    assert may_grow["LotUse"], "a value of answers and of requests"
    assert not may_grow["SaleKind"], "a value of requests only"
    assert "added" in schemas["CoverageStatus"]["description"]
    assert "refuses" in schemas["SaleKind"]["description"]


def test_two_enumerations_of_one_name_are_an_error() -> None:
    first, second = enum("Kind", ["a"]), enum("Kind", ["b"])
    with pytest.raises(ValueError, match="Kind"):
        with_named_enums({"paths": [first, second], "components": {"schemas": {}}}, "en")
    with pytest.raises(ValueError, match="Kind"):
        with_named_enums({"paths": [first], "components": {"schemas": {"Kind": {}}}}, "en")


@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/openapi-public.json"])
async def test_the_description_is_also_served_in_openapi_3_0(edge: Edge, path: str) -> None:
    document = (await edge.client.get(path, params={"openapi": "3.0"})).json()
    OpenAPIV30SpecValidator(document).validate()
    assert document["openapi"] == "3.0.3"
    geometry, event = (document["components"]["schemas"][name] for name in ("Geometry", "LandEvent"))
    assert (geometry["type"], geometry["nullable"]) == ("object", True)
    members = [
        {key: value for key, value in part.items() if key != "description"} for part in geometry["properties"].values()
    ]
    assert members == [{"type": "string"}, {"type": "array", "items": {}}]
    assert set(event["required"]) == set(event["properties"]) >= {"kind", "id", "watch_ids", "before", "after"}
    assert (event["properties"]["before"]["type"], event["properties"]["before"]["nullable"]) == ("object", True)
    address = document["components"]["schemas"]["Address"]["properties"]
    assert (address["label"]["type"], address["label"]["nullable"]) == ("string", True)
    assert (address["type"]["allOf"], address["type"]["nullable"]) == (
        [{"$ref": "#/components/schemas/AddressType"}],
        True,
    )
    for place, schema in schemas_in(document):
        assert "const" not in schema, place
        assert not isinstance(schema.get("type"), list), place
        assert "$ref" not in schema or len(schema) == 1, place
    assert (await edge.client.get(path, params={"openapi": "2.0"})).status_code == 400


async def test_a_failure_of_the_service_is_described_once(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    assert full["components"]["responses"]["Failure"]["content"]["application/problem+json"]["examples"]["internal"]
    reference = {"$ref": "#/components/responses/Failure"}
    assert all(operation["responses"]["500"] == reference for operation in operations(full).values())


async def test_bodies_that_refuse_unknown_members_say_so(edge: Edge) -> None:
    full = (await edge.client.get("/api/v1/openapi.json")).json()
    schemas = full["components"]["schemas"]
    bodies = references([operation.get("requestBody", {}) for operation in operations(full).values()])
    open_bodies = [name for name in bodies if schemas[name].get("additionalProperties") is not False]
    assert open_bodies == []
    passed_on = schemas["LandUnitBody"]["properties"]
    assert {"warnings", "parcels"} <= {name for name, schema in passed_on.items() if schema.get("x-ignored")}
    assert schemas["AcceptInvitationRequest"]["properties"]["token"]["minLength"] == 1


def references(value: Any) -> set[str]:
    """The names of the schemas that a part of the description refers to."""
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(value)))


async def test_every_status_of_a_consumer_operation_has_an_example(edge: Edge) -> None:
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    for operation in operations(public).values():
        for status, response in operation["responses"].items():
            for media_type, media in response.get("content", {}).items():
                assert media["examples"], f"{operation['operationId']} {status} {media_type}"


async def test_generated_problem_examples_match_the_answers_of_the_edge(edge: Edge) -> None:
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    responses = operations(public)["get", "/api/v1/coverage"]["responses"]
    limited = responses["429"]["content"]["application/problem+json"]["examples"]["rate_limited"]["value"]
    edge.keys.denial = keys_pb2.Denial(code="rate_limited")
    answered = await edge.client.get("/api/v1/coverage", headers={"x-api-key": edge.key})
    assert {**limited, "request_id": ""} == {**answered.json(), "request_id": ""}


async def test_a_commune_has_one_name_in_all_parameters(edge: Edge) -> None:
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    names = [
        parameter["name"] for operation in operations(public).values() for parameter in operation.get("parameters", ())
    ]
    assert names.count("commune_code") == 3
    assert not set(names) & FORMER_NAMES.keys()


REQUIRED_QUERIES = {
    "/api/v1/parcels": {"lat": "47", "lon": "2"},
    "/api/v1/statistics/sales": {"commune_code": "00001"},
    "/api/v1/addresses/reverse": {"lat": "47", "lon": "2"},
    "/api/v1/addresses/suggest": {"q": "rue"},
}
"""The queries of operations without a body that need one."""
_COLLECTION = "/api/v1/ogc/collections/{collection}"
PATHS = {"/api/v1/tiles/{layer}/{z}/{x}/{y}.mvt": "/api/v1/tiles/parcels/16/33131/23050.mvt"} | {
    _COLLECTION + path: (_COLLECTION + path).format(collection="zones", feature="1")
    for path in ("", "/queryables", "/items", "/items/{feature}")
}
"""The addresses of operations with parameters in their path."""


async def test_examples_of_requests_are_answered(edge: Edge) -> None:
    edge.keys.terms.scopes.extend(SCOPES)
    public = (await edge.client.get("/api/v1/openapi-public.json")).json()
    for (method, path), operation in operations(public).items():
        body = operation.get("requestBody")
        contents = body["content"] if body else {"": {"examples": {"none": {"value": None}}}}
        assert all("examples" in media for media_type, media in contents.items() if media_type != XLSX)
        for media_type, media in contents.items():
            for example in media.get("examples", {}).values():
                is_text = isinstance(example["value"], str)
                content = example["value"] if is_text else json.dumps(example["value"])
                headers = {"x-api-key": edge.key, "content-type": media_type}
                options = {"content": content} if body else {"params": REQUIRED_QUERIES.get(path, {})}
                response = await edge.client.request(method, PATHS.get(path, path), headers=headers, **options)
                assert response.status_code in (200, 204)


@pytest.fixture
def web_dir(tmp_path: Path) -> Path:
    web = tmp_path / "web"
    for folder in ("docs/public", "assets"):
        (web / folder).mkdir(parents=True, exist_ok=True)
    (web / "docs/index.html").write_text("<!doctype html><title>full</title>")
    (web / "docs/public/index.html").write_text("<!doctype html><title>public</title>")
    (web / "assets/docs-abc.js").write_text("void 0;" * 1000)
    (web / "assets/docs-abc.js.br").write_bytes(b"from the build")
    return web


async def test_pages_are_served_with_a_strict_policy(start_edge: StartEdge, web_dir: Path) -> None:
    async with start_edge(web_dir=web_dir) as edge:
        for path, title in (("/api/docs", "full"), ("/api/docs/public", "public")):
            page = await edge.client.get(path)
            assert page.status_code == 200
            assert title in page.text
            policy = page.headers["content-security-policy"]
            assert "script-src 'self'" in policy
            assert "unsafe" not in policy
            assert page.headers["cache-control"] == "no-cache"
        again = await edge.client.get("/api/docs", headers={"if-none-match": page.headers["etag"]})
        assert again.status_code == 200  # another page has another ETag
        same = await edge.client.get("/api/docs/public", headers={"if-none-match": page.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")


async def test_only_the_pages_with_the_map_may_load_from_another_host_the_map_tiles(edge: Edge) -> None:
    hosts = {}
    for path in ("/terrain", "/playground", "/admin", "/api/docs", "/api/docs/public", "/api/v1/health"):
        policy = (await edge.client.get(path)).headers["content-security-policy"]
        hosts[path] = re.findall(r"([\w-]+) [^;]*https://([^\s;]+)", policy)
    for path in ("/terrain", "/playground"):
        assert hosts.pop(path) == [("img-src", "data.geopf.fr"), ("connect-src", "data.geopf.fr")]
    assert not any(hosts.values())


async def test_assets_are_cached_forever_and_no_other_file_is_served(start_edge: StartEdge, web_dir: Path) -> None:
    (web_dir.parent / "secret.txt").write_text("secret")
    async with start_edge(web_dir=web_dir) as edge:
        asset = await edge.client.get("/assets/docs-abc.js", headers={"accept-encoding": "gzip"})
        assert "immutable" in asset.headers["cache-control"]
        assert asset.headers["content-encoding"] == "gzip"
        assert asset.headers["content-type"].startswith("application/javascript")
        assert asset.text.startswith("void 0;")
        smaller = await edge.client.get("/assets/docs-abc.js", headers={"accept-encoding": "gzip, br"})
        assert (smaller.headers["content-encoding"], smaller.content) == ("br", b"from the build")
        for path in (
            "/assets/docs-abc.js.br",
            "/assets/../secret.txt",
            "/assets/%2e%2e/%2e%2e/secret.txt",
            "/assets//etc/passwd",
            "/assets/",
        ):
            assert (await edge.client.get(path)).status_code == 404


async def test_without_built_pages_a_page_is_501_and_the_api_answers(edge: Edge) -> None:
    for path in ("/api/docs", "/api/docs/public", "/playground", "/admin"):
        page = await edge.client.get(path, headers={"accept-language": "en"})
        assert page.status_code == 501
        assert "was not built" in page.text
    assert (await edge.client.get("/api/v1/health")).status_code == 200
