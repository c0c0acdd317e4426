"""The rules of every request of AdminService, by field. Keys is the only service that checks them.

Not here: rules that need the clock or the database, such as an expiry in the future or a free name.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise

from google.protobuf.message import Message

from keys import checks, company_numbers
from keys.admin.inviting import MAX_HOURS
from keys.checks import MAX_PRICE, MAX_RATE, MAX_UNITS, Fault, decimal, known, one_of, text, whole
from keys.metering.buckets import Bucket
from keys.pricing import CURRENCY
from keys.rpc.convert import ASSISTANT_MODES, BUCKETS, CHARGED_PER, MODES, PARTNER_STATUSES, ROLES, STATUSES
from keys.rpc.validation import Items, Labels, Masked, Members, Rule, Value, validate
from keys.store.key_pages import SortBy
from keys.store.paging import MAX_PAGE_SIZE, MAX_TOKEN_LENGTH
from keys.store.partner_pages import PartnerSort
from landpartner.keys.v1 import admin_pb2 as pb
from servicekit.endpoints import SCOPES
from servicekit.languages import Text

OVERVIEW = "overview"
"""The member that a list of partners may include."""
MAX_GRACE_DAYS = 90
MAX_TIERS = 50
MAX_SCOPES = 100
MAX_NETWORKS = 100
MAX_ADDRESS_LINES = 6
_SORTS = [f"{minus}{by}" for by in SortBy for minus in ("", "-")]
_PARTNER_SORTS = [f"{minus}{by}" for by in PartnerSort for minus in ("", "-")]


def check(request: Message) -> None:
    """Raises InvalidPayload with all violations of the request."""
    validate(request, RULES[type(request)])


def _required(rule: Value) -> Value:
    return Value(rule.check, is_required=True)


@checks.stated()
def _each_ends_later(tiers: Sequence[pb.PriceTier]) -> Fault | None:
    """Each tier ends after the one before, and only the last one has no end."""
    *closed, last = tiers
    ends = [tier.up_to for tier in closed]
    if last.up_to or 0 in ends:
        return checks.malformed(_OPEN_END)
    is_rising = all(lower < upper for lower, upper in pairwise(ends))
    return None if is_rising else checks.malformed(_RISING)


_OPEN_END = Text("seul le dernier palier est sans fin", "only the last tier has no end")
_RISING = Text("chaque palier finit après le précédent", "each tier ends after the one before")

_ANY = Value(checks.anything)
_NAME = Value(checks.name)
_INSTANT = Value(checks.instant)
_UNITS = Value(whole(0, MAX_UNITS))
_RATE = Value(whole(1, MAX_RATE))
_PRICE = Value(decimal(MAX_PRICE))
_ROLE = Value(known(ROLES.values(), [role.name.lower() for role in ROLES]))
_LABEL_TEXTS = Labels(40, text(60), text(500))

_PRICING: Mapping[str, Rule] = {
    "plan": _NAME,
    "currency": Value(one_of([CURRENCY])),
    "monthly_fee": _PRICE,
    "included_units": _UNITS,
    "tiers": Items(
        Members({"up_to": Value(whole(1, MAX_UNITS)), "unit_price": Value(_PRICE.check, is_required=True)}),
        MAX_TIERS,
        _each_ends_later,
    ),
    "vat_rate": Value(decimal(Decimal(1))),
    "effective_from": Value(checks.first_month),
    "charged_per": Value(known(CHARGED_PER.values(), list(CHARGED_PER))),
}
_KEY: Mapping[str, Rule] = {
    "label": Value(checks.name, is_required=True),
    "quota": Members(
        {
            "monthly_units": _UNITS,
            "per_minute": _RATE,
            "burst": _RATE,
            "hard": _ANY,
            "spend_cap": Value(decimal()),
        }
    ),
    "assistant_policy": Members(
        {
            "mode": Value(known(ASSISTANT_MODES.values(), list(ASSISTANT_MODES)), is_required=True),
            "monthly_calls": _UNITS,
            "monthly_tokens": _UNITS,
        }
    ),
    "scopes": Items(Value(one_of(SCOPES)), MAX_SCOPES),
    "allowed_cidrs": Items(Value(checks.network), MAX_NETWORKS),
    "expires_at": _INSTANT,
    "metadata": _LABEL_TEXTS,
}


_PARTNER: Mapping[str, Rule] = {
    "name": Value(checks.name, is_required=True),
    "metadata": _LABEL_TEXTS,
    "legal_name": _NAME,
    "contact": Members({"name": _NAME, "email": Value(checks.email), "phone": Value(company_numbers.phone)}),
    "billing_address": Members(
        {
            "lines": Items(_NAME, MAX_ADDRESS_LINES),
            "postcode": Value(company_numbers.postcode),
            "city": _NAME,
            "country": Value(company_numbers.country),
        }
    ),
    "siren": Value(company_numbers.siren),
    "vat_number": Value(company_numbers.vat_number),
    "default_plan": _NAME,
}
_PASSWORD = Value(checks.password, is_required=True)
_NEW_PASSWORD = Value(checks.new_password, is_required=True)
_CODE = Value(text(20), is_required=True)
_EMAIL = Value(checks.email, is_required=True)
_SEARCH = Value(text(200))
_PAGE: Mapping[str, Rule] = {
    "page_size": Value(whole(1, MAX_PAGE_SIZE)),
    "page_token": Value(text(MAX_TOKEN_LENGTH)),
}

RULES: Mapping[type[Message], Mapping[str, Rule]] = {
    pb.GetSetupRequest: {},
    pb.CompleteSetupRequest: {
        "setup_token": Value(text(200), is_required=True),
        "email": _EMAIL,
        "password": _NEW_PASSWORD,
    },
    pb.SignInRequest: {
        "email": Value(text(checks.EMAIL_LENGTH), is_required=True),
        "password": _PASSWORD,
        "totp": Value(text(20)),
    },
    pb.SignOutRequest: {},
    pb.GetSessionRequest: {},
    pb.VerifyCallerRequest: {},
    pb.ChangePasswordRequest: {"current_password": _PASSWORD, "new_password": _NEW_PASSWORD},
    pb.BeginTotpEnrolmentRequest: {"password": _PASSWORD},
    pb.ConfirmTotpEnrolmentRequest: {"code": _CODE},
    pb.RemoveTotpRequest: {"password": _PASSWORD, "code": _CODE},
    pb.GetAccessPolicyRequest: {},
    pb.UpdateAccessPolicyRequest: {"policy": Members({}, is_required=True)},
    pb.CreateTokenRequest: {"label": _required(_NAME), "role": _required(_ROLE), "expires_at": _INSTANT},
    pb.ListTokensRequest: {},
    pb.RevokeTokenRequest: {},
    pb.ListKeysRequest: {
        "partner_id": _SEARCH,
        "status": Value(known(STATUSES.values(), list(STATUSES))),
        "search": _SEARCH,
        "order_by": Value(known(_SORTS, list(SortBy))),
        **_PAGE,
    },
    pb.CreateKeyRequest: {
        "partner": _required(_NAME),
        "mode": Value(known(MODES.values(), list(MODES))),
        **_KEY,
        "pricing": Members(_PRICING),
        "idempotency_key": Value(checks.idempotency_key),
    },
    pb.GetKeyRequest: {},
    pb.UpdateKeyRequest: {"key": Masked({**_KEY, "pricing": Members(_PRICING, is_required=True)})},
    pb.RevokeKeyRequest: {},
    pb.RotateKeyRequest: {"grace_days": Value(whole(0, MAX_GRACE_DAYS))},
    pb.ListPartnersRequest: {
        "search": _SEARCH,
        "order_by": Value(known(_PARTNER_SORTS, list(PartnerSort))),
        "include": Value(one_of([OVERVIEW])),
        **_PAGE,
    },
    pb.GetPartnerRequest: {"partner_id": _SEARCH},
    pb.ListPartnerBillsRequest: {"partner_id": _SEARCH},
    pb.CreatePartnerRequest: _PARTNER,
    pb.UpdatePartnerRequest: {
        "partner": Masked(
            {
                **_PARTNER,
                "status": Value(known(PARTNER_STATUSES.values(), ["active", "disabled"]), is_required=True),
            }
        )
    },
    pb.ListPlansRequest: {},
    pb.CreatePlanRequest: {"name": _required(_NAME), "pricing": Members(_PRICING, is_required=True)},
    pb.UpdatePlanRequest: {
        "plan": Masked({"name": _required(_NAME), "pricing": Members(_PRICING, is_required=True), "is_archived": _ANY})
    },
    pb.GetUsageReportRequest: {
        "from": Value(checks.instant_or_day),
        "to": Value(checks.instant_or_day),
        "bucket": Value(known(BUCKETS.values(), list(Bucket))),
        "key_id": Value(text(100)),
        "partner_id": _SEARCH,
        "billing_month": Value(checks.month),
    },
    pb.ListKeyCallsRequest: {},
    pb.ListAuditEntriesRequest: {
        "subject": _SEARCH,
        "actor": Value(text(300)),
        "action": Value(text(60)),
        "from": Value(checks.instant_or_day),
        "to": Value(checks.instant_or_day),
        **_PAGE,
    },
    pb.ListAdminsRequest: {},
    pb.CreateAdminRequest: {"email": _EMAIL, "password": _NEW_PASSWORD, "role": _required(_ROLE)},
    pb.CreateInvitationRequest: {
        "email": _EMAIL,
        "role": _required(_ROLE),
        "lifetime_hours": Value(whole(1, MAX_HOURS)),
    },
    pb.ListInvitationsRequest: {},
    pb.RevokeInvitationRequest: {},
    pb.GetInvitationRequest: {"token": Value(text(200), is_required=True)},
    pb.AcceptInvitationRequest: {"token": Value(text(200), is_required=True), "password": _NEW_PASSWORD},
    pb.UpdateAdminRequest: {"admin": Masked({"role": _required(_ROLE), "is_active": _ANY})},
}
