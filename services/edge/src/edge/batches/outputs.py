"""Writes the answers of lines, in order, as NDJSON, CSV or GeoPackage."""

import codecs
import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request

from edge.admin.csv_tables import cell
from edge.batches.columns import UNIT_COLUMNS, Column
from edge.batches.geopackage import GEOPACKAGE, GeoPackage, Table
from edge.batches.inputs import CSV, NDJSON, PLAIN, Dialect
from edge.problems import Problem, problem_json

ERROR_COLUMNS = ("status", "error_code", "error", "error_pointer")
OK = 200
TABLES = (CSV, GEOPACKAGE)
"""The forms of a land unit that are not JSON."""


class Answered(NamedTuple):
    """The answer of one line: the JSON of a success, or a problem."""

    number: int
    id: str | int | None
    answer: dict[str, Any] | Problem

    @property
    def status(self) -> int:
        return self.answer.status if isinstance(self.answer, Problem) else OK


class Writer(ABC):
    """Writes one form of answer. `start` and `end` are what stands before and after the lines."""

    media_type: str

    def start(self) -> bytes:
        return b""

    @abstractmethod
    def write(self, answered: Sequence[Answered]) -> bytes: ...

    def end(self) -> bytes:
        return b""


class NdjsonWriter(Writer):
    """An object for each line, with the answer in `body` or the error in `problem`."""

    media_type = NDJSON

    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, answered: Sequence[Answered]) -> bytes:
        return b"".join(orjson.dumps(self._object(line), option=orjson.OPT_APPEND_NEWLINE) for line in answered)

    def _object(self, line: Answered) -> dict[str, Any]:
        is_problem = isinstance(line.answer, Problem)
        member = "problem" if is_problem else "body"
        content = problem_json(line.answer, self._path) if isinstance(line.answer, Problem) else line.answer
        return {"line": line.number, "id": line.id, "status": line.status, member: content}


class CsvWriter(Writer):
    """A row for each line."""

    media_type = CSV

    def __init__(self, columns: Sequence[Column], dialect: Dialect, properties: Callable[[Any], Any]) -> None:
        """`properties` gives what the columns read, of an answer."""
        self._columns = columns
        self._dialect = dialect
        self._properties = properties

    def start(self) -> bytes:
        mark = codecs.BOM_UTF8 if self._dialect.has_mark else b""
        return mark + self._rows([("line", "id", *ERROR_COLUMNS, *(column.name for column in self._columns))])

    def write(self, answered: Sequence[Answered]) -> bytes:
        return self._rows([(line.number, line.id, line.status, *self._values(line.answer)) for line in answered])

    def _values(self, answer: Any) -> Sequence[Any]:
        if isinstance(answer, Problem):
            return (*_error(answer), *(None for _ in self._columns))
        properties = self._properties(answer)
        return (None, None, None, *(_plain(column.read(properties)) for column in self._columns))

    def _rows(self, rows: Sequence[Sequence[Any]]) -> bytes:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self._dialect.delimiter)
        writer.writerows([self._cell(value) for value in row] for row in rows)
        return out.getvalue().encode()

    def _cell(self, value: Any) -> str:
        text = cell(value)
        return text.replace(".", self._dialect.decimal) if isinstance(value, float) else text


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
                feature = line.answer["features"][0]
                outline = orjson.loads(orjson.dumps(feature["geometry"]))  # land's own JSON, passed on unread
                values = (column.read(feature["properties"]) for column in self._columns)
                self._file.add("land_units", (*head, *values), outline)
        return b""

    def end(self) -> bytes:
        return self._file.content()


def unit_writer(request: Request, media_type: str, dialect: Dialect = PLAIN) -> Writer:
    """Writes land units in this form."""
    match media_type:
        case "text/csv":
            return CsvWriter(UNIT_COLUMNS, dialect, lambda collection: collection["features"][0]["properties"])
        case "application/geopackage+sqlite3":
            return GeoPackageWriter(UNIT_COLUMNS)
        case _:
            return NdjsonWriter(request.url.path)


def _error(problem: Problem) -> tuple[str, str, str]:
    """Code, sentence and pointer."""
    first = problem.violations[0] if problem.violations else None
    detail = str(problem.detail or problem.title)
    return problem.code, str(first.detail) if first else detail, first.pointer if first else ""


def _plain(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
