"""The field dictionary as an answer, for the page /api/docs/dictionary."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.routing import APIRoute

from contract.dictionary import dictionary
from contract.messages.schemas import IGNORED, Composed, Json, ListOf, enum, members_of, nullable
from contract.problem_codes import PROBLEMS
from edge.descriptions.document import described
from servicekit.languages import Language

_TEXT: Json = {"type": "string"}
_NULLABLE_TEXT = nullable(_TEXT)
DICTIONARY = Composed(
    "Dictionary",
    {
        "language": enum("Language", ("fr", "en"), may_grow=True),
        "objects": ListOf(Composed("DictionaryObject", {"name": _TEXT, "description": _TEXT})),
        "fields": ListOf(
            Composed(
                "DictionaryField",
                {"object": _TEXT, "name": _TEXT, "type": _TEXT, "description": _TEXT, "unit": _NULLABLE_TEXT,
                 "source": _NULLABLE_TEXT, "values": _NULLABLE_TEXT},
            )
        ),
        "values": ListOf(
            Composed(
                "DictionaryValue",
                {"group": _TEXT, "name": _TEXT, "description": _TEXT, "status": nullable({"type": "integer"})},
            )
        ),
        "parameters": ListOf(
            Composed("DictionaryParameter", {"operation": _TEXT, "name": _TEXT, "description": _TEXT})
        ),
    },
)  # fmt: skip


def dictionary_json(routes: Sequence[APIRoute], language: Language) -> Json:
    """The dictionary in one language. Objects, fields and parameters are those of the API description."""
    texts, document = dictionary(), described(routes, language)
    schemas = document["components"]["schemas"]
    return {
        "language": language,
        "objects": [
            {"name": name, "description": schema["description"]}
            for name, schema in schemas.items()
            if name in texts.objects
        ],
        "fields": [
            {
                "object": name,
                "name": member,
                "type": type_text(member_schema),
                "description": member_schema["description"],
                "unit": member_schema.get("x-unit"),
                "source": member_schema.get("x-source"),
                "values": texts.fields[name, member].values,
            }
            for name in schemas
            if name in texts.objects
            for member, member_schema in members_of(schemas, name).items()
        ],
        "values": [
            {
                "group": group,
                "name": name,
                "description": entry.text.read(language),
                "status": PROBLEMS[name].status if group == "problem" else None,
            }
            for (group, name), entry in texts.values.items()
        ],
        "parameters": [
            {"operation": operation["operationId"], "name": parameter["name"], "description": parameter["description"]}
            for methods in document["paths"].values()
            for operation in methods.values()
            for parameter in operation["parameters"]
        ]
        + [
            {"operation": name, "name": member, "description": member_schema["description"]}
            for name, schema in schemas.items()
            if "description" not in schema  # a request
            for member, member_schema in schema["properties"].items()
            if IGNORED not in member_schema
        ],
    }


def type_text(schema: Mapping[str, Any]) -> str:
    """The type as TypeScript writes it, such as `number | null` or `Address[]`."""
    match schema:
        case {"$ref": str(ref)}:
            return ref.rpartition("/")[2]
        case {"anyOf": [*options]}:
            return " | ".join(type_text(option) for option in options)
        case {"type": [*kinds]}:
            return " | ".join(type_text({**schema, "type": kind}) for kind in kinds)
        case {"type": "array", "items": dict(items)}:
            return f"{type_text(items)}[]"
        case {"type": str(kind)}:
            return kind
        case _:
            return "any"
