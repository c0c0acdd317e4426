"""Converts the requests of admins to keys' messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import Struct

from edge import access
from landpartner.keys.v1 import admin_pb2, keys_pb2

Values = Mapping[str, Any]

_ROLES = {
    "viewer": admin_pb2.ADMIN_ROLE_VIEWER,
    "operator": admin_pb2.ADMIN_ROLE_OPERATOR,
    "owner": admin_pb2.ADMIN_ROLE_OWNER,
}
_KEY_STATUSES = {
    "active": admin_pb2.KEY_STATUS_ACTIVE,
    "revoked": admin_pb2.KEY_STATUS_REVOKED,
    "expired": admin_pb2.KEY_STATUS_EXPIRED,
}
_PARTNER_STATUSES = {
    "active": admin_pb2.PARTNER_STATUS_ACTIVE,
    "disabled": admin_pb2.PARTNER_STATUS_DISABLED,
}
_MODES = {"live": keys_pb2.KEY_MODE_LIVE, "test": keys_pb2.KEY_MODE_TEST}
_ASSISTANT_MODES = {
    "disabled": keys_pb2.ASSISTANT_MODE_DISABLED,
    "rules": keys_pb2.ASSISTANT_MODE_RULES,
    "model": keys_pb2.ASSISTANT_MODE_MODEL,
}
_BUCKETS = {
    "hour": admin_pb2.USAGE_BUCKET_HOUR,
    "day": admin_pb2.USAGE_BUCKET_DAY,
    "month": admin_pb2.USAGE_BUCKET_MONTH,
}


def caller(who: access.Caller) -> admin_pb2.Caller:
    return admin_pb2.Caller(
        session_token=who.session_token,
        csrf_token=who.csrf_token,
        bearer_token=who.bearer_token,
        client_address=who.client_address,
    )


def role(name: str) -> admin_pb2.AdminRole.ValueType:
    return _ROLES[name]


def key_status(name: str | None) -> admin_pb2.KeyStatus.ValueType:
    return admin_pb2.KEY_STATUS_UNSPECIFIED if name is None else _KEY_STATUSES[name]


def order_by(sort: str) -> str:
    """ "-label" is "label desc"."""
    return f"{sort[1:]} desc" if sort.startswith("-") else sort


def bucket(name: str) -> admin_pb2.UsageBucket.ValueType:
    return _BUCKETS[name]


def struct(values: Values | None) -> Struct | None:
    if values is None:
        return None
    message = Struct()
    message.update(dict(values))
    return message


def pricing(values: Values | None) -> admin_pb2.Pricing | None:
    if values is None:
        return None
    return admin_pb2.Pricing(
        plan=values.get("plan") or "",
        currency=values.get("currency") or "",
        monthly_fee=values.get("monthly_fee") or "",
        included_units=values.get("included_units") or 0,
        tiers=[admin_pb2.PriceTier(**tier) for tier in values.get("tiers") or ()],
        vat_rate=values.get("vat_rate") or "",
        effective_from=values.get("effective_from") or "",
    )


def quota(values: Values | None) -> keys_pb2.Quota | None:
    """A missing rate is 0, which keys replaces by its default."""
    if values is None:
        return None
    return keys_pb2.Quota(
        monthly_units=values.get("monthly_units"),
        per_minute=values.get("per_minute") or 0,
        burst=values.get("burst") or 0,
        hard=values.get("hard", True),
        spend_cap=values.get("spend_cap"),
    )


def assistant_policy(values: Values | None) -> keys_pb2.AssistantPolicy | None:
    if values is None:
        return None
    return keys_pb2.AssistantPolicy(
        mode=_ASSISTANT_MODES[values["mode"]],
        monthly_calls=values.get("monthly_calls"),
        monthly_tokens=values.get("monthly_tokens"),
    )


def create_key(who: access.Caller, terms: Values, idempotency_key: str) -> admin_pb2.CreateKeyRequest:
    return admin_pb2.CreateKeyRequest(
        caller=caller(who),
        partner=terms["partner"],
        label=terms["label"],
        mode=_MODES[terms["mode"]],
        pricing=pricing(terms["pricing"]),
        quota=quota(terms["quota"]),
        assistant_policy=assistant_policy(terms["assistant_policy"]),
        scopes=terms["scopes"] or (),
        allowed_cidrs=terms["allowed_cidrs"] or (),
        expires_at=terms["expires_at"],
        metadata=struct(terms["metadata"]),
        idempotency_key=idempotency_key,
    )


def key(key_id: str, changes: Values) -> admin_pb2.Key:
    return admin_pb2.Key(
        id=key_id,
        label=changes.get("label") or "",
        pricing=pricing(changes.get("pricing")),
        quota=quota(changes.get("quota")),
        assistant_policy=assistant_policy(changes.get("assistant_policy")),
        scopes=changes.get("scopes") or (),
        allowed_cidrs=changes.get("allowed_cidrs") or (),
        expires_at=changes.get("expires_at"),
        metadata=struct(changes.get("metadata")),
    )


def partner(partner_id: str, changes: Values) -> admin_pb2.Partner:
    status = changes.get("status")
    return admin_pb2.Partner(
        id=partner_id,
        name=changes.get("name") or "",
        status=admin_pb2.PARTNER_STATUS_UNSPECIFIED if status is None else _PARTNER_STATUSES[status],
        metadata=struct(changes.get("metadata")),
    )


def plan(plan_id: str, changes: Values) -> admin_pb2.Plan:
    return admin_pb2.Plan(
        id=plan_id,
        name=changes.get("name") or "",
        pricing=pricing(changes.get("pricing")),
        is_archived=changes.get("is_archived") or False,
    )


def admin(admin_id: str, changes: Values) -> admin_pb2.Admin:
    name = changes.get("role")
    return admin_pb2.Admin(
        id=admin_id,
        role=admin_pb2.ADMIN_ROLE_UNSPECIFIED if name is None else _ROLES[name],
        is_active=changes.get("is_active") or False,
    )
