"""Who may have a password hashed, and when: a few at a time, and nobody at the expense of the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from keys.errors import SignInThrottled, Unavailable
from servicekit.addresses import network_of
from servicekit.workers import Workers

R = TypeVar("R")

MAX_WAITING = 128
"""Calls that wait or hash in all. Further ones are refused at once."""
MAX_WAITING_OF_ONE = 4
"""Of these, calls of one network: an IPv4 address, or the /64 of an IPv6 address."""


class QueueSlot:
    """A slot in the queue."""

    def __init__(self, queue: HashingQueue, network: str) -> None:
        self._queue = queue
        self._network = network

    async def run(self, hashing: Callable[..., R], *args: object) -> R:
        """What the function returns, once it is this network's turn."""
        return await self._queue.take_turn(self._network, hashing, *args)


class HashingQueue:
    """Hashes on workers of its own, which are few, since each hash takes 64 MiB. One network hashes on one worker at a
    time, and queues for it by itself, so that a flood from there leaves the others their turn.
    """

    def __init__(self, count: int) -> None:
        self._workers = Workers(count)
        self._turns = asyncio.Semaphore(count)
        self._waiting: Counter[str] = Counter()
        self._turn_of: dict[str, asyncio.Lock] = {}

    @contextmanager
    def slot(self, client_address: str) -> Iterator[QueueSlot]:
        """A slot for as long as the block runs. Raises SignInThrottled or Unavailable where too many wait already."""
        network = network_of(client_address)
        if self._waiting[network] >= MAX_WAITING_OF_ONE:
            raise SignInThrottled("Too many attempts at once.", retry_after_s=1)
        if self._waiting.total() >= MAX_WAITING:
            raise Unavailable("Too many passwords are being checked.", retry_after_s=1)
        self._waiting[network] += 1
        try:
            yield QueueSlot(self, network)
        finally:
            self._waiting[network] -= 1
            if self._waiting[network] == 0:
                del self._waiting[network]
                self._turn_of.pop(network, None)

    async def run(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Takes a slot and runs the function. Raises as `slot`."""
        with self.slot(client_address) as slot:
            return await slot.run(hashing, *args)

    async def take_turn(self, network: str, hashing: Callable[..., R], *args: object) -> R:
        async with self._turn_of.setdefault(network, asyncio.Lock()), self._turns:
            result: R = await self._workers.run(hashing, *args)
            return result

    def close(self) -> None:
        self._workers.close()
