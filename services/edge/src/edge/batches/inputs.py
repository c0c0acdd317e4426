"""Reads the lines of a request, as NDJSON or CSV.

The whole body is read within its limits before anything is reserved. A line that cannot be read becomes a line with a
problem, so that the others are answered.
"""

import asyncio
import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from starlette.requests import Request

from edge.body import INVALID, content_type, fault, pointer_part, read_bytes, to_document
from edge.problems import Problem, invalid
from edge.settings import EdgeSettings
from servicekit.endpoints import MAX_LINES
from servicekit.errors import Violation
from servicekit.languages import Text, language

NDJSON, CSV = "application/x-ndjson", "text/csv"
_NAMES = {NDJSON: NDJSON, "application/ndjson": NDJSON, "application/jsonl": NDJSON, CSV: CSV}
"""The media types that clients use for the two forms."""
MAX_ID = 200
_DELIMITERS = (",", ";")
_UNSUPPORTED = Text(
    f"Le corps s’envoie en NDJSON ({NDJSON}) ou en CSV ({CSV}), en UTF-8, non compressé.",
    f"The body is sent as NDJSON ({NDJSON}) or CSV ({CSV}), in UTF-8, not compressed.",
)

Columns = Mapping[str, Callable[[str], tuple[str, Any]]]
"""The known columns: what a cell is in the document, by a path of one or two members."""


class Line(NamedTuple):
    """A line of the input. `document` is the problem if the line cannot be read."""

    number: int
    id: str | int | None
    document: dict[str, Any] | Problem


@dataclass(frozen=True)
class Lines:
    """The input. `read` yields its lines, and may be called again."""

    count: int
    media_type: str
    delimiter: str
    digest: bytes
    """Identifies the input and the language of its answers."""
    read: Callable[[], Iterator[Line]]


async def read_lines(request: Request, columns: Columns, settings: EdgeSettings) -> Lines:
    """Raises Problem: unsupported_media_type, payload_too_large, or invalid_payload if there is no line or too many."""
    media_type = _NAMES.get(content_type(request, _UNSUPPORTED))
    if media_type is None:
        raise Problem("unsupported_media_type", _UNSUPPORTED)
    body = await read_bytes(request, settings.batch_body_limit_bytes, settings.batch_body_deadline_s)
    return await asyncio.to_thread(_lines, body, media_type, columns, settings.body_limit_bytes, language.get())


def _lines(body: bytes, media_type: str, columns: Columns, limit: int, spoken: str) -> Lines:
    digest = sha256(b"\n".join((spoken.encode(), media_type.encode(), body))).digest()
    body = body.removeprefix(b"\xef\xbb\xbf")
    if media_type == NDJSON:
        texts = [text for text in body.split(b"\n") if text.strip()]
        return Lines(_checked(len(texts)), media_type, ",", digest, lambda: _json_lines(texts, limit))
    table = _Table(body, columns, limit)
    return Lines(_checked(table.count()), media_type, table.delimiter, digest, table.lines)


def _checked(count: int) -> int:
    """The number of lines. Raises Problem."""
    if 0 < count <= MAX_LINES:
        return count
    detail = Text(f"Le corps a de 1 à {MAX_LINES} lignes.", f"The body has 1 to {MAX_LINES} lines.")
    if count:
        raise invalid("", "too_many", detail)
    raise invalid("", "required", detail)


def _too_long(limit: int) -> Problem:
    return invalid(
        "", "too_long", Text(f"La ligne dépasse {limit // 1024} Kio.", f"The line is over {limit // 1024} KiB.")
    )


def _json_lines(texts: Sequence[bytes], limit: int) -> Iterator[Line]:
    for number, text in enumerate(texts, 1):
        if len(text) > limit:
            yield Line(number, None, _too_long(limit))
            continue
        try:
            document = to_document(text)
        except Problem as problem:
            yield Line(number, None, problem)
            continue
        if not isinstance(document, dict):
            yield Line(number, None, _invalid([fault("", "wrong_type")]))
            continue
        yield _with_id(number, document)


