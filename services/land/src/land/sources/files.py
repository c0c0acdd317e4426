"""Opens UTF-8 files, plain, gzipped or alone in a ZIP, and reads CSV. Truncated files are refused."""

import csv
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from land.errors import UnreadableFile, WrongHeader
from land.sources.base import ReadReport

if TYPE_CHECKING:
    import _csv  # csv gives its reader no public name

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BUFFER_SIZE = 1 << 18
MAX_RATIO = 100
"""Unpacked size to packed size; real files reach 20."""
UNPACKED_ALWAYS_BYTES = 64 * 1024**2
"""Allowed at any ratio."""
MAX_FIELD_CHARS = 1 << 20
"""Outlines and address lists of large buildings exceed Python's default of 128 Ki."""
_CUT_IN_QUOTES = "unexpected end of data"
_ENDLESS_QUOTES = "field larger than field limit"


def zip_members(path: Path) -> list[str]:
    """The names of the files in a ZIP; empty for another file, and for a damaged ZIP."""
    try:
        with path.open("rb") as raw:
            if raw.read(len(ZIP_MAGIC)) != ZIP_MAGIC:
                return []
            return [member.filename for member in zipfile.ZipFile(raw).infolist() if not member.is_dir()]
    except (OSError, zipfile.BadZipFile):
        return []


@contextmanager
def open_bytes(path: Path, file: str, member: str = "") -> Iterator[io.BufferedReader]:
    """The content of a file without its byte order mark. Gzip and ZIP are recognized by the first bytes.

    `file` is its name in messages. `member` is the file to read in a ZIP; without it, the ZIP has one file. Raises
    UnreadableFile when it is opened or read: empty, truncated, damaged, not UTF-8, data after the gzip's end, or
    several files in the ZIP.
    """
    try:
        with path.open("rb") as raw:
            magic = raw.read(len(ZIP_MAGIC))
            raw.seek(0)
            with _buffered(raw, magic, file, member) as content:
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


def _buffered(raw: io.BufferedReader, magic: bytes, file: str, name: str) -> io.BufferedReader:
    # The gzip and zipfile modules read in Python: a large buffer makes these calls rare.
    if magic.startswith(GZIP_MAGIC):
        return io.BufferedReader(
            _Unpacked(gzip.GzipFile(fileobj=raw), file, os.fstat(raw.fileno()).st_size), BUFFER_SIZE
        )
    return _member(raw, file, name) if magic == ZIP_MAGIC else raw


def _member(raw: IO[bytes], file: str, name: str, *, may_nest: bool = True) -> io.BufferedReader:
    """The file of a ZIP, or the only file of the ZIP that it is itself."""
    archive = zipfile.ZipFile(raw)
    members = [member for member in archive.infolist() if not member.is_dir() and name in ("", member.filename)]
    if len(members) != 1 or members[0].flag_bits & 1:
        raise UnreadableFile(f"{file}: {len(members)} files in the ZIP, or encrypted: expected one in plain")
    unpacked = _Unpacked(archive.open(members[0]), file, members[0].compress_size)
    content: io.BufferedReader = io.BufferedReader(unpacked, BUFFER_SIZE)
    if may_nest and content.peek(len(ZIP_MAGIC)).startswith(ZIP_MAGIC):
        return _member(archive.open(members[0]), file, "", may_nest=False)
    return content


class _Unpacked(io.RawIOBase):
    """The unpacked content. Raises UnreadableFile for a decompression bomb."""

    def __init__(self, content: Any, file: str, packed_bytes: int) -> None:
        self._content = content
        self._file = file
        self._left = max(UNPACKED_ALWAYS_BYTES, MAX_RATIO * packed_bytes)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._content.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise UnreadableFile(f"{self._file}: unpacks to more than {MAX_RATIO} times its size")
        return count


@dataclass
class CsvTable:
    """An open CSV file after its header."""

    file: str
    header: Sequence[str]
    """Column names, upper case."""
    reader: "_csv.Reader"

    @property
    def line(self) -> int:
        """The line read last, counted from 1."""
        return self.reader.line_num

    def positions(self, columns: Sequence[str]) -> list[int]:
        """The columns' positions; names are compared without case. Raises WrongHeader naming missing columns."""
        where = {name: position for position, name in reversed(list(enumerate(self.header)))}
        missing = [column for column in columns if column.upper() not in where]
        if missing:
            raise WrongHeader(self.file, missing)
        return [where[column.upper()] for column in columns]

    def values(self, report: ReadReport, columns: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The line of each row, with its values in these columns. Raises as `positions` and `rows`."""
        pick = itemgetter(*self.positions(columns))
        for row in self.rows(report):
            yield self.line, pick(row)

    def rows(self, report: ReadReport) -> Iterator[list[str]]:
        """The rows that have as many values as the header; the others are rejected in the report.

        Raises UnreadableFile if the last row is truncated or a quote never closes.
        """
        width = len(self.header)
        reader = self.reader
        short_line = 0
        while True:
            try:
                for row in reader:
                    if len(row) == width:
                        report.row_count += 1
                        yield row
                    elif row:
                        report.row_count += 1
                        short_line = reader.line_num if len(row) < width else 0
                        report.reject(reader.line_num, f"{len(row)} values, expected {width}")
            except csv.Error as error:
                self._raise_if_truncated(error)
                report.row_count += 1
                report.reject(reader.line_num, str(error))
            else:
                break
        if short_line == reader.line_num:
            raise UnreadableFile(f"{self.file}:{short_line}: the last row is cut short")

    def _raise_if_truncated(self, error: csv.Error) -> None:
        if _CUT_IN_QUOTES in str(error):
            raise UnreadableFile(f"{self.file}:{self.line}: the last row is cut short inside quotes") from error
        if _ENDLESS_QUOTES in str(error):
            raise UnreadableFile(f"{self.file}:{self.line}: a quote never closes") from error


@contextmanager
def open_csv(
    path: Path,
    file: str,
    delimiter: str,
    header_with: str = "",
    *,
    member: str = "",
    encoding: str = "utf-8",
    is_quoted: bool = True,
) -> Iterator[CsvTable]:
    """Opens a CSV file, or the `member` of a ZIP, and reads its header.

    The header is the second line if only that line has the column `header_with`: DiDo can write a line of descriptions
    first. Raises UnreadableFile as `open_bytes` does.
    """
    with (
        open_bytes(path, file, member) as content,
        io.TextIOWrapper(content, encoding=encoding, errors="strict", newline="") as text,
    ):
        csv.field_size_limit(MAX_FIELD_CHARS)
        reader = csv.reader(
            text, delimiter=delimiter, strict=True, quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
        )
        try:
            header = _names(next(reader, []))
            if header_with and header_with not in header:
                second = _names(next(reader, []))
                header = second if header_with in second else header
        except csv.Error as error:
            raise UnreadableFile(f"{file}:1: not a CSV header: {error}") from error
        yield CsvTable(file, header, reader)


def _names(row: list[str]) -> list[str]:
    return [name.strip().upper() for name in row]
