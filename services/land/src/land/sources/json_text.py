"""JSON files as publishers write them, often one huge line: a value at a time, in bounded memory."""

import codecs
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

from land.errors import UnreadableFile
from land.sources.files import BUFFER_SIZE, open_bytes

MAX_VALUE_CHARS = 64 * 1024**2
"""Of one item of a list, or one member beside it: the outline of a whole region is some megabytes."""
MAX_INTEGER_DIGITS = 18
"""What fits in 64 bits, as the columns do that it may go to."""
_SPACE = " \t\r\n"
_SURROGATES = ("\\ud", "\\uD")


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_INTEGER_DIGITS:
        raise ValueError("an integer that is too long")
    return int(text)


def _refuse(constant: str) -> Never:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse)


@contextmanager
def open_json(path: Path, file: str) -> Iterator["JsonText"]:
    """The text of a file, plain or gzipped. `file` is what messages call it. Raises UnreadableFile as `open_bytes`."""
    with open_bytes(path, file) as content:
        yield JsonText(content, file)


class JsonText:
    """A text that is taken from its beginning to its end. What is held of it is the value that is being taken, and at
    most as much again.

    Every method raises UnreadableFile where the text is cut short or no JSON, or one value of it too large.
    """

    def __init__(self, content: io.BufferedReader, file: str) -> None:
        self._content = content
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._has_surrogates = False

    def next(self) -> str:
        """The first character of what comes next, white space left out; empty at the end."""
        while True:
            mark = self._text[self._at : self._at + 1]
            if mark and mark not in _SPACE:
                return mark
            self._at += len(mark)
            if not mark and not self._read_on():
                return ""

    def value(self) -> Any:
        """The value that comes next."""
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self._refuse("nested too deeply")
            except ValueError as error:
                if not self._read_on():
                    self._refuse(error.msg if isinstance(error, json.JSONDecodeError) else str(error))
                continue
            if end >= len(self._text) - len("e+") and self._read_on():
                continue  # a number may go on, also where no more of its fraction or exponent is there than its mark
            self._at = end
            return _without_surrogates(value) if self._has_surrogates else value

    def items(self) -> Iterator[Any]:
        """The values of the list that comes next."""
        self._take("[")
        if self._takes("]"):
            return
        while True:
            yield self.value()
            if not self._goes_on("]"):
                return

    def members(self) -> Iterator[str]:
        """The names of the members of the object that comes next; who is given one takes its value."""
        self._take("{")
        if self._takes("}"):
            return
        while True:
            if self.next() != '"':
                self._refuse("expected a name")
            name: str = self.value()
            self._take(":")
            yield name
            if not self._goes_on("}"):
                return

    def end(self) -> None:
        """Nothing but white space comes next."""
        if self.next():
            self._refuse("something after its end")

    def _takes(self, mark: str) -> bool:
        """Whether the mark comes next, which is then taken."""
        is_next = self.next() == mark
        self._at += is_next
        return is_next

    def _take(self, mark: str) -> None:
        if not self._takes(mark):
            self._refuse(f"expected {mark}")

    def _goes_on(self, end: str) -> bool:
        """Whether a comma comes next, rather than the end; either is taken."""
        mark = self.next()
        if mark not in (",", end):
            self._refuse(f"expected , or {end}")
        self._at += 1
        return mark == ","

    def _read_on(self) -> bool:
        """Reads as much again as is held and not taken, so that a long value is not decoded from its beginning for each
        buffer of it. False at the end, and where a value would become too large.
        """
        left = self._text[self._at :]
        if len(left) > MAX_VALUE_CHARS:
            return False
        content = self._content.read(max(BUFFER_SIZE, len(left)))
        more = self._decoder.decode(content, final=not content)
        if not content:
            return False
        self._text, self._at = left + more, 0
        self._has_surrogates = any(mark in self._text for mark in _SURROGATES)
        return True

    def _refuse(self, reason: str) -> Never:
        raise UnreadableFile(f"{self._file}: truncated or damaged JSON: {reason}")


def _without_surrogates(value: Any) -> Any:
    """With `?` for half a character, which JSON can write and no store can."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
