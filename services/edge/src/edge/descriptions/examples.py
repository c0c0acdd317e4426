"""The examples of the API description: one file each beside this module, checked against the schemas by a test."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from edge.problems import PROBLEMS

_REQUEST_ID = "3f0e7c5e9b2a4d1c8e6f0a1b2c3d4e5f"


class Example(NamedTuple):
    requests: Mapping[str, Any]
    response: Any


@cache
def load_example(name: str | None) -> Example | None:
    """The example of that name; None where an operation names none."""
    if name is None:
        return None
    document = json.loads(files("edge.descriptions").joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return Example(document.get("requests", {}), document["response"])


def problem_example(code: str, path: str) -> dict[str, Any]:
    kind = PROBLEMS[code]
    example: dict[str, Any] = {
        "type": f"urn:landpartner:problem:{code}",
        "title": kind.title.en,
        "status": kind.status,
        "detail": kind.title.en,
        "instance": path,
        "code": code,
        "request_id": _REQUEST_ID,
    }
    if code == "invalid_payload":
        example["errors"] = [
            {"pointer": "/parcel_ids/0", "code": "malformed", "detail": "this text does not have the expected form"}
        ]
    elif code == "invalid_json":
        example["errors"] = []
    elif code == "parcel_retired":
        example["successors"] = ["64547000AN0511", "64547000AN0512"]
    return example
