"""Converts between protobuf messages and the domain."""

from datetime import UTC, datetime

from keys.clock import read_instant
from keys.issuing.secret import ID_LENGTH, KeyMode
from keys.metering.buckets import Bucket
from keys.metering.outcomes import AnsweredLines, AssistantUse, Outcome
from keys.pricing import ChargedPer
from keys.quota.decision import Denial, Grant, RateLimit
from keys.quota.policy import AssistantMode, AssistantPolicy, Quota
from keys.records import KeyStatus, Role
from keys.store.decisions import Answer, Query
from keys.store.key_records import KeyUsage
from keys.store.line_requests import LineRequest, LinesAnswer, LinesGrant
from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.endpoints import MAX_LINES

_ENDPOINT_LENGTH = 40
_DIGEST_LENGTH = 32
_REQUEST_ID_LENGTH = 128
_CODE_LENGTH = 40
_UNDECIDED = keys_pb2.Failure(retry_after_s=1)
MODES = {KeyMode.LIVE: keys_pb2.KEY_MODE_LIVE, KeyMode.TEST: keys_pb2.KEY_MODE_TEST}
ASSISTANT_MODES = {
    AssistantMode.DISABLED: keys_pb2.ASSISTANT_MODE_DISABLED,
    AssistantMode.RULES: keys_pb2.ASSISTANT_MODE_RULES,
    AssistantMode.MODEL: keys_pb2.ASSISTANT_MODE_MODEL,
}
ROLES = {
    Role.VIEWER: admin_pb2.ADMIN_ROLE_VIEWER,
    Role.OPERATOR: admin_pb2.ADMIN_ROLE_OPERATOR,
    Role.OWNER: admin_pb2.ADMIN_ROLE_OWNER,
}
STATUSES = {
    KeyStatus.ACTIVE: admin_pb2.KEY_STATUS_ACTIVE,
    KeyStatus.REVOKED: admin_pb2.KEY_STATUS_REVOKED,
    KeyStatus.EXPIRED: admin_pb2.KEY_STATUS_EXPIRED,
}
PARTNER_STATUSES = {True: admin_pb2.PARTNER_STATUS_ACTIVE, False: admin_pb2.PARTNER_STATUS_DISABLED}
CHARGED_PER = {
    ChargedPer.KEY: admin_pb2.CHARGED_PER_KEY,
    ChargedPer.PARTNER: admin_pb2.CHARGED_PER_PARTNER,
}
BUCKETS = {
    Bucket.HOUR: admin_pb2.USAGE_BUCKET_HOUR,
    Bucket.DAY: admin_pb2.USAGE_BUCKET_DAY,
    Bucket.MONTH: admin_pb2.USAGE_BUCKET_MONTH,
}
_ASSISTANT_USES = {
    keys_pb2.ASSISTANT_USE_NONE: AssistantUse.NONE,
    keys_pb2.ASSISTANT_USE_RULES: AssistantUse.RULES,
    keys_pb2.ASSISTANT_USE_MODEL: AssistantUse.MODEL,
    keys_pb2.ASSISTANT_USE_UNKNOWN: AssistantUse.UNKNOWN,
}
_UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def instant(at: datetime) -> str:
    """RFC 3339 in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def query(message: keys_pb2.AuthorizationQuery) -> Query:
    endpoint = _kept(message.endpoint, _ENDPOINT_LENGTH)
    return Query(message.reservation_id, message.api_key, endpoint, message.client_address, message.reserves_line)


def decision(answer: Answer) -> keys_pb2.AuthorizationDecision:
    message = keys_pb2.AuthorizationDecision(
        reservation_id=answer.reservation_id, rate_limits=[_rate_limit(limit) for limit in answer.limits]
    )
    if answer.decision is None:
        message.failure.CopyFrom(_UNDECIDED)
    elif isinstance(answer.decision, Denial):
        message.denial.CopyFrom(_denial(answer.decision, answer.key.key_id if answer.key else ""))
    elif answer.key is not None:
        message.grant.CopyFrom(_grant(answer.decision))
        message.grant.key_id = answer.key.key_id
        message.grant.partner_id = answer.key.partner_id
        message.grant.mode = MODES[answer.key.mode]
    return message


def outcome(message: keys_pb2.Outcome) -> Outcome:
    """Accepts every outcome, so that each is counted. Names are cut to the length of their column. An outcome with an
    unreadable time becomes old: it is counted only if its reservation or event is known.
    """
    try:
        occurred_at = read_instant(message.occurred_at)
    except (ValueError, OverflowError):
        occurred_at = _UNKNOWN_TIME
    return Outcome(
        message.event_id,
        message.reservation_id,
        _kept(message.key_id, ID_LENGTH),
        _kept(message.endpoint, _ENDPOINT_LENGTH),
        message.status,
        max(0, message.latency_us),
        max(0, message.input_tokens),
        max(0, message.output_tokens),
        occurred_at,
        _ASSISTANT_USES.get(message.assistant_use, AssistantUse.UNSPECIFIED),
        _answered(message.lines) if message.HasField("lines") else None,
        _kept(message.request_id, _REQUEST_ID_LENGTH),
        _kept(message.code, _CODE_LENGTH),
    )


def _answered(message: keys_pb2.AnsweredLines) -> AnsweredLines:
    """Lines that no request can have are left out."""
    first = min(max(0, message.first_line), MAX_LINES)
    succeeded = message.succeeded[: (MAX_LINES - first + 7) // 8]
    return AnsweredLines(message.request_id, message.run, first, succeeded, message.is_last)


def line_request(message: keys_pb2.ReserveLinesRequest) -> LineRequest:
    return LineRequest(
        message.request_id,
        _kept(message.key_id, ID_LENGTH),
        message.endpoint,
        message.lines,
        message.request_digest[:_DIGEST_LENGTH],
        message.client_address,
        message.run,
        message.lasts_s,
    )


def lines_answer(answer: LinesAnswer, key_id: str) -> keys_pb2.ReserveLinesResponse:
    message = keys_pb2.ReserveLinesResponse(rate_limits=[_rate_limit(limit) for limit in answer.limits])
    match answer.decision:
        case Denial() as denial:
            message.denial.CopyFrom(_denial(denial, key_id))
        case LinesGrant(units):
            message.grant.CopyFrom(keys_pb2.LinesGrant(reserved_units=units))
    return message


def _kept(name: str, length: int) -> str:
    return name.replace("\0", "")[:length]


def quota(limits: Quota) -> keys_pb2.Quota:
    return keys_pb2.Quota(
        monthly_units=limits.monthly_units,
        per_minute=limits.per_minute,
        burst=limits.burst,
        hard=limits.hard,
        spend_cap=None if limits.spend_cap is None else format(limits.spend_cap, "f"),
    )


def assistant_policy(policy: AssistantPolicy) -> keys_pb2.AssistantPolicy:
    return keys_pb2.AssistantPolicy(
        mode=ASSISTANT_MODES[policy.mode], monthly_calls=policy.monthly_calls, monthly_tokens=policy.monthly_tokens
    )


def key_usage(usage: KeyUsage) -> keys_pb2.GetKeyUsageResponse:
    counts = usage.counts
    return keys_pb2.GetKeyUsageResponse(
        month=usage.month,
        requests=counts.requests,
        errors=counts.errors,
        units=counts.units,
        reserved_units=counts.reserved_units,
        quota=quota(usage.quota),
        assistant_policy=assistant_policy(usage.assistant),
        assistant_calls=counts.calls,
        assistant_tokens=counts.tokens,
    )


def _grant(grant: Grant) -> keys_pb2.Grant:
    message = keys_pb2.Grant(reserved_units=grant.units)
    if grant.assistant is not None:
        message.assistant.CopyFrom(
            keys_pb2.AssistantGrant(mode=ASSISTANT_MODES[grant.assistant], token_limit=grant.token_limit)
        )
    return message


def _denial(denial: Denial, key_id: str) -> keys_pb2.Denial:
    return keys_pb2.Denial(code=denial.code, retry_after_s=denial.retry_after_s, key_id=key_id, facts=denial.facts)


def _rate_limit(state: RateLimit) -> keys_pb2.RateLimitState:
    return keys_pb2.RateLimitState(
        policy=state.policy,
        limit=state.limit,
        remaining=state.remaining,
        window_s=state.window_s,
        reset_s=state.reset_s,
    )
