"""Compares answers with their schemas, which refuse members that the description does not declare."""

import json
from functools import cache
from typing import Any

from closed_schemas import closed
from fastapi.routing import APIRoute
from openapi_schema_validator import OAS31Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from edge.app import create_app
from edge.descriptions.document import describe
from edge.settings import EdgeSettings


def checked(schema: str, answer: bytes | object) -> Any:
    """The answer as JSON. Raises ValidationError if it differs from the schema of this name."""
    document = json.loads(answer) if isinstance(answer, bytes) else answer
    OAS31Validator({"$ref": f"urn:full#/components/schemas/{schema}"}, registry=_registry()).validate(document)
    return document


def members(schema: str) -> list[str]:
    return list(description()["components"]["schemas"][schema]["properties"])


@cache
def description() -> Any:
    upstreams: dict[str, Any] = {
        f"{service}_{name}": "a:1" for service in ("land", "keys", "assistant") for name in ("target", "token")
    }
    settings = EdgeSettings(**upstreams)
    routes = [route for route in create_app(settings).router.routes if isinstance(route, APIRoute)]
    return closed(describe(routes, "en"))


@cache
def _registry() -> Registry[Any]:
    registry: Registry[Any] = Registry()
    with_description: Registry[Any] = registry.with_resource("urn:full", DRAFT202012.create_resource(description()))
    return with_description
