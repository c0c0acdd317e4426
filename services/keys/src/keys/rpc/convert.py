"""Converts between protobuf messages and the domain: what several subjects need."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.struct_pb2 import Struct

from contract.enums import enum_names, enum_numbers
from keys.values.lease_rules import KeyState
from keys.values.records import Json, KeyRecord
from landpartner.keys.v1 import keys_pb2
from servicekit.languages import Text

M = TypeVar("M", bound=Message)
E = TypeVar("E", bound=Enum)


def message(kind: type[M], record: object, **values: Any) -> M:
    """The message of a record. Each field has the attribute of its name, except for those in `values`. None is absent.

    Raises AttributeError if a field has neither, and KeyError if there is no field for one of `values`.
    """
    fields = kind.DESCRIPTOR.fields_by_name
    values = {**{name: getattr(record, name) for name in fields if name not in values}, **values}
    return kind(**{name: _value(fields[name], value) for name, value in values.items()})


def _value(field: Any, value: Any) -> Any:
    match value:
        case Enum():
            return enum_number(field.enum_type, value)
        case datetime():
            return instant(value)
        case Decimal():
            return format(value, "f")
        case Text():
            return str(value)
        case None | Message():
            return value
    if field.message_type is None or field.message_type.GetOptions().map_entry:
        return value
    if field.message_type.full_name == Struct.DESCRIPTOR.full_name:
        return struct(value)
    kind = GetMessageClass(field.message_type)
    if field.is_repeated:
        return [item if isinstance(item, Message) else message(kind, item) for item in value]
    return message(kind, value)


def enum_number(enum: Any, value: Enum) -> Any:
    """The number of a value in an enum of the protos, given by its descriptor. Both have the same names."""
    return enum_numbers(enum)[value.name.lower()]


def read_enum(kind: type[E], enum: Any, number: int) -> E | None:
    """The value of a number. None if it is unspecified."""
    name = enum_names(enum).get(number)
    return None if name is None else kind[name.upper()]


def instant(at: datetime) -> str:
    """RFC 3339 in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def key_usage(state: KeyState) -> keys_pb2.GetKeyUsageResponse:
    return message(
        keys_pb2.GetKeyUsageResponse,
        state.month,
        month=state.month_name,
        quota=state.policy.quota,
        assistant_policy=state.policy.assistant,
        assistant_calls=state.month.calls,
        assistant_tokens=state.month.tokens,
    )


def partner_key(record: KeyRecord, now: datetime) -> keys_pb2.PartnerKey:
    return message(keys_pb2.PartnerKey, record, key_id=record.id, status=record.status(now).value)


def read_metadata(message: Struct) -> Mapping[str, Json]:
    read: dict[str, Json] = json_format.MessageToDict(message)
    return read


def struct(members: Mapping[str, Json]) -> Struct:
    message = Struct()
    message.update(json.loads(json.dumps(dict(members))))
    return message


def copy_field(source: Message, target: Message, path: list[str]) -> None:
    """Copies one member of the source to the target. An absent member is cleared."""
    name, *inner = path
    descriptor = source.DESCRIPTOR.fields_by_name[name]
    is_message = descriptor.message_type is not None and not descriptor.is_repeated
    if inner:
        copy_field(getattr(source, name), getattr(target, name), inner)
        return
    target.ClearField(name)
    if descriptor.is_repeated:
        getattr(target, name).extend(getattr(source, name))
    elif is_message:
        getattr(target, name).CopyFrom(getattr(source, name))
    elif not descriptor.has_presence or source.HasField(name):
        setattr(target, name, getattr(source, name))
