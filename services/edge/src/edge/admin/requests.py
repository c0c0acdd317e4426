"""Dependencies that read a request as a protobuf message, and describe its members.

Only the form is checked here: types, required and known members. The service that receives the message checks the
values, and names the fields of its violations as the JSON does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import Any, Generic, TypeVar

import orjson
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from starlette.requests import Request

from contract.enums import enum_numbers
from contract.messages.schemas import Components, Json, array, enum, nullable
from contract.messages.values import Field
from edge.body import INVALID, fault, read_json
from edge.problems import MAX_VIOLATIONS, Problem
from edge.upstreams import settings_of
from servicekit.errors import Violation, pointer_part

M = TypeVar("M", bound=Message)

_LIMITS: Mapping[str, Mapping[str, Any]] = orjson.loads(
    files("edge.admin").joinpath("request_limits.json").read_bytes()
)
"""The JSON schema keywords of fields. `make generated` writes the file from the rules of keys, which checks them."""

_STRUCT = "google.protobuf.Struct"
_MASK = "update_mask"
_NOT_FROM_CLIENT = ("caller", "client_address", _MASK)
_BITS = {FieldDescriptor.CPPTYPE_INT32: 31, FieldDescriptor.CPPTYPE_INT64: 63}
_TYPES = {
    FieldDescriptor.CPPTYPE_STRING: (str, "string"),
    FieldDescriptor.CPPTYPE_BOOL: (bool, "boolean"),
    FieldDescriptor.CPPTYPE_INT32: (int, "integer"),
    FieldDescriptor.CPPTYPE_INT64: (int, "integer"),
}


class _Reader(Generic[M]):
    """The members of a request that are fields of a message, or of its submessage `into`."""

    def __init__(
        self,
        message: type[M],
        *,
        into: str = "",
        names: Mapping[str, str] | None = None,
        only: Collection[str] = (),
        omitted: Collection[str] = (),
        required: Collection[str] = (),
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        """`names` are fields by member, if they differ. `required` and `defaults` are of members."""
        self.message = message
        self.required = tuple(required)
        self.into = into
        self._defaults = dict(defaults or {})
        members = {name: member for member, name in (names or {}).items()}
        target: Any = message.DESCRIPTOR.fields_by_name[into].message_type if into else message.DESCRIPTOR
        self._fields = {
            members.get(field.name, field.name): field
            for field in target.fields
            if field.name not in (*_NOT_FROM_CLIENT, *omitted) and (not only or field.name in only)
        }

    def read(self, document: Mapping[str, Any]) -> M:
        """The message. Raises Problem with a pointer to each fault."""
        message, faults = self.message(), list[Violation]()
        _require(self.required, document, faults)
        target = getattr(message, self.into) if self.into else message
        _fill(target, self._fields, {**self._defaults, **document}, "", faults)
        if faults:
            raise Problem("invalid_payload", INVALID, faults[:MAX_VIOLATIONS])
        if self.into:
            target.SetInParent()
        if _MASK in message.DESCRIPTOR.fields_by_name:
            getattr(message, _MASK).paths.extend(self._fields[name].name for name in document)
        return message


class MessageBody(_Reader[M]):
    """Reads the JSON body of a request."""

    is_optional = False
    media_types = ("application/json",)

    async def __call__(self, request: Request) -> M:
        document = await read_json(request, settings_of(request))
        if not isinstance(document, dict):
            raise Problem("invalid_payload", INVALID, [fault("", "wrong_type")])
        return self.read(document)

    @property
    def name(self) -> str:
        return self.message.DESCRIPTOR.name

    def describe(self, components: Components) -> Json:
        members = _described(components, self._fields, self.required, self._defaults)
        return components.add_request(self.name, members, self.required, additionalProperties=False)


class OptionalMessageBody(MessageBody[M]):
    """A body that a request may leave out."""

    is_optional = True

    async def __call__(self, request: Request) -> M:
        has_body = request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
        return await super().__call__(request) if has_body else self.read({})


class MessageQuery(_Reader[M]):
    """Reads the query parameters of a request that are fields of the message."""

    @property
    def query_names(self) -> Collection[str]:
        return self._fields

    async def __call__(self, request: Request) -> M:
        query = {name: text for name, text in request.query_params.items() if name in self._fields}
        return self.read({name: _number(self._fields[name], text) for name, text in query.items()})

    def parameters(self, components: Components, operation: str) -> list[Json]:
        return [
            components.parameter(operation, name, "query", schema)
            for name, schema in _described(components, self._fields, self._fields, self._defaults).items()
        ]


def _number(field: Field, text: str) -> str | int:
    is_number = field.cpp_type in _BITS and field.enum_type is None
    return int(text) if is_number and text.removeprefix("-").isdecimal() and len(text) < 20 else text  # noqa: PLR2004


def _require(names: Collection[str], document: Mapping[str, Any], faults: list[Violation], at: str = "") -> None:
    faults += [fault(f"{at}/{name}", "required") for name in names if document.get(name) is None]


def _fill(
    message: Any, fields: Mapping[str, Field], document: Mapping[str, Any], at: str, faults: list[Violation]
) -> None:
    for name, value in document.items():
        pointer = at + pointer_part(name)
        field = fields.get(name)
        if field is None:
            faults.append(fault(pointer, "unknown_member"))
        elif value is not None:
            _set(message, field, value, pointer, faults)
        elif _is_plain(field, FieldDescriptor.CPPTYPE_BOOL):
            faults.append(fault(pointer, "wrong_type"))  # no value would be false


def _is_plain(field: Field, cpp_type: int) -> bool:
    """Whether this is a single value of the type whose absence is the same as false or an empty text."""
    return field.cpp_type == cpp_type and not field.has_presence and not field.is_repeated


def _set(message: Any, field: Field, value: Any, pointer: str, faults: list[Violation]) -> None:
    """Sets the field. Adds faults instead if the value does not have the field's type."""
    if field.is_repeated:
        if not isinstance(value, list):
            faults.append(fault(pointer, "wrong_type"))
            return
        items = getattr(message, field.name)
        for number, item in enumerate(value):
            if field.message_type is not None:
                _fill_message(items.add(), field, item, f"{pointer}/{number}", faults)
            elif (scalar := _scalar(field, item, f"{pointer}/{number}", faults)) is not None:
                items.append(scalar)
    elif field.message_type is not None:
        target = getattr(message, field.name)
        target.SetInParent()
        _fill_message(target, field, value, pointer, faults)
    elif (scalar := _scalar(field, value, pointer, faults)) is not None:
        setattr(message, field.name, scalar)


