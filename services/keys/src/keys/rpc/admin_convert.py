"""Converts between the messages of AdminService and the domain. Requests were validated by `keys.rpc.rules`."""

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Protocol

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

from keys.access.access_control import Credentials
from keys.access.authenticator import SignedIn
from keys.audit_texts.fields import details
from keys.audit_texts.names import Subject
from keys.audit_texts.sentences import actor_name, sentence
from keys.clock import read_instant
from keys.pricing import CURRENCY, ChargedPer, PlanChoice, Terms, Tier
from keys.quota.policy import AssistantMode, AssistantPolicy, Quota
from keys.records import Admin, AdminToken, Invitation, Json, KeyDraft, KeyRecord, Partner, Plan, Role
from keys.rpc import convert, rules
from keys.rpc.convert import ASSISTANT_MODES, CHARGED_PER, MODES, PARTNER_STATUSES, ROLES, STATUSES, instant
from keys.store.audit import AuditEntry
from keys.store.key_pages import KeyOrder, SortBy
from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.languages import language

_ROLES = {number: role for role, number in ROLES.items()}
_MODES = {number: mode for mode, number in MODES.items()}
_CHARGED_PER = {number: charged_per for charged_per, number in CHARGED_PER.items()}
_ASSISTANT_MODES = {number: mode for mode, number in ASSISTANT_MODES.items()}


class CallerRequest(Protocol):
    @property
    def caller(self) -> admin_pb2.Caller: ...


def caller(request: CallerRequest) -> Credentials:
    """Returns the credentials of a request. Their check validates the request."""
    message = request.caller
    assert isinstance(request, Message)  # noqa: S101 (each request is one)
    check = partial(rules.check, request)
    return Credentials(message.session_token, message.csrf_token, message.bearer_token, message.client_address, check)


def read_role(value: admin_pb2.AdminRole.ValueType) -> Role:
    return _ROLES[value]


def read_key_order(text: str) -> KeyOrder:
    """Reads an order such as "label" or "-label". The default is the newest key first."""
    order = text or "-created_at"
    return KeyOrder(SortBy(order.removeprefix("-")), order.startswith("-"))


def read_metadata(message: Struct) -> Mapping[str, Json]:
    read: dict[str, Json] = json_format.MessageToDict(message)
    return read


def struct(of: Mapping[str, Json]) -> Struct:
    message = Struct()
    message.update(json.loads(json.dumps(dict(of))))
    return message


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


def read_pricing(message: admin_pb2.Pricing) -> PlanChoice | Terms:
    return PlanChoice(message.plan.strip()) if message.plan else read_terms(message)


def read_terms(message: admin_pb2.Pricing) -> Terms:
    return Terms(
        Decimal(message.monthly_fee or "0"),
        message.included_units,
        tuple(Tier(tier.up_to or None, Decimal(tier.unit_price)) for tier in message.tiers),
        Decimal(message.vat_rate or "0"),
        message.currency or CURRENCY,
        charged_per=_CHARGED_PER.get(message.charged_per, ChargedPer.KEY),
    )


def pricing(of: Terms, from_month: str | None) -> admin_pb2.Pricing:
    return admin_pb2.Pricing(
        plan=of.plan,
        currency=of.currency,
        monthly_fee=format(of.monthly_fee, "f"),
        included_units=of.included_units,
        tiers=[admin_pb2.PriceTier(up_to=tier.up_to, unit_price=format(tier.unit_price, "f")) for tier in of.tiers],
        vat_rate=format(of.vat_rate, "f"),
        effective_from=f"{from_month}-01" if from_month else "",
        charged_per=CHARGED_PER[of.charged_per],
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
        metadata=read_metadata(message.metadata),
        pricing=read_pricing(message.pricing) if message.HasField("pricing") else None,
        pricing_from=message.pricing.effective_from or None,
    )


def edited_draft(record: KeyRecord, given: admin_pb2.Key, paths: list[str], now: datetime) -> KeyDraft:
    """Returns the key's draft with the given values of the members that the paths name."""
    merged = key(record, now)
    for path in paths:
        copy_field(given, merged, path.split("."))
    if "quota" in paths and not given.HasField("quota"):
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
        metadata=read_metadata(merged.metadata),
        pricing=read_pricing(merged.pricing) if is_priced else None,
        pricing_from=(given.pricing.effective_from or None) if is_priced else None,
    )


