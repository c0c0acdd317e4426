"""Limits by client address: attempts without a valid credential, and answers that nobody pays for.

The limits protect keys from guesses and paying partners from floods, in bounded memory. Whether a credential is valid
is decided by keys alone.
"""

import asyncio
import time
from asyncio import Condition
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from hashlib import sha256
from http import HTTPStatus
from typing import TypeVar

from prometheus_client import Counter as Metric
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.access import PROBES, is_admitted
from edge.middleware.client_address import Networks, client_address
from edge.problems import Problem
from servicekit.languages import Text
from servicekit.limits import counted, network_of, subtract

T = TypeVar("T")

MAX_CREDENTIALS = 10_000
MAX_ADDRESSES = 32_768
BURST_S = 4
"""So many seconds' worth of free answers are sent at once."""
MAX_WAIT_S = 2.0
MAX_WAITING_CREDENTIALS = 128
"""Requests of one address that wait until keys has answered others: a quarter of the edge's."""
MAX_WAITING = 500
"""Answers to one address that wait: as many as the front lets it have connections."""
TURN_BYTES = 64 * 1024
"""Each started piece of an answer of this size counts as a free answer."""

_limited = Metric("edge_attempts_limited", "Requests refused before authentication: too many from one address.")
_delayed = Metric("edge_free_answers_delayed", "Answers that cost nothing and waited: too many to one address.")


class _Buckets:
    """A leaky bucket for each address, in bounded memory: addresses that are used least recently are forgotten."""

    def __init__(self, per_s: float, clock: Callable[[], float]) -> None:
        self._per_s, self._clock = per_s, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """The level of an address, and the instant of this level."""

    def level(self, network: str) -> float:
        """What the bucket of the address holds now."""
        now = self._clock()
        level, since = self._levels.pop(network, (0.0, now))
        level = max(0.0, level - (now - since) * self._per_s)
        self._levels[network] = level, now
        if len(self._levels) > MAX_ADDRESSES:
            self._levels.popitem(last=False)
        return level

    def add(self, network: str, count: float) -> None:
        """Adds to the bucket, unless the address is forgotten."""
        if network in self._levels:
            level, since = self._levels[network]
            self._levels[network] = level + count, since


class AddressLimit:
    """Limits the attempts of each address. They are forgotten over a minute."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._attempts = _Buckets(per_minute / 60, clock)

    def has_left(self, address: str) -> bool:
        return self._excess(network_of(address)) <= 0

    def take(self, address: str) -> None:
        """Counts one attempt. Raises Problem rate_limited if the address has none left."""
        network = network_of(address)
        excess = self._excess(network)
        if excess > 0:
            _limited.inc()
            raise Problem(
                "rate_limited",
                Text("Trop d’essais depuis cette adresse.", "Too many attempts from this address."),
                retry_after_s=int(excess * 60 / self._per_minute) + 1,
            )
        self._attempts.add(network, 1)

    def refund(self, address: str) -> None:
        """Returns one attempt to the address."""
        self._attempts.add(network_of(address), -1)

    def _excess(self, network: str) -> float:
        """By how much one more attempt would exceed the limit."""
        return self._attempts.level(network) + 1 - self._per_minute


class FreeAnswers:
    """Sends the answers that nobody pays for one after the other, if an address gets many of them.

    These are the answers to requests that no key and no admin was admitted for: pages, documents, and every refusal.
    Further ones wait, so that an address that asks without end causes little work. Probes never wait, and neither does
    a failure of the service.
    """

    def __init__(
        self, app: ASGIApp, per_second: int, trusted_proxies: Networks, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._per_second = per_second
        self._trusted = trusted_proxies
        self._answers = _Buckets(per_second, clock)
        self._waiting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_turn(message: Message) -> None:
            is_answer = (
                message["type"] == "http.response.start" and message["status"] < HTTPStatus.INTERNAL_SERVER_ERROR
            )
            if is_answer and scope["path"] not in PROBES and not is_admitted(scope):  # it is free
                length = next((int(value) for name, value in message["headers"] if name == b"content-length"), 0)
                await self._wait(network_of(client_address(scope, self._trusted)), 1 + length // TURN_BYTES)
            await send(message)

        await self._app(scope, receive, send_in_turn)

    async def _wait(self, network: str, count: int) -> None:
        excess = self._answers.level(network) + count - BURST_S * self._per_second
        longest = MAX_WAIT_S * self._per_second
        self._answers.add(network, count - max(0.0, excess - longest))
        if excess <= 0 or self._waiting[network] >= MAX_WAITING:
            return
        _delayed.inc()
        with counted(self._waiting, network):
            await asyncio.sleep(min(excess, longest) / self._per_second)


class CredentialLimit:
    """Limits, by address, the credentials that are not known to be valid.

    A recently valid credential is not limited, so that a flood does not block a partner behind the same address. Only
    its digest is cached, and keys still decides whether it is valid. While keys is asked about as many others as the
    address has attempts, further ones wait: the valid ones return their attempts.
    """

    def __init__(self, limit: AddressLimit) -> None:
        self._limit = limit
        self._verified: OrderedDict[bytes, None] = OrderedDict()
        self._pending: Counter[bytes] = Counter()
        """The requests of each credential that keys is asked about."""
        self._asked: Counter[str] = Counter()
        """The number of these credentials by network."""
        self._waiting: Counter[str] = Counter()
        self._answered = Condition()

    async def verify(
        self, address: str, credential: str, call_keys: Callable[[], Awaitable[T]], is_valid: Callable[[T], bool]
    ) -> T:
        """Returns the result of `call_keys`. `is_valid` says whether the result is that of an existing credential.

        Concurrent requests with one credential count once. Raises Problem rate_limited without calling keys.
        """
        digest = sha256(credential.encode()).digest()
        if digest in self._verified:
            result = await call_keys()
            self._remember(digest, is_valid(result))
            return result
        is_counted = await self._take(address, digest)
        is_failure = False
        try:
            result = await call_keys()
            is_failure = not is_valid(result)
            self._remember(digest, not is_failure)
            return result
        finally:
            subtract(self._pending, digest)
            if is_counted:
                subtract(self._asked, network_of(address))
                if not is_failure:
                    self._limit.refund(address)
            async with self._answered:
                self._answered.notify_all()

    async def _take(self, address: str, digest: bytes) -> bool:
        """Takes an attempt of the address, unless keys is already asked about the credential. Returns whether it did.

        Waits while none is left and one may be returned.
        """
        network = network_of(address)
        async with self._answered:
            if self._waiting[network] < MAX_WAITING_CREDENTIALS:
                with counted(self._waiting, network):
                    await self._answered.wait_for(
                        lambda: digest in self._pending or not self._asked[network] or self._limit.has_left(address)
                    )
            is_counted = digest not in self._pending
            if is_counted:
                self._limit.take(address)
                self._asked[network] += 1
            self._pending[digest] += 1
        return is_counted

    def _remember(self, digest: bytes, is_valid: bool) -> None:
        if is_valid and digest in self._verified:
            self._verified.move_to_end(digest)
        elif is_valid:
            self._verified[digest] = None
            if len(self._verified) > MAX_CREDENTIALS:
                self._verified.popitem(last=False)
        else:
            self._verified.pop(digest, None)
