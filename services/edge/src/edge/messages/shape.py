"""Writes a protobuf message as JSON, and describes this JSON by a schema. Both derive from the message's descriptor.

A field is a member of the same name. A field without a value is null, never left out. An enum value is its name in
lower case, without the prefix. Bytes are GeoJSON, which is copied unchanged. Deprecated fields are not written. A
`Layout` states the exceptions of a message.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import orjson
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from edge.messages.schemas import GEOMETRY, Components, Json, array, nullable

Field = Any
"""A FieldDescriptor. The stubs of protobuf give each descriptor two types that do not fit together."""

_STRUCT = "google.protobuf.Struct"
_TYPES = {
    FieldDescriptor.CPPTYPE_STRING: "string",
    FieldDescriptor.CPPTYPE_BOOL: "boolean",
    FieldDescriptor.CPPTYPE_DOUBLE: "number",
    FieldDescriptor.CPPTYPE_INT32: "integer",
    FieldDescriptor.CPPTYPE_INT64: "integer",
}
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
_ABSENT: Any = object()


@dataclass(frozen=True)
class Group:
    """An object whose members are fields of the enclosing message."""

    name: str
    """The name of its schema."""
    members: Mapping[str, str | Group]
    """By member: the path of a field, such as `kind` or `match.kind`, or another group."""
    constants: Mapping[str, str] = field(default_factory=dict)
    null_without: str | None = None
    """The group is null if this field is not set."""


@dataclass(frozen=True)
class Layout:
    """How the JSON of a message differs from its fields. Names are those of fields, except in `name` and `members`."""

    name: str = ""
    """The name of the schema, if it is not the message's."""
    members: Mapping[str, str | Group] = field(default_factory=dict)
    """As in Group. The fields that it names are not written otherwise."""
    constants: Mapping[str, str] = field(default_factory=dict)
    omitted: Collection[str] = ()
    only: Collection[str] = ()
    """If not empty, no other fields are written."""
    nullable: Collection[str] = ()
    """Messages that are null if they are not set. Others are then written with their defaults."""
    null_if_empty: Collection[str] = ()
    optional: Collection[str] = ()
    """Left out if not set."""
    keyed: Mapping[str, str] = field(default_factory=dict)
    """Lists that are written as an object, by the field with the name of each element. An element with one more field
    is written as this field.
    """
    variants: Mapping[str, Layout] = field(default_factory=dict)
    """Messages that are written with this layout."""


class _Member(NamedTuple):
    name: str
    get: Callable[[Any], Any]
    describe: Callable[[Components], Json]
    is_optional: bool = False


class _Object(NamedTuple):
    name: str
    members: Sequence[_Member]

    def write(self, message: Message) -> Json:
        return {name: value for name, get, _, _ in self.members if (value := get(message)) is not _ABSENT}

    def describe(self, components: Components) -> Json:
        """Adds the schema to the components and returns a reference to it."""
        return components.add_object(
            self.name,
            lambda: {member.name: member.describe(components) for member in self.members},
            optional=[member.name for member in self.members if member.is_optional],
        )


