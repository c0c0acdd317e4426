"""KeysService: the calls of edges while they answer partners."""

from __future__ import annotations  # the types of grpc take parameters in its stubs only

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from prometheus_client import Counter

from contract.counters import Counters
from contract.endpoints import MAX_LINES
from contract.key_text import ID_LENGTH
from keys.api_keys import changes as key_changes
from keys.api_keys import visitors
from keys.rpc.convert import instant, key_usage, message, partner_key, read_enum
from keys.rpc.event_messages import list_events
from keys.rpc.rules import MAX_GRACE_DAYS
from keys.store import key_records
from keys.store.audit_log import VISITOR, Actor
from keys.store.change import LAST_LEASE_S, Change, Transaction
from keys.store.database import Database
from keys.store.lease_book import LeaseEnd
from keys.store.lease_states import read_key
from keys.store.leasing import Granted, LeaseAnswer, LeaseRequest, Leasing
from keys.store.request_lines import LineRequest
from keys.store.settling import RefusedRequests, Settlement, Settler
from keys.values import texts
from keys.values.clock import Clock, read_instant
from keys.values.errors import NotFound
from keys.values.hashing import Peppers
from keys.values.lease_rules import Asking, Denial, Later, limits_tokens
from keys.values.outcomes import AnsweredLines, AssistantUse, Outcome
from keys.values.policy import AssistantMode, KeyPolicy, Rules
from keys.values.records import Role
from keys.values.secret import KeyMode
from landpartner.keys.v1 import keys_pb2, keys_pb2_grpc
from servicekit.errors import expect
from servicekit.workers import Workers, in_thread

if TYPE_CHECKING:
    import grpc

    Context = grpc.aio.ServicerContext[object, object]

_ENDPOINT_LENGTH = 40
_DIGEST_LENGTH = 32
_REQUEST_ID_LENGTH = 128
_CODE_LENGTH = 40
_UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)

_leases = Counter("keys_leases", "Leases by answer: granted, later, or why denied.", ["result"])
_counter = cache(_leases.labels)
"""The metric of an answer. `labels` costs more than to count."""
_counted = Counter("keys_outcomes_recorded", "Outcomes that were acknowledged, also if they were known before.")


