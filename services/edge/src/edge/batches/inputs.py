"""Reads the lines of a request, as NDJSON, CSV or a workbook, whose first sheet is read as CSV.

The whole body is read within its limits before anything is reserved. A line that cannot be read becomes a line with a
problem, so that the others are answered.

Other requests wait while a body is read. So each step is bounded: a row has a limit of bytes, line breaks and cells,
and blank rows count for the limit of rows. A first pass finds the start of each row and lets others run between its
steps. Then the rows are read one by one, when they are answered.
"""

import asyncio
import csv
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request

from contract.endpoints import MAX_LINES
from edge.batches.spreadsheets import XLSX, csv_of
from edge.body import INVALID, content_type, fault, to_document
from edge.problems import Problem, invalid
from servicekit.errors import Violation, expect, pointer_part
from servicekit.languages import Text, language

T = TypeVar("T")

NDJSON, CSV = "application/x-ndjson", "text/csv"
_NAMES = {NDJSON: NDJSON, "application/ndjson": NDJSON, "application/jsonl": NDJSON, CSV: CSV, XLSX: XLSX}
"""The media types that clients use for the forms."""
MAX_ID = 200
MAX_ROW_BREAKS, MAX_CELLS = 20, 1_000
"""Line breaks of one CSV row, and cells of one of its text lines."""
_SLICE_S = 0.0005
"""How long the first pass runs before it lets other requests run."""
_BLANK_START = re.compile(rb"[\r\n]{0,%d}" % MAX_LINES)
_DELIMITERS = (",", ";")
_DECIMAL_COMMA = re.compile(rb'[;\r\n]"?-?[0-9]+,[0-9]+"?(?=[;\r\n]|$)')
_SEARCHED_BYTES = 65_536
"""How much of a file is searched for it."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNSUPPORTED = Text(
    f"Le corps s’envoie en NDJSON ({NDJSON}), en CSV ({CSV}), en UTF-8, ou en classeur ({XLSX}), non compressé.",
    f"The body is sent as NDJSON ({NDJSON}), CSV ({CSV}), in UTF-8, or a workbook ({XLSX}), not compressed.",
)

Columns = Mapping[str, Callable[[str], tuple[str, Any]]]
"""The known columns: what a cell is in the document, by a path of one or two members."""


class Dialect(NamedTuple):
    """How a CSV file is written. The answer is written as the file that it answers."""

    delimiter: str = ","
    has_mark: bool = False
    """Whether it starts with a byte order mark, as spreadsheets expect of UTF-8."""
    decimal: str = "."


PLAIN = Dialect()


class Line(NamedTuple):
    """A line of the input. `document` is the problem if the line cannot be read."""

    number: int
    id: str | int | None
    document: dict[str, Any] | Problem
    cells: Sequence[str] = ()
    """Those of a table, as they came."""


@dataclass(frozen=True)
class Lines:
    """The input. `read` yields its lines, and may be called again."""

    count: int
    media_type: str
    dialect: Dialect
    digest: bytes
    """Identifies the input and the language of its answers."""
    read: Callable[[], Iterator[Line]]
    header: Sequence[str] = ()
    """The names of the columns of a table, as they came."""


def line_media_type(request: Request) -> str:
    """NDJSON, CSV or XLSX. Raises Problem unsupported_media_type."""
    unsupported = Problem("unsupported_media_type", _UNSUPPORTED)
    return expect(_NAMES.get(content_type(request, _UNSUPPORTED)), unsupported)


async def read_lines(
    body: bytes | bytearray,
    media_type: str,
    columns: Columns,
    limit: int,
    names: Mapping[int, str] | None = None,
    *,
    needs_columns: bool = True,
) -> Lines:
    """The lines of a body. A line has at most `limit` bytes.

    `names` are those of the columns of a table by their places from 1, in place of those in its first line; the other
    columns are then ignored. Raises Problem invalid_payload if there is no line, if there are too many, or if the first
    line of a table names no columns, unless it needs none.
    """
    if media_type == XLSX:
        body = await csv_of(body)
    rows = _JsonRows(body, limit) if media_type == NDJSON else _CsvRows(body, columns, limit, names, needs_columns)
    starts = [start for start in await _in_slices(rows.starts()) if start is not None]
    if not starts:
        raise invalid(
            "", "required", Text(f"Le corps a de 1 à {MAX_LINES} lignes.", f"The body has 1 to {MAX_LINES} lines.")
        )
    parts = (language.get(), media_type, *([str(names)] if names else []), body)
    digest = await asyncio.to_thread(_digest, *parts)  # without the interpreter lock

    def read() -> Iterator[Line]:
        return (rows.line(number, start) for number, start in enumerate(starts, 1))

    return Lines(len(starts), media_type, rows.dialect, digest, read, rows.header)


async def _in_slices(steps: Iterator[T]) -> list[T]:
    """Takes the steps and lets others run after each slice of time. Raises Problem if there are more than MAX_LINES."""
    taken: list[T] = []
    ends_at = time.perf_counter() + _SLICE_S
    for step in islice(steps, MAX_LINES + 1):
        taken.append(step)
        if time.perf_counter() >= ends_at:
            await asyncio.sleep(0)
            ends_at = time.perf_counter() + _SLICE_S
    if len(taken) > MAX_LINES:
        detail = Text(
            f"Le corps a de 1 à {MAX_LINES} lignes, lignes vides comprises.",
            f"The body has 1 to {MAX_LINES} lines, with the blank ones.",
        )
        raise invalid("", "too_many", detail)
    return taken


def _digest(*parts: str | bytes | bytearray) -> bytes:
    digest = sha256()
    for part in parts:
        digest.update(part.encode() + b"\n" if isinstance(part, str) else part)
    return digest.digest()


def _too_long(limit: int) -> Problem:
    return invalid(
        "", "too_long", Text(f"La ligne dépasse {limit // 1024} Kio.", f"The line is over {limit // 1024} KiB.")
    )


def _too_large(limit: int) -> Problem:
    detail = Text(
        f"La ligne n’est pas du CSV, ou dépasse {limit // 1024} Kio, {MAX_ROW_BREAKS} retours à la ligne ou "
        f"{MAX_CELLS} cellules. Un guillemet n’est peut-être pas fermé.",
        f"The line is not CSV, or has more than {limit // 1024} KiB, {MAX_ROW_BREAKS} line breaks or {MAX_CELLS} "
        "cells. A quotation mark may not be closed.",
    )
    return invalid("", "too_long", detail)


def _invalid(violations: Sequence[Violation]) -> Problem:
    return Problem("invalid_payload", INVALID, violations)


@dataclass(frozen=True)
class _JsonRows:
    """An object on each line. Each step of `starts` and each call of `line` takes about a millisecond at most."""

    dialect = PLAIN
    header = ()

    body: bytes | bytearray
    limit: int

    def starts(self) -> Iterator[int | None]:
        """Yields the place of each row in the body, and None for a blank row."""
        start = _start_of(self.body)
        while start < len(self.body):
            end = self._end(start)
            is_blank = end - start <= self.limit and not self.body[start:end].strip()
            yield None if is_blank else start
            start = end + 1

    def line(self, number: int, start: int) -> Line:
        end = self._end(start)
        if end - start > self.limit:
            return Line(number, None, _too_long(self.limit))
        try:
            document = to_document(self.body[start:end])
        except Problem as problem:
            return Line(number, None, problem)
        if not isinstance(document, dict):
            return Line(number, None, _invalid([fault("", "wrong_type")]))
        return _with_id(number, document)

    def _end(self, start: int) -> int:
        end = self.body.find(b"\n", start)
        return len(self.body) if end < 0 else end


def _start_of(body: bytes | bytearray) -> int:
    """The place after a byte order mark."""
    return len(_BYTE_ORDER_MARK) if body.startswith(_BYTE_ORDER_MARK) else 0


def _with_id(number: int, document: dict[str, Any]) -> Line:
    identifier = document.pop("id", None)
    if identifier is None or (isinstance(identifier, int) and not isinstance(identifier, bool)):
        return Line(number, identifier, document)
    if not isinstance(identifier, str):
        return Line(number, None, _invalid([fault("/id", "wrong_type")]))
    if len(identifier) > MAX_ID:
        return Line(number, None, _invalid([fault("/id", "too_long")]))
    return Line(number, identifier or None, document)


class _TextLines:
    """The text lines of a CSV body, as csv.reader reads them. One row may have several, within its limits."""

    def __init__(self, body: bytes | bytearray, delimiter: str, limit: int) -> None:
        self._body = body
        self.delimiter = delimiter
        self._limit = limit
        self._break = b"\n" if b"\n" in body else b"\r"
        self.place = 0
        self._left = self._breaks_left = 0

    def begin_row(self, place: int) -> None:
        self.place = place
        self._left, self._breaks_left = self._limit, MAX_ROW_BREAKS

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Raises _RowTooLarge. The next row then begins with the next text line."""
        if self.place >= len(self._body):
            raise StopIteration
        start, self.place = self.place, self._body.find(self._break, self.place) + 1 or len(self._body)
        self._left -= self.place - start
        self._breaks_left -= 1
        if self._left < 0 or self._breaks_left < 0:
            raise _RowTooLarge
        text = self._body[start : self.place].decode("utf-8", "surrogateescape")  # a wrong byte spoils its line only
        if text.count(self.delimiter) >= MAX_CELLS:
            raise _RowTooLarge
        return text