class Shape:
    """The JSON of one message type."""

    def __init__(self, shapes: Shapes, descriptor: Any, layout: Layout) -> None:
        self._shapes = shapes
        self._descriptor = descriptor
        self._layout = layout
        self.name = layout.name or descriptor.name

    def write(self, message: Message) -> Json:
        return self._object.write(message)

    def describe(self, components: Components) -> Json:
        """Adds the schema to the components and returns a reference to it."""
        return self._object.describe(components)

    @cached_property
    def _object(self) -> _Object:
        return self._group(Group(self.name, self._paths(), self._layout.constants))

    def _paths(self) -> Mapping[str, str | Group]:
        """The members in the order of the fields."""
        layout = self._layout
        paths: dict[str, str | Group] = {}
        for each in self._descriptor.fields:
            placed = {name: path for name, path in layout.members.items() if each.name in _heads(path)}
            if placed:
                paths |= placed
            elif self._is_written(each):
                name = each.name if each.containing_oneof is None or _is_presence(each) else each.containing_oneof.name
                paths[name] = name
        return paths

    def _is_written(self, each: Field) -> bool:
        if each.GetOptions().deprecated or each.name in self._layout.omitted:
            return False
        return not self._layout.only or each.name in self._layout.only

    def _group(self, group: Group) -> _Object:
        members = [_constant(name, value) for name, value in group.constants.items()]
        for name, path in group.members.items():
            member = self._member(name, path)
            members.append(_never_null(member) if path == group.null_without else member)
        return _Object(group.name, members)

    def _member(self, name: str, path: str | Group) -> _Member:
        if isinstance(path, Group):
            inner = self._group(path)
            if path.null_without is None:
                return _Member(name, inner.write, inner.describe)
            decisive = path.null_without
            return _Member(
                name,
                lambda message: inner.write(message) if message.HasField(decisive) else None,
                lambda components: nullable(inner.describe(components)),
            )
        member = self._field(path)
        if path in self._layout.optional:
            get = member.get
            return _Member(name, lambda message: _ABSENT if (value := get(message)) in (None, []) else value,
                           member.describe, is_optional=True)  # fmt: skip
        return member._replace(name=name)

    def _field(self, path: str) -> _Member:
        head, _, rest = path.partition(".")
        if head in self._descriptor.oneofs_by_name and head not in self._descriptor.fields_by_name:
            return self._choice(head)
        each = self._descriptor.fields_by_name[head]
        if rest:
            return self._inner(each, self._shape(each)._field(rest))
        if each.is_repeated:
            return self._list(each)
        return self._single(each)

    def _inner(self, outer: Field, inner: _Member) -> _Member:
        """A field of a submessage, or the list of this field of all elements."""
        get_outer, get = attrgetter(outer.name), inner.get
        if outer.is_repeated:
            return _Member("", lambda message: [get(each) for each in get_outer(message)],
                           lambda components: array(inner.describe(components)))  # fmt: skip
        if outer.name not in self._layout.nullable:
            return _Member("", lambda message: get(get_outer(message)), inner.describe)
        name = outer.name
        return _Member("", lambda message: get(get_outer(message)) if message.HasField(name) else None,
                       lambda components: nullable(inner.describe(components)))  # fmt: skip

    def _list(self, each: Field) -> _Member:
        get = attrgetter(each.name)
        if each.name in self._layout.keyed:
            return self._keyed(each, self._layout.keyed[each.name])
        write, describe = self._value(each)
        if write is None:
            get_list: Callable[[Any], Any] = lambda message: list(get(message))  # noqa: E731 (a choice of two)
        else:
            get_list = lambda message: [write(item) for item in get(message)]  # noqa: E731
        if each.name in self._layout.null_if_empty:
            return _Member("", lambda message: get_list(message) or None,
                           lambda components: nullable(array(describe(components))))  # fmt: skip
        return _Member("", get_list, lambda components: array(describe(components)))

    def _keyed(self, each: Field, name_field: str) -> _Member:
        get, get_name, shape = attrgetter(each.name), attrgetter(name_field), self._shape(each)
        others = [member for member in shape._object.members if member.name != name_field]
        if len(others) == 1:
            write, describe = others[0].get, others[0].describe
        else:
            write, describe = (element := _Object(shape.name, others)).write, element.describe
        return _Member(
            "",
            lambda message: {get_name(item): write(item) for item in get(message)},
            lambda components: {"type": "object", "additionalProperties": describe(components)},
        )

    def _single(self, each: Field) -> _Member:
        get, name = attrgetter(each.name), each.name
        write, describe = self._value(each)
        if name in self._layout.null_if_empty:
            return _Member("", lambda message: get(message) or None, lambda c: nullable(describe(c)))
        is_null_if_unset = name in self._layout.nullable if each.message_type is not None else each.has_presence
        if not is_null_if_unset:
            return _Member("", get if write is None else lambda message: write(get(message)), describe)
        if write is None:
            return _Member("", lambda message: get(message) if message.HasField(name) else None,
                           lambda components: nullable(describe(components)))  # fmt: skip
        return _Member("", lambda message: write(get(message)) if message.HasField(name) else None,
                       lambda components: nullable(describe(components)))  # fmt: skip

    def _choice(self, name: str) -> _Member:
        """The field of a oneof that is set."""
        types = [_TYPES[each.cpp_type] for each in self._descriptor.oneofs_by_name[name].fields]

        def get(message: Any) -> Any:
            chosen = message.WhichOneof(name)
            return None if chosen is None else getattr(message, chosen)

        return _Member("", get, lambda _: {"type": [*types, "null"]})

    def _value(self, each: Field) -> tuple[Callable[[Any], Any] | None, Callable[[Components], Json]]:
        """How one value of the field is written (None: unchanged), and its schema."""
        if each.message_type is not None:
            if each.message_type.full_name == _STRUCT:
                return _struct, lambda _: {"type": "object", "additionalProperties": True}
            shape = self._shape(each)
            return shape.write, shape.describe
        if each.enum_type is not None:
            return _enum(each.enum_type)
        if each.type == FieldDescriptor.TYPE_BYTES:
            return _geometry, lambda components: nullable(components.ref(GEOMETRY))
        return None, lambda _: {"type": _TYPES[each.cpp_type]}

    def _shape(self, each: Field) -> Shape:
        variant = self._layout.variants.get(each.name)
        return (
            self._shapes.of(each.message_type) if variant is None else Shape(self._shapes, each.message_type, variant)
        )