@dataclass(frozen=True, eq=False)
class KeysServicer(keys_pb2_grpc.KeysServiceServicer):
    leasing: Leasing
    settler: Settler
    database: Database
    rules: Rules
    clock: Clock
    workers: Workers
    peppers: Peppers

    async def Lease(self, request: keys_pb2.LeaseRequest, context: Context) -> keys_pb2.LeaseResponse:  # noqa: N802
        answer = await self.workers.run(self.leasing.lease, _lease_request(request))
        return _lease_response(answer, self.rules)

    async def Settle(self, request: keys_pb2.SettleRequest, context: Context) -> keys_pb2.SettleResponse:  # noqa: N802
        settled = await self.workers.run(self.settler.settle, _settlement(request))
        _counted.inc(len(settled.counted))
        return keys_pb2.SettleResponse(
            acknowledged=[*settled.counted, *settled.ended],
            postponed=settled.postponed,
            locked_keys=settled.locked_keys,
        )

    @in_thread
    def GetKeyUsage(self, request: keys_pb2.GetKeyUsageRequest) -> keys_pb2.GetKeyUsageResponse:  # noqa: N802
        with self._reading() as transaction:
            stored = read_key(transaction.connection, request.key_id, transaction.now)
        return key_usage(expect(stored, NotFound(texts.NO_SUCH_KEY)).state)

    @in_thread
    def ListPartnerKeys(self, request: keys_pb2.ListPartnerKeysRequest) -> keys_pb2.ListPartnerKeysResponse:  # noqa: N802
        with self._reading() as transaction:
            records = key_changes.partner_keys(transaction, request.key_id)
        return keys_pb2.ListPartnerKeysResponse(keys=[partner_key(record, transaction.now) for record in records])

    @in_thread
    def ListKeyEvents(self, request: keys_pb2.ListKeyEventsRequest) -> keys_pb2.ListKeyEventsResponse:  # noqa: N802
        with self._reading() as transaction:
            return list_events(transaction, request)

    @in_thread
    def ListEndedOwners(self, request: keys_pb2.ListEndedOwnersRequest) -> keys_pb2.ListEndedOwnersResponse:  # noqa: N802
        ids = {owner.partner_id for owner in request.owners}
        with self._reading() as transaction:
            usable = key_records.with_usable_keys(transaction.connection, ids, transaction.now)
        modes = {False: KeyMode.LIVE, True: KeyMode.TEST}
        ended = [owner for owner in request.owners if (owner.partner_id, modes[owner.is_test]) not in usable]
        return keys_pb2.ListEndedOwnersResponse(owners=ended)

    async def RotatePartnerKey(  # noqa: N802
        self, request: keys_pb2.RotatePartnerKeyRequest, context: Context
    ) -> keys_pb2.RotatePartnerKeyResponse:
        response, is_narrowed = await self.workers.run(self._rotate, request)
        if is_narrowed:
            await asyncio.sleep(LAST_LEASE_S)
        return response

    def _rotate(self, request: keys_pb2.RotatePartnerKeyRequest) -> tuple[keys_pb2.RotatePartnerKeyResponse, bool]:
        """The answer, and whether an edge may still act on the earlier secret."""
        grace = timedelta(days=min(max(request.grace_days, 0), MAX_GRACE_DAYS))
        with self.database.writing() as connection:
            change = Change(connection, self.clock(), Actor(f"key {request.key_id}"), Role.OPERATOR)
            issued = key_changes.rotate_partner_key(
                change, self.peppers, request.key_id, request.api_key, request.rotated_key_id, grace
            )
            key = partner_key(issued.record, change.now)
        return keys_pb2.RotatePartnerKeyResponse(key=key, api_key=issued.secret.text), bool(change.narrowed)

    @in_thread
    def CreateVisitorKey(  # noqa: N802
        self, request: keys_pb2.CreateVisitorKeyRequest
    ) -> keys_pb2.CreateVisitorKeyResponse:
        visitor = Actor(VISITOR, request.client_address)
        with self.database.reading() as connection:  # a refusal waits for no other change, and delays none
            visitors.check(Change(connection, self.clock(), visitor, Role.OPERATOR), self.peppers, request.most_per_day)
        with self.database.writing() as connection:
            change = Change(connection, self.clock(), visitor, Role.OPERATOR)
            issued = visitors.create(change, self.peppers, request.most_per_day)
        expires_at = instant(change.now + visitors.LIFETIME)
        return keys_pb2.CreateVisitorKeyResponse(api_key=issued.secret.text, expires_at=expires_at)

    @contextmanager
    def _reading(self) -> Iterator[Transaction]:
        with self.database.reading() as connection:
            yield Transaction(connection, self.clock())


def _lease_request(message: keys_pb2.LeaseRequest) -> LeaseRequest:
    lines = message.lines
    return LeaseRequest(
        lease_id=message.lease_id,
        holder=message.holder,
        api_key=message.api_key,
        asking=Asking(
            endpoint=_shortened(message.endpoint, _ENDPOINT_LENGTH),
            client_address=message.client_address,
            reserves_line=message.reserves_line,
            goes_on=message.goes_on,
            expected=Counters.of(message.expected),
        ),
        ended=[_lease_end(end) for end in message.ended],
        lines=LineRequest(
            id=lines.request_id,
            lines=lines.lines,
            digest=lines.request_digest[:_DIGEST_LENGTH],
            run=lines.run,
            lasts_s=lines.lasts_s,
        )
        if message.HasField("lines")
        else None,
    )


def _lease_response(answer: LeaseAnswer, rules: Rules) -> keys_pb2.LeaseResponse:
    limits = [keys_pb2.RateLimitState(**vars(limit)) for limit in answer.limits]
    key_id = answer.key.key_id if answer.key is not None else ""
    match answer.decision:
        case Denial() as denial:
            _counter(denial.code).inc()
            return keys_pb2.LeaseResponse(denial=message(keys_pb2.Denial, denial, key_id=key_id), rate_limits=limits)
        case Later(retry_after):
            _counter("later").inc()
            milliseconds = retry_after // timedelta(milliseconds=1)
            return keys_pb2.LeaseResponse(later=keys_pb2.Later(retry_after_ms=milliseconds), rate_limits=limits)
        case Granted() as granted:
            _counter("granted").inc()
            assert answer.key is not None  # noqa: S101 (tells mypy)
            return keys_pb2.LeaseResponse(grant=_grant(granted, answer.key, rules), rate_limits=limits)


