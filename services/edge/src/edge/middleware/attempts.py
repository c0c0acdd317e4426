"""Limits what one client address may try before it shows a credential that works.

All of it is in this process and bounded: it keeps guesses and floods away from keys, and decides nothing about a key.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TypeVar

from prometheus_client import Counter as Metric

from edge.languages import Text
from edge.problems import Problem
from servicekit.addresses import network_of

T = TypeVar("T")

ANSWER_DELAY_S = 0.5
"""How long a refusal waits: an address that floods then costs a timer a request, not a processor."""
MAX_ADDRESSES = 10_000
MAX_CREDENTIALS = 10_000
_TOO_MANY = Text("Trop d'essais depuis cette adresse.", "Too many attempts from this address.")

_limited = Metric("edge_attempts_limited", "Requests refused before authentication: too many from one address.")


class TooManyAttempts(Problem):
    """Raised for an address that has no attempt left. The gate answers it after ANSWER_DELAY_S."""


class AddressLimit:
    """A token bucket for each address, refilled over a minute. The least recently used addresses are forgotten."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Counts one attempt. Raises TooManyAttempts where the address has none left."""
        subject, now = network_of(address), self._clock()
        level, at = self._buckets.pop(subject, (float(self._per_minute), now))
        level = min(float(self._per_minute), level + (now - at) * self._per_minute / 60)
        is_allowed = level >= 1
        self._buckets[subject] = (level - is_allowed, now)
        if len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        if not is_allowed:
            _limited.inc()
            wait_s = int((1 - level) * 60 / self._per_minute) + 1
            raise TooManyAttempts("rate_limited", _TOO_MANY, retry_after_s=wait_s)

    def give_back(self, address: str) -> None:
        """Takes one attempt off the count."""
        subject = network_of(address)
        if known := self._buckets.get(subject):
            self._buckets[subject] = (known[0] + 1, known[1])


class UnprovenCredentials:
    """Limits, by address, the credentials that are not known to work.

    A credential that worked lately is not limited, so that a flood from an address does not stop a partner behind the
    same one. It is kept as a digest, and still verified by keys at each request.
    """

    def __init__(self, limit: AddressLimit) -> None:
        self._limit = limit
        self._proven: OrderedDict[bytes, None] = OrderedDict()
        self._pending: Counter[bytes] = Counter()

    async def ask(
        self, address: str, credential: str, verify: Callable[[], Awaitable[T]], works: Callable[[T], bool]
    ) -> T:
        """What `verify` returns; `works` says whether it shows that the credential exists.

        Concurrent requests with one credential count once. Raises TooManyAttempts without calling `verify`.
        """
        digest = sha256(credential.encode()).digest()
        if digest in self._proven:
            result = await verify()
            self._note(digest, works(result))
            return result
        is_counted = digest not in self._pending
        if is_counted:
            self._limit.take(address)
        self._pending[digest] += 1
        is_failure = False
        try:
            result = await verify()
            is_failure = not works(result)
            self._note(digest, not is_failure)
            return result
        finally:
            self._pending[digest] -= 1
            if not self._pending[digest]:
                del self._pending[digest]
            if is_counted and not is_failure:
                self._limit.give_back(address)

    def _note(self, digest: bytes, is_proven: bool) -> None:
        self._proven.pop(digest, None)
        if is_proven:
            self._proven[digest] = None
            if len(self._proven) > MAX_CREDENTIALS:
                self._proven.popitem(last=False)
