"""Request bodies and query parameters of the admin API (DESIGN §8.5, §8.6).

Money is a decimal string. An unknown member is refused, since an ignored typo in the name of a limit would cost money.
"""

import ipaddress
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from edge.api.v1.requests import DEFAULT_PAGE, MAX_PAGE

MAX_GRACE_DAYS = 90
MAX_UNITS = 10**15
_MAX_RATE = 10**6


def _is_network(text: str) -> str:
    ipaddress.ip_network(text)
    return text


def _is_instant(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time zone is missing")
    return text


Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Email = Annotated[str, StringConstraints(max_length=254, strip_whitespace=True, pattern=r"^[^@\s]+@[^@\s]+$")]
PASSWORD_MAX = 1_024
"""Maximum characters of a password here. keys limits its UTF-8 bytes to the same number."""
Password = Annotated[SecretStr, Field(min_length=12, max_length=PASSWORD_MAX)]
CurrentPassword = Annotated[SecretStr, Field(max_length=PASSWORD_MAX)]
Code = Annotated[SecretStr, Field(max_length=20)]
Role = Literal["viewer", "operator", "owner"]
Money = Annotated[str, StringConstraints(pattern=r"^\d{1,12}(\.\d{1,8})?$")]
Instant = Annotated[str, StringConstraints(max_length=40), AfterValidator(_is_instant)]
Cidr = Annotated[str, StringConstraints(max_length=50), AfterValidator(_is_network)]
Endpoint = Literal["addresses.resolve", "land-units.geojson", "assistant.divide-land", "usage", "coverage"]
Units = Annotated[int, Field(ge=0, le=MAX_UNITS)]
Rate = Annotated[int, Field(ge=1, le=_MAX_RATE)]
Metadata = Annotated[
    dict[Annotated[str, StringConstraints(max_length=60)], Annotated[str, StringConstraints(max_length=500)]],
    Field(max_length=40),
]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SetupBody(_Body):
    token: Annotated[SecretStr, Field(max_length=200)]
    email: Email
    password: Password


class SessionBody(_Body):
    email: Annotated[str, StringConstraints(max_length=254)]
    password: CurrentPassword
    totp: Code | None = Field(default=None, description="The one-time code, where the account has a second factor.")


class PasswordChange(_Body):
    current_password: CurrentPassword
    new_password: Password


class TotpEnrolmentBody(_Body):
    password: CurrentPassword


class TotpConfirmation(_Body):
    code: Code


class TotpRemoval(_Body):
    password: CurrentPassword
    code: Code


class AccessPolicyChanges(_Body):
    totp_required: bool = Field(description="Whether every admin needs a second factor.")


class TokenBody(_Body):
    label: Name
    role: Role
    expires_at: Instant | None = Field(default=None, description="In 90 days if null; 366 days ahead at most.")


class AdminBody(_Body):
    email: Email
    password: Password
    role: Role


class AdminChanges(_Body):
    role: Role | None = None
    is_active: bool | None = None


class PriceTier(_Body):
    up_to: Annotated[int, Field(ge=1, le=MAX_UNITS)] | None = Field(default=None, description="null on the last tier.")
    unit_price: Money


class Pricing(_Body):
    """A plan by name, or terms inline."""

    plan: Name | None = None
    currency: Literal["EUR"] = "EUR"
    monthly_fee: Money | None = None
    included_units: Units | None = None
    tiers: Annotated[list[PriceTier], Field(max_length=50)] | None = None
    vat_rate: Money | None = Field(default=None, description='Decimal, such as "0.20".')
    effective_from: Annotated[str, StringConstraints(max_length=40)] | None = None


class Quota(_Body):
    monthly_units: Units | None = Field(default=None, description="null is no limit.")
    per_minute: Rate | None = None
    burst: Rate | None = None
    hard: bool = Field(default=True, description="A soft quota counts and lets through.")
    spend_cap: Money | None = Field(default=None, description="EUR per month; null is no cap.")


class AssistantPolicy(_Body):
    mode: Literal["disabled", "rules", "model"]
    monthly_calls: Units | None = None
    monthly_tokens: Units | None = None


class KeyBody(_Body):
    partner: Name = Field(description="A partner's id, or the name of one, made where there is none.")
    label: Name
    mode: Literal["live", "test"] = "live"
    pricing: Pricing | None = None
    quota: Quota | None = None
    assistant_policy: AssistantPolicy | None = None
    scopes: list[Endpoint] | None = Field(default=None, description="Endpoints that it may call; empty is all.")
    allowed_cidrs: Annotated[list[Cidr], Field(max_length=100)] | None = None
    expires_at: Instant | None = None
    metadata: Metadata | None = None


class KeyChanges(_Body):
    """Only the members sent are changed."""

    label: Name | None = None
    pricing: Pricing | None = None
    quota: Quota | None = None
    assistant_policy: AssistantPolicy | None = None
    scopes: list[Endpoint] | None = None
    allowed_cidrs: Annotated[list[Cidr], Field(max_length=100)] | None = None
    expires_at: Instant | None = None
    metadata: Metadata | None = None


class RotateBody(_Body):
    grace_days: int = Field(default=7, ge=0, le=MAX_GRACE_DAYS, description="How long the old secret is still taken.")


class PartnerBody(_Body):
    name: Name
    metadata: Metadata | None = None


class PartnerChanges(_Body):
    name: Name | None = None
    status: Literal["active", "disabled"] | None = None
    metadata: Metadata | None = None


class PlanBody(_Body):
    name: Name
    pricing: Pricing


class PlanChanges(_Body):
    name: Name | None = None
    pricing: Pricing | None = None
    is_archived: bool | None = None


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class PageParameters(_Parameters):
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE, description="How many at most.")
    cursor: Annotated[str, Field(max_length=2_000)] | None = Field(default=None, description="next_cursor before.")


class SearchParameters(PageParameters):
    q: Annotated[str, Field(max_length=200)] | None = Field(default=None, description="Part of a name.")


Sort = Literal[
    "created_at", "-created_at", "label", "-label", "partner", "-partner", "last_used_at", "-last_used_at",
    "month_units", "-month_units",
]  # fmt: skip


class KeyParameters(SearchParameters):
    partner: Annotated[str, Field(max_length=100)] | None = Field(default=None, description="A partner's id.")
    status: Literal["active", "revoked", "expired"] | None = None
    sort: Sort = Field(default="-created_at", description="A minus sign gives the greatest first.")


class AuditParameters(PageParameters):
    subject: Annotated[str, Field(max_length=200)] | None = None


class UsageParameters(_Parameters):
    from_: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, alias="from", description="Instant, or Europe/Paris date; in the range."
    )
    to: Annotated[str, Field(max_length=40)] | None = Field(default=None, description="Not in the range.")
    bucket: Literal["hour", "day", "month"] = "day"
    key_id: Annotated[str, Field(max_length=100)] | None = None
    partner: Annotated[str, Field(max_length=100)] | None = None
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")] | None = Field(
        default=None, description="Month of the billing preview."
    )
    table: Literal["keys", "timeline", "bills"] = Field(default="keys", description="Which table a CSV gives.")