def _with_id(number: int, document: dict[str, Any]) -> Line:
    given = document.pop("id", None)
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return Line(number, given, document)
    if not isinstance(given, str):
        return Line(number, None, _invalid([fault("/id", "wrong_type")]))
    if len(given) > MAX_ID:
        return Line(number, None, _invalid([fault("/id", "too_long")]))
    return Line(number, given or None, document)


def _invalid(violations: Sequence[Violation]) -> Problem:
    return Problem("invalid_payload", INVALID, violations)


class _Table:
    """A CSV file with a header. Unknown columns are ignored, as unknown members are."""

    def __init__(self, body: bytes, columns: Columns, limit: int) -> None:
        """Raises Problem if the header names no known column, or one twice."""
        self._text = body.decode("utf-8", "surrogateescape")  # a wrong byte spoils its line only
        self._columns = columns
        self._limit = limit
        known = {"id", *columns}
        headers = {delimiter: self._header(delimiter) for delimiter in _DELIMITERS}
        self.delimiter = max(_DELIMITERS, key=lambda each: len(known.intersection(headers[each])))
        self._names = headers[self.delimiter]
        used = [name for name in self._names if name in known]
        if not set(used).intersection(columns) or len(used) != len(set(used)):
            expected = ", ".join(sorted(known))
            detail = Text(
                f"La première ligne nomme des colonnes, chacune une fois : {expected}.",
                f"The first line names columns, each once: {expected}.",
            )
            raise invalid("", "malformed", detail)

    def count(self) -> int:
        return sum(1 for _ in self._rows())

    def lines(self) -> Iterator[Line]:
        for number, cells in enumerate(self._rows(), 1):
            yield self._line(number, cells)

    def _header(self, delimiter: str) -> list[str]:
        first = self._text[: self._limit].lstrip("\r\n").partition("\n")[0]
        return [name.strip().lower() for name in next(csv.reader([first], delimiter=delimiter), [])]

    def _rows(self) -> Iterator[list[str] | Problem]:
        """The rows after the header, without empty ones."""
        reader = csv.reader(io.StringIO(self._text, newline=""), delimiter=self.delimiter)
        is_header = True
        while True:
            try:
                cells = next(reader, None)
            except csv.Error:  # a cell over the limit of the module, as after a quote that nothing closes
                yield _too_long(self._limit)
                continue
            if cells is None:
                return
            if not any(map(str.strip, cells)):
                continue
            if is_header:
                is_header = False
                continue
            yield cells

    def _line(self, number: int, cells: list[str] | Problem) -> Line:
        if isinstance(cells, Problem):
            return Line(number, None, cells)
        row = dict(zip(self._names, map(str.strip, cells), strict=False))
        identifier = row.get("id", "")
        problem = self._problem(cells, identifier)
        if problem is not None:
            return Line(number, None, problem)
        document: dict[str, Any] = {}
        for name, place in self._columns.items():
            if row.get(name):
                member, value = place(row[name])
                outer, _, inner = member.partition(".")
                if inner:
                    document.setdefault(outer, {})[inner] = value
                else:
                    document[outer] = value
        return Line(number, identifier or None, document)

    def _problem(self, cells: Sequence[str], identifier: str) -> Problem | None:
        if sum(map(len, cells)) > self._limit:
            return _too_long(self._limit)
        if len(cells) != len(self._names):
            detail = Text(
                f"La ligne a {len(cells)} cellules, l’en-tête {len(self._names)}.",
                f"The line has {len(cells)} cells, the header {len(self._names)}.",
            )
            return invalid("", "malformed", detail)
        for name, cell in zip(self._names, cells, strict=True):
            if not cell.isprintable() and any("\ud800" <= character <= "\udfff" for character in cell):
                return _invalid([fault(pointer_part(name), "malformed")])
        return _invalid([fault("/id", "too_long")]) if len(identifier) > MAX_ID else None
