"""Setup and sign-in: creates the first owner, and starts and ends sessions.

The caller hashes passwords between two transactions, in a queue. A throttled attempt is refused before it queues.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from keys.admins import credentials, totp
from keys.admins.access_control import AccessControl, Credentials
from keys.admins.passwords import normalized_email
from keys.store import admins, attempts, refused_access, second_factors, sessions, setup
from keys.store import audit_log as audit
from keys.store.audit_log import Actor
from keys.store.change import Change, Transaction
from keys.store.refused_access import Refusal
from keys.values import texts, throttle
from keys.values.errors import (
    InvalidCredentials,
    InvalidSetupToken,
    InvalidTotp,
    SetupClosed,
    SignInThrottled,
    TotpRequired,
)
from keys.values.records import Admin, Role
from keys.values.throttle import Limit
from servicekit.errors import InvalidPayload, expect
from servicekit.languages import Text

SIGNED_IN = "session.start"


@dataclass(frozen=True)
class SignedIn:
    admin: Admin
    session_token: str = field(repr=False)
    csrf_token: str = field(repr=False)
    expires_at: datetime


def start_session(change: Change, admin: Admin) -> SignedIn:
    """Starts a session at the address of the actor, who is the admin."""
    token, address = credentials.new_token(), change.actor.client_address
    expires_at = sessions.start(change.connection, credentials.digest(token), admin.id, address, change.now)
    change.audit(SIGNED_IN, admin.id)
    return SignedIn(admin, token, credentials.csrf_token(token), expires_at)


@dataclass(frozen=True)
class Attempt:
    """A password to verify. The attempt counts as failed until it is finished. `password_hash` is None for an unknown
    account; the caller then does the same work as for a wrong password.
    """

    limits: Sequence[Limit]
    admin: Admin | None
    password_hash: str | None = field(repr=False)
    client_address: str


def is_setup_open(access: AccessControl) -> bool:
    with access.database.reading() as connection:
        return setup.is_open(connection)


def begin_setup(access: AccessControl, token: str, client_address: str) -> None:
    """Checks the setup token before `complete_setup`. Raises SetupClosed, SignInThrottled or InvalidSetupToken."""
    if not is_setup_open(access):
        raise SetupClosed(texts.SETUP_CLOSED)
    with access.noting(refused_access.SETUP, "setup", client_address, InvalidSetupToken, SignInThrottled):
        with access.database.writing() as connection:
            now = access.clock()
            attempts.begin(connection, throttle.limits_of("setup", client_address), now)
            is_right = setup.is_token(connection, credentials.digest(token), now)
            is_open = setup.is_open(connection)
        if not is_open:  # another client completed it after the first check
            raise SetupClosed(texts.SETUP_CLOSED)
        if not is_right:
            raise InvalidSetupToken(
                Text("Le jeton d’installation est incorrect ou a expiré.", "The setup token is wrong or too old.")
            )


def complete_setup(access: AccessControl, token: str, email: str, password_hash: str, client_address: str) -> Admin:
    """Creates the first owner. Raises SetupClosed."""
    with access.database.writing() as connection:
        now = access.clock()
        if not setup.complete(connection, credentials.digest(token), now):
            raise SetupClosed(texts.SETUP_CLOSED)
        attempts.succeed(connection, throttle.limits_of("setup", client_address))
        created = admins.add(connection, normalized_email(email), password_hash, Role.OWNER, now)
        admin = expect(created, SetupClosed(texts.SETUP_CLOSED))
        Change(connection, now, Actor("setup", client_address), Role.OWNER).audit(
            "admin.create", admin.id, {"email": admin.email, "role": admin.role.name.lower()}
        )
    return admin


def begin_sign_in(access: AccessControl, email: str, client_address: str) -> Attempt:
    """Counts an attempt before the caller verifies its password. Raises SignInThrottled."""
    try:
        address = normalized_email(email)
    except InvalidPayload:
        address = ""
    login = None
    try:
        with access.database.writing() as connection:
            login = admins.find_by_email(connection, address)
            is_known = login is not None and audit.was_seen(connection, SIGNED_IN, login.admin.id, client_address)
            limits = throttle.limits_of_sign_in(address, client_address, is_known_network=is_known)
            attempts.begin(connection, limits, access.clock())
    except SignInThrottled as error:
        subject = login.admin.id if login else ""
        access.refused.note(Refusal(refused_access.THROTTLED, subject, Actor("nobody", client_address), error.detail))
        raise
    admin, password_hash = login or (None, None)
    return Attempt(limits, admin, password_hash, client_address)


def finish_sign_in(access: AccessControl, attempt: Attempt, code: str, *, is_right: bool) -> SignedIn:
    """Starts a session if the password and, with a second factor, the one-time code are right. Raises
    InvalidCredentials, also for an unknown account, TotpRequired without a code, InvalidTotp or SignInThrottled.
    """
    subject, address = attempt.admin.id if attempt.admin else "", attempt.client_address
    wrong = access.noting(refused_access.SIGN_IN, subject, address, InvalidCredentials, InvalidTotp)
    with wrong, access.noting(refused_access.THROTTLED, subject, address, SignInThrottled):
        if attempt.admin is None or not is_right:
            raise InvalidCredentials(texts.WRONG_SIGN_IN)
        return _start_session(access, attempt, attempt.admin, code)


def sign_out(access: AccessControl, caller: Credentials) -> None:
    """Ends the caller's session. Raises SignInRequired or CsrfFailed."""
    with access.changing_own(caller) as (change, _):
        sessions.end(change.connection, credentials.digest(caller.session_token))


def _start_session(access: AccessControl, attempt: Attempt, admin: Admin, code: str) -> SignedIn:
    _check_code(access, attempt, admin, code)
    with access.database.writing() as connection:
        current = admins.find_by_email(connection, admin.email)
        is_same = current is not None and current.password_hash == attempt.password_hash and current.admin.is_active
        if current is None or not is_same or current.admin.has_totp != admin.has_totp:
            raise InvalidCredentials(texts.WRONG_SIGN_IN)
        attempts.succeed(connection, attempt.limits)
        actor = Actor(f"admin {admin.email}", attempt.client_address)
        return start_session(Change(connection, access.clock(), actor, admin.role), current.admin)


def _check_code(access: AccessControl, attempt: Attempt, admin: Admin, code: str) -> None:
    """Raises TotpRequired if a code is required and missing, InvalidTotp or SignInThrottled."""
    if not admin.has_totp:
        return
    with access.database.writing() as connection:
        if not code.strip():
            attempts.withdraw(connection, attempt.limits)
        else:
            transaction = Transaction(connection, access.clock())
            factor = second_factors.find(connection, admin.id)
            is_right = factor is not None and totp.use(transaction, access.peppers, factor, code)
    if not code.strip():
        raise TotpRequired(
            Text(
                "Donnez aussi le code à usage unique de votre application.",
                "Give the one-time code of your authenticator, too.",
            )
        )
    if not is_right:
        raise InvalidTotp(texts.WRONG_CODE)
