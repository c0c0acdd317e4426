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

from keys.admins.access_control import Credentials
from keys.admins.authenticator import SignedIn
from keys.audit.fields import details
from keys.audit.log import AuditEntry
from keys.audit.names import Subject
from keys.audit.sentences import actor_name, sentence
from keys.bills.pricing import CURRENCY, ChargedPer, PlanChoice, Terms, Tier
from keys.clock import read_instant
from keys.keys.policy import AssistantMode, AssistantPolicy, Quota
from keys.records import Admin, AdminToken, Invitation, Json, KeyDraft, KeyRecord, Partner, Plan, Role
from keys.rpc import convert, rules
from keys.rpc.convert import ASSISTANT_MODES, CHARGED_PER, MODES, PARTNER_STATUSES, ROLES, STATUSES, instant
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


def read_metadata(message: Struct) -> Mapping[str, Json]:
    read: dict[str, Json] = json_format.MessageToDict(message)
    return read


def struct(members: Mapping[str, Json]) -> Struct:
    message = Struct()
    message.update(json.loads(json.dumps(dict(members))))
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


def pricing(terms: Terms, from_month: str | None) -> admin_pb2.Pricing:
    return admin_pb2.Pricing(
        plan=terms.plan,
        currency=terms.currency,
        monthly_fee=format(terms.monthly_fee, "f"),
        included_units=terms.included_units,
        tiers=[admin_pb2.PriceTier(up_to=tier.up_to, unit_price=format(tier.unit_price, "f")) for tier in terms.tiers],
        vat_rate=format(terms.vat_rate, "f"),
        effective_from=f"{from_month}-01" if from_month else "",
        charged_per=CHARGED_PER[terms.charged_per],
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


def edited_draft(record: KeyRecord, members: admin_pb2.Key, paths: list[str], now: datetime) -> KeyDraft:
    """Returns the key's draft with the given values of the members that the paths name."""
    merged = key(record, now)
    for path in paths:
        copy_field(members, merged, path.split("."))
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
        metadata=read_metadata(merged.metadata),
        pricing=read_pricing(merged.pricing) if is_priced else None,
        pricing_from=(members.pricing.effective_from or None) if is_priced else None,
    )


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


def key(record: KeyRecord, now: datetime) -> admin_pb2.Key:
    return admin_pb2.Key(
        id=record.id,
        partner=partner(record.partner),
        label=record.label,
        mode=MODES[record.mode],
        status=STATUSES[record.status(now)],
        masked=record.masked,
        pricing=None if record.terms is None else pricing(record.terms, record.terms_from),
        quota=convert.quota(record.quota),
        assistant_policy=convert.assistant_policy(record.assistant),
        scopes=record.scopes,
        allowed_cidrs=record.allowed_cidrs,
        expires_at=_optional(record.expires_at),
        created_at=instant(record.created_at),
        last_used_at=_optional(record.last_used_at),
        revoked_at=_optional(record.revoked_at),
        month_usage=admin_pb2.MonthUsage(
            month=record.month, requests=record.counts.requests, errors=record.counts.errors, units=record.counts.units
        ),
        metadata=struct(record.metadata),
        previous_secret_expires_at=_optional(record.previous_secret_expires_at),
        daily_requests=record.daily_requests,
    )


def partner(record: Partner) -> admin_pb2.Partner:
    return admin_pb2.Partner(
        id=record.id,
        name=record.name,
        status=PARTNER_STATUSES[record.is_active],
        created_at=instant(record.created_at),
        metadata=struct(record.metadata),
    )


def plan(record: Plan) -> admin_pb2.Plan:
    return admin_pb2.Plan(
        id=record.id,
        name=record.name,
        pricing=None if record.terms is None else pricing(record.terms, record.terms_from),
        is_archived=record.is_archived,
        created_at=instant(record.created_at),
    )


def admin(record: Admin) -> admin_pb2.Admin:
    return admin_pb2.Admin(
        id=record.id,
        email=record.email,
        role=ROLES[record.role],
        is_active=record.is_active,
        created_at=instant(record.created_at),
        last_sign_in_at=_optional(record.last_sign_in_at),
        has_totp=record.has_totp,
    )


def token(record: AdminToken) -> admin_pb2.AdminToken:
    return admin_pb2.AdminToken(
        id=record.id,
        label=record.label,
        role=ROLES[record.role],
        created_at=instant(record.created_at),
        expires_at=_optional(record.expires_at),
        last_used_at=_optional(record.last_used_at),
        revoked_at=_optional(record.revoked_at),
    )


def invitation(record: Invitation) -> admin_pb2.Invitation:
    return admin_pb2.Invitation(
        id=record.id,
        email=record.email,
        role=ROLES[record.role],
        created_by=record.created_by,
        created_at=instant(record.created_at),
        expires_at=instant(record.expires_at),
    )


def signed_in(session: SignedIn) -> admin_pb2.SignInResponse:
    return admin_pb2.SignInResponse(
        session_token=session.session_token,
        csrf_token=session.csrf_token,
        role=ROLES[session.admin.role],
        expires_at=instant(session.expires_at),
    )


def audit_entry(entry: AuditEntry, subject: Subject | None) -> admin_pb2.AuditEntry:
    return admin_pb2.AuditEntry(
        id=entry.id,
        occurred_at=instant(entry.occurred_at),
        actor=entry.actor,
        action=entry.action,
        subject=entry.subject,
        changes=struct({name: _readable(value) for name, value in entry.changes.items()}),
        client_address=entry.client_address,
        summary=str(sentence(entry.actor, entry.action, subject, entry.changes)),
        actor_name=str(actor_name(entry.actor)),
        subject_name=None if subject is None else str(subject.name),
        details=[
            admin_pb2.AuditDetail(
                name=detail.name,
                label=str(detail.label),
                old=None if detail.old is None else str(detail.old),
                new=str(detail.new),
            )
            for detail in details(entry.changes)
        ],
    )


def _readable(value: Json) -> Json:
    """Reads a text of the audit log in the language of the call. All other values stay as they are."""
    if isinstance(value, dict) and value.keys() == {"fr", "en"}:
        return value[language.get()]
    return value


def _optional(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
