"""Converts between the messages of keys and the domain. Requests were validated by `keys.rpc.rules`."""

from datetime import datetime
from decimal import Decimal

from keys.clock import read_instant
from keys.keys.policy import AssistantMode, AssistantPolicy, Quota
from keys.partners.convert import brief_partner
from keys.plans.convert import pricing, read_pricing
from keys.records import KeyDraft, KeyRecord
from keys.rpc import convert
from keys.rpc.convert import ASSISTANT_MODES, MODES, STATUSES, instant
from landpartner.keys.v1 import admin_pb2, keys_pb2

_MODES = {number: mode for mode, number in MODES.items()}
_ASSISTANT_MODES = {number: mode for mode, number in ASSISTANT_MODES.items()}


def read_quota(message: keys_pb2.Quota, default: Quota) -> Quota:
    """A rate of 0 becomes the default's."""
    return Quota(
        message.monthly_units if message.HasField("monthly_units") else None,
        message.per_minute or default.per_minute,
        message.burst or default.burst,
        message.hard,
        Decimal(message.spend_cap) if message.spend_cap else None,
    )


def read_assistant_policy(message: keys_pb2.AssistantPolicy, default: AssistantMode) -> AssistantPolicy:
    """An unspecified mode becomes the default."""
    return AssistantPolicy(
        _ASSISTANT_MODES.get(message.mode, default),
        message.monthly_calls if message.HasField("monthly_calls") else None,
        message.monthly_tokens if message.HasField("monthly_tokens") else None,
    )


def read_key_draft(message: admin_pb2.CreateKeyRequest, default_quota: Quota, default_mode: AssistantMode) -> KeyDraft:
    quota = read_quota(message.quota, default_quota) if message.HasField("quota") else default_quota
    return KeyDraft(
        partner=message.partner.strip(),
        label=message.label.strip(),
        quota=quota,
        assistant=read_assistant_policy(message.assistant_policy, default_mode),
        mode=_MODES.get(message.mode, KeyDraft.mode),
        scopes=tuple(dict.fromkeys(message.scopes)),
        allowed_cidrs=tuple(dict.fromkeys(message.allowed_cidrs)),
        expires_at=read_instant(message.expires_at) if message.expires_at else None,
        metadata=convert.read_metadata(message.metadata),
        pricing=read_pricing(message.pricing) if message.HasField("pricing") else None,
        pricing_from=message.pricing.effective_from or None,
    )


def edited_draft(record: KeyRecord, members: admin_pb2.Key, paths: list[str], now: datetime) -> KeyDraft:
    """Returns the key's draft with the given values of the members that the paths name."""
    merged = key(record, now)
    for path in paths:
        convert.copy_field(members, merged, path.split("."))
    if "quota" in paths and not members.HasField("quota"):
        merged.quota.hard = True  # without limits, and as strict as a new quota
    is_priced = any(path.split(".", maxsplit=1)[0] == "pricing" for path in paths)
    return KeyDraft(
        partner=record.partner.id,
        label=merged.label.strip(),
        quota=read_quota(merged.quota, record.quota),
        assistant=read_assistant_policy(merged.assistant_policy, record.assistant.mode),
        mode=record.mode,
        scopes=tuple(dict.fromkeys(merged.scopes)),
        allowed_cidrs=tuple(dict.fromkeys(merged.allowed_cidrs)),
        expires_at=read_instant(merged.expires_at) if merged.expires_at else None,
        metadata=convert.read_metadata(merged.metadata),
        pricing=read_pricing(merged.pricing) if is_priced else None,
        pricing_from=(members.pricing.effective_from or None) if is_priced else None,
    )


def key(record: KeyRecord, now: datetime) -> admin_pb2.Key:
    return admin_pb2.Key(
        id=record.id,
        partner=brief_partner(record.partner),
        label=record.label,
        mode=MODES[record.mode],
        status=STATUSES[record.status(now)],
        masked=record.masked,
        pricing=None if record.terms is None else pricing(record.terms, record.terms_from),
        quota=convert.quota(record.quota),
        assistant_policy=convert.assistant_policy(record.assistant),
        scopes=record.scopes,
        allowed_cidrs=record.allowed_cidrs,
        expires_at=convert.optional_instant(record.expires_at),
        created_at=instant(record.created_at),
        last_used_at=convert.optional_instant(record.last_used_at),
        revoked_at=convert.optional_instant(record.revoked_at),
        month_usage=admin_pb2.MonthUsage(
            month=record.month, requests=record.counts.requests, errors=record.counts.errors, units=record.counts.units
        ),
        metadata=convert.struct(record.metadata),
        previous_secret_expires_at=convert.optional_instant(record.previous_secret_expires_at),
        daily_requests=record.daily_requests,
    )
