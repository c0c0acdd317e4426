"""How single values of messages are written: enum values, GeoJSON and structs."""

from collections.abc import Callable
from typing import Any

import orjson
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from contract.enums import enum_names
from contract.messages.schemas import Describe, Json, enum, nullable

Field = Any
"""A FieldDescriptor. The stubs of protobuf give each descriptor two types that do not fit together."""

_FALLBACKS = {
    "AdminRole": "viewer",
    "AssistantMode": "disabled",
    "CheckStatus": "unknown",
    "CoverageStatus": "not_covered",
    "KeyMode": "live",
    "KeyStatus": "expired",
    "PartnerStatus": "active",
    "UsageBucket": "day",
    "Verdict": "undetermined",
}
"""The names for unspecified and unknown values of these enums. For the other enums, such a value is null."""


def enum_value(value_type: Any) -> tuple[Callable[[int], str | None], Describe]:
    names, fallback = enum_names(value_type), _FALLBACKS.get(value_type.name)
    schema = enum(value_type.name, names.values(), may_grow=True)
    return (lambda value: names.get(value, fallback)), lambda _: nullable(schema) if fallback is None else schema


def optional(message: Message, field: str) -> Any:
    """Returns the value of a field. None if it is not set."""
    return getattr(message, field) if message.HasField(field) else None


def geometry_json(geojson: bytes) -> orjson.Fragment | None:
    return orjson.Fragment(geojson) if geojson else None


def struct_json(message: Message) -> Json:
    return {name: _whole(value) for name, value in MessageToDict(message).items()}


def _whole(value: Any) -> Any:
    """Converts whole floats to int, since a Struct stores every number as a float."""
    match value:
        case dict():
            return {name: _whole(item) for name, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