class Shapes:
    """The shapes of message types, made when they are needed."""

    def __init__(self, layouts: Mapping[type[Message], Layout]) -> None:
        self._layouts = {message.DESCRIPTOR.full_name: layout for message, layout in layouts.items()}
        self._shapes: dict[str, Shape] = {}

    def __getitem__(self, message: type[Message]) -> Shape:
        return self.of(message.DESCRIPTOR)

    def of(self, descriptor: Any) -> Shape:
        name = descriptor.full_name
        if name not in self._shapes:
            self._shapes[name] = Shape(self, descriptor, self._layouts.get(name, Layout()))
        return self._shapes[name]


def enum_names(enum: Any) -> Mapping[int, str]:
    """The names of an enum's values in JSON, without the unspecified one."""
    prefix = len(enum.values_by_number[0].name) - len("UNSPECIFIED")
    return {value.number: value.name[prefix:].lower() for value in enum.values if value.number}


def _enum(enum: Any) -> tuple[Callable[[int], str | None], Callable[[Components], Json]]:
    names, fallback = enum_names(enum), _FALLBACKS.get(enum.name)
    schema: Json = {"type": "string", "enum": list(names.values())}
    return (lambda value: names.get(value, fallback)), lambda _: nullable(schema) if fallback is None else schema


def _geometry(geojson: bytes) -> orjson.Fragment | None:
    return orjson.Fragment(geojson) if geojson else None


def _struct(message: Message) -> Json:
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


def _never_null(member: _Member) -> _Member:
    return member._replace(describe=lambda components: {"type": member.describe(components)["type"][0]})


def _constant(name: str, value: str) -> _Member:
    return _Member(name, lambda _: value, lambda _: {"type": "string", "const": value})


def _is_presence(each: Field) -> bool:
    """Whether the oneof of the field only stands for `optional`."""
    return bool(each.has_presence and each.containing_oneof.name == f"_{each.name}")


def _heads(path: str | Group) -> Iterable[str]:
    """The fields of the message itself that a path or a group needs."""
    if isinstance(path, Group):
        return [head for each in path.members.values() for head in _heads(each)]
    return [path.partition(".")[0]]
