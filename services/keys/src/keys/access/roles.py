"""What an admin may do. Each role may all that those below it may."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum


class Role(IntEnum):
    """A viewer reads keys, usage and bills; an operator also changes keys and partners and reads the audit log; an
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


@dataclass(frozen=True)
class AdminToken:
    """A bearer token for automation, without the token itself."""

    id: str
    label: str
    role: Role
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
