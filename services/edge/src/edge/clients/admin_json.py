"""Converts keys' admin messages to JSON (DESIGN §8.5, §8.6). Money stays a decimal text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

from edge.clients.keys import assistant_policy_json, quota_json
from edge.clients.land_json import JsonObject
from landpartner.keys.v1 import admin_pb2, keys_pb2

_ROLES = {
    admin_pb2.ADMIN_ROLE_VIEWER: "viewer",
    admin_pb2.ADMIN_ROLE_OPERATOR: "operator",
    admin_pb2.ADMIN_ROLE_OWNER: "owner",
}
_KEY_STATUSES = {
    admin_pb2.KEY_STATUS_ACTIVE: "active",
    admin_pb2.KEY_STATUS_REVOKED: "revoked",
    admin_pb2.KEY_STATUS_EXPIRED: "expired",
}


def page(items: Iterable[JsonObject], next_page_token: str) -> JsonObject:
    return {"items": list(items), "next_cursor": next_page_token or None}


def role(value: int) -> str | None:
    return _ROLES.get(value)  # type: ignore[call-overload, no-any-return]


def admin(message: admin_pb2.Admin) -> JsonObject:
    return {
        "id": message.id,
        "email": message.email,
        "role": role(message.role),
        "is_active": message.is_active,
        "created_at": message.created_at,
        "last_sign_in_at": _optional(message, "last_sign_in_at"),
        "has_totp": message.has_totp,
    }


def token(message: admin_pb2.AdminToken) -> JsonObject:
    return {
        "id": message.id,
        "label": message.label,
        "role": role(message.role),
        "created_at": message.created_at,
        "expires_at": _optional(message, "expires_at"),
        "last_used_at": _optional(message, "last_used_at"),
        "revoked_at": _optional(message, "revoked_at"),
    }


def partner(message: admin_pb2.Partner) -> JsonObject:
    return {
        "id": message.id,
        "name": message.name,
        "status": "disabled" if message.status == admin_pb2.PARTNER_STATUS_DISABLED else "active",
        "created_at": message.created_at or None,
        "metadata": _struct(message.metadata),
    }


def pricing(message: admin_pb2.Pricing) -> JsonObject:
    return {
        "plan": message.plan or None,
        "currency": message.currency,
        "monthly_fee": message.monthly_fee,
        "included_units": message.included_units,
        "tiers": [{"up_to": _optional(tier, "up_to"), "unit_price": tier.unit_price} for tier in message.tiers],
        "vat_rate": message.vat_rate,
        "effective_from": message.effective_from or None,
    }


def plan(message: admin_pb2.Plan) -> JsonObject:
    return {
        "id": message.id,
        "name": message.name,
        "pricing": pricing(message.pricing),
        "is_archived": message.is_archived,
        "created_at": message.created_at,
    }


def key(message: admin_pb2.Key) -> JsonObject:
    usage = message.month_usage
    return {
        "id": message.id,
        "partner": _partner_name(message.partner),
        "label": message.label,
        "mode": "test" if message.mode == keys_pb2.KEY_MODE_TEST else "live",
        "status": _KEY_STATUSES.get(message.status),
        "masked": message.masked,
        "pricing": pricing(message.pricing) if message.HasField("pricing") else None,
        "quota": quota_json(message.quota),
        "assistant_policy": assistant_policy_json(message.assistant_policy),
        "scopes": list(message.scopes),
        "allowed_cidrs": list(message.allowed_cidrs),
        "expires_at": _optional(message, "expires_at"),
        "created_at": message.created_at,
        "last_used_at": _optional(message, "last_used_at"),
        "revoked_at": _optional(message, "revoked_at"),
        "month_usage": {
            "month": usage.month or None,
            "requests": usage.requests,
            "errors": usage.errors,
            "units": usage.units,
        },
        "metadata": _struct(message.metadata),
        "previous_secret_expires_at": _optional(message, "previous_secret_expires_at"),
    }


def audit_entry(message: admin_pb2.AuditEntry) -> JsonObject:
    return {
        "id": message.id,
        "occurred_at": message.occurred_at,
        "actor": message.actor,
        "action": message.action,
        "subject": message.subject,
        "changes": _struct(message.changes),
        "client_address": message.client_address or None,
    }


def usage_report(response: admin_pb2.GetUsageReportResponse, bucket: str) -> JsonObject:
    summary = response.summary
    return {
        "range": {"from": getattr(response, "from"), "to": response.to, "bucket": bucket},
        "summary": {
            "requests": summary.requests,
            "errors": summary.errors,
            "average_latency_ms": _optional(summary, "average_latency_ms"),
            "active_keys": summary.active_keys,
            "units": summary.units,
        },
        "top_keys": [
            {
                "key_id": item.key_id,
                "key": item.masked,
                "label": item.label,
                "partner": _partner_name(item.partner),
                "requests": item.requests,
                "errors": item.errors,
                "units": item.units,
                "estimated_cost": item.estimated_cost,
                "currency": item.currency,
            }
            for item in response.top_keys
        ],
        "timeline": [
            {
                "from": getattr(point, "from"),
                "requests": point.requests,
                "errors": point.errors,
                "average_latency_ms": _optional(point, "average_latency_ms"),
                "units": point.units,
            }
            for point in response.timeline
        ],
        "billing_preview": _billing(response.billing_preview) if response.HasField("billing_preview") else None,
    }


def _billing(preview: admin_pb2.BillingPreview) -> JsonObject:
    return {
        "month": preview.month,
        "provisional": preview.is_provisional,
        "as_of": preview.as_of,
        "keys": [
            {
                "key_id": bill.key_id,
                "partner": _partner_name(bill.partner),
                "units": bill.units,
                "included_units": bill.included_units,
                "lines": [
                    {
                        "kind": line.kind,
                        "description": line.description,
                        "units": line.units,
                        "unit_price": line.unit_price,
                        "amount": line.amount,
                    }
                    for line in bill.lines
                ],
                "currency": bill.currency,
                "net": bill.net,
                "vat": bill.vat,
                "gross": bill.gross,
            }
            for bill in preview.bills
        ],
    }


def _partner_name(message: admin_pb2.Partner) -> JsonObject:
    return {
        "id": message.id,
        "name": message.name,
        "status": "disabled" if message.status == admin_pb2.PARTNER_STATUS_DISABLED else "active",
    }


def _optional(message: Any, name: str) -> Any:
    return getattr(message, name) if message.HasField(name) else None


def _struct(message: Struct) -> JsonObject:
    return {name: _plain(value) for name, value in MessageToDict(message).items()}


def _plain(value: Any) -> Any:
    """Converts whole floats to int, since a Struct stores every number as a float."""
    match value:
        case dict():
            return {name: _plain(item) for name, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