def copy_field(source: Message, target: Message, path: list[str]) -> None:
    """Copies one member of the source to the target. An absent member is cleared."""
    name, *rest = path
    descriptor = source.DESCRIPTOR.fields_by_name[name]
    is_message = descriptor.message_type is not None and not descriptor.is_repeated
    if rest:
        copy_field(getattr(source, name), getattr(target, name), rest)
        return
    target.ClearField(name)
    if descriptor.is_repeated:
        getattr(target, name).extend(getattr(source, name))
    elif is_message:
        getattr(target, name).CopyFrom(getattr(source, name))
    elif not descriptor.has_presence or source.HasField(name):
        setattr(target, name, getattr(source, name))


def key(of: KeyRecord, now: datetime) -> admin_pb2.Key:
    return admin_pb2.Key(
        id=of.id,
        partner=partner(of.partner),
        label=of.label,
        mode=MODES[of.mode],
        status=STATUSES[of.status(now)],
        masked=of.masked,
        pricing=None if of.terms is None else pricing(of.terms, of.terms_from),
        quota=convert.quota(of.quota),
        assistant_policy=convert.assistant_policy(of.assistant),
        scopes=of.scopes,
        allowed_cidrs=of.allowed_cidrs,
        expires_at=_optional(of.expires_at),
        created_at=instant(of.created_at),
        last_used_at=_optional(of.last_used_at),
        revoked_at=_optional(of.revoked_at),
        month_usage=admin_pb2.MonthUsage(
            month=of.month, requests=of.counts.requests, errors=of.counts.errors, units=of.counts.units
        ),
        metadata=struct(of.metadata),
        previous_secret_expires_at=_optional(of.previous_secret_expires_at),
        daily_requests=of.daily_requests,
    )


def partner(of: Partner) -> admin_pb2.Partner:
    return admin_pb2.Partner(
        id=of.id,
        name=of.name,
        status=PARTNER_STATUSES[of.is_active],
        created_at=instant(of.created_at),
        metadata=struct(of.metadata),
    )


def plan(of: Plan) -> admin_pb2.Plan:
    return admin_pb2.Plan(
        id=of.id,
        name=of.name,
        pricing=None if of.terms is None else pricing(of.terms, of.terms_from),
        is_archived=of.is_archived,
        created_at=instant(of.created_at),
    )


def admin(of: Admin) -> admin_pb2.Admin:
    return admin_pb2.Admin(
        id=of.id,
        email=of.email,
        role=ROLES[of.role],
        is_active=of.is_active,
        created_at=instant(of.created_at),
        last_sign_in_at=_optional(of.last_sign_in_at),
        has_totp=of.has_totp,
    )


def token(of: AdminToken) -> admin_pb2.AdminToken:
    return admin_pb2.AdminToken(
        id=of.id,
        label=of.label,
        role=ROLES[of.role],
        created_at=instant(of.created_at),
        expires_at=_optional(of.expires_at),
        last_used_at=_optional(of.last_used_at),
        revoked_at=_optional(of.revoked_at),
    )


def invitation(of: Invitation) -> admin_pb2.Invitation:
    return admin_pb2.Invitation(
        id=of.id,
        email=of.email,
        role=ROLES[of.role],
        created_by=of.created_by,
        created_at=instant(of.created_at),
        expires_at=instant(of.expires_at),
    )


def signed_in(of: SignedIn) -> admin_pb2.SignInResponse:
    return admin_pb2.SignInResponse(
        session_token=of.session_token,
        csrf_token=of.csrf_token,
        role=ROLES[of.admin.role],
        expires_at=instant(of.expires_at),
    )


def audit_entry(of: AuditEntry, subject: Subject | None) -> admin_pb2.AuditEntry:
    return admin_pb2.AuditEntry(
        id=of.id,
        occurred_at=instant(of.occurred_at),
        actor=of.actor,
        action=of.action,
        subject=of.subject,
        changes=struct({name: _readable(value) for name, value in of.changes.items()}),
        client_address=of.client_address,
        summary=str(sentence(of.actor, of.action, subject, of.changes)),
        actor_name=str(actor_name(of.actor)),
        subject_name=None if subject is None else str(subject.name),
        details=[
            admin_pb2.AuditDetail(
                name=each.name,
                label=str(each.label),
                old=None if each.old is None else str(each.old),
                new=str(each.new),
            )
            for each in details(of.changes)
        ],
    )


def _readable(value: Json) -> Json:
    """Reads a text of the audit log in the language of the call. All other values stay as they are."""
    if isinstance(value, dict) and value.keys() == {"fr", "en"}:
        return value[language.get()]
    return value


def _optional(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
