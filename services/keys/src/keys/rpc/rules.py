"""The rules of every request of AdminService, by field. Keys is the only service that checks them.

Not here: rules that need the clock or the database, such as an expiry in the future or a free name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from google.protobuf.message import Message

from contract.endpoints import SCOPES
from contract.enums import enum_numbers
from keys.admins.inviting import MAX_HOURS
from keys.rpc.validation import Items, Labels, Masked, Members, Rule, validate
from keys.store.key_pages import KeySort
from keys.store.paging import MAX_PAGE_SIZE, MAX_TOKEN_LENGTH
from keys.store.partner_pages import PartnerSort
from keys.values import checks, company_numbers
from keys.values.checks import MAX_PRICE, MAX_RATE, MAX_UNITS, Check, Fault, decimal, known, one_of, text, whole
from keys.values.pricing import CURRENCY
from landpartner.keys.v1 import admin_pb2 as pb
from landpartner.keys.v1.keys_pb2 import AssistantMode, KeyMode
from servicekit.languages import Text

MAIL, WEBHOOKS = "mail", "webhooks"
"""What an admin may try."""
OVERVIEW = "overview"
"""The member that a list of partners may include."""
MAX_GRACE_DAYS = 90
MAX_TIERS = 50
MAX_SCOPES = 100
MAX_NETWORKS = 100
MAX_ADDRESS_LINES = 6
_SORTS = [f"{minus}{by}" for by in KeySort for minus in ("", "-")]
_PARTNER_SORTS = [f"{minus}{by}" for by in PartnerSort for minus in ("", "-")]


def check(request: Message) -> None:
    """Raises InvalidPayload with all violations of the request."""
    validate(request, RULES[type(request)])


_RuleT = TypeVar("_RuleT", Check[Any], Check[str], Members)


def required(rule: _RuleT) -> _RuleT:
    return replace(rule, is_required=True)


@checks.stated()
def _each_ends_later(tiers: Sequence[pb.PriceTier]) -> Fault | None:
    """Each tier ends after the one before, and only the last one has no end."""
    *closed, last = tiers
    ends = [tier.up_to for tier in closed]
    if last.up_to or 0 in ends:
        return checks.malformed(Text("seul le dernier palier est sans fin", "only the last tier has no end"))
    is_rising = all(lower < upper for lower, upper in pairwise(ends))
    return (
        None
        if is_rising
        else checks.malformed(Text("chaque palier finit après le précédent", "each tier ends after the one before"))
    )


def _enum(enum: Any) -> Check[Any]:
    """Returns the check of an enum's number."""
    numbers = enum_numbers(enum.DESCRIPTOR)
    return known(numbers.values(), list(numbers))


_ANY = checks.anything
_NAME = checks.name
_INSTANT = checks.instant
_UNITS = whole(0, MAX_UNITS)
_RATE = whole(1, MAX_RATE)
_PRICE = decimal(MAX_PRICE)
_ROLE = required(_enum(pb.AdminRole))
_LABEL_TEXTS = Labels(40, text(60), text(500))

_PRICING: Mapping[str, Rule] = {
    "plan": _NAME,
    "currency": one_of([CURRENCY]),
    "monthly_fee": _PRICE,
    "included_units": _UNITS,
    "tiers": Items(
        Members({"up_to": whole(1, MAX_UNITS), "unit_price": required(_PRICE)}), MAX_TIERS, _each_ends_later
    ),
    "vat_rate": checks.vat_rate,
    "effective_from": checks.first_month,
    "charged_per": _enum(pb.ChargedPer),
    "is_pro_rata": _ANY,
}
_KEY: Mapping[str, Rule] = {
    "label": required(checks.name),
    "quota": Members(
        {"monthly_units": _UNITS, "per_minute": _RATE, "burst": _RATE, "hard": _ANY, "spend_cap": decimal()}
    ),
    "assistant_policy": Members(
        {"mode": required(_enum(AssistantMode)), "monthly_calls": _UNITS, "monthly_tokens": _UNITS}
    ),
    "scopes": Items(one_of(SCOPES), MAX_SCOPES),
    "allowed_cidrs": Items(checks.network, MAX_NETWORKS),
    "expires_at": _INSTANT,
    "metadata": _LABEL_TEXTS,
}


_PARTNER: Mapping[str, Rule] = {
    "name": required(checks.name),
    "metadata": _LABEL_TEXTS,
    "legal_name": _NAME,
    "contact": Members({"name": _NAME, "email": checks.email, "phone": company_numbers.phone}),
    "billing_address": Members(
        {
            "lines": Items(_NAME, MAX_ADDRESS_LINES),
            "postcode": company_numbers.postcode,
            "city": _NAME,
            "country": company_numbers.country,
        }
    ),
    "siren": company_numbers.siren,
    "vat_number": company_numbers.vat_number,
    "default_plan": _NAME,
}
_PASSWORD = required(checks.password)
_NEW_PASSWORD = required(checks.new_password)
_CODE = required(text(20))
_EMAIL = required(checks.email)
_SEARCH = text(200)
_PAGE: Mapping[str, Rule] = {"page_size": whole(1, MAX_PAGE_SIZE), "page_token": text(MAX_TOKEN_LENGTH)}

