"""Records by a key, and records that a file gives several times."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
Record = TypeVar("Record")


def grouped(pairs: Iterable[tuple[Key, Record]]) -> dict[Key, list[Record]]:
    """The records of each key, in the given order."""
    groups: dict[Key, list[Record]] = {}
    for key, record in pairs:
        groups.setdefault(key, []).append(record)
    return groups


def last_of_each(records: Iterable[Record], *key: str) -> list[Record]:
    """The last record of each key, in order of key. `key`: names of fields."""
    pick = attrgetter(*key)
    unique = {pick(record): record for record in records}
    return [unique[key_values] for key_values in sorted(unique)]


def unique(*key: str) -> Callable[[Sequence[Any]], tuple[Sequence[Any]]]:
    """Makes the rows of a dataset with one table: the records with the last of each key."""
    return lambda records: (last_of_each(records, *key),)
