"""Queues calls that hash passwords. Few run at once, and one network cannot delay the others."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from keys.values.errors import SignInThrottled, Unavailable
from servicekit.languages import Text
from servicekit.limits import counted, network_of
from servicekit.workers import Workers

R = TypeVar("R")

MAX_WAITING = 128
"""The maximum of waiting and hashing calls. Further calls are refused at once."""
MAX_WAITING_OF_ONE = 4
"""The maximum for one network: an IPv4 address, or the /64 of an IPv6 address."""


class HashingQueue:
    """Hashes on a few workers of a separate pool, since each hash takes 64 MiB of memory. Each network uses one worker
    at a time. So many calls from one network do not delay the other networks.
    """

    def __init__(self, count: int) -> None:
        self._workers = Workers(count)
        self._turns = asyncio.Semaphore(count)
        self._waiting: Counter[str] = Counter()
        self._turn_of: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextmanager
    def slot(self, client_address: str) -> Iterator[None]:
        """Reserves a slot for one `take_turn` until the block ends. Raises SignInThrottled or Unavailable if too many
        calls wait.
        """
        network = network_of(client_address)
        if self._waiting[network] >= MAX_WAITING_OF_ONE:
            raise SignInThrottled(Text("Trop de tentatives à la fois.", "Too many attempts at once."), retry_after_s=1)
        if self._waiting.total() >= MAX_WAITING:
            raise Unavailable(
                Text("Trop de mots de passe sont en cours de vérification.", "Too many passwords are being checked."),
                retry_after_s=1,
            )
        with counted(self._waiting, network):
            yield

    async def run(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Reserves a slot and runs the function. Raises the errors of `slot`."""
        with self.slot(client_address):
            return await self.take_turn(client_address, hashing, *args)

    async def take_turn(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Waits for the turn of the network, which has a slot, and returns the function's result."""
        async with self._turn_of.setdefault(network_of(client_address), asyncio.Lock()), self._turns:
            result: R = await self._workers.run(hashing, *args)
            return result

    def close(self) -> None:
        self._workers.close()
