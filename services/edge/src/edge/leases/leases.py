"""Decides requests from memory, by the leases of their keys, and asks keys for leases.

A key is found by a digest of its text under a random key of this process. No secret is stored: the requests that use it
hold it. For one key, one call to keys is under way. All requests that wait for it decide again after it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from contract.key_text import public_id
from contract.problem_codes import PROBLEMS
from edge.background import repeat
from edge.clients.keys import KeysClient
from edge.leases.decisions import Denied, Grant, Later, RateLimits, RequestKind, new_id, refusal
from edge.leases.key_leases import KeyLeases, answer_of, is_of_unknown_key
from edge.leases.settling import Settling
from edge.problems import Problem
from landpartner.keys.v1 import keys_pb2

log = logging.getLogger(__name__)

MAX_KEYS = 10_000
"""Keys whose leases are found. The lease of a key that was used least recently is not found again, and ends. Keys that
do not exist are forgotten at once, so that a flood of them evicts no others.
"""
LATER_S = 2.0
"""How long a request waits for what is reserved to come back. What an edge that died has leased comes back when its
spool is adopted, or after 15 minutes.
"""
FLUSH_TIMEOUT_S = 2.0
LATER_RETRY_S = 1
_DIGEST_BYTES = 16


@dataclass(eq=False)
class _Key:
    """The leases of one key, and the call to keys that is under way."""

    digest: bytes
    leases: KeyLeases
    call: asyncio.Task[_Answer] | None = None


class _Answer(NamedTuple):
    """What a call to keys says about the request that it was sent for."""

    kind: RequestKind
    decision: Denied | Later | Problem | None
    """None if it gave a lease."""


class ReservedLines(NamedTuple):
    """When the units of lines were reserved, by the clock of keys, and the limits of the key after it."""

    leased_at: str
    rate_limits: RateLimits


@dataclass(frozen=True)
class RequestKey:
    """The key of one request that was granted and goes on. Its text is a secret."""

    leases: Leases = field(repr=False)
    text: str = field(repr=False)
    kind: RequestKind

    async def check(self) -> None:
        """Asks keys whether the request may go on, unless a lease is open. Raises Problem."""
        decision = self.leases.decide(self.text, self.kind) or await self.leases.wait(self.text, self.kind)
        if isinstance(decision, Denied):
            raise refusal(decision)

    async def reserve(self, lines: keys_pb2.LineRequest) -> ReservedLines:
        """Reserves the units of lines, or renews their reservation. Raises Problem, also for a denial."""
        reserved = await self.leases.reserve(self.text, self.kind, lines)
        if isinstance(reserved, Denied):
            raise refusal(reserved)
        return reserved


class Leases:
    def __init__(
        self,
        keys: KeysClient,
        holder: bytes,
        *,
        interval_s: float,
        deadline_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Sends ends and refusals every `interval_s`. A request waits for `deadline_s` at most."""
        self._keys = keys
        self._holder = holder
        self._interval_s = interval_s
        self._deadline_s = deadline_s
        self._clock = clock
        self._digest_key = os.urandom(_DIGEST_BYTES)
        self._by_digest: OrderedDict[bytes, _Key] = OrderedDict()
        self._with_lease: set[_Key] = set()
        self._calls: set[asyncio.Task[_Answer]] = set()
        self._settling = Settling(keys)
        self._sending: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._sending = asyncio.create_task(repeat(self._send, self._interval_s))

    async def stop(self) -> None:
        """Ends all leases and sends what waits, for at most FLUSH_TIMEOUT_S."""
        tasks = [*self._calls, *([self._sending] if self._sending is not None else ())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._end_leases(float("inf"))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                await self._settling.send()

    def decide(self, api_key: str, kind: RequestKind) -> Grant | Denied | None:
        """Decides a request from memory. Returns None if it must `wait`."""
        key = self._find(self._digest(api_key))
        decision = None if key is None else key.leases.decide(kind, self._clock())
        if isinstance(decision, Denied):
            self._count(decision, kind)
        return None if isinstance(decision, Later) else decision

    def over_rate(self, api_key: str, kind: RequestKind) -> Denied | None:
        """Returns the denial if keys said a moment ago that the key is over its rate. Such a request is counted."""
        key = self._find(self._digest(api_key))
        denied = None if key is None else key.leases.over_rate(self._clock())
        if denied is not None:
            self._count(denied, kind)
        return denied

    async def wait(self, api_key: str, kind: RequestKind) -> Grant | Denied:
        """Decides a request with a lease from keys. Raises Problem unavailable if keys does not decide in time."""
        key, ends_at = self._key(api_key), self._clock() + self._deadline_s
        with key.leases.waiting(kind):
            while True:
                decision = key.leases.decide(kind, self._clock())
                if decision is None:
                    decision = await self._asked(key, api_key, kind, ends_at)
                if isinstance(decision, Denied):
                    self._count(decision, kind)
                    return decision
                if isinstance(decision, Grant):
                    return decision
                if isinstance(decision, Later):
                    await self._wait_until(decision.until, ends_at)

    async def reserve(self, api_key: str, kind: RequestKind, lines: keys_pb2.LineRequest) -> ReservedLines | Denied:
        """Reserves the units of lines, which needs no lease. Raises Problem unavailable."""
        ends_at = self._clock() + self._deadline_s
        while True:
            request = keys_pb2.LeaseRequest(
                lease_id=new_id(),
                holder=self._holder,
                api_key=api_key,
                endpoint=kind.endpoint,
                client_address=kind.client_address,
                goes_on=True,
                ended=self._settling.take(public_id(api_key)),
                lines=lines,
            )
            asked_at, answer = self._clock(), None
            try:
                response = await self._keys.lease(request)
                answer = answer_of(response, asked_at, self._clock())
            finally:
                if answer is None or is_of_unknown_key(answer):
                    self._settling.end(request.ended)
            if isinstance(answer, Denied):
                return answer
            if isinstance(answer, keys_pb2.LeaseGrant):
                return ReservedLines(answer.leased_at, self._key(api_key).leases.rate_limits(response, self._clock()))
            await self._wait_until(answer.until, ends_at)

    async def _asked(self, key: _Key, api_key: str, kind: RequestKind, ends_at: float) -> Denied | None:
        """Waits for a call to keys, and begins one if none is under way. Returns what it says about such a request."""
        if self._clock() >= ends_at:
            raise _unavailable()
        if key.call is None:
            key.call = asyncio.create_task(self._ask(key, api_key, kind))
            self._calls.add(key.call)
            key.call.add_done_callback(self._calls.discard)
        call = key.call
        await asyncio.wait([call], timeout=ends_at - self._clock())  # the call goes on if this request is cancelled
        if not call.done():
            raise _unavailable()
        asked_kind, decision = call.result()
        if isinstance(decision, Problem):
            raise _unavailable(decision.retry_after_s or LATER_RETRY_S)
        if isinstance(decision, Denied) and (asked_kind == kind or is_of_unknown_key(decision)):
            return decision
        return None

    async def _wait_until(self, until: float, ends_at: float) -> None:
        """Raises Problem unavailable if the request may not wait so long."""
        if until >= ends_at:
            raise _unavailable()
        await asyncio.sleep(max(0.0, until - self._clock()))

    async def _ask(self, key: _Key, api_key: str, kind: RequestKind) -> _Answer:
        """Asks keys for a lease. It begins after all requests of this turn of the event loop, and counts them."""
        asked_at = self._clock()
        request = key.leases.request(new_id(), api_key, kind, asked_at)
        request.ended.extend(self._settling.take(public_id(api_key)))
        self._with_lease.discard(key)
        is_identified = is_answered = False
        try:
            response = await self._keys.lease(request)
            decision = key.leases.accept(request, response, asked_at, self._clock())
            is_answered, is_identified = True, not is_of_unknown_key(decision)
            if decision is None:
                self._with_lease.add(key)
            return _Answer(kind, decision)
        except Problem as problem:
            log.warning("keys gave no lease", extra={"code": problem.code, "key_id": public_id(api_key)})
            return _Answer(kind, problem)
        except ValueError:
            log.exception("keys sent an answer that cannot be read")
            return _Answer(kind, _unavailable())
        finally:
            key.call = None
            if not is_answered:
                self._settling.end([key.leases.unanswered(request)])
            elif not is_identified:
                self._by_digest.pop(key.digest, None)
            if not is_identified:
                self._settling.end(request.ended)  # keys has not taken them

    def _find(self, digest: bytes) -> _Key | None:
        key = self._by_digest.get(digest)
        if key is not None:
            self._by_digest.move_to_end(digest)
        return key

    def _key(self, api_key: str) -> _Key:
        """The leases of a key, which are new if there are none."""
        digest = self._digest(api_key)
        key = self._find(digest)
        if key is None:
            key = self._by_digest[digest] = _Key(digest, KeyLeases(self._holder))
            if len(self._by_digest) > MAX_KEYS:
                self._by_digest.popitem(last=False)
        return key

    def _digest(self, api_key: str) -> bytes:
        return blake2b(api_key.encode(), key=self._digest_key, digest_size=_DIGEST_BYTES).digest()

    def _count(self, denied: Denied, kind: RequestKind) -> None:
        """Counts a denied request of an issued key. One that goes on was counted."""
        if denied.denial.key_id and not kind.goes_on:
            self._settling.refuse(denied.denial.key_id, kind.endpoint, denied.denial.code)

    def _end_leases(self, now: float) -> None:
        """Ends the leases whose time is over or whose requests are used up."""
        for key in list(self._with_lease):
            if (end := key.leases.end(now)) is not None:
                self._with_lease.discard(key)
                self._settling.end([end])

    async def _send(self) -> None:
        await asyncio.sleep(self._interval_s)
        self._end_leases(self._clock())
        await self._settling.send()


def _unavailable(retry_after_s: int = LATER_RETRY_S) -> Problem:
    """keys did not decide, so nothing is billed and the client may retry."""
    return Problem("unavailable", PROBLEMS["unavailable"].detail, retry_after_s=retry_after_s)
