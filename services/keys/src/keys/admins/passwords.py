"""Passwords at rest: Argon2id with the parameters that RFC 9106 recommends second (64 MiB, 3 passes, 4 lanes).

Few calls that hash run at once, and one network cannot delay the others.
"""

import asyncio
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION
from argon2.profiles import RFC_9106_LOW_MEMORY

from keys import checks, texts
from keys.checks import require
from keys.errors import SignInThrottled, Unavailable
from servicekit.addresses import network_of
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
        self._turn_of: dict[str, asyncio.Lock] = {}

    @contextmanager
    def slot(self, client_address: str) -> Iterator[None]:
        """Reserves a slot for one `take_turn` until the block ends. Raises SignInThrottled or Unavailable if too many
        calls wait.
        """
        network = network_of(client_address)
        if self._waiting[network] >= MAX_WAITING_OF_ONE:
            raise SignInThrottled(texts.TOO_MANY_AT_ONCE, retry_after_s=1)
        if self._waiting.total() >= MAX_WAITING:
            raise Unavailable(texts.TOO_MANY_PASSWORDS, retry_after_s=1)
        self._waiting[network] += 1
        try:
            yield
        finally:
            self._waiting[network] -= 1
            if self._waiting[network] == 0:
                del self._waiting[network]
                self._turn_of.pop(network, None)

    async def run(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Reserves a slot and runs the function. Raises the errors of `slot`."""
        with self.slot(client_address):
            return await self.take_turn(client_address, hashing, *args)

    async def take_turn(self, client_address: str, hashing: Callable[..., R], *args: object) -> R:
        """Waits for the turn of the network, which has a slot, and returns the function's result."""
        network = network_of(client_address)
        async with self._turn_of.setdefault(network, asyncio.Lock()), self._turns:
            result: R = await self._workers.run(hashing, *args)
            return result

    def close(self) -> None:
        self._workers.close()


class Passwords:
    """Hashes and verifies passwords. Each call uses 64 MiB of memory: run few at once."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
        self._dummy_hash = _dummy_hash(self._hasher)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def verify(self, password: str, password_hash: str | None) -> bool:
        """Whether the password matches the hash. Without a hash it does the work of a wrong password."""
        try:
            is_right = self._hasher.verify(password_hash or self._dummy_hash, password)
        except (VerificationError, InvalidHashError):
            return False
        return is_right and password_hash is not None


def _dummy_hash(hasher: PasswordHasher) -> str:
    """Returns random bytes in the form of a hash. To verify a password with it costs as much as with a real one. To
    compute one would use 64 MiB in every process at its start.
    """
    salt, digest = (b64encode(os.urandom(count)).decode().rstrip("=") for count in (hasher.salt_len, hasher.hash_len))
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${parameters}${salt}${digest}"


def normalized_email(email: str) -> str:
    """Returns the address in lower case, without surrounding spaces. Raises InvalidPayload if it is malformed."""
    require(checks.email, email, "/email")
    return email.strip().lower()