class _RowTooLarge(Exception):
    """A row has too many bytes, line breaks or cells."""


class _CsvRows:
    """A CSV file with a header, in the same steps. Unknown columns are ignored: a table may have more."""

    def __init__(
        self,
        body: bytes | bytearray,
        columns: Columns,
        limit: int,
        names: Mapping[int, str] | None,
        needs_columns: bool,
    ) -> None:
        """Raises Problem if the header names no known column, or one twice."""
        self._columns = columns
        self._limit = limit
        start = _start_of(body)
        self._first = start + len(_BLANK_START.match(body, start)[0])  # type: ignore[index]
        column_names = {"id", *columns}
        headers = {delimiter: self._header(_TextLines(body, delimiter, limit)) for delimiter in _DELIMITERS}
        folded = {delimiter: [name.lower() for name in header] for delimiter, header in headers.items()}
        delimiter = max(_DELIMITERS, key=lambda each: (len(column_names.intersection(folded[each])), len(folded[each])))
        has_commas = delimiter == ";" and _DECIMAL_COMMA.search(body, start, _SEARCHED_BYTES)
        self.dialect = Dialect(delimiter, start > 0, "," if has_commas else ".")
        self._names, self.header = folded[delimiter], headers[delimiter]
        if names is not None:
            self._names = [names.get(place, "") for place in range(1, len(self.header) + 1)]
        self._texts = _TextLines(body, delimiter, limit)
        self._reader = csv.reader(self._texts, delimiter=delimiter)
        used = [name for name in self._names if name in column_names]
        if names is None and needs_columns and (not set(used).intersection(columns) or len(used) != len(set(used))):
            expected, example = ", ".join(sorted(column_names)), f"columns={min(columns)}:1"
            detail = Text(
                f"La première ligne nomme des colonnes, chacune une fois : {expected}. "
                f"Pour d’autres noms, dites les places de vos colonnes dans l’URL : {example}.",
                f"The first line names columns, each once: {expected}. "
                f"For other names, say the places of your columns in the URL: {example}.",
            )
            raise invalid("", "malformed", detail)

    def _header(self, texts: _TextLines) -> list[str]:
        """The names in the first row. Empty if it cannot be read."""
        texts.begin_row(self._first)
        try:
            return [name.strip() for name in next(csv.reader(texts, delimiter=texts.delimiter), [])]
        except (csv.Error, _RowTooLarge):
            return []

    def starts(self) -> Iterator[int | None]:
        place, is_header = self._first, True
        while (cells := self._cells(place)) is not None:
            if not is_header:
                yield place if isinstance(cells, Problem) or any(map(str.strip, cells)) else None
            place, is_header = self._texts.place, False

    def line(self, number: int, start: int) -> Line:
        cells = self._cells(start)
        if not isinstance(cells, list):
            return Line(number, None, cells or _too_large(self._limit))
        row = dict(zip(self._names, map(str.strip, cells), strict=False))
        identifier = row.get("id", "")
        problem = self._problem(cells, identifier)
        if problem is not None:
            return Line(number, None, problem, cells)
        document: dict[str, Any] = {}
        for name, place in self._columns.items():
            if row.get(name):
                member, value = place(row[name])
                outer, _, inner = member.partition(".")
                if inner:
                    document.setdefault(outer, {})[inner] = value
                else:
                    document[outer] = value
        return Line(number, identifier or None, document, cells)

    def _cells(self, start: int) -> list[str] | Problem | None:
        """The cells of the row at this place, or its problem. None behind the last row."""
        self._texts.begin_row(start)
        try:
            return next(self._reader, None)
        except (csv.Error, _RowTooLarge):  # csv.Error: a cell is over the limit of the module
            return _too_large(self._limit)

    def _problem(self, cells: Sequence[str], identifier: str) -> Problem | None:
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
