"""Opening what publishers give: plain or gzipped, UTF-8, CSV. A file that is cut short is refused."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from land.errors import UnreadableFile, WrongHeader
from land.sources.base import Account

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BUFFER_SIZE = 1 << 18
_CUT_IN_QUOTES = "unexpected end of data"
_ENDLESS_QUOTES = "field larger than field limit"


@contextmanager
def open_bytes(path: Path, file: str) -> Iterator[io.BufferedReader]:
    """The content of a file, unzipped where it is gzip by its first bytes, without its byte order mark.

    Raises UnreadableFile, from the opening or from any later read inside the block: empty, truncated gzip, wrong
    checksum, something after the end of the gzip, not UTF-8. `file` is what messages call it.
    """
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            raw.seek(0)
            with _buffered(raw, is_gzip) as content:
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
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{file}: not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise UnreadableFile(f"{file}: {error.strerror or error}") from error


def _buffered(raw: io.BufferedReader, is_gzip: bool) -> io.BufferedReader:
    # The gzip module's own reads pass through Python: a large buffer in front makes them few.
    return io.BufferedReader(gzip.GzipFile(fileobj=raw), BUFFER_SIZE) if is_gzip else raw


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


def file_date(path: Path) -> str:
    """The day the file was last written, UTC: the edition of a file that tells no other."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()


def json_reason(error: Exception) -> str:
    """What a JSON parser's error says, without the excerpt that it draws below."""
    text = error.args[0] if error.args else ""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return str(text).partition("\n")[0].strip()
