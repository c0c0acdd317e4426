"""JSON schemas of answers and requests, with the descriptions of the field dictionary."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from contract.dictionary import dictionary
from servicekit.languages import Language

Json = dict[str, Any]

REF = "#/components/schemas/"
GEOMETRY = "Geometry"
_POSITION_DEPTHS = {
    "Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3,
}  # fmt: skip
"""How many lists contain a position in the coordinates of each kind of geometry (RFC 7946 §3.1)."""
MAY_GROW, IGNORED = "x-may-grow", "x-ignored"


class Described(Protocol):
    """A value in an answer."""

    def describe(self, components: "Components") -> Json: ...


class Components:
    """The named schemas of one API description, in one language."""

    def __init__(self, language: Language) -> None:
        self.schemas: dict[str, Json] = {}
        self.language = language
        self._texts = dictionary()
        self.add_kinds(
            GEOMETRY,
            "type",
            {kind: (kind, {"coordinates": _coordinates(depth)}) for kind, depth in _POSITION_DEPTHS.items()},
        )
        self.schemas[GEOMETRY]["x-nullable"] = True  # without it, Java's generator refuses the null of the references

    def ref(self, name: str) -> Json:
        return {"$ref": REF + name}

    def add_object(self, name: str, members: Callable[[], Mapping[str, Json]], optional: Collection[str] = ()) -> Json:
        """Adds the schema of an object if it is not known yet, and returns a reference to it."""
        if name not in self.schemas:
            self.schemas[name] = {}  # members may refer to it
            self.schemas[name] = self.object_schema(name, members(), optional)
        return self.ref(name)

    def add_kinds(self, name: str, kind_member: str, kinds: Mapping[str, tuple[str, Mapping[str, Json]]]) -> Json:
        """Adds an object whose members depend on its kind, and returns a reference to it.

        `kinds` are the name of the schema and the other members, by kind. The texts are those of the object `name`.
        """
        for kind, (kind_name, members) in kinds.items():
            constant = {"type": "string", "const": kind}
            self.schemas[kind_name] = self.object_schema(name, {kind_member: constant, **members})
        mapping = {kind: REF + kind_name for kind, (kind_name, _) in kinds.items()}
        self.schemas[name] = {
            "description": self._texts.objects[name].text.read(self.language),
            "oneOf": [{"$ref": reference} for reference in mapping.values()],
            "discriminator": {"propertyName": kind_member, "mapping": mapping},
        }
        return self.ref(name)

    def choice(self, options: Mapping[str, Json]) -> Json:
        """An object of one of these kinds that no member names. Generators of clients read any object."""
        return {"type": "object", "additionalProperties": True, "x-choices": options}

    def object_schema(self, name: str, members: Mapping[str, Json], optional: Collection[str] = ()) -> Json:
        return {
            "type": "object",
            "description": self._texts.objects[name].text.read(self.language),
            "properties": {member: self._described(name, member, schema) for member, schema in members.items()},
            "required": [member for member in members if member not in optional],
        }

    def add_part(self, name: str, description: str, members: Mapping[str, Json]) -> Json:
        """Adds an object of which answers have any part, with described members, and returns a reference to it."""
        self.schemas[name] = {"type": "object", "description": description, "properties": members}
        return self.ref(name)

    def add_request(self, name: str, members: Mapping[str, Json], required: Collection[str], **more: Any) -> Json:
        """Adds the schema of an object in a request, and returns a reference to it."""
        self.schemas[name] = {
            "type": "object",
            "properties": {member: self._input(name, member, schema) for member, schema in members.items()},
            "required": list(required),
            **more,
        }
        return self.ref(name)

    def _input(self, name: str, member: str, schema: Json) -> Json:
        """A member that an answer has too has its description: `ProjectBody` is a `Project` of a request."""
        if IGNORED in schema:
            return {**schema, "description": self._texts.description["title", "ignored_member"].read(self.language)}
        entry = self._texts.parameters.get((name, member)) or self._texts.fields[name.removesuffix("Body"), member]
        return {**schema, "description": entry.text.read(self.language)}

    def parameter(self, operation: str, name: str, place: str, schema: Json, *, is_required: bool = False) -> Json:
        entry = self._texts.parameters.get((operation, name)) or self._texts.parameters["*", name]
        description = entry.text.read(self.language)
        return {"name": name, "in": place, "required": is_required, "description": description, "schema": schema}

    def _described(self, name: str, member: str, schema: Json) -> Json:
        entry = self._texts.fields[name, member]
        facts = {
            "description": entry.text.read(self.language),
            "x-unit": entry.unit,
            "x-source": entry.source,
            "x-values": {
                value: text.text.read(self.language)
                for (group, value), text in self._texts.values.items()
                if group == entry.values
            }
            if entry.values
            else None,
        }
        return {**schema, **{key: value for key, value in facts.items() if value is not None}}


Describe = Callable[[Components], Json]


@dataclass(frozen=True)
class Composed:
    """An object of an answer that the edge makes itself, from other parts."""

    name: str
    members: Mapping[str, "Described | Json"]
    optional: Sequence[str] = ()

    def describe(self, components: Components) -> Json:
        return components.add_object(
            self.name,
            lambda: {
                name: part if isinstance(part, dict) else part.describe(components)
                for name, part in self.members.items()
            },
            self.optional,
        )


@dataclass(frozen=True)
class ListOf:
    item: Described

    def describe(self, components: Components) -> Json:
        return array(self.item.describe(components))


@dataclass(frozen=True)
class Plain:
    """An answer with this schema."""

    schema: Json

    def describe(self, _: "Components") -> Json:
        return self.schema


def array(items: Json) -> Json:
    return {"type": "array", "items": items}


def enum(name: str, values: Iterable[str], *, may_grow: bool = False) -> Json:
    """One of these values. The API description has it as a schema of this name.

    Later versions of the service may give other values in answers if it `may_grow`.
    """
    return {"title": name, "type": "string", "enum": [*values], MAY_GROW: may_grow}


def members_of(schemas: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """The members of an object, or of its first kind. None of an enumeration."""
    match schemas[name]:
        case {"oneOf": [{"$ref": str(reference)}, *_]}:
            return members_of(schemas, reference.removeprefix(REF))
        case schema:
            members: Mapping[str, Json] = schema.get("properties", {})
            return members


def _coordinates(depth: int) -> Json:
    if depth:
        return array(_coordinates(depth - 1))
    return {**array({"type": "number"}), "minItems": 2}


def nullable(schema: Json) -> Json:
    """The schema, or null. Unchanged if it permits null already."""
    match schema:
        case {"type": str(kind)} if "enum" not in schema:
            return {**schema, "type": [kind, "null"]}
        case {"type": [*_]} | {"anyOf": _}:
            return schema
        case _:
            return {"anyOf": [schema, {"type": "null"}]}
