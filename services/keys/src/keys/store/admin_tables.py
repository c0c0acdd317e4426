"""The tables of admins and their credentials. Each credential is stored as a digest."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, LargeBinary, String, Table

from keys.store.tables import metadata
from keys.store.types import RoleName
from servicekit.database import Instant

admins = Table(
    "admins",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", String(300), nullable=False),
    Column("role", RoleName, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_sign_in_at", Instant),
    Column("provider_subject", LargeBinary, unique=True),  # the digest of issuer and subject, without a password
    # The second factor's secret is derived from these and the pepper. It is required once it is confirmed.
    Column("totp_pepper_version", Integer),
    Column("totp_salt", LargeBinary),
    Column("totp_confirmed_at", Instant),
    Column("totp_last_step", BigInteger),  # of the last used code: a code is valid once
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("admin_id", ForeignKey("admins.id"), nullable=False, index=True),
    Column("created_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("client_address", String(64), nullable=False),
)

admin_tokens = Table(
    "admin_tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("label", String(200), nullable=False),
    Column("role", RoleName, nullable=False),
    Column("created_by", String(300), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
)

# Open invitations only: an accepted, revoked, replaced or expired one is deleted.
invitations = Table(
    "invitations",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("email", String(254), nullable=False, unique=True),
    Column("role", RoleName, nullable=False),
    Column("created_by", String(300), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
)

# At most one row: the digest of the setup token, and the instant at which setup was completed.
setup = Table(
    "setup",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary),
    Column("expires_at", Instant),
    Column("completed_at", Instant),
)

# Attempts that failed or are in progress, by the digest of their limit's subject.
sign_in_failures = Table(
    "sign_in_failures",
    metadata,
    Column("subject", LargeBinary, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last_at", Instant, nullable=False, index=True),
)

# At most one row: the requirements for every admin.
access_policy = Table(
    "access_policy",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("is_totp_required", Boolean, nullable=False),
)
