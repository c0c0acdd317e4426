"""Slots and a queue that several owners share, so that no owner keeps the others waiting. Neither is safe for threads.

Owners take turns. The last free slot goes only to an owner that holds none: however many items one owner has waiting,
another owner's first item starts at once.
"""

from collections import Counter
from collections.abc import Collection, Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class FairSlots:
    """A number of slots that owners take and release."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: Counter[str] = Counter()

    def held(self, owner: str) -> int:
        return self._held[owner]

    def may_take(self, owner: str) -> bool:
        free = self._count - self._held.total()
        return free > 1 or (free == 1 and not self._held[owner])

    def take(self, owner: str) -> bool:
        """Takes a slot. Returns False where the owner may not have one now."""
        if not self.may_take(owner):
            return False
        self._held[owner] += 1
        return True

    def release(self, owner: str) -> None:
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]


class FairQueue(Generic[T]):
    """Items that wait for a slot, in order of arrival within each owner. An item may wait for several owners: it is
    given out once, in the turn of the owner that comes first.
    """

    def __init__(self, slots: int, max_each: int, max_waiting: int, unlimited: Collection[str] = ()) -> None:
        """At most `max_each` items of one owner wait or hold a slot, except of the owners `unlimited`; at most
        `max_waiting` wait in all.
        """
        self._slots = FairSlots(slots)
        self._max_each = max_each
        self._max_waiting = max_waiting
        self._unlimited = frozenset(unlimited)
        self._waiting: dict[str, dict[T, None]] = {}
        """By owner, in the order of their turns."""

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, owner: str, item: T) -> bool:
        """Adds the item. Returns False, and changes nothing, where one of the limits is reached."""
        own = self._waiting.get(owner, {})
        if item in own:
            return True
        is_full = owner not in self._unlimited and len(own) + self._slots.held(owner) >= self._max_each
        if is_full or len(self) >= self._max_waiting:
            return False
        self._waiting.setdefault(owner, {})[item] = None
        return True

    def take(self) -> tuple[str, T] | None:
        """The next item and the owner whose slot it holds until `release`; None where nothing may start now."""
        owner = next(filter(self._slots.may_take, self._waiting), None)
        if owner is None:
            return None
        self._slots.take(owner)
        item = next(iter(self._waiting[owner]))
        self._waiting[owner] = self._waiting.pop(owner)  # its next turn comes after all others
        for each in list(self._waiting):
            self._waiting[each].pop(item, None)
            if not self._waiting[each]:
                del self._waiting[each]
        return owner, item

    def release(self, owner: str) -> None:
        self._slots.release(owner)