_WITHOUT_RULES = (
    pb.GetSetupRequest,
    pb.BeginSingleSignOnRequest,
    pb.SignOutRequest,
    pb.GetSessionRequest,
    pb.VerifyCallerRequest,
    pb.GetInstallationRequest,
    pb.GetAccessPolicyRequest,
    pb.ListTokensRequest,
    pb.RevokeTokenRequest,
    pb.GetKeyRequest,
    pb.RevokeKeyRequest,
    pb.SuspendKeyRequest,
    pb.ResumeKeyRequest,
    pb.ListPlansRequest,
    pb.ListKeyCallsRequest,
    pb.ListAdminsRequest,
    pb.ListInvitationsRequest,
    pb.RevokeInvitationRequest,
)
"""Requests that have no members but credentials and ids."""

RULES: Mapping[type[Message], Mapping[str, Rule]] = {
    **{request: {} for request in _WITHOUT_RULES},
    pb.CompleteSetupRequest: {"setup_token": required(text(200)), "email": _EMAIL, "password": _NEW_PASSWORD},
    pb.SignInRequest: {"email": required(text(checks.EMAIL_LENGTH)), "password": _PASSWORD, "totp": text(20)},
    pb.CompleteSingleSignOnRequest: {
        "code": text(2000),
        "state": required(text(200)),
        "browser_token": text(200),
    },
    pb.ChangePasswordRequest: {"current_password": _PASSWORD, "new_password": _NEW_PASSWORD},
    pb.BeginTotpEnrolmentRequest: {"password": _PASSWORD},
    pb.ConfirmTotpEnrolmentRequest: {"code": _CODE},
    pb.RemoveTotpRequest: {"password": _PASSWORD, "code": _CODE},
    pb.UpdateAccessPolicyRequest: {"policy": required(Members({}))},
    pb.CreateTokenRequest: {"label": required(_NAME), "role": _ROLE, "expires_at": _INSTANT},
    pb.ListKeysRequest: {
        "partner_id": _SEARCH,
        "status": _enum(pb.KeyStatus),
        "search": _SEARCH,
        "order_by": known(_SORTS, list(KeySort)),
        **_PAGE,
    },
    pb.CreateKeyRequest: {
        "partner": required(_NAME),
        "mode": _enum(KeyMode),
        **_KEY,
        "pricing": Members(_PRICING),
        "idempotency_key": checks.idempotency_key,
    },
    pb.UpdateKeyRequest: {"key": Masked({**_KEY, "pricing": required(Members(_PRICING))})},
    pb.RotateKeyRequest: {"grace_days": whole(0, MAX_GRACE_DAYS)},
    pb.ListPartnersRequest: {
        "search": _SEARCH,
        "order_by": known(_PARTNER_SORTS, list(PartnerSort)),
        "include": one_of([OVERVIEW]),
        **_PAGE,
    },
    pb.GetPartnerRequest: {"partner_id": _SEARCH},
    pb.EndPartnerEventsRequest: {"partner_id": _SEARCH, "webhook_id": _SEARCH, "watch_id": _SEARCH},
    pb.ListIssuedBillsRequest: {"from": checks.month, "to": checks.month, "partner_id": _SEARCH, "number": text(20)},
    pb.TrySendingRequest: {"channel": required(one_of([MAIL, WEBHOOKS]))},
    pb.CorrectIssuedBillRequest: {
        "bill_id": _SEARCH,
        "amount": required(checks.signed_decimal),
        "reason_fr": required(_NAME),
        "reason_en": required(_NAME),
        "vat_rate": checks.vat_rate,
    },
    pb.GetIssuedBillPdfRequest: {"bill_id": _SEARCH},
    pb.ListPartnerBillsRequest: {"partner_id": _SEARCH},
    pb.CreatePartnerRequest: _PARTNER,
    pb.UpdatePartnerRequest: {"partner": Masked({**_PARTNER, "status": required(_enum(pb.PartnerStatus))})},
    pb.CreatePlanRequest: {"name": required(_NAME), "pricing": required(Members(_PRICING))},
    pb.UpdatePlanRequest: {
        "plan": Masked({"name": required(_NAME), "pricing": required(Members(_PRICING)), "is_archived": _ANY})
    },
    pb.GetUsageReportRequest: {
        "from": checks.instant_or_day,
        "to": checks.instant_or_day,
        "bucket": _enum(pb.UsageBucket),
        "key_id": text(100),
        "partner_id": _SEARCH,
        "billing_month": checks.month,
    },
    pb.ListAuditEntriesRequest: {
        "subject": _SEARCH,
        "actor": text(300),
        "action": text(60),
        "from": checks.instant_or_day,
        "to": checks.instant_or_day,
        **_PAGE,
    },
    pb.CreateAdminRequest: {"email": _EMAIL, "password": _NEW_PASSWORD, "role": _ROLE},
    pb.CreateInvitationRequest: {"email": _EMAIL, "role": _ROLE, "lifetime_hours": whole(1, MAX_HOURS)},
    pb.GetInvitationRequest: {"token": required(text(200))},
    pb.AcceptInvitationRequest: {"token": required(text(200)), "password": _NEW_PASSWORD},
    pb.UpdateAdminRequest: {"admin": Masked({"role": _ROLE, "is_active": _ANY})},
}
