"""Converts between the messages of keys and the domain. Requests were validated by `keys.rpc.rules`."""

from datetime import datetime
from decimal import Decimal

from keys.rpc import convert
from keys.rpc.partner_messages import brief_partner
from keys.rpc.plan_calls import pricing, read_pricing
from keys.values.clock import read_instant
from keys.values.policy import AssistantMode, AssistantPolicy, Quota
from keys.values.records import KeyDraft, KeyRecord
from keys.values.secret import KeyMode
from landpartner.keys.v1 import admin_pb2, keys_pb2


def read_quota(message: keys_pb2.Quota, default: Quota) -> Quota:
    """A rate of 0 becomes the default's."""
    return Quota(
        monthly_units=message.monthly_units if message.HasField("monthly_units") else None,
        per_minute=message.per_minute or default.per_minute,
        burst=message.burst or default.burst,
        hard=message.hard,
        spend_cap=Decimal(message.spend_cap) if message.spend_cap else None,
    )


def read_assistant_policy(message: keys_pb2.AssistantPolicy, default: AssistantMode) -> AssistantPolicy:
    """An unspecified mode becomes the default."""
    return AssistantPolicy(
        convert.read_enum(AssistantMode, keys_pb2.AssistantMode.DESCRIPTOR, message.mode) or default,
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
        mode=convert.read_enum(KeyMode, keys_pb2.KeyMode.DESCRIPTOR, message.mode) or KeyDraft.mode,
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
    return convert.message(
        admin_pb2.Key,
        record,
        partner=brief_partner(record.partner),
        status=record.status(now),
        pricing=None if record.terms is None else pricing(record.terms, record.terms_from),
        assistant_policy=record.assistant,
        month_usage=convert.message(admin_pb2.MonthUsage, record.counts, month=record.month),
    )