def _grant(granted: Granted, policy: KeyPolicy, rules: Rules) -> keys_pb2.LeaseGrant:
    return keys_pb2.LeaseGrant(
        terms=message(
            keys_pb2.KeyTerms,
            policy,
            scopes=sorted(policy.scopes),
            networks=[str(network) for network in policy.networks],
            assistant_mode=policy.assistant.mode,
            limits_tokens=limits_tokens(policy),
            tokens_per_call=rules.tokens_per_call,
            weights=rules.weights,
        ),
        counters=keys_pb2.Counters(**vars(granted.counters)),
        valid_ms=max(0, granted.valid_for // timedelta(milliseconds=1)),
        leased_at=instant(granted.leased_at),
        is_only_holder=granted.is_only_holder,
        line_units=granted.line_units,
    )


def _settlement(message: keys_pb2.SettleRequest) -> Settlement:
    return Settlement(
        [outcome(reported) for reported in message.outcomes],
        [_lease_end(end) for end in message.ended],
        [
            RefusedRequests(
                key_id=_shortened(refused.key_id, ID_LENGTH),
                endpoint=_shortened(refused.endpoint, _ENDPOINT_LENGTH),
                code=_shortened(refused.code, _CODE_LENGTH),
                requests=refused.requests,
                occurred_at=_instant(refused.occurred_at),
            )
            for refused in message.refused
        ],
        message.dead_holders,
    )


def outcome(reported: keys_pb2.Outcome) -> Outcome:
    """Accepts every outcome, so that each is counted. Names are cut to the length of their column. An outcome with an
    unreadable time becomes old: it is counted only if its event or its request of lines is known.
    """
    occurred_at = _instant(reported.occurred_at)
    return Outcome(
        event_id=reported.event_id,
        lease_id=reported.lease_id,
        key_id=_shortened(reported.key_id, ID_LENGTH),
        endpoint=_shortened(reported.endpoint, _ENDPOINT_LENGTH),
        status=reported.status,
        latency_us=max(0, reported.latency_us),
        input_tokens=max(0, reported.input_tokens),
        output_tokens=max(0, reported.output_tokens),
        occurred_at=occurred_at,
        leased_at=_instant(reported.leased_at) if reported.leased_at else occurred_at,
        units=max(0, reported.units),
        assistant_mode=read_enum(AssistantMode, keys_pb2.AssistantMode.DESCRIPTOR, reported.assistant_mode),
        token_limit=max(0, reported.token_limit),
        assistant_use=read_enum(AssistantUse, keys_pb2.AssistantUse.DESCRIPTOR, reported.assistant_use)
        or AssistantUse.UNSPECIFIED,
        lines=_answered(reported.lines) if reported.HasField("lines") else None,
        request_id=_shortened(reported.request_id, _REQUEST_ID_LENGTH),
        code=_shortened(reported.code, _CODE_LENGTH),
        is_free=reported.is_free,
    )


def _answered(message: keys_pb2.AnsweredLines) -> AnsweredLines:
    """Lines that no request can have are left out."""
    first = min(max(0, message.first_line), MAX_LINES)
    succeeded = message.succeeded[: (MAX_LINES - first + 7) // 8]
    return AnsweredLines(
        request_id=message.request_id, run=message.run, first_line=first, succeeded=succeeded, is_last=message.is_last
    )


def _lease_end(message: keys_pb2.LeaseEnd) -> LeaseEnd:
    unused = Counters.of(message.unused) if message.HasField("unused") else None
    return LeaseEnd(message.lease_id, _shortened(message.key_id, ID_LENGTH), unused)


def _instant(text: str) -> datetime:
    try:
        return read_instant(text)
    except (ValueError, OverflowError):
        return _UNKNOWN_TIME


def _shortened(name: str, length: int) -> str:
    return name.replace("\0", "")[:length]
