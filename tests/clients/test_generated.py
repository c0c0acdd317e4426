"""The files that `make clients` writes."""

from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator

from client_calls import postman_collection, requests_of
from generator import postman, python_types
from generator.__main__ import public_description

TEXT = {"type": "string"}
LISTED = {"type": "array", "items": {"$ref": "#/definitions/parameter"}}
FORMAT: dict[str, Any] = {
    "type": "object",
    "required": ["info", "item"],
    "properties": {
        "info": {"type": "object", "required": ["name", "schema"], "properties": {"schema": {"const": postman.SCHEMA}}},
        "item": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/folder"}},
        "auth": {
            "type": "object",
            "required": ["type", "apikey"],
            "properties": {"type": {"const": "apikey"}, "apikey": LISTED},
        },
        "variable": LISTED,
    },
    "definitions": {
        "parameter": {
            "type": "object",
            "required": ["key"],
            "properties": {"key": TEXT, "value": TEXT, "description": TEXT, "disabled": {"type": "boolean"}},
        },
        "folder": {
            "type": "object",
            "required": ["name", "item"],
            "properties": {"item": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/item"}}},
        },
        "item": {
            "type": "object",
            "required": ["name", "request"],
            "properties": {
                "name": TEXT,
                "request": {"$ref": "#/definitions/request"},
                "response": {"type": "array", "items": {"$ref": "#/definitions/response"}},
            },
        },
        "request": {
            "type": "object",
            "required": ["method", "url"],
            "properties": {
                "method": {"enum": ["GET", "POST"]},
                "header": LISTED,
                "url": {
                    "type": "object",
                    "required": ["raw"],
                    "properties": {
                        "raw": TEXT,
                        "host": {"type": "array", "items": TEXT},
                        "path": {"type": "array", "items": TEXT},
                        "query": LISTED,
                    },
                },
                "body": {"type": "object", "properties": {"mode": {"const": "raw"}, "raw": TEXT}},
            },
        },
        "response": {
            "type": "object",
            "properties": {
                "originalRequest": {"$ref": "#/definitions/request"},
                "header": LISTED,
                "body": TEXT,
                "code": {"type": "integer"},
                "status": TEXT,
            },
        },
    },
}
"""The rules of the collection format v2.1 for the parts that we use."""


def test_the_collection_has_the_published_format() -> None:
    collection = postman_collection()
    OAS31Validator(FORMAT).validate(collection)
    description = public_description()
    assert [folder["name"] for folder in collection["item"]] == [tag["name"] for tag in description["tags"]]
    described = {
        (method.upper(), path.replace("{layer}/{z}/{x}/{y}", "parcels/16/33131/23050"))
        for path, operations in description["paths"].items()
        for method in operations
    }
    assert {(each["method"], each["url"]["raw"].removeprefix("{{base_url}}")) for each in requests_of(collection)} == (
        described
    )


def description_of(schema: Any, operation: Any = None) -> Any:
    return {"components": {"schemas": {"Thing": schema}}, "paths": {"/": {"get": operation}} if operation else {}}


def test_members_become_typed_members() -> None:
    written = python_types.written(
        description_of(
            {
                "description": 'It says "\\d".',
                "properties": {
                    "kind": {"const": "a"},
                    "one": {"enum": ["a", 1, None]},
                    "some": {"type": "array", "items": {"anyOf": [{"$ref": "#/components/schemas/Thing"}, TEXT]}},
                    "any": {"title": "Anything"},
                    "by_name": {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
                },
                "required": ["kind"],
            }
        )
    )
    for line in (
        '    kind: Literal["a"]',
        '    one: NotRequired[Literal["a", 1, None]]',
        "    some: NotRequired[list[Thing | str]]",
        "    any: NotRequired[Any]",
        "    by_name: NotRequired[dict[str, int | None]]",
    ):
        assert line in written.splitlines()
    names: dict[str, Any] = {}
    exec(written, names)  # noqa: S102 (what we just wrote)
    assert names["Thing"].__doc__ == 'It says "\\d".'


@pytest.mark.parametrize("schema", [{"type": "tuple"}, {"allOf": []}, {"patternProperties": {}}])
def test_a_schema_without_a_python_type_is_an_error(schema: Any) -> None:
    with pytest.raises(ValueError, match="no Python type"):
        python_types.written(description_of({"properties": {"a": schema}}))


def test_a_schema_that_takes_the_name_of_a_result_is_an_error() -> None:
    reference = {"schema": {"$ref": "#/components/schemas/Thing"}}
    operation = {
        "operationId": "thing",
        "parameters": [],
        "responses": {"200": {"content": {"application/json": reference}}},
    }
    described = description_of({"properties": {}}, operation)
    assert "ThingResult = Thing" in python_types.written(described)
    described["components"]["schemas"]["ThingResult"] = {"properties": {}}
    with pytest.raises(ValueError, match="ThingResult"):
        python_types.written(described)
