"""The schemas of the admin API's answers, for the API description."""

from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from edge.api.v1.schemas import AssistantPolicy, Quota

Item = TypeVar("Item")
_Role = Literal["viewer", "operator", "owner"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Page(_Answer, Generic[Item]):
    items: list[Item]
    next_cursor: str | None


class SetupState(_Answer):
    is_open: bool


class Admin(_Answer):
    id: str
    email: str
    role: _Role
    is_active: bool
    created_at: str
    last_sign_in_at: str | None
    has_totp: bool = Field(description="Whether a second factor is enrolled.")


class SignedIn(_Answer):
    role: _Role
    csrf_token: str
    expires_at: str


class Session(_Answer):
    admin: Admin | None
    csrf_token: str | None
    expires_at: str | None
    totp_required: bool = Field(
        description="Whether every admin needs a second factor; who has none may only enrol it."
    )


class TotpEnrolment(_Answer):
    secret: str = Field(description="In base32, shown this once.")
    uri: str = Field(description="The same as an otpauth:// address.")


class AccessPolicy(_Answer):
    totp_required: bool


class AdminToken(_Answer):
    id: str
    label: str
    role: _Role
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    revoked_at: str | None


class NewAdminToken(AdminToken):
    token: str = Field(description="Shown this once.")


class PartnerName(_Answer):
    id: str
    name: str
    status: Literal["active", "disabled"]


class Partner(PartnerName):
    created_at: str | None
    metadata: dict[str, object]


class KnownTier(_Answer):
    up_to: int | None
    unit_price: str


class KnownPricing(_Answer):
    plan: str | None
    currency: str
    monthly_fee: str
    included_units: int
    tiers: list[KnownTier]
    vat_rate: str
    effective_from: str | None


class Plan(_Answer):
    id: str
    name: str
    pricing: KnownPricing
    is_archived: bool
    created_at: str


class MonthUsage(_Answer):
    month: str | None
    requests: int
    errors: int
    units: int


class Key(_Answer):
    id: str
    partner: PartnerName
    label: str
    mode: Literal["live", "test"]
    status: Literal["active", "revoked", "expired"]
    masked: str = Field(description="Prefix, public id and last four characters.")
    pricing: KnownPricing | None
    quota: Quota
    assistant_policy: AssistantPolicy
    scopes: list[str]
    allowed_cidrs: list[str]
    expires_at: str | None
    created_at: str
    last_used_at: str | None
    revoked_at: str | None
    month_usage: MonthUsage
    metadata: dict[str, object]
    previous_secret_expires_at: str | None


class NewKey(_Answer):
    key: Key
    secret: str = Field(description="The whole key, shown this once.")


class UsageRange(_Answer):
    from_: str = Field(alias="from")
    to: str
    bucket: Literal["hour", "day", "month"]


class UsageSummary(_Answer):
    requests: int
    errors: int
    average_latency_ms: float | None
    active_keys: int
    units: int


class TopKey(_Answer):
    key_id: str
    key: str
    label: str
    partner: PartnerName
    requests: int
    errors: int
    units: int
    estimated_cost: str
    currency: str


class UsagePoint(_Answer):
    from_: str = Field(alias="from")
    requests: int
    errors: int
    average_latency_ms: float | None
    units: int


class BillLine(_Answer):
    kind: str
    description: str
    units: int
    unit_price: str
    amount: str


class Bill(_Answer):
    key_id: str
    partner: PartnerName
    units: int
    included_units: int
    lines: list[BillLine]
    currency: str
    net: str
    vat: str
    gross: str


class BillingPreview(_Answer):
    month: str
    provisional: bool
    as_of: str
    keys: list[Bill]


class UsageReport(_Answer):
    range: UsageRange
    summary: UsageSummary
    top_keys: list[TopKey]
    timeline: list[UsagePoint]
    billing_preview: BillingPreview | None


class AuditEntry(_Answer):
    id: int
    occurred_at: str
    actor: str
    action: str
    subject: str
    changes: dict[str, object]
    client_address: str | None


class KeyPage(Page[Key]):
    pass


class PartnerPage(Page[Partner]):
    pass


class PlanPage(Page[Plan]):
    pass


class TokenPage(Page[AdminToken]):
    pass


class AdminPage(Page[Admin]):
    pass


class AuditPage(Page[AuditEntry]):
    pass
