"""The answers of a file of lines, over as many attempts as it takes."""

import json
from collections.abc import Iterator
from typing import Any

import httpx

from landpartner_client.errors import IncompleteStream, UnexpectedAnswer

NDJSON = "application/x-ndjson"


class Lines:
    """Parses the answers. An attempt after a lost connection answers all lines again: known ones are left out."""

    media_type = NDJSON
    may_be_repeated = True
    _known = 0

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    def begin(self) -> None:
        """Begins an attempt."""
        self._seen, self._rest = 0, b""

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """Yields the new answers. Raises UnexpectedAnswer if one is too long, or is not JSON."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > self._max_bytes:
            raise UnexpectedAnswer(f"a line is larger than {self._max_bytes} bytes")
        for line in lines:
            self._seen += 1
            if self._seen > self._known:
                self._known = self._seen
                yield _parsed(line)

    def finish(self, response: httpx.Response) -> None:
        """Raises IncompleteStream if lines are missing."""
        if self._rest or str(self._seen) != response.headers.get("line-count"):
            raise IncompleteStream("the answer ended before its last line")


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UnexpectedAnswer("a line of the answer is not JSON") from error
