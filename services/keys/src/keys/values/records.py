"""Records that admins and the store share: keys, partners, plans, admins and their tokens."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import NamedTuple

from contract.key_text import ALPHABET
from keys.values.lease_rules import MonthCounts
from keys.values.policy import AssistantPolicy, Quota
from keys.values.pricing import PlanChoice, Terms
from keys.values.secret import KeyMode, KeyText, mask
from servicekit.languages import Text

RECORD_ID_LENGTH = 12


class Role(IntEnum):
    """A viewer reads keys, usage and bills. An operator also changes keys and partners, and reads the audit log. An
    owner also sets prices, lifts limits of a key, and changes plans, admins and tokens.
    """

    VIEWER = 1
    OPERATOR = 2
    OWNER = 3


@dataclass(frozen=True)
class Admin:
    id: str
    email: str
    role: Role
    is_active: bool
    created_at: datetime
    last_sign_in_at: datetime | None
    has_totp: bool = False
    """Whether a second factor is enrolled and confirmed."""
    single_sign_on: bool = False
    """Whether the account signs in at the identity provider. It has no password."""


@dataclass(frozen=True)
class AdminToken:
    """The record of a bearer token for automation, without its secret."""

    id: str
    label: str
    role: Role
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class Invitation:
    """An open invitation of a new admin, without its token."""

    id: str
    email: str
    role: Role
    created_by: str
    created_at: datetime
    expires_at: datetime


Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


class KeyStatus(StrEnum):
    ACTIVE = "active"
    REVOKED = "revoked"
    SUSPENDED = "suspended"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Partner:
    id: str
    name: str
    is_active: bool
    created_at: datetime
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Contact:
    name: str = ""
    email: str = ""
    phone: str = ""


@dataclass(frozen=True)
class PostalAddress:
    """`country` is a code of ISO 3166-1 alpha-2."""

    lines: tuple[str, ...] = ()
    postcode: str = ""
    city: str = ""
    country: str = ""


@dataclass(frozen=True)
class Customer:
    """What bills state about a partner. An empty member is unknown. The numbers have no spaces."""

    legal_name: str = ""
    contact: Contact = Contact()
    billing_address: PostalAddress = PostalAddress()
    siren: str = ""
    vat_number: str = ""


class PlanName(NamedTuple):
    id: str
    name: str


@dataclass(frozen=True)
class PartnerOverview:
    """A partner's keys, their usage of the current month, and the preview of its bill: net in EUR, and why it would not
    be issued.
    """

    keys: int
    active_keys: int
    month: str
    requests: int
    units: int
    net: Decimal
    held_reasons: Sequence[Text]


@dataclass(frozen=True)
class PartnerRecord:
    """A partner as a customer. New live keys without a price get the default plan."""

    partner: Partner
    customer: Customer = Customer()
    default_plan: PlanName | None = None


@dataclass(frozen=True)
class PartnerDraft:
    """What an admin chooses for a partner. `default_plan` is a plan's id or name. None leaves it as it is."""

    name: str
    is_active: bool = True
    metadata: Mapping[str, Json] = field(default_factory=dict)
    customer: Customer = Customer()
    default_plan: str | None = None


@dataclass(frozen=True)
class KeyDraft:
    """What an admin chooses for a key. `partner` is a partner's id or name; an unknown name creates a partner."""

    partner: str
    label: str
    quota: Quota
    assistant: AssistantPolicy
    mode: KeyMode = KeyMode.LIVE
    scopes: tuple[str, ...] = ()
    allowed_cidrs: tuple[str, ...] = ()
    expires_at: datetime | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    pricing: PlanChoice | Terms | None = None
    pricing_from: str | None = None
    """The first month of the pricing; None selects the default month."""


@dataclass(frozen=True)
class NamedKey:
    """What a key is called, without its secret."""

    id: str
    partner: Partner
    label: str
    mode: KeyMode
    ending: str

    @property
    def masked(self) -> str:
        return mask(self.mode, self.id, self.ending)


@dataclass(frozen=True)
class KeyRecord(NamedKey):
    """A key with its counts of the current month, without its secret."""

    quota: Quota
    assistant: AssistantPolicy
    scopes: tuple[str, ...]
    allowed_cidrs: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    suspended_at: datetime | None
    last_used_at: datetime | None
    previous_secret_expires_at: datetime | None
    metadata: Mapping[str, Json]
    month: str
    counts: MonthCounts
    terms: Terms | None
    terms_from: str | None
    daily_requests: tuple[int, ...]
    """Requests of each of the last 30 days in Europe/Paris. The last one is today."""

    def draft(self) -> KeyDraft:
        """Returns the values that an admin chose for the key, without its pricing."""
        return KeyDraft(
            partner=self.partner.id,
            label=self.label,
            quota=self.quota,
            assistant=self.assistant,
            mode=self.mode,
            scopes=self.scopes,
            allowed_cidrs=self.allowed_cidrs,
            expires_at=self.expires_at,
            metadata=self.metadata,
        )

    def status(self, now: datetime) -> KeyStatus:
        if self.revoked_at is not None:
            return KeyStatus.REVOKED
        if self.expires_at is not None and self.expires_at <= now:
            return KeyStatus.EXPIRED
        if self.suspended_at is not None:
            return KeyStatus.SUSPENDED
        return KeyStatus.ACTIVE


@dataclass(frozen=True)
class Plan:
    """A named set of terms. `terms` are those of the requested month; None if the plan starts later."""

    id: str
    name: str
    is_archived: bool
    created_at: datetime
    terms: Terms | None
    terms_from: str | None


@dataclass(frozen=True)
class IssuedKey:
    """A key with its text, which is shown only once."""

    record: KeyRecord
    secret: KeyText


def new_record_id() -> str:
    """Returns the id of a new record other than a key: 12 random base62 characters, about 71 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(RECORD_ID_LENGTH))
