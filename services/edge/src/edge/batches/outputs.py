"""Writes the answers of lines, in order, as NDJSON, CSV, a workbook or GeoPackage."""

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request

from edge.admin.csv_tables import cell
from edge.batches.columns import Column
from edge.batches.geopackage import GEOPACKAGE, GeoPackage, Table
from edge.batches.inputs import CSV, NDJSON, PLAIN, Dialect, Line
from edge.batches.spreadsheets import XLSX, Sheet
from edge.problems import Problem, problem_json
from edge.responses import json_line

ERROR_COLUMNS = ("status", "error_code", "error", "error_pointer")
OK = 200
_READ_AS_NUMBER = re.compile(r"0\d+|\d+[eE]\d+|\d{16,}")
"""Codes of which a spreadsheet makes another number: 01004, 751180000E0012, and more digits than it keeps."""
TABLES = (CSV, GEOPACKAGE)
"""The forms of a land unit that are not JSON."""
WHOLE = (XLSX, GEOPACKAGE)
"""Forms that are sent when they are complete."""


class Answered(NamedTuple):
    """The answer of one line: the JSON of a success, or a problem."""

    number: int
    id: str | int | None
    answer: dict[str, Any] | bytes | Problem
    """Bytes are a land unit as land wrote it."""
    cells: Sequence[str] = ()
    """Those of the table that is answered, as they came."""

    @property
    def status(self) -> int:
        return self.answer.status if isinstance(self.answer, Problem) else OK


def answered(line: Line, answer: dict[str, Any] | bytes | Problem) -> Answered:
    return Answered(line.number, line.id, answer, line.cells)


class Writer(ABC):
    """Writes one form of answer. `start` and `end` are what stands before and after the lines."""

    media_type: str

    def start(self) -> bytes:
        return b""

    @abstractmethod
    def write(self, answered: Sequence[Answered]) -> bytes: ...

    def end(self) -> bytes:
        return b""


@dataclass(frozen=True)
class NdjsonWriter(Writer):
    """An object for each line, with the answer in `body` or the error in `problem`."""

    media_type = NDJSON

    path: str

    def write(self, answered: Sequence[Answered]) -> bytes:
        return b"".join(json_line(self._object(line)) + b"\n" for line in answered)

    def _object(self, line: Answered) -> dict[str, Any]:
        head = {"line": line.number, "id": line.id, "status": line.status}
        if isinstance(line.answer, Problem):
            return {**head, "problem": problem_json(line.answer, self.path)}
        return {**head, "body": orjson.Fragment(line.answer) if isinstance(line.answer, bytes) else line.answer}


class _Rows(Writer):
    """Writes a row for each line, which begins with that of the table that it answers."""

    def __init__(self, columns: Sequence[Column], header: Sequence[str], properties: Callable[[Any], Any]) -> None:
        """`header` is that of the table, and `properties` gives what the columns read, of an answer."""
        self._columns = columns
        self._properties = properties
        self.header = header
        self.head = ("line", "id", *ERROR_COLUMNS, *(column.name for column in columns))

    def own(self, line: Answered) -> Sequence[str]:
        """The cells of the line in the table, as they came."""
        return [*line.cells[: len(self.header)], *[""] * (len(self.header) - len(line.cells))]

    def row(self, line: Answered) -> Sequence[Any]:
        head = (line.number, line.id, line.status)
        if isinstance(line.answer, Problem):
            return (*head, *_error(line.answer), *(None for _ in self._columns))
        properties = self._properties(line.answer)
        return (*head, None, None, None, *(_plain(column.read(properties)) for column in self._columns))


class CsvWriter(_Rows):
    media_type = CSV

    def __init__(
        self, columns: Sequence[Column], header: Sequence[str], properties: Callable[[Any], Any], dialect: Dialect
    ) -> None:
        super().__init__(columns, header, properties)
        self._dialect = dialect

    def start(self) -> bytes:
        mark = codecs.BOM_UTF8 if self._dialect.has_mark else b""
        return mark + self._rows([(self.header, self.head)])

    def write(self, answered: Sequence[Answered]) -> bytes:
        return self._rows([(self.own(line), self.row(line)) for line in answered])

    def _rows(self, rows: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> bytes:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self._dialect.delimiter)
        writer.writerows([*own, *map(self._cell, values)] for own, values in rows)
        return out.getvalue().encode(errors="surrogateescape")  # wrong bytes of the table, as they came

    def _cell(self, value: Any) -> str:
        text = cell(value)
        if isinstance(value, str) and self._dialect.has_mark and _READ_AS_NUMBER.fullmatch(text):
            return f'="{text}"'
        return text.replace(".", self._dialect.decimal) if isinstance(value, float) else text


class XlsxWriter(_Rows):
    """A workbook, which is sent when it is complete."""

    media_type = XLSX

    def __init__(self, columns: Sequence[Column], header: Sequence[str], properties: Callable[[Any], Any]) -> None:
        super().__init__(columns, header, properties)
        self._sheet = Sheet("answers")
        self._sheet.add((), (*header, *self.head))

    def write(self, answered: Sequence[Answered]) -> bytes:
        for line in answered:
            self._sheet.add(self.own(line), self.row(line))
        return b""

    def end(self) -> bytes:
        return self._sheet.content()


class GeoPackageWriter(Writer):
    """A database with the layer `land_units` and the table `line_errors`, which is sent when it is complete."""

    media_type = GEOPACKAGE

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        kinds = (("line", "INTEGER"), ("id", "TEXT"), *((column.name, column.kind) for column in columns))
        errors = (("line", "INTEGER"), ("id", "TEXT"), *((name, "TEXT") for name in ERROR_COLUMNS))
        self._file = GeoPackage([Table("land_units", kinds, "GEOMETRY"), Table("line_errors", errors)])

    def write(self, answered: Sequence[Answered]) -> bytes:
        for line in answered:
            head = (line.number, None if line.id is None else str(line.id))
            if isinstance(line.answer, Problem):
                self._file.add("line_errors", (*head, str(line.status), *_error(line.answer)))
            else:
                feature = feature_of(line.answer)
                values = (column.read(feature["properties"]) for column in self._columns)
                self._file.add("land_units", (*head, *values), feature["geometry"])
        return b""

    def end(self) -> bytes:
        return self._file.content()


def table_writer(
    request: Request,
    columns: Sequence[Column],
    properties: Callable[[Any], Any],
    media_type: str,
    dialect: Dialect = PLAIN,
    header: Sequence[str] = (),
) -> Writer:
    """Writes answers in this form. `properties` gives what the columns read, of an answer."""
    writers: Mapping[str, Callable[[], Writer]] = {
        CSV: lambda: CsvWriter(columns, header, properties, dialect),
        XLSX: lambda: XlsxWriter(columns, header, properties),
        GEOPACKAGE: lambda: GeoPackageWriter(columns),
        NDJSON: lambda: NdjsonWriter(request.url.path),
    }
    return writers[media_type]()


def feature_of(collection: Any) -> Any:
    return orjson.loads(collection)["features"][0]


def unit_properties(collection: Any) -> Any:
    return feature_of(collection)["properties"]


def _error(problem: Problem) -> tuple[str, str, str]:
    """Code, sentence and pointer."""
    first = problem.violations[0] if problem.violations else None
    detail = str(problem.detail or problem.title)
    return problem.code, str(first.detail) if first else detail, first.pointer if first else ""


def _plain(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
