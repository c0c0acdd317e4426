"""Writes a protobuf message as JSON, and describes this JSON by a schema. Both derive from the message's descriptor.

A field is a member of the same name. A field without a value is null, never left out. An enum value is its name in
lower case, without the prefix. Bytes are GeoJSON, which is copied unchanged. A `Layout` states the exceptions of a
message.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from contract.messages.schemas import GEOMETRY, Components, Describe, Json, array, nullable
from contract.messages.values import Field, enum_value, geometry_json, struct_json

_STRUCT = "google.protobuf.Struct"
_TYPES = {
    FieldDescriptor.CPPTYPE_STRING: "string",
    FieldDescriptor.CPPTYPE_BOOL: "boolean",
    FieldDescriptor.CPPTYPE_DOUBLE: "number",
    FieldDescriptor.CPPTYPE_INT32: "integer",
    FieldDescriptor.CPPTYPE_INT64: "integer",
}
_ABSENT: Any = object()
Kinds = Mapping[str, tuple[str, Mapping[str, Describe]]]


@dataclass(frozen=True)
class Group:
    """An object whose members are fields of the enclosing message."""

    name: str
    """The name of its schema."""
    members: Mapping[str, str | Group]
    """The source of each member: the path of a field, such as `kind` or `match.kind`, or another group."""
    constants: Mapping[str, str] = dataclass_field(default_factory=dict)
    null_without: str | None = None
    """The group is null if this field is not set."""


@dataclass(frozen=True)
class Layout:
    """How the JSON of a message differs from its fields. Names are those of fields, except in `name` and `members`."""

    name: str = ""
    """The name of the schema, if it is not the message's."""
    members: Mapping[str, str | Group] = dataclass_field(default_factory=dict)
    """As in Group. The fields that it names are not written otherwise."""
    constants: Mapping[str, str] = dataclass_field(default_factory=dict)
    omitted: Collection[str] = ()
    only: Collection[str] = ()
    """If not empty, no other fields are written."""
    nullable: Collection[str] = ()
    """Messages that are null if they are not set. Others are then written with their defaults."""
    null_if_empty: Collection[str] = ()
    optional: Collection[str] = ()
    """Left out if not set."""
    keyed: Mapping[str, str] = dataclass_field(default_factory=dict)
    """Lists that are written as an object, by the field with the name of each element. An element with one more field
    is written as this field.
    """
    beside: Mapping[str, Collection[str]] = dataclass_field(default_factory=dict)
    """Other fields that are members of the object of a keyed list."""
    variants: Mapping[str, Layout] = dataclass_field(default_factory=dict)
    """Messages that are written with this layout."""
    kinds: Kinds = dataclass_field(default_factory=dict)
    """The name of the schema and the members that differ, by the value of the member `kind`."""


class _Member(NamedTuple):
    name: str
    describe: Describe
    get: Callable[[Any], Any]
    """The value, from the message."""
    field: Field | None = None
    """If the member is a field of the message itself. Then `default` and `convert` give the value too."""
    default: Any = None
    """The value of a field that is not set."""
    convert: Callable[[Any], Any] | None = None
    """Converts the value of a field that is set; None for no change."""
    is_optional: bool = False


