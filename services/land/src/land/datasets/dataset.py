"""What the registry declares of a dataset."""

from calendar import monthrange
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, NamedTuple

from land.datasets.facts import Fact
from land.datasets.partitions import Partition, PartitionKind, code_of, department_of
from land.sources.base import FileReader
from land.store.loads import Load
from land.store.repository import Transaction

MakeRows = Callable[[Any], Sequence[Iterable[Any]]]
"""The rows of each table of a dataset, from the records of one partition."""


def one_table(rows: Callable[[Sequence[Any]], Iterable[Any]]) -> MakeRows:
    """Makes the rows of a dataset with one table."""
    return lambda records: (rows(records),)


def _last_day(edition: str) -> date | None:
    """The last day of an edition's year, month or day: `2025`, `2026-01` or `2026-01-01`."""
    with suppress(ValueError):
        match [int(part) for part in edition.split("-")]:
            case [year]:
                return date(year, 12, 31)
            case [year, month]:
                return date(year, month, monthrange(year, month)[1])
            case [year, month, day]:
                return date(year, month, day)
    return None


LICENCE_OUVERTE = "Licence Ouverte 2.0"


class Licence(NamedTuple):
    """Who publishes a dataset, and on what terms. Every answer that uses the dataset states it."""

    publisher: str
    dataset: str
    attribution: str
    url: str
    licence: str = LICENCE_OUVERTE


class Host(NamedTuple):
    """A place where files are published: LAND_<NAME>_BASE overrides the base address."""

    name: str
    base: str
    note: str = ""


@dataclass(frozen=True)
class Dataset:
    id: str
    """Stable name in commands, the store and the API, such as `ban`."""
    order: int
    """Its place in lists, and among the loads for a commune: the lowest first."""
    licence: Licence
    kind: PartitionKind
    """What one partition is."""
    make_reader: Callable[..., FileReader]
    """Takes one base address per host."""
    write: Callable[..., None]
    """Replaces the rows of a partition. Takes the connection, the dataset's id, the partition, and rows by table."""
    rows: MakeRows = lambda records: (records,)
    hosts: tuple[Host, ...] = ()
    """None for datasets that are only imported."""
    keep: Callable[[Transaction, Load, Load, Sequence[Any]], None] | None = None
    """Called before a newer load replaces a partition. Takes the connection, both loads, and the new records."""
    consequences: Mapping[str, Callable[[Transaction, str], None]] = field(default_factory=dict)
    """What changes with each load of another dataset, by its id. Takes the connection and the partition's code."""
    facts: Callable[[Transaction, str, Partition], Iterable[Fact]] | None = None
    """The facts of a partition that partners can watch. Takes the connection, the dataset's id and the partition."""
    linked: Callable[[Transaction, str, str], Sequence[str]] | None = None
    """Names what the rows of a partition refer to, and was not loaded since an instant: `linked_urls` of the reader
    tells its files. Takes the connection, the partition and the instant.
    """
    needs_plan: bool = False
    """On demand, its files are asked for by the place of the commune's parcels, or are named by its planning documents:
    these are loaded before.
    """
    follows: str = ""
    """The dataset whose rows of the same partition name its files: on demand, that one is loaded before."""
    not_published_in: Collection[str] = ()
    """Départements for which the dataset does not exist."""
    is_asked: bool = False
    """The publisher is asked about single places, and no file is loaded on demand."""
    is_stated_by_blocks: bool = False
    """Its loads are not those of a commune: blocks state them."""
    is_streamed: bool = False
    """Records are written one by one: a partition is too large for memory."""
    is_awaited: bool = True
    """Whether the first request for a commune waits for it. Otherwise it loads in the background."""
    is_never_empty: bool = False
    """Whether each partition has rows: an edition without rows is a failure of the publisher."""
    least_rows: Callable[[Transaction, Partition], int] = lambda connection, partition: 0
    """The least rows of a complete file of a partition, by what else is loaded of its commune. Takes the connection and
    the partition.
    """
    is_believed_twice: bool = False
    """Whether fewer rows than these are believed if the publisher has given the same file for `loader.SAME_FOR`."""
    late_after_days: int = 0
    """A newer edition is due so many days after the end of the newest one's day, month or year. 0: not watched."""
    bases: tuple[str, ...] = ()
    """Base addresses from the settings; empty for those of `hosts`."""

    @cached_property
    def reader(self) -> FileReader:
        return self.make_reader(*(self.bases or (host.base for host in self.hosts)))

    def code_of(self, commune_code: str) -> str:
        """The code of the partition that holds a commune's rows."""
        return code_of(self.kind, commune_code)

    def days_late(self, edition: str | None) -> int | None:
        """How many days ago a newer edition than this one was due, by the publisher's rhythm. Negative before.

        None for a dataset that is not watched, and for an edition that states no year.
        """
        last_day = _last_day(edition or "")
        return (
            (datetime.now(UTC).date() - last_day).days - self.late_after_days
            if self.late_after_days and last_day
            else None
        )

    def is_published(self, commune_code: str) -> bool:
        """Whether the dataset exists for the commune's département."""
        return department_of(commune_code) not in self.not_published_in
