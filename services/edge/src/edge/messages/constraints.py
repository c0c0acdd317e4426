"""The rules of keys for the members of requests, for the API description. Keys checks them; the edge only states them.

`make generated` writes request_limits.json from the rules of keys.
"""

from importlib.resources import files
from typing import Any

import orjson

from edge.messages.values import Field

_LIMITS: dict[str, dict[str, Any]] = orjson.loads(files("edge.messages").joinpath("request_limits.json").read_bytes())


def constraint(field: Field) -> dict[str, Any]:
    """The JSON schema keywords of a field; empty if keys accepts every value."""
    return _LIMITS.get(f"{field.containing_type.name}.{field.name}", {})