def _fill_message(target: Any, field: Field, value: Any, pointer: str, faults: list[Violation]) -> None:
    if not isinstance(value, dict):
        faults.append(fault(pointer, "wrong_type"))
    elif field.message_type.full_name == _STRUCT:
        target.update(value)
    else:
        _require(REQUIRED.get(field.message_type.name, ()), value, faults, pointer)
        document = {**DEFAULTS.get(field.message_type.name, {}), **value}
        _fill(target, field.message_type.fields_by_name, document, pointer, faults)


def _scalar(field: Field, value: Any, pointer: str, faults: list[Violation]) -> Any:
    """The value of the field; None after a fault."""
    if field.enum_type is not None:
        numbers = enum_numbers(field.enum_type)
        if not isinstance(value, str) or value not in numbers:
            faults.append(fault(pointer, "unknown_value" if isinstance(value, str) else "wrong_type", list(numbers)))
            return None
        return numbers[value]
    kind: Any = _TYPES[field.cpp_type][0]
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        faults.append(fault(pointer, "wrong_type"))
        return None
    if kind is int and abs(value) >= 2 ** _BITS[field.cpp_type]:
        faults.append(fault(pointer, "out_of_range"))
        return None
    if not value and kind is not bool and not field.has_presence and not field.is_repeated:
        # in such a field 0 and "" are the same as no value, so the service could not refuse them
        limits = _limits(field)
        if limits.get("minimum", 0) > 0 or (_is_plain(field, FieldDescriptor.CPPTYPE_STRING) and limits):
            faults.append(fault(pointer, "out_of_range" if kind is int else "too_short"))
            return None
    return value


def _described(
    components: Components, fields: Mapping[str, Field], required: Collection[str], defaults: Mapping[str, Any]
) -> dict[str, Json]:
    """The schemas of members. A member that is not required may be null, which is the same as absent."""
    described = {}
    for name, field in fields.items():
        schema = _schema(components, field)
        has_value = name in required or _is_plain(field, FieldDescriptor.CPPTYPE_BOOL)
        described[name] = schema if has_value else nullable(schema)
        if name in defaults:
            described[name]["default"] = defaults[name]
    return described


def _limits(field: Field) -> Mapping[str, Any]:
    return _LIMITS.get(f"{field.containing_type.name}.{field.name}", {})


_ENUM_NAMES: Mapping[str, str] = {"currency": "Currency", "scopes": "KeyScope"}
"""The names of enumerations that keys checks. The others are called as their message and field."""


def _named_enum(field: Field, limits: Mapping[str, Any]) -> Mapping[str, Any]:
    if "enum" not in limits:
        return limits
    words = (field.containing_type.name.removesuffix("Request"), *field.name.split("_"))
    name = _ENUM_NAMES.get(field.name) or "".join(word[0].upper() + word[1:] for word in words)
    return {**limits, **enum(name, limits["enum"])}


def _schema(components: Components, field: Field) -> Json:
    schema = _item_schema(components, field)
    limits = _named_enum(field, _limits(field))
    if not field.is_repeated:
        least = {"minLength": 1} if limits and _is_plain(field, FieldDescriptor.CPPTYPE_STRING) else {}
        return {**schema, **least, **limits}
    items = {**schema, **_named_enum(field, limits.get("items", {}))}
    return {**array(items), **{name: limit for name, limit in limits.items() if name != "items"}}


def _item_schema(components: Components, field: Field) -> Json:
    if field.enum_type is not None:
        return enum(field.enum_type.name, enum_numbers(field.enum_type))
    if field.message_type is None:
        return {"type": _TYPES[field.cpp_type][1]}
    inner = field.message_type
    if inner.full_name == _STRUCT:
        return {"type": "object"}
    required = REQUIRED.get(inner.name, ())
    members = _described(components, inner.fields_by_name, required, DEFAULTS.get(inner.name, {}))
    return components.add_request(f"{inner.name}Input", members, required, additionalProperties=False)


REQUIRED: Mapping[str, Collection[str]] = {"PriceTier": ("unit_price",), "AssistantPolicy": ("mode",)}
"""The required members of messages inside requests."""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {"Quota": {"hard": True}, "Pricing": {"currency": "EUR"}}
