"""Builds an OpenAPI 3.1 document from routes that were registered with `route_options`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from edge.api.v1 import schemas
from edge.descriptions.examples import Example, examples_of, problem_example
from edge.descriptions.operations import Operation, Tag, operation_of
from edge.middleware.authorization import KEY_HEADER
from edge.problems import MEDIA_TYPE, PROBLEMS

Json = dict[str, Any]

VERSION = "1.0.0"
_REF = "#/components/schemas/{model}"
_TOO_MANY, _UNAVAILABLE = 429, 503

_TITLES: Mapping[bool, str] = {
    True: "Parcel and Land-Data Partner API: consumer endpoints",
    False: "Parcel and Land-Data Partner API",
}
_DESCRIPTION = """\
Parcel-level land data of France for partners: address resolution, aggregated GeoJSON with its history, and a
land-division assistant.

Send your key in the `x-api-key` header. Errors are `application/problem+json` (RFC 9457) with a stable `code`.
Answers carry their sources with licence and attribution, which you pass on to your users, and warnings where a
dataset does not cover the place: only `covered` makes an empty list mean "none". Texts are in French or, with
`Accept-Language: en`, in English. Sales data (DVF) may not be indexed by search engines nor used to identify persons.
"""
_TAGS: Mapping[Tag, str] = {
    "consumer": "With an API key.",
    "public": "Without a key.",
    "admin": "With an admin's session or bearer token.",
}
_SECURITY: Mapping[Tag, list[Json]] = {
    "consumer": [{"apiKey": []}],
    "public": [],
    "admin": [{"adminSession": [], "adminCsrf": []}, {"adminToken": []}],
}
_SCHEMES: Mapping[str, Json] = {
    "apiKey": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
    "adminSession": {"type": "apiKey", "in": "cookie", "name": "__Host-landpartner_session"},
    "adminCsrf": {
        "type": "apiKey",
        "in": "header",
        "name": "x-csrf-token",
        "description": "With the session cookie, on every change.",
    },
    "adminToken": {"type": "http", "scheme": "bearer"},
}
_RATE_LIMITS: Mapping[str, Json] = {
    "RateLimit-Policy": {
        "description": "What the key allows, one item per policy: q requests in w seconds "
        "(draft-ietf-httpapi-ratelimit-headers).",
        "schema": {"type": "string"},
        "example": '"burst";q=100;w=10, "minute";q=600;w=60',
    },
    "RateLimit": {
        "description": "What is left: r requests, and t seconds until all of it is restored.",
        "schema": {"type": "string"},
        "example": '"burst";r=99;t=1, "minute";r=599;t=60',
    },
}


def describe(routes: Sequence[APIRoute], *, consumer_only: bool) -> Json:
    """The description of all routes, or of those that partners call."""
    described = [
        (route, operation)
        for route in routes
        if (operation := operation_of(route.openapi_extra)) is not None
        and not (consumer_only and operation.tag != "consumer")
    ]
    paths: Json = {}
    for route, operation in described:
        for method in sorted(route.methods or ()):
            paths.setdefault(route.path, {})[method.lower()] = _operation(method, route, operation)
    tags = [tag for tag in _TAGS if any(operation.tag == tag for _, operation in described)]
    schemes = {name for tag in tags for alternative in _SECURITY[tag] for name in alternative}
    return {
        "openapi": "3.1.0",
        "info": {"title": _TITLES[consumer_only], "version": VERSION, "description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": tag, "description": _TAGS[tag]} for tag in tags],
        "paths": paths,
        "components": {
            "schemas": _schemas(operation for _, operation in described),
            "securitySchemes": {name: scheme for name, scheme in _SCHEMES.items() if name in schemes},
        },
    }


def _schemas(operations: Iterable[Operation]) -> Json:
    described = list(operations)
    responses: list[type[BaseModel]] = [schemas.Problem, *(each.response for each in described if each.response)]
    answers = {name: _open(schema) for name, schema in _definitions(responses, "serialization").items()}
    bodies = _definitions([each.body for each in described if each.body], "validation")
    renamed = {name: f"{name}Input" if name in answers else name for name in bodies}
    return dict(sorted((answers | {renamed[name]: _refer(schema, renamed) for name, schema in bodies.items()}).items()))


def _refer(value: Any, renamed: Mapping[str, str]) -> Any:
    """The schema with its references to these other names."""
    if isinstance(value, list):
        return [_refer(each, renamed) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _REF.format(model=renamed[each.rpartition("/")[2]]) if name == "$ref" else _refer(each, renamed)
        for name, each in value.items()
    }


def _definitions(models: Sequence[type[BaseModel]], mode: JsonSchemaMode) -> Json:
    _, definitions = models_json_schema([(model, mode) for model in dict.fromkeys(models)], ref_template=_REF)
    found: Json = definitions.get("$defs", {})
    return found


def _open(schema: Json) -> Json:
    """The schema of an answer for clients: later versions may add members, so clients must accept unknown ones."""
    return {name: value for name, value in schema.items() if (name, value) != ("additionalProperties", False)}


def _operation(method: str, route: APIRoute, operation: Operation) -> Json:
    examples = examples_of(method, route.path)
    described: Json = {
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": route.description,
        "operationId": _camel(route.name),
        "security": [] if operation.is_open else _SECURITY[operation.tag],
        "parameters": [*_path_parameters(route), *_query_parameters(operation), *_common_parameters(operation)],
        "responses": {str(operation.status): _success(operation, examples), **_problems(route, operation, examples)},
    }
    if operation.body is not None:
        content: Json = {"schema": _ref(operation.body)}
        requests = _of_answer(examples, operation.status, operation.media_type)
        if requests:
            content["examples"] = {example.name: {"value": example.request} for example in requests}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    return described


def _camel(name: str) -> str:
    """The operation id in camel case: client generators expect it, and links in Swagger UI fail with underscores."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _path_parameters(route: APIRoute) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in route.param_convertors
    ]


