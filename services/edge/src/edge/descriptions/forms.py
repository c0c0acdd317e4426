"""Writes a description as generators of clients need it: with named enumerations, and in OpenAPI 3.0."""

import json
import re
from collections.abc import Callable
from typing import Any

from contract.dictionary import dictionary
from contract.messages.schemas import MAY_GROW, REF, Json
from servicekit.languages import Language

_EXAMPLES = ("examples", "example")


def with_named_enums(document: Json, language: Language) -> Json:
    """The document with each enumeration as a schema of its own.

    Raises ValueError if the name of one has another meaning too.
    """
    texts = dictionary().description
    names: Json = {}

    def replace(schema: Json) -> Json:
        if "enum" not in schema or "title" not in schema:
            return schema
        name, kind = schema["title"], {key: schema[key] for key in ("type", "enum")}
        may_grow = schema.get(MAY_GROW, False) or names.get(name, {}).get(MAY_GROW, False)
        text = texts["title", "growing_values" if may_grow else "fixed_values"].read(language)
        named = {**kind, "description": text, MAY_GROW: may_grow}
        if names.setdefault(name, named)["enum"] != named["enum"] or name in document["components"]["schemas"]:
            raise ValueError(f"two schemas are called {name}")
        names[name] = named
        others = {key: value for key, value in schema.items() if key not in (*kind, "title", MAY_GROW)}
        return {"$ref": REF + name, **others}

    named_document: Json = _mapped(document, replace)
    components = named_document["components"]
    components["schemas"] = dict(sorted({**components["schemas"], **names}.items()))
    return named_document


def in_openapi_3_0(document: Json) -> Json:
    """A described document in OpenAPI 3.0, for generators that do not read 3.1.

    It has no choices of objects: generators for PHP, Rust and others read none, or not with a discriminator.
    """
    components = document["components"]
    schemas = components["schemas"]
    unions = {name: schema for name, schema in schemas.items() if "discriminator" in schema}
    plain = schemas | {name: _without_options(union, schemas) for name, union in unions.items()}
    described: Json = _mapped({**document, "components": {**components, "schemas": plain}}, _in_3_0)
    parts, described_schemas = [described["paths"]], described["components"]["schemas"]
    used: set[str] = set()
    while names := set(re.findall(f'"{REF}([^"]+)"', json.dumps(parts))) - used:
        used |= names
        parts = [described_schemas[name] for name in names]
    described["components"]["schemas"] = {name: schema for name, schema in described_schemas.items() if name in used}
    return {**described, "openapi": "3.0.3"}


def _without_options(union: Json, schemas: Json) -> Json:
    """One object with the members of all options. A member that differs between them has any value of its type."""
    first, *others = (schemas[option.removeprefix(REF)] for option in union["discriminator"]["mapping"].values())

    def common(name: str, schema: Json) -> Json:
        if all(option["properties"][name] == schema for option in others):
            return schema
        kind = {"type": schema["type"]} if "type" in schema else {"type": "object", "nullable": True}
        return {**kind, **({"items": {}} if "items" in schema else {}), "description": schema["description"]}

    members = {name: common(name, schema) for name, schema in first["properties"].items()}
    return {**first, "description": union["description"], "nullable": "x-nullable" in union, "properties": members}


def _in_3_0(schema: Json) -> Json:
    match schema:
        case {"anyOf": [option, {"type": "null"}], **others}:
            return _with_sibling(option, {**others, "nullable": True})
        case {"$ref": str(reference), **others} if others:
            return _with_sibling({"$ref": reference}, others)
        case {"type": [str(kind), "null"], **others}:
            return _in_3_0({"type": kind, "nullable": True, **others})
        case {"const": value, **others}:
            return {**others, "enum": [value]}
        case {"exclusiveMinimum": float() | int() as least, **others} if not isinstance(least, bool):
            return {**others, "minimum": least, "exclusiveMinimum": True}
        case {"examples": [example, *_], **others}:
            return _in_3_0({**others, "example": example})
        case _:
            return {
                name: part
                for name, part in schema.items()
                if name != "propertyNames" and (name, part) != ("required", [])
            }


def _with_sibling(schema: Json, others: Json) -> Json:
    """A reference has no siblings in OpenAPI 3.0."""
    return _in_3_0({"allOf": [schema], **others} if "$ref" in schema else {**schema, **others})


def _mapped(value: Any, change: Callable[[Json], Json]) -> Any:
    """The value with each object changed, the inner ones first. Examples stay as they are."""
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    return change({name: part if name in _EXAMPLES else _mapped(part, change) for name, part in value.items()})
