"""Limits the attempts of one client address without a valid credential.

The limits protect keys from guesses and floods, in bounded memory. Whether a credential is valid is decided by keys
alone.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TypeVar

from prometheus_client import Counter as Metric

from edge.problems import Problem
from servicekit.addresses import network_of
from servicekit.languages import Text

T = TypeVar("T")

ANSWER_DELAY_S = 0.5
"""Delay of a refusal, so that a flood costs a timer per request and little processor time."""
MAX_CREDENTIALS = 10_000
MAX_ADDRESSES = 32_768
_TOO_MANY = Text("Trop d’essais depuis cette adresse.", "Too many attempts from this address.")

_limited = Metric("edge_attempts_limited", "Requests refused before authentication: too many from one address.")


class TooManyAttempts(Problem):
    """The address has no attempt left. The answer is sent after ANSWER_DELAY_S."""


class AddressLimit:
    """A leaky bucket of attempts for each address, emptied over a minute. Addresses that try least recently are
    forgotten, so that memory is bounded.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The attempts of an address that are not forgotten yet, and the instant of this number."""

    def take(self, address: str) -> None:
        """Counts one attempt. Raises TooManyAttempts if the address has none left."""
        now, network = self._clock(), network_of(address)
        attempts, since = self._buckets.pop(network, (0.0, now))
        attempts = max(0.0, attempts - (now - since) * self._per_minute / 60)
        excess = attempts + 1 - self._per_minute
        self._buckets[network] = attempts + (excess <= 0), now
        if len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        if excess > 0:
            _limited.inc()
            wait_s = int(excess * 60 / self._per_minute) + 1
            raise TooManyAttempts("rate_limited", _TOO_MANY, retry_after_s=wait_s)

    def refund(self, address: str) -> None:
        """Returns one attempt to the address."""
        network = network_of(address)
        if network in self._buckets:
            attempts, since = self._buckets[network]
            self._buckets[network] = attempts - 1, since


class CredentialLimit:
    """Limits, by address, the credentials that are not known to be valid.

    A recently valid credential is not limited, so that a flood does not block a partner behind the same address. Only
    its digest is cached, and keys still decides whether it is valid.
    """

    def __init__(self, limit: AddressLimit) -> None:
        self._limit = limit
        self._verified: OrderedDict[bytes, None] = OrderedDict()
        self._pending: Counter[bytes] = Counter()

    async def verify(
        self, address: str, credential: str, call_keys: Callable[[], Awaitable[T]], is_valid: Callable[[T], bool]
    ) -> T:
        """Returns the result of `call_keys`. `is_valid` says whether the result is that of an existing credential.

        Concurrent requests with one credential count once. Raises TooManyAttempts without calling keys.
        """
        digest = sha256(credential.encode()).digest()
        if digest in self._verified:
            result = await call_keys()
            self._remember(digest, is_valid(result))
            return result
        is_counted = digest not in self._pending
        if is_counted:
            self._limit.take(address)
        self._pending[digest] += 1
        is_failure = False
        try:
            result = await call_keys()
            is_failure = not is_valid(result)
            self._remember(digest, not is_failure)
            return result
        finally:
            self._pending[digest] -= 1
            if not self._pending[digest]:
                del self._pending[digest]
            if is_counted and not is_failure:
                self._limit.refund(address)

    def _remember(self, digest: bytes, is_valid: bool) -> None:
        if is_valid and digest in self._verified:
            self._verified.move_to_end(digest)
        elif is_valid:
            self._verified[digest] = None
            if len(self._verified) > MAX_CREDENTIALS:
                self._verified.popitem(last=False)
        else:
            self._verified.pop(digest, None)
