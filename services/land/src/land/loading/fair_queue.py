"""Slots and a queue that several owners share fairly. Not thread-safe.

Owners take turns. The last free slot is reserved for an owner that holds none. So an owner's first item starts at once,
even while another owner has many items in the queue.
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
        """Takes a slot. Returns False if the owner may not take one now."""
        if not self.may_take(owner):
            return False
        self._held[owner] += 1
        return True

    def release(self, owner: str) -> None:
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]


class FairQueue(Generic[T]):
    """Items that wait for a slot, first in, first out for each owner.

    Several owners may wait for the same item. It starts once, in the turn of the first of these owners.
    """

    def __init__(self, slots: int, max_per_owner: int, max_waiting: int, unlimited: Collection[str] = ()) -> None:
        """`max_per_owner` limits the items of one owner that wait or hold a slot, except for the owners `unlimited`.
        `max_waiting` limits the waiting items of all owners together.
        """
        self._slots = FairSlots(slots)
        self._max_per_owner = max_per_owner
        self._max_waiting = max_waiting
        self._unlimited = frozenset(unlimited)
        self._waiting: dict[str, dict[T, None]] = {}
        """The items of each owner, in the order of the owners' turns."""

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, owner: str, item: T) -> bool:
        """Adds the item. Returns False, and changes nothing, if a limit is reached."""
        waiting = self._waiting.get(owner, {})
        if item in waiting:
            return True
        is_full = owner not in self._unlimited and len(waiting) + self._slots.held(owner) >= self._max_per_owner
        if is_full or len(self) >= self._max_waiting:
            return False
        self._waiting.setdefault(owner, {})[item] = None
        return True

    def take(self) -> tuple[str, T] | None:
        """Returns the next item and the owner whose slot it holds until `release`; None if no item may start now."""
        owner = next(filter(self._slots.may_take, self._waiting), None)
        if owner is None:
            return None
        self._slots.take(owner)
        item = next(iter(self._waiting[owner]))
        self._waiting[owner] = self._waiting.pop(owner)  # its next turn comes after the turns of all other owners
        for waiting_owner in list(self._waiting):
            self._waiting[waiting_owner].pop(item, None)
            if not self._waiting[waiting_owner]:
                del self._waiting[waiting_owner]
        return owner, item

    def release(self, owner: str) -> None:
        self._slots.release(owner)