def _query_parameters(operation: Operation) -> list[Json]:
    if operation.parameters is None:
        return []
    schema = operation.parameters.model_json_schema()
    parameters = []
    for name, member in schema["properties"].items():
        kept = {key: value for key, value in member.items() if key not in ("title", "description", "anyOf")}
        options = [option for option in member.get("anyOf", ()) if option != {"type": "null"}]
        if len(options) == 1:
            kept = {**options[0], **{key: value for key, value in kept.items() if value is not None}}
        parameters.append(
            {
                "name": name,
                "in": "query",
                "required": name in schema.get("required", ()),
                "description": member.get("description", ""),
                "schema": kept,
            }
        )
    return parameters


def _common_parameters(operation: Operation) -> list[Json]:
    if operation.tag == "public":
        return []
    return [
        {
            "name": "Accept-Language",
            "in": "header",
            "required": False,
            "description": "fr (default) or en.",
            "schema": {"type": "string"},
        }
    ]


def _of_answer(examples: Sequence[Example], status: int, media_type: str) -> list[Example]:
    return [example for example in examples if (example.status, example.media_type) == (status, media_type)]


def _bodies(examples: Sequence[Example]) -> Json:
    return {"examples": {example.name: {"value": example.body} for example in examples}} if examples else {}


def _success(operation: Operation, examples: Sequence[Example]) -> Json:
    described: Json = {"description": operation.summary, "headers": _headers(operation)}
    if operation.response is None:
        return described
    schemas_of = {operation.media_type: _ref(operation.response)}
    if operation.alternative_media_type is not None:
        schemas_of[operation.alternative_media_type] = {"type": "string"}
    described["content"] = {
        media_type: {"schema": schema, **_bodies(_of_answer(examples, operation.status, media_type))}
        for media_type, schema in schemas_of.items()
    }
    return described


def _headers(operation: Operation) -> Json:
    headers: Json = {"x-request-id": {"description": "For tracing.", "schema": {"type": "string"}}}
    if operation.tag == "consumer":
        headers |= _RATE_LIMITS
    return headers


def _problems(route: APIRoute, operation: Operation, examples: Sequence[Example]) -> Json:
    by_status: dict[int, list[str]] = {}
    for code in operation.codes:
        by_status.setdefault(PROBLEMS[code].status, []).append(code)
    return {str(status): _problem(route, status, codes, examples) for status, codes in sorted(by_status.items())}


def _problem(route: APIRoute, status: int, codes: Sequence[str], examples: Sequence[Example]) -> Json:
    recorded = _of_answer(examples, status, MEDIA_TYPE)
    missing = [code for code in codes if all(example.body["code"] != code for example in recorded)]
    described: Json = {
        "description": "; ".join(f"`{code}`: {PROBLEMS[code].title.en}" for code in codes),
        "content": {
            MEDIA_TYPE: {
                "schema": _ref(schemas.Problem),
                "examples": {
                    **{example.name: {"value": example.body} for example in recorded},
                    **{code: {"value": problem_example(code, route.path)} for code in missing},
                },
            }
        },
    }
    if status in (_TOO_MANY, _UNAVAILABLE):
        described["headers"] = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}}}
    return described


def _ref(model: type[BaseModel]) -> Json:
    return {"$ref": _REF.format(model=model.__name__)}
