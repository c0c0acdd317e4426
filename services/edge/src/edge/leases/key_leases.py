"""The leases of one API key: what they grant, when they end, and what to ask for. No I/O, and no clock of its own.

All times are monotonic seconds. A lease ends `valid_ms` after the time from before it was asked for. So an edge stops
early, never late. At most one lease is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from ipaddress import ip_network

from contract.counters import NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, SUGGEST, WEIGHTS
from contract.key_access import access_denial
from contract.key_text import public_id
from edge.leases.decisions import Denied, Grant, Later, RateLimits, RequestKind
from landpartner.keys.v1 import keys_pb2
from servicekit.limits import Network, counted

DENIED_S = 1.0
"""How long a denial applies to further requests of its kind."""
USE_S = 1.0
"""The use of this time is what a lease is expected to need."""
_MONTH, _OVER_RATE = "month", "rate_limited"
_network = lru_cache(maxsize=1024)(ip_network)


@dataclass(frozen=True, slots=True)
class _Terms:
    """What an edge needs to know of a key to decide its requests. The defaults are those of an unknown key."""

    key_id: str = ""
    partner_id: str = ""
    mode: keys_pb2.KeyMode.ValueType = keys_pb2.KEY_MODE_UNSPECIFIED
    scopes: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    assistant_mode: keys_pb2.AssistantMode.ValueType = keys_pb2.ASSISTANT_MODE_UNSPECIFIED
    tokens_per_call: int = 0
    """The most that one call takes. 0 if tokens are not limited, or no model is called."""
    weights: Mapping[str, int] = field(default_factory=lambda: WEIGHTS)

    @classmethod
    def of(cls, terms: keys_pb2.KeyTerms) -> _Terms:
        is_limited = terms.limits_tokens and terms.assistant_mode == keys_pb2.ASSISTANT_MODE_MODEL
        return cls(
            terms.key_id,
            terms.partner_id,
            terms.mode,
            frozenset(terms.scopes),
            tuple(map(_network, terms.networks)),
            terms.assistant_mode,
            terms.tokens_per_call if is_limited else 0,
            dict(terms.weights),
        )

    def need(self, kind: RequestKind) -> Counters:
        """Returns what such a request takes of a lease. Fewer tokens than these are enough, but not none."""
        if kind.goes_on:
            return NOTHING
        is_suggestion, is_call = kind.endpoint == SUGGEST, kind.endpoint == DIVIDE_LAND
        is_free = kind.reserves_line or is_suggestion
        units = 0 if is_free else self.weights.get(kind.endpoint, 0)
        return Counters(1, units, int(is_suggestion), int(is_call), self.tokens_per_call if is_call else 0)


@dataclass(slots=True)
class _Lease:
    """An open lease. `left` is what no request has taken."""

    id: bytes
    leased_at: str
    ends_at: float
    terms: _Terms
    left: Counters
    free: RateLimits
    """The limits without what is leased to anyone. What other edges could lease does not count as remaining."""
    is_used: bool = False

    def take(self, kind: RequestKind) -> Grant | None:
        """Returns None, and takes nothing, if the lease has not enough left."""
        terms = self.terms
        need = terms.need(kind)
        token_limit = None
        if need.tokens:
            token_limit = min(need.tokens, max(self.left.tokens, 1))
            need = replace(need, tokens=token_limit)
        if not self.left.covers(need):
            return None
        self.left -= need
        self.is_used |= not kind.goes_on
        return Grant(
            key_id=terms.key_id,
            partner_id=terms.partner_id,
            mode=terms.mode,
            lease_id=self.id,
            leased_at=self.leased_at,
            units=need.units,
            assistant_mode=terms.assistant_mode if need.calls else keys_pb2.ASSISTANT_MODE_UNSPECIFIED,
            token_limit=token_limit,
            rate_limits=self.rate_limits(),
        )

    def rate_limits(self) -> RateLimits:
        left = self.left
        return [
            _with_remaining(limit, limit.remaining + (left.units if limit.policy == _MONTH else left.requests))
            for limit in self.free
        ]

    def end(self) -> keys_pb2.LeaseEnd:
        return keys_pb2.LeaseEnd(lease_id=self.id, key_id=self.terms.key_id, unused=_message(self.left))


class _Use:
    """What the last second used: the greater one of the current second and the one before it."""

    def __init__(self) -> None:
        self._since = 0.0
        self._current = self._previous = NOTHING

    def add(self, taken: Counters, now: float) -> None:
        self._advance(now)
        self._current += taken

    def last_second(self, now: float) -> Counters:
        self._advance(now)
        return self._current.at_least(self._previous)

    def _advance(self, now: float) -> None:
        if now < self._since + USE_S:
            return
        is_next = now < self._since + 2 * USE_S
        self._previous = self._current if is_next else NOTHING
        self._since = self._since + USE_S if is_next else now
        self._current = NOTHING


class KeyLeases:
    """The leases that one edge gets with one key. `holder` identifies the edge.

    To ask keys: send what `request` returns, then call `accept` with the answer, or `unanswered` if there is none.
    """

    def __init__(self, holder: bytes) -> None:
        self._holder = holder
        self._lease: _Lease | None = None
        self._terms = _Terms()
        """The terms of the last lease. They only estimate needs once it has ended."""
        self._use = _Use()
        self._waiting: Counter[RequestKind] = Counter()
        self._verdicts: dict[RequestKind, Denied | Later] = {}

    def decide(self, kind: RequestKind, now: float) -> Grant | Denied | Later | None:
        """Decides a request, and takes what a grant needs. Returns None if keys must be asked.

        If the open lease covers the request, an earlier denial does not apply.
        """
        lease = self._lease
        if lease is not None and now < lease.ends_at:
            if (denied := self._access_denied(lease, kind)) is not None:
                return denied
            before = lease.left
            if (grant := lease.take(kind)) is not None:
                self._use.add(before - lease.left, now)
                return grant
        verdict = self._verdicts.get(kind)
        if verdict is not None and now < verdict.until:
            return verdict
        return None if kind.goes_on else self.over_rate(now)

    def over_rate(self, now: float) -> Denied | None:
        """Returns the denial of a request that was over the key's rate. It applies to requests of all kinds, which take
        one request each.
        """
        if self._lease is not None and now < self._lease.ends_at and self._lease.left.requests:
            return None
        verdicts = (verdict for verdict in self._verdicts.values() if isinstance(verdict, Denied))
        return next((denied for denied in verdicts if denied.denial.code == _OVER_RATE and now < denied.until), None)

    def waiting(self, kind: RequestKind) -> AbstractContextManager[None]:
        """Counts a request that waits for a lease."""
        return counted(self._waiting, kind)

    def expected(self, now: float) -> Counters:
        """Returns what a lease should have: what the last second used or what waits now, the greater ones."""
        waiting = sum((self._terms.need(kind).times(count) for kind, count in self._waiting.items()), NOTHING)
        return waiting.at_least(self._use.last_second(now))

    def request(self, lease_id: bytes, api_key: str, kind: RequestKind, now: float) -> keys_pb2.LeaseRequest:
        """Returns the request for a lease. It ends the open one, so that keys can lease the rest of it again."""
        lease, self._lease = self._lease, None
        return keys_pb2.LeaseRequest(
            lease_id=lease_id,
            holder=self._holder,
            api_key=api_key,
            endpoint=kind.endpoint,
            client_address=kind.client_address,
            reserves_line=kind.reserves_line,
            goes_on=kind.goes_on,
            expected=_message(self.expected(now)),
            ended=[lease.end()] if lease is not None else (),
        )

    def accept(
        self, request: keys_pb2.LeaseRequest, response: keys_pb2.LeaseResponse, asked_at: float, now: float
    ) -> Denied | Later | None:
        """Applies the answer to a request. Raises ValueError if it is none. Returns None for a lease."""
        match answer_of(response, asked_at, now):
            case Denied() | Later() as verdict:
                if not is_of_unknown_key(verdict):
                    kind = RequestKind(request.endpoint, request.client_address, request.reserves_line, request.goes_on)
                    self._verdicts = {old: earlier for old, earlier in self._verdicts.items() if now < earlier.until}
                    self._verdicts[kind] = verdict
                return verdict
            case grant:
                self._terms = terms = _Terms.of(grant.terms)
                ends_at, left = asked_at + grant.valid_ms / 1000, Counters.of(grant.counters)
                limits = _rate_limits(response.rate_limits, is_only_holder=grant.is_only_holder)
                self._lease = _Lease(request.lease_id, grant.leased_at, ends_at, terms, left, limits)
                return None

    def unanswered(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseEnd:
        """Returns the end of a lease that the edge never got, although keys may have given it."""
        return keys_pb2.LeaseEnd(lease_id=request.lease_id, key_id=public_id(request.api_key))

    def end(self, now: float = float("inf")) -> keys_pb2.LeaseEnd | None:
        """Ends the lease if its time is over or its requests are used up. Otherwise returns None."""
        lease = self._lease
        if lease is None or (now < lease.ends_at and (lease.left.requests or not lease.is_used)):
            return None
        self._lease = None
        return lease.end()

    def rate_limits(self, response: keys_pb2.LeaseResponse, now: float) -> RateLimits:
        """Returns the limits of an answer, with what is left of the open lease."""
        lease = self._lease
        limits = _rate_limits(response.rate_limits, is_only_holder=response.grant.is_only_holder)
        return limits if lease is None or now >= lease.ends_at else replace(lease, free=limits).rate_limits()

    def _access_denied(self, lease: _Lease, kind: RequestKind) -> Denied | None:
        terms = lease.terms
        denial = access_denial(
            kind.endpoint,
            kind.client_address,
            scopes=terms.scopes,
            networks=terms.networks,
            is_assistant_disabled=terms.assistant_mode == keys_pb2.ASSISTANT_MODE_DISABLED,
        )
        if denial is None:
            return None
        message = keys_pb2.Denial(code=denial.code, key_id=terms.key_id, facts=denial.facts)
        return Denied(message, lease.rate_limits(), lease.ends_at)


def answer_of(response: keys_pb2.LeaseResponse, asked_at: float, now: float) -> keys_pb2.LeaseGrant | Denied | Later:
    """Returns what keys answered. Raises ValueError if it is nothing."""
    match response.WhichOneof("result"):
        case "grant":
            return response.grant
        case "denial":
            return Denied(response.denial, _rate_limits(response.rate_limits), asked_at + DENIED_S)
        case "later":
            return Later(now + response.later.retry_after_ms / 1000)
        case _:
            raise ValueError("an empty answer")


def _message(counters: Counters) -> keys_pb2.Counters:
    return keys_pb2.Counters(**vars(counters))


def is_of_unknown_key(decision: object) -> bool:
    return isinstance(decision, Denied) and not decision.denial.key_id


def _rate_limits(limits: RateLimits, *, is_only_holder: bool = True) -> RateLimits:
    """Returns the limits. If there are other holders, they may have leased what is free by now."""
    return limits if is_only_holder else [_with_remaining(limit, min(0, limit.remaining)) for limit in limits]


def _with_remaining(limit: keys_pb2.RateLimitState, remaining: int) -> keys_pb2.RateLimitState:
    return keys_pb2.RateLimitState(
        policy=limit.policy, limit=limit.limit, remaining=remaining, window_s=limit.window_s, reset_s=limit.reset_s
    )
