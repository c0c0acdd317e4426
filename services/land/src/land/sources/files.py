"""Opening what publishers give: plain, gzipped or alone in a ZIP, UTF-8, CSV. A file that is cut short is refused."""

import csv
import gzip
import io
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from land.errors import UnreadableFile, WrongHeader
from land.sources.base import Account
from land.sources.selection import is_date

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BUFFER_SIZE = 1 << 18
MAX_RATIO = 100
"""Of what is packed to its size; real files reach 20."""
UNPACKED_ALWAYS_BYTES = 64 * 1024**2
"""Which is no harm, whatever the ratio."""
MAX_FIELD_CHARS = 1 << 20
"""Of a CSV: the outline of a large building, or its hundred addresses, is more than Python's default of 128 Ki."""
_CUT_IN_QUOTES = "unexpected end of data"
_ENDLESS_QUOTES = "field larger than field limit"
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


@contextmanager
def open_bytes(path: Path, file: str) -> Iterator[io.BufferedReader]:
    """The content of a file, unzipped where it is gzip or a ZIP by its first bytes, without its byte order mark.

    Raises UnreadableFile, from the opening or from any later read inside the block: empty, truncated gzip or ZIP, wrong
    checksum, something after the end of the gzip, several files in the ZIP, not UTF-8. `file` is what messages call it.
    """
    try:
        with path.open("rb") as raw:
            magic = raw.read(len(ZIP_MAGIC))
            raw.seek(0)
            with _buffered(raw, magic, file) as content:
                head = content.peek(len(BYTE_ORDER_MARK))
                if not head:
                    raise UnreadableFile(f"{file}: the file is empty")
                if b"\0" in head:
                    raise UnreadableFile(f"{file}: not a text file")
                if head.startswith(BYTE_ORDER_MARK):
                    content.read(len(BYTE_ORDER_MARK))
                yield content
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableFile(f"{file}: truncated or damaged gzip: {error}") from error
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise UnreadableFile(f"{file}: truncated or damaged ZIP: {error}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{file}: not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UnreadableFile(f"{file}: {error.strerror or error}") from error


def _buffered(raw: io.BufferedReader, magic: bytes, file: str) -> io.BufferedReader:
    # Reads of the gzip and zipfile modules pass through Python: a large buffer in front makes them few.
    if magic.startswith(GZIP_MAGIC):
        return io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=raw), raw, file), BUFFER_SIZE)
    if magic == ZIP_MAGIC:
        archive = zipfile.ZipFile(raw)
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1 or members[0].flag_bits & 1:
            raise UnreadableFile(f"{file}: {len(members)} files in the ZIP, or encrypted: expected one in plain")
        return io.BufferedReader(_Unpacked(archive.open(members[0]), raw, file), BUFFER_SIZE)
    return raw


class _Unpacked(io.RawIOBase):
    """What a gzip or a ZIP unpacks to. Raises UnreadableFile where that is out of all proportion, as in a zip bomb."""

    def __init__(self, content: Any, raw: io.BufferedReader, file: str) -> None:
        self._content = content
        self._file = file
        self._left = max(UNPACKED_ALWAYS_BYTES, MAX_RATIO * os.fstat(raw.fileno()).st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._content.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise UnreadableFile(f"{self._file}: unpacks to more than {MAX_RATIO} times its size")
        return count


class CsvReader(Protocol):
    """What `csv.reader` gives."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


@dataclass
class CsvTable:
    """An open CSV file after its header."""

    file: str
    header: Sequence[str]
    """Column names, upper case."""
    reader: CsvReader

    @property
    def line(self) -> int:
        """The last line that was read, counted from 1."""
        return self.reader.line_num

    def positions(self, columns: Sequence[str]) -> list[int]:
        """Where the columns are, whatever the case of their names. Raises WrongHeader naming those that are missing."""
        where = {name: position for position, name in reversed(list(enumerate(self.header)))}
        missing = [column for column in columns if column.upper() not in where]
        if missing:
            raise WrongHeader(self.file, missing)
        return [where[column.upper()] for column in columns]

    def rows(self, account: Account) -> Iterator[list[str]]:
        """Every row with as many values as the header has names; others are rejected in the account.

        Raises UnreadableFile where the last row is cut short or a quote never closes.
        """
        width = len(self.header)
        reader = self.reader
        short_line = 0
        while True:
            try:
                for row in reader:
                    if len(row) == width:
                        account.row_count += 1
                        yield row
                    elif row:
                        account.row_count += 1
                        short_line = reader.line_num if len(row) < width else 0
                        account.reject(reader.line_num, f"{len(row)} values, expected {width}")
            except csv.Error as error:
                self._refuse_if_endless(error)
                account.row_count += 1
                account.reject(reader.line_num, str(error))
            else:
                break
        if short_line == reader.line_num:
            raise UnreadableFile(f"{self.file}:{short_line}: the last row is cut short")

    def _refuse_if_endless(self, error: csv.Error) -> None:
        if _CUT_IN_QUOTES in str(error):
            raise UnreadableFile(f"{self.file}:{self.line}: the last row is cut short inside quotes") from error
        if _ENDLESS_QUOTES in str(error):
            raise UnreadableFile(f"{self.file}:{self.line}: a quote never closes") from error


@contextmanager
def open_csv(path: Path, file: str, delimiter: str, header_with: str = "") -> Iterator[CsvTable]:
    """A CSV file with its header read.

    The header is the first line, or the second where only that one has the column `header_with` (DiDo puts a line of
    descriptions above the names when asked). Raises UnreadableFile as `open_bytes` does.
    """
    with (
        open_bytes(path, file) as content,
        io.TextIOWrapper(content, encoding="utf-8", errors="strict", newline="") as text,
    ):
        csv.field_size_limit(MAX_FIELD_CHARS)
        reader: CsvReader = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = _names(next(reader, []))
            if header_with and header_with not in header:
                header = _second_header(reader, header_with) or header
        except csv.Error as error:
            raise UnreadableFile(f"{file}:1: not a CSV header: {error}") from error
        yield CsvTable(file, header, reader)


def _names(row: list[str]) -> list[str]:
    return [name.strip().upper() for name in row]


def _second_header(reader: CsvReader, header_with: str) -> list[str] | None:
    header = _names(next(reader, []))
    return header if header_with in header else None


def edition_date(name: str) -> str | None:
    """The date in a file's name or address (`/2022-01-01/geojson/…`); None where there is none."""
    match = _DATE.search(name)
    return match[0] if match and is_date(match[0]) else None
