"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), each with JSON as its data."""

import re
from collections.abc import Mapping

import orjson
from starlette.requests import Request

EVENT_STREAM = "text/event-stream"
STREAM_HEADERS: Mapping[str, str] = {"cache-control": "no-store", "x-accel-buffering": "no"}

_EVENT = re.compile(rb"event: (.+)\ndata: (.+)\n\n")
_PRIVATE = "_"
_PRIVATE_EVENT = re.compile(rb"event: _.+\ndata: .+\n\n")


def wants_events(request: Request) -> bool:
    accepted = request.headers.get("accept", "").lower()
    return any(part.partition(";")[0].strip() == EVENT_STREAM for part in accepted.split(","))


def encoded_event(name: str, data: object) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"


def is_private(name: str) -> bool:
    """Whether an event with this name is stored with an answer and not sent."""
    return name.startswith(_PRIVATE)


def sent_events(events: bytes) -> bytes:
    """The events without the private ones."""
    return _PRIVATE_EVENT.sub(b"", events)


def event_data(events: bytes) -> dict[str, bytes]:
    """The data of each event, by name. Of several events with one name, the last."""
    return {name.decode(): data for name, data in _EVENT.findall(events)}  # JSON contains no line break
