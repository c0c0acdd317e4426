"""What every reader of a source is, and the account it keeps of rows that it cannot read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from land.partitions import Partition

MAX_REJECTIONS_KEPT = 20


@dataclass
class Account:
    """How the reading of one file went. Rows that cannot be read are counted; the first of them are kept whole."""

    file: str
    row_count: int = 0
    """Rows, features or items of the file so far, rejected ones and those not chosen included; the reader counts."""
    rejected_count: int = 0
    rejections: list[str] = field(default_factory=list)
    """`file:line: reason`, the first MAX_REJECTIONS_KEPT of them."""
    repaired_count: int = 0
    """Geometries whose rings were invalid and were repaired."""
    unknown_values: Counter[str] = field(default_factory=Counter)
    """By column, values that the publisher's dictionary does not have: told as unknown, their record kept."""
    expected_count: int | None = None
    """Rows that the publisher has, where the file says it: an answer of a service may give a part of them."""

    def reject(self, line: int, reason: str) -> None:
        self.rejected_count += 1
        if len(self.rejections) < MAX_REJECTIONS_KEPT:
            self.rejections.append(f"{self.file}:{line}: {reason}")


class Source(Protocol):
    """One dataset: where it is published, and how its files are read."""

    def urls(self, commune_code: str) -> list[str]:
        """Where the publisher has the files of one commune, under the base address in the settings."""

    def read(
        self, path: Path, account: Account, commune: str | None = None, department: str | None = None
    ) -> Iterator[tuple[Partition, Any]]:
        """Yields each record with the unit that it is loaded by, in file order, in bounded memory.

        `path` is plain or gzipped. With `commune` (the record's own, or the unit's) or `department`, only theirs.
        Raises UnreadableFile where the file is cut short, is not text or not the format (at the latest at its end),
        WrongHeader where columns are missing. A row that cannot be read is rejected in the account and left out.
        """

    def edition(self, path: Path, name: str) -> str | None:
        """The edition that a file's name, address or content states (`2026-01`, `2022-01-01`); None where none does.
        A file's modification time is no edition.
        """


@runtime_checkable
class NationalSource(Source, Protocol):
    """A small list of the whole country, without which land does not know what communes there are."""

    def national_urls(self) -> list[str]:
        """Where the publisher has its files, under the base address in the settings."""


@runtime_checkable
class ServiceSource(Source, Protocol):
    """A source whose addresses are questions to a service: an answer without a row says that there is none."""

    def unit_asked(self, url: str, commune: str | None) -> Partition | None:
        """The unit, or part of one, that an answer from this address, asked for a commune or for none, is the whole of;
        None for any other address.
        """

    def page_url(self, url: str, start: int) -> str | None:
        """Where the publisher has the rows of this address's answer from the `start`-th on, counted from 0, for those
        that it does not give at once; None where it has no such pages.
        """


@runtime_checkable
class DocumentSource(Source, Protocol):
    """A source whose units are planning documents: several communes may have one, and one several."""

    def document_urls(self, partition: str) -> list[str]:
        """Where the publisher has the files of one document, under the base address in the settings."""


@runtime_checkable
class PlaceSource(Source, Protocol):
    """A source that is asked for a commune by a place in it."""

    def place_urls(self, lon: float, lat: float) -> list[str]:
        """Where the publisher has what it knows of a place, under the base address in the settings."""
