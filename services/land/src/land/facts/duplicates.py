"""Records that a file gives several times."""

from collections.abc import Iterable
from operator import attrgetter
from typing import TypeVar

Record = TypeVar("Record")


def last_of_each(records: Iterable[Record], *key: str) -> list[Record]:
    """The last record of each key, in order of key. `key`: names of fields."""
    pick = attrgetter(*key)
    unique = {pick(record): record for record in records}
    return [unique[each] for each in sorted(unique)]
