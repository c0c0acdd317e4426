"""Writes the first sheet of a workbook (Office Open XML, .xlsx) as CSV. `spreadsheets.py` runs it as a process."""

import csv
import io
import resource
import sys
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

_MAX_UNPACKED_BYTES = 64 * 1024 * 1024
_MEMORY_BYTES = 1024 * 1024 * 1024
_FAULTS = (
    BadZipFile, InvalidFileException, KeyError, IndexError, TypeError, ValueError, SyntaxError, MemoryError, OSError,
    AttributeError,
)  # fmt: skip
"""What openpyxl raises for files that are no workbooks. SyntaxError: the XML is wrong."""


def rows_of(body: bytes, max_rows: int, max_columns: int) -> Iterator[list[str]]:
    """The rows as texts, as wide as the first one. Raises one of `_FAULTS`."""
    with ZipFile(io.BytesIO(body)) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MAX_UNPACKED_BYTES:
            raise ValueError
    sheet = load_workbook(io.BytesIO(body), read_only=True, data_only=True, keep_links=False).worksheets[0]
    sheet.reset_dimensions()  # some programs write wrong ones
    width: int | None = None
    for row in islice(sheet.iter_rows(max_col=max_columns, values_only=True), max_rows):
        texts = [_text(value) for value in row]
        if width is None:
            width = max((place for place, text in enumerate(texts, 1) if text), default=0)
        yield [*texts[:width], *[""] * (width - len(texts))]


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case date():
            return value.isoformat() if not isinstance(value, datetime) else value.date().isoformat()
        case _:
            return str(value)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    out = io.StringIO(newline="")
    try:
        csv.writer(out).writerows(rows_of(sys.stdin.buffer.read(), *map(int, sys.argv[1:])))
    except _FAULTS:
        sys.exit(1)
    sys.stdout.buffer.write(out.getvalue().encode())


if __name__ == "__main__":
    main()
