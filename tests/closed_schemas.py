"""The schemas of answers as tests compare them: they refuse members that the description does not declare."""

from typing import Any


def closed(schema: Any) -> Any:
    """The description for clients accepts unknown members, and any object where it names no kind."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "x-choices" in schema:
        return {"anyOf": [closed(option) for option in schema["x-choices"].values()]}
    parts = {name: closed(part) for name, part in schema.items()}
    return {"additionalProperties": False, **parts} if isinstance(schema.get("properties"), dict) else parts
