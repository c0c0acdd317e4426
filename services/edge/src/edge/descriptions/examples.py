"""The examples of the API description: recorded answers of the demo commune.

`examples.jsonl` is generated from the contract corpus (tests/corpus.py), which a test compares with the running
service. Examples that the corpus cannot record, such as a service that is down, are made from the texts of the edge.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

from contract.problem_codes import PROBLEMS
from edge.batches.inputs import NDJSON
from edge.problems import CODE_PAGE

_REQUEST_ID = "3f0e7c5e9b2a4d1c8e6f0a1b2c3d4e5f"


class Example(NamedTuple):
    name: str
    request: Any
    """The body: its JSON, or its text in another media type. None if there is none."""
    request_type: str
    status: int
    media_type: str
    body: Any
    """The JSON value; of a stream or of lines, its text."""


def examples_of(method: str, path: str) -> Sequence[Example]:
    """The recorded examples of one operation, whose path may have parameters."""
    pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
    recorded = (examples for key, examples in _recorded().items() if key[0] == method and pattern.fullmatch(key[1]))
    return list(chain.from_iterable(recorded))


def problem_example(code: str, path: str) -> Mapping[str, Any]:
    """The problem with this code on this path, in French, the default language."""
    for example in chain.from_iterable(_recorded().values()):
        if example.media_type == "application/problem+json" and example.body["code"] == code:
            return {**example.body, "instance": path}
    kind = PROBLEMS[code]
    return {
        "type": f"{CODE_PAGE}{code}",
        "title": kind.title.read("fr"),
        "status": kind.status,
        "detail": (kind.detail or kind.title).read("fr"),
        "instance": path,
        "code": code,
        "request_id": _REQUEST_ID,
    }


@cache
def _recorded() -> Mapping[tuple[str, str], Sequence[Example]]:
    lines = files("edge.descriptions").joinpath("examples.jsonl").read_text(encoding="utf-8").splitlines()
    recorded: dict[tuple[str, str], list[Example]] = {}
    for line in map(json.loads, lines):
        body = _stream(line["body"]) if line["media_type"] == "text/event-stream" else line["body"]
        if line["media_type"] == NDJSON:
            body = json.dumps(next(answer for answer in body if "body" in answer), ensure_ascii=False) + "\n"
        request_type, request = line.get("request_type", "application/json"), line.get("request")
        if request_type == NDJSON:
            request = (request or "").strip().partition("\n")[0] + "\n"
        example = Example(line["name"], request, request_type, line["status"], line["media_type"], body)
        recorded.setdefault((line["method"], line["path"]), []).append(example)
    return recorded


def _stream(events: Sequence[Mapping[str, Any]]) -> str:
    return "".join(
        f"event: {event['event']}\ndata: {json.dumps(event['data'], ensure_ascii=False)}\n\n" for event in events
    )
