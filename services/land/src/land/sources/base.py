"""The interface of a source: the addresses of its files, and the reader of its files."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from land.datasets.partitions import Partition, department_of
from land.errors import SourceError, UnreadableFile, WholeFilesOnly
from land.sources.values import date_in
from servicekit.languages import Text

MAX_REJECTIONS_KEPT = 20
MAX_DEFECTS = 20
Row = TypeVar("Row")
Record = TypeVar("Record")
Value = TypeVar("Value")
Records = Iterator[tuple[Partition, Record]]
"""Records, each with its partition."""


@dataclass
class ReadReport:
    """The counts and rejections of reading one file."""

    file: str
    """The file's name in messages."""
    row_count: int = 0
    """Rows, features or items read so far, including rejected and filtered ones."""
    rejected_count: int = 0
    rejections: list[str] = field(default_factory=list)
    """`file:line: reason`, the first MAX_REJECTIONS_KEPT of them."""
    defect_count: int = 0
    """Rows, among the rejected ones, that the reader could not parse by a defect of its own."""
    repaired_count: int = 0
    """Records whose invalid geometry was repaired."""
    unknown_values: Counter[str] = field(default_factory=Counter)
    """The number of values in each column that the publisher's dictionary does not define. Their records are kept."""
    expected_count: int | None = None
    """The publisher's own row count, if the file states it: an answer of a service may contain only some of them."""
    next_page: str = ""
    """The address of the next page, if the answer states it. It is not to be requested as it is."""

    def reject(self, line: int, reason: str) -> None:
        """Counts a rejected row. `line` is its line in a CSV, or the feature's or item's position, counted from 1."""
        self.rejected_count += 1
        if len(self.rejections) < MAX_REJECTIONS_KEPT:
            self.rejections.append(f"{self.file}:{line}: {reason}")

    def known(self, column: str, value: Value | None) -> Value | None:
        """The meaning of a published value. Counts one without a meaning: the dictionary does not define it."""
        if value is None:
            self.unknown_values[column] += 1
        return value

    def number(self, rows: Iterable[Row]) -> Iterator[tuple[int, Row]]:
        """Counts the rows, and gives each its number as its line."""
        for row in rows:
            self.row_count += 1
            yield self.row_count, row

    def parse(self, rows: Iterable[tuple[int, Row]], parse: Callable[[Row], Record | None]) -> Iterator[Record]:
        """The records of rows, which come with their lines. A row for which `parse` raises ValueError is rejected; one
        for which it returns None has no record. Counts the records whose geometry was repaired.

        A row that the reader cannot parse by a defect is left out, too. More than MAX_DEFECTS end the file: then the
        defect is not of a few odd rows, and the store keeps what it has.
        """
        for line, row in rows:
            try:
                record = parse(row)
            except ValueError as error:
                self.reject(line, str(error))
                continue
            except Exception:
                self.defect_count += 1
                if self.defect_count > MAX_DEFECTS:
                    raise
                from servicekit.parts import Attempt  # noqa: PLC0415 (metrics, which a command does not load)

                with Attempt(Text(f"{self.file}:{line}", f"{self.file}:{line}"), SourceError):
                    raise
                self.reject(line, "a defect of the reader")
                continue
            if record is not None:
                self.repaired_count += getattr(record, "is_repaired", False)
                yield record


class CommuneFilter(NamedTuple):
    """Which rows to read: those of one commune, of one département, or all."""

    commune: str | None = None
    department: str | None = None

    def includes(self, commune_code: str) -> bool:
        return self.commune in (None, commune_code) and self.department in (None, department_of(commune_code))

    def select(self, records: Iterable[Record], column: str = "commune_code") -> Records[Record]:
        """The records whose column has a code that is included, which is their partition."""
        for record in records:
            if self.includes(code := getattr(record, column)):
                yield Partition(code), record

    def refuse_any(self, file: str) -> None:
        """Raises WholeFilesOnly for a part of a national list: it would replace the whole list."""
        if self != ALL:
            raise WholeFilesOnly(f"{file}: a national list is loaded whole, without --commune or --department")

    def refuse_commune(self, file: str) -> None:
        """Raises UnreadableFile if one commune is wanted, for a file that is published by département."""
        if self.commune is not None:
            raise UnreadableFile(f"{file}: published by département: choose one with --department, not a commune")


ALL = CommuneFilter()


class PartitionRequest(NamedTuple):
    """A partition to download."""

    commune_code: str
    """The commune whose land is needed; FR for a national list."""
    partition_code: str
    locate_commune: Callable[[], tuple[float, float]]
    """Returns the commune's centre, as longitude and latitude. Raises SourceUnavailable if it is unknown."""
    read_list: Callable[[str], bytes]
    """Downloads the publisher's list of files from an address. Raises SourceUnavailable."""
    box_commune: Callable[[float], Sequence[float]]
    """Returns the box around the commune's parcels, widened by so many metres: west, south, east, north in degrees.
    Raises SourceUnavailable if its plan is not loaded.
    """


class FileReader(ABC):
    """One dataset of one publisher."""

    pages_continue: bool = False
    """Whether `page_url` continues the first answer. Otherwise its pages start at the first row again."""
    max_paged_rows: int = 50_000
    """Rows of one paged answer, which memory holds while they are written. The layers of the largest plans have several
    times fewer."""

    def __init__(self, base: str = "") -> None:
        """`base` is the address below which the files are published, from the settings."""
        self._base = base.rstrip("/")

    def urls(self, request: PartitionRequest) -> list[str]:
        """The addresses of a partition's files. Empty for a dataset that is only imported by command."""
        return []

    @abstractmethod
    def read(self, path: Path, report: ReadReport, selection: CommuneFilter = ALL) -> Records[Any]:
        """Yields the selected records with their partition, in file order and in bounded memory.

        `path` may be gzipped. A row that cannot be read is rejected in the report.
        Raises UnreadableFile, at the latest at the end, if the file is truncated or has another format, and
        WrongHeader if columns are missing.
        """

    def edition(self, path: Path, name: str) -> str | None:
        """The edition that a file's name, address or content states (`2026-01`, `2022-01-01`). A file's modification
        time does not count. By default the date in the name.
        """
        return date_in(name)

    def asked_partition(self, url: str, commune: str | None) -> Partition | None:
        """The partition that the answer from a service's address contains completely, even if it has no rows.

        `commune` is the commune that the address was built for. None for files and unknown addresses.
        """
        return None

    def part_with_gaps(self, url: str) -> str | None:
        """The part of a partition whose files the publisher leaves out where there are no rows, if `url` is one of
        them. None elsewhere: then a missing file is a failure, since the publisher has one for each partition.
        """
        return None

    def wider_urls(self, url: str) -> list[str]:
        """The addresses of files that have the rows of the file at `url`, and those of more partitions, the smallest
        first. They are requested if that one is missing.
        """
        return []

    def linked_urls(self, names: Sequence[str]) -> list[str]:
        """The addresses of further files that belong to loaded rows: of the documents that they name."""
        return []

    def page_url(self, url: str, report: ReadReport) -> str | None:
        """The address of the rows after those of the report, if the service truncates its answer to `url`. None if it
        has no pages.
        """
        return None
