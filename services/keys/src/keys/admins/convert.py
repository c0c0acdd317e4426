"""Converts between the messages of admins and the domain. Requests were validated by `keys.rpc.rules`."""

from keys.admins.authenticator import SignedIn
from keys.records import Admin, AdminToken, Invitation, Role
from keys.rpc.convert import ROLES, instant, optional_instant
from landpartner.keys.v1 import admin_pb2

_ROLES = {number: role for role, number in ROLES.items()}


def read_role(value: admin_pb2.AdminRole.ValueType) -> Role:
    return _ROLES[value]


def admin(record: Admin) -> admin_pb2.Admin:
    return admin_pb2.Admin(
        id=record.id,
        email=record.email,
        role=ROLES[record.role],
        is_active=record.is_active,
        created_at=instant(record.created_at),
        last_sign_in_at=optional_instant(record.last_sign_in_at),
        has_totp=record.has_totp,
    )


def token(record: AdminToken) -> admin_pb2.AdminToken:
    return admin_pb2.AdminToken(
        id=record.id,
        label=record.label,
        role=ROLES[record.role],
        created_at=instant(record.created_at),
        expires_at=optional_instant(record.expires_at),
        last_used_at=optional_instant(record.last_used_at),
        revoked_at=optional_instant(record.revoked_at),
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