class _Object:
    """A JSON object made from one message."""

    def __init__(self, name: str, members: Sequence[_Member], kinds: Kinds = MappingProxyType({})) -> None:
        self.name = name
        self.members = members
        self._kinds = kinds
        self._defaults = {member.name: member.default for member in members if not member.is_optional}
        self._fields = {member.field: (member.name, member.convert) for member in members if member.field is not None}
        self._others = [(member.name, member.get) for member in members if member.field is None]

    def write(self, message: Message) -> Json:
        # most fields have no value, and one call lists those that have
        document = self._defaults.copy()
        fields = self._fields
        for descriptor, value in message.ListFields():
            member = fields.get(descriptor)
            if member is not None:
                name, convert = member
                document[name] = value if convert is None else convert(value)
        for name, get in self._others:
            if (value := get(message)) is not _ABSENT:
                document[name] = value
        return document

    def describe(self, components: Components) -> Json:
        """Adds the schema to the components and returns a reference to it."""
        if self._kinds:
            return self._describe_kinds(components)
        return components.add_object(
            self.name,
            lambda: {member.name: member.describe(components) for member in self.members},
            optional=[member.name for member in self.members if member.is_optional],
        )

    def _describe_kinds(self, components: Components) -> Json:
        described = {member.name: member.describe for member in self.members if member.name != "kind"}
        kinds = {
            kind: (name, {member: describe(components) for member, describe in {**described, **others}.items()})
            for kind, (name, others) in self._kinds.items()
        }
        return components.add_kinds(self.name, "kind", kinds)


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
        return self._group(Group(self.name, self._paths(), self._layout.constants), self._layout.kinds)

    def _paths(self) -> Mapping[str, str | Group]:
        """The members in the order of the fields."""
        layout = self._layout
        paths: dict[str, str | Group] = {}
        for field in self._descriptor.fields:
            members_of_field = {name: path for name, path in layout.members.items() if field.name in _heads(path)}
            if members_of_field:
                paths |= members_of_field
            elif self._is_written(field):
                name = (
                    field.name if field.containing_oneof is None or _is_presence(field) else field.containing_oneof.name
                )
                paths[name] = name
        return paths

    def _is_written(self, field: Field) -> bool:
        if field.name in self._layout.omitted or any(field.name in names for names in self._layout.beside.values()):
            return False
        return not self._layout.only or field.name in self._layout.only

    def _group(self, group: Group, kinds: Kinds = MappingProxyType({})) -> _Object:
        members = [_constant(name, value) for name, value in group.constants.items()]
        for name, path in group.members.items():
            member = self._nested(path) if isinstance(path, Group) else self._field(path)
            if path == group.null_without:
                member = _never_null(member)
            members.append(member._replace(name=name))
        return _Object(group.name, members, kinds)

    def _nested(self, group: Group) -> _Member:
        inner, decisive = self._group(group), group.null_without
        if decisive is None:
            return _Member("", inner.describe, inner.write)
        return _Member(
            "",
            lambda components: nullable(inner.describe(components)),
            lambda message: inner.write(message) if message.HasField(decisive) else None,
        )

    def _field(self, path: str) -> _Member:
        head, _, inner_path = path.partition(".")
        if head in self._descriptor.oneofs_by_name and head not in self._descriptor.fields_by_name:
            return self._choice(head)
        field = self._descriptor.fields_by_name[head]
        if inner_path:
            return self._inner(field, self._shape(field)._field(inner_path))
        default, convert, describe = self._list(field) if field.is_repeated else self._single(field)
        if head in self._layout.beside:
            return self._with_others(field, convert, describe)
        is_optional = head in self._layout.optional
        get = _getter(field, _ABSENT if is_optional else default, convert)
        return _Member("", describe, get, field, default, convert, is_optional)

    def _with_others(self, field: Field, convert: Any, describe: Describe) -> _Member:
        """The object of a keyed list, with other fields of the message as its first members."""
        others = {name: self._field(name) for name in self._layout.beside[field.name]}
        name = field.name.capitalize()

        def described(components: Components) -> Json:
            reference = components.add_object(
                name, lambda: {member: other.describe(components) for member, other in others.items()}
            )
            components.schemas[name]["additionalProperties"] = describe(components)["additionalProperties"]
            return reference

        def get(message: Any) -> Json:
            keyed: Json = convert(getattr(message, field.name))
            return {member: other.get(message) for member, other in others.items()} | keyed

        return _Member("", described, get)

    def _inner(self, outer: Field, inner: _Member) -> _Member:
        """A field of a submessage, or the list of this field of all elements."""
        name, get_outer, get = outer.name, attrgetter(outer.name), inner.get
        if outer.is_repeated:
            return _Member(
                "",
                lambda components: array(inner.describe(components)),
                lambda message: [get(element) for element in get_outer(message)],
            )
        if name not in self._layout.nullable:
            return _Member("", inner.describe, lambda message: get(get_outer(message)))
        return _Member(
            "",
            lambda components: nullable(inner.describe(components)),
            lambda message: get(get_outer(message)) if message.HasField(name) else None,
        )

    def _list(self, field: Field) -> tuple[Any, Callable[[Any], Any], Describe]:
        if field.name in self._layout.keyed:
            return self._keyed(field, self._layout.keyed[field.name])
        convert, describe = self._value(field)
        write = list if convert is None else lambda items: [convert(item) for item in items]
        if field.name in self._layout.null_if_empty:
            return None, write, lambda components: nullable(array(describe(components)))
        return (), write, lambda components: array(describe(components))

    def _keyed(self, field: Field, name_field: str) -> tuple[Any, Callable[[Any], Any], Describe]:
        get_name, shape = attrgetter(name_field), self._shape(field)
        members = [member for member in shape._object.members if member.name != name_field]
        if len(members) == 1:
            write, describe = members[0].get, members[0].describe
        else:
            write, describe = (element := _Object(shape.name, members)).write, element.describe
        return (
            {},
            lambda items: {get_name(item): write(item) for item in items},
            lambda components: {"type": "object", "additionalProperties": describe(components)},
        )

    def _single(self, field: Field) -> tuple[Any, Callable[[Any], Any] | None, Describe]:
        convert, describe = self._value(field)
        is_message = field.message_type is not None
        is_null = field.name in self._layout.nullable if is_message else field.has_presence
        if is_null or field.name in self._layout.null_if_empty:
            return None, convert, lambda components: nullable(describe(components))
        unset = field.message_type._concrete_class() if is_message else field.default_value
        return unset if convert is None else convert(unset), convert, describe

    def _choice(self, name: str) -> _Member:
        """The field of a oneof that is set: all are messages, or none."""
        fields = self._descriptor.oneofs_by_name[name].fields
        shapes = {field.name: self._shape(field) for field in fields if field.message_type is not None}

        def get(message: Any) -> Any:
            chosen = message.WhichOneof(name)
            if chosen is None:
                return None
            value = getattr(message, chosen)
            return shapes[chosen].write(value) if chosen in shapes else value

        if shapes:

            def describe(components: Components) -> Json:
                return components.choice({name: shape.describe(components) for name, shape in shapes.items()})

            return _Member("", describe, get)
        return _Member("", lambda _: {}, get)

    def _value(self, field: Field) -> tuple[Callable[[Any], Any] | None, Describe]:
        """How one value of the field is written (None: unchanged), and its schema."""
        if field.message_type is not None:
            if field.message_type.full_name == _STRUCT:
                return struct_json, lambda _: {"type": "object", "additionalProperties": True}
            shape = self._shape(field)
            return shape._object.write, shape.describe
        if field.enum_type is not None:
            return enum_value(field.enum_type)
        if field.type == FieldDescriptor.TYPE_BYTES:
            return geometry_json, lambda components: nullable(components.ref(GEOMETRY))
        return None, lambda _: {"type": _TYPES[field.cpp_type]}

    def _shape(self, field: Field) -> Shape:
        variant = self._layout.variants.get(field.name)
        if variant is None:
            return self._shapes.of(field.message_type)
        return Shape(self._shapes, field.message_type, variant)


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


def _getter(field: Field, default: Any, convert: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Reads one field of a message, as `_Object.write` does for all."""
    get, name = attrgetter(field.name), field.name
    is_set: Callable[[Any], Any] = (lambda message: message.HasField(name)) if field.has_presence else get
    if convert is None:
        return lambda message: get(message) if is_set(message) else default
    return lambda message: convert(get(message)) if is_set(message) else default


def _never_null(member: _Member) -> _Member:
    return member._replace(describe=lambda components: {"type": member.describe(components)["type"][0]})


def _constant(name: str, value: str) -> _Member:
    return _Member(name, lambda _: {"type": "string", "const": value}, lambda _: value)


def _is_presence(field: Field) -> bool:
    """Whether the oneof of the field only stands for `optional`."""
    return bool(field.has_presence and field.containing_oneof.name == f"_{field.name}")


def _heads(source: str | Group) -> Iterable[str]:
    """The fields of the message itself that a path or a group needs."""
    if isinstance(source, Group):
        return [head for path in source.members.values() for head in _heads(path)]
    return [source.partition(".")[0]]
