"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), each with JSON as its data."""

from collections.abc import Mapping

import orjson
from starlette.requests import Request

EVENT_STREAM = "text/event-stream"
STREAM_HEADERS: Mapping[str, str] = {"cache-control": "no-store", "x-accel-buffering": "no"}


def wants_events(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return any(part.partition(";")[0].strip() == EVENT_STREAM for part in accepted.split(","))


def encoded_event(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
