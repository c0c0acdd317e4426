"""The messages that ask a language model to read a text, and the JSON schema of its answer.

The schema is made from the declaration of a project. The instructions are in `reader.toml`: recorded answers belong to
their very words.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import GenericAlias
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assistant.law.cards import SUBJECTS
from assistant.project import LARGEST, MOST_LETTERS, MOST_LISTED, Project
from assistant.prompts.loader import Message
from assistant.text import read_table

_WORDS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
_TYPES = {bool: "boolean", int: "integer", float: "number"}


def messages_for(text: str, *, is_structured: bool = True) -> tuple[Message, ...]:
    """The messages for a text, for servers that take a JSON schema and for others."""
    table = read_table("models/reader.toml")
    intents = "; ".join(f"{name} ({meaning})" for name, meaning in table["intents"].items())
    system = table["system"].strip().replace("{{intents}}", intents)
    system = system.replace("{{subjects}}", ", ".join(SUBJECTS))
    if not is_structured:
        form = json.dumps(schema(), separators=(",", ":"))
        system += f"\n\n{table['unstructured']}\n{form}"
    return Message("system", system), Message("user", f"<text>\n{text}\n</text>")


def response_format() -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reading", "schema": schema()}}


@cache
def schema() -> dict[str, Any]:
    table = read_table("models/reader.toml")
    project = {name: _told(name, kind) for name, kind in members(Project).items()}
    subjects = {"type": "array", "items": {"enum": [*SUBJECTS]}, "maxItems": 3}
    ask = _object({"intent": {"enum": [*table["intents"]]}, "subjects": subjects, "words": _WORDS}, "intent", "words")
    excerpts = {"type": "array", "items": {"type": "string"}}
    return _object(
        {
            "project": _object(project),
            "asks": {"type": "array", "items": ask},
            "wishes": excerpts,
            "described": excerpts,
        }
    )


def members(declaration: type) -> Mapping[str, Any]:
    """The type of each member of a project, or of a part of one, without None. A tuple is a list of its elements.

    The words of a told fact are those that are quoted for it.
    """
    hints = get_type_hints(declaration)
    return {field.name: _plain(hints[field.name]) for field in fields(declaration) if field.name != "words"}


def _plain(kind: Any) -> Any:
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        return GenericAlias(list, parts[:1])
    return parts[0] if type(None) in parts else kind


def _told(name: str, kind: Any) -> dict[str, Any]:
    """The schema of a member with its words."""
    if get_origin(kind) is list:
        element = {"words": _WORDS, **{part: _value(part, of) for part, of in members(get_args(kind)[0]).items()}}
        return {"type": "array", "maxItems": MOST_LISTED, "items": _object(element, "words")}
    return _object({"value": _value(name, kind), "words": _WORDS}, "value", "words")


def _value(name: str, kind: Any) -> dict[str, Any]:
    if get_origin(kind) is Literal:
        return {"enum": [*get_args(kind)]}
    if get_origin(kind) is list:
        return {"type": "array", "items": _value(name, get_args(kind)[0])}
    if kind is str:
        return {"type": "string", "maxLength": MOST_LETTERS}
    most = LARGEST.get(name.rpartition("_")[2])
    bounds = {} if most is None else {"exclusiveMinimum": 0, "maximum": most}
    return {"type": _TYPES[kind], **bounds}


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    told = {"required": [*required]} if required else {}
    return {"type": "object", "properties": dict(properties), **told, "additionalProperties": False}
