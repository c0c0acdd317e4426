"""Converts between protobuf messages and the domain: what several subjects need."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from keys.bills.pricing import ChargedPer
from keys.keys.policy import AssistantMode, AssistantPolicy, Quota
from keys.keys.secret import KeyMode
from keys.leases.rules import KeyState
from keys.metering.buckets import Bucket
from keys.records import Json, KeyStatus, Role
from landpartner.keys.v1 import admin_pb2, keys_pb2

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


def instant(at: datetime) -> str:
    """RFC 3339 in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


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


def key_usage(state: KeyState) -> keys_pb2.GetKeyUsageResponse:
    counts = state.month
    return keys_pb2.GetKeyUsageResponse(
        month=state.month_name,
        requests=counts.requests,
        errors=counts.errors,
        units=counts.units,
        reserved_units=counts.reserved_units,
        quota=quota(state.policy.quota),
        assistant_policy=assistant_policy(state.policy.assistant),
        assistant_calls=counts.calls,
        assistant_tokens=counts.tokens,
    )


def read_metadata(message: Struct) -> Mapping[str, Json]:
    read: dict[str, Json] = json_format.MessageToDict(message)
    return read


def struct(members: Mapping[str, Json]) -> Struct:
    message = Struct()
    message.update(json.loads(json.dumps(dict(members))))
    return message


def copy_field(source: Message, target: Message, path: list[str]) -> None:
    """Copies one member of the source to the target. An absent member is cleared."""
    name, *inner = path
    descriptor = source.DESCRIPTOR.fields_by_name[name]
    is_message = descriptor.message_type is not None and not descriptor.is_repeated
    if inner:
        copy_field(getattr(source, name), getattr(target, name), inner)
        return
    target.ClearField(name)
    if descriptor.is_repeated:
        getattr(target, name).extend(getattr(source, name))
    elif is_message:
        getattr(target, name).CopyFrom(getattr(source, name))
    elif not descriptor.has_presence or source.HasField(name):
        setattr(target, name, getattr(source, name))


def optional_instant(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
