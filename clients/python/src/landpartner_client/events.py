"""The events of a streamed division, and the parser of server-sent events."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypedDict

import httpx

from landpartner_client.errors import IncompleteStream, ServiceError, UnexpectedAnswer
from landpartner_client.schemas import DivideLandAnswer, DivideLandContext, DivideLandPrompt, DivideLandQuickAssessment

EVENT_STREAM = "text/event-stream"
_LINE_END = re.compile(rb"\r\n|\r|\n")


class AnswerText(TypedDict):
    text: str


class QuickAssessmentEvent(NamedTuple):
    name: Literal["quick_assessment"]
    data: DivideLandQuickAssessment


class ContextEvent(NamedTuple):
    name: Literal["context"]
    data: DivideLandContext


class AnswerDeltaEvent(NamedTuple):
    """The next part of the answer's text."""

    name: Literal["answer.delta"]
    data: AnswerText


class AnswerEvent(NamedTuple):
    """The whole answer, which replaces the parts."""

    name: Literal["answer"]
    data: DivideLandAnswer


class PromptEvent(NamedTuple):
    name: Literal["prompt"]
    data: DivideLandPrompt


DivisionEvent = QuickAssessmentEvent | ContextEvent | AnswerDeltaEvent | AnswerEvent | PromptEvent

_KINDS: Mapping[str, Any] = {
    "quick_assessment": QuickAssessmentEvent,
    "context": ContextEvent,
    "answer.delta": AnswerDeltaEvent,
    "answer": AnswerEvent,
    "prompt": PromptEvent,
}


def json_object(text: bytes) -> dict[str, Any] | None:
    """The object that the text is; None if it is no JSON or something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class EventParser:
    """Parses server-sent events incrementally. Keeps at most one event, of a limited size."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._line: list[bytes] = []
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self._skips_newline = False

    def feed(self, chunk: bytes) -> Iterator[tuple[str, bytes]]:
        """The names and data of the events that this chunk completes. Raises UnexpectedAnswer for a long event."""
        if self._skips_newline and chunk:
            chunk = chunk.removeprefix(b"\n")  # the other half of \r\n
            self._skips_newline = False
        *lines, unfinished = _LINE_END.split(chunk)
        self._skips_newline = chunk.endswith(b"\r")
        for line in lines:
            whole = b"".join((*self._line, line))
            self._line.clear()
            if whole:
                self._add(whole)
            else:
                if self._data:
                    yield self._name or "message", b"\n".join(self._data)
                self._name, self._data, self._size = "", [], 0
            self._check(len(line))
        if unfinished:
            self._line.append(unfinished)
            self._check(len(unfinished))

    def _add(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value.decode(errors="replace")
        elif field == b"data":
            self._data.append(value)

    def _check(self, more: int) -> None:
        self._size += more
        if self._size > self._max_bytes:
            raise UnexpectedAnswer(f"an event is larger than {self._max_bytes} bytes")


class DivisionStream:
    """Turns the bytes of a streamed division into its events."""

    media_type = EVENT_STREAM
    may_be_repeated = True
    """Whether no event has reached the caller."""
    _is_done = False

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    def begin(self) -> None:
        """Begins an attempt."""
        self._parser = EventParser(self._max_bytes)

    def feed(self, chunk: bytes) -> Iterator[DivisionEvent]:
        """The events that this chunk completes, without those of unknown names.

        Raises ServiceError if the service reports an error in the middle, and UnexpectedAnswer for data that are no
        JSON object.
        """
        for name, text in self._parser.feed(chunk):
            self.may_be_repeated = False
            data = json_object(text)
            if data is None:
                raise UnexpectedAnswer(f"the data of the event {name} are not a JSON object")
            if name == "error":
                raise ServiceError(data.get("status", 500), data)
            if name == "done":
                self._is_done = True
            elif name in _KINDS:
                yield _KINDS[name](name, data)

    def finish(self, _: httpx.Response) -> None:
        """Raises IncompleteStream if `done` did not arrive."""
        if not self._is_done:
            raise IncompleteStream("the stream ended without `done`")
