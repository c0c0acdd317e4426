"""Hooks of schemathesis for test_conformance.py: the requests that it must not judge."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson", "text/csv")
def write_lines(_: Any, body: Any) -> bytes:
    """A file of one line, or a text as it is."""
    return body.encode(errors="replace") if isinstance(body, str) else json.dumps(body).encode()


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: Any) -> None:
    """Files of lines are generated as one line, by the schema of a line."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                media["schema"] = media["schema"].get("x-line", media["schema"])


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Refuses bodies with values that count as absent, which the schemas do not say."""
    return not _has_empty_value(case.body)


def _has_empty_value(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    return any(
        value in ("", {}) or (value == [] and name != "include") or _has_empty_value(value)
        for name, value in body.items()
    )
