"""Hooks of schemathesis for test_conformance.py: how it writes and judges files, and what it must not judge."""

import io
import json
from copy import copy
from typing import Any

import schemathesis
from openpyxl import Workbook
from schemathesis.checks import CHECKS
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks

from edge.batches.inputs import NDJSON
from edge.batches.spreadsheets import XLSX


@schemathesis.serializer("application/x-ndjson", "text/csv")
def write_lines(_: Any, body: Any) -> bytes:
    """A file of one line, or a text as it is."""
    return body.encode(errors="replace") if isinstance(body, str) else json.dumps(body).encode()


@schemathesis.serializer(XLSX)
def write_workbook(_: Any, body: Any) -> bytes:
    """A workbook of one address, or JSON, which is no workbook, for a body that must be refused."""
    if not isinstance(body, (str, bytes)):
        return json.dumps(body).encode()
    book, content = Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet()
    for cell in ("label", repr(body)):
        sheet.append((cell,))
    book.save(content)
    return content.getvalue()


@CHECKS.register
def negative_data_rejection(context: Any, response: Any, case: Any) -> bool | None:
    """Replaces the check of this name: a file is answered with 200, and a faulty line gets its problem at its place."""
    is_file = response.status_code == 200 and response.headers.get("content-type") == [NDJSON]
    if is_file and _negative_parts(case) == [ParameterLocation.BODY]:
        statuses = {json.loads(line)["status"] for line in response.content.splitlines()}
        response = copy(response)
        response.status_code = 400 if 400 in statuses else 200
    return checks.negative_data_rejection(context, response, case)


def _negative_parts(case: Any) -> list[ParameterLocation]:
    components = case.meta.components if case.meta else {}
    return [part for part, component in components.items() if component.mode.is_negative]


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
