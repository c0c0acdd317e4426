"""The types that `make clients` writes for the Python client."""

from typing import Any

import pytest

import python_types

TEXT = {"type": "string"}


def description_of(schema: Any, operation: Any = None) -> Any:
    return {"components": {"schemas": {"Thing": schema}}, "paths": {"/": {"get": operation}} if operation else {}}


def test_members_become_typed_members() -> None:
    module = python_types.schemas_module(
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
        assert line in module.splitlines()
    names: dict[str, Any] = {}
    exec(module, names)  # noqa: S102 (what we just wrote)
    assert names["Thing"].__doc__ == 'It says "\\d".'


@pytest.mark.parametrize("schema", [{"type": "tuple"}, {"allOf": []}, {"patternProperties": {}}])
def test_a_schema_without_a_python_type_is_an_error(schema: Any) -> None:
    with pytest.raises(ValueError, match="no Python type"):
        python_types.schemas_module(description_of({"properties": {"a": schema}}))


def test_a_schema_that_takes_the_name_of_a_result_is_an_error() -> None:
    reference = {"schema": {"$ref": "#/components/schemas/Thing"}}
    operation = {
        "operationId": "thing",
        "parameters": [],
        "responses": {"200": {"content": {"application/json": reference}}},
    }
    described = description_of({"properties": {}}, operation)
    assert "ThingResult = Thing" in python_types.schemas_module(described)
    described["components"]["schemas"]["ThingResult"] = {"properties": {}}
    with pytest.raises(ValueError, match="ThingResult"):
        python_types.schemas_module(described)
