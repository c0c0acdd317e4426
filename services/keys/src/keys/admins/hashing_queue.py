"""Queues calls that hash passwords. Few run at once, and one network cannot delay the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from keys import texts
from keys.errors import SignInThrottled, Unavailable
from servicekit.addresses import network_of
from servicekit.workers import Workers

R = TypeVar("R")

MAX_WAITING = 128
"""The maximum of waiting and hashing calls. Further calls are refused at once."""
MAX_WAITING_OF_ONE = 4
"""The maximum for one network: an IPv4 address, or the /64 of an IPv6 address."""


class QueueSlot:
    """A reserved slot of the queue."""

    def __init__(self, queue: HashingQueue, network: str) -> None:
        self._queue = queue
        self._network = network

    async def run(self, hashing: Callable[..., R], *args: object) -> R:
        """Waits for the network's turn and returns the function's result."""
        return await self._queue.take_turn(self._network, hashing, *args)


class HashingQueue:
    """Hashes on a few workers of a separate pool, since each hash takes 64 MiB of memory. Each network uses one worker
    at a time. So many calls from one network do not delay the other networks.
    """

    def __init__(self, count: int) -> None:
        self._workers = Workers(count)
        self._turns = asyncio.Semaphore(count)
        self._waiting: Counter[str] = Counter()
        self._turn_of: dict[str, asyncio.Lock] = {}

    @contextmanager
    def slot(self, client_address: str) -> Iterator[QueueSlot]:
        """Reserves a slot until the block ends. Raises SignInThrottled or Unavailable if too many calls wait."""
        network = network_of(client_address)
        if self._waiting[network] >= MAX_WAITING_OF_ONE:
            raise SignInThrottled(texts.TOO_MANY_AT_ONCE, retry_after_s=1)
        if self._waiting.total() >= MAX_WAITING:
            raise Unavailable(
                texts.TOO_MANY_PASSWORDS,
                retry_after_s=1,
            )
        self._waiting[network] += 1
        try:
            yield QueueSlot(self, network)
        finally:
            self._waiting[network] -= 1
            if self._waiting[network] == 0:
                del self._waiting[network]
                self._turn_of.pop(network, None)

    async def run(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Reserves a slot and runs the function. Raises the errors of `slot`."""
        with self.slot(client_address) as slot:
            return await slot.run(hashing, *args)

    async def take_turn(self, network: str, hashing: Callable[..., R], *args: object) -> R:
        async with self._turn_of.setdefault(network, asyncio.Lock()), self._turns:
            result: R = await self._workers.run(hashing, *args)
            return result

    def close(self) -> None:
        self._workers.close()
