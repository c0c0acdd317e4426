"""Changes of an admin's own account, by session: the password and the second factor.

As at the sign-in, the caller hashes passwords between two transactions. Each function raises SignInRequired or
CsrfFailed if the caller has no session.
"""

import secrets
from dataclasses import dataclass, field

from keys.admins import credentials, totp
from keys.admins.access_control import AccessControl, Credentials
from keys.admins.authenticator import Attempt
from keys.store import admins, attempts, refused_access, second_factors
from keys.store.audit_log import Actor
from keys.store.change import Change
from keys.store.refused_access import Refusal
from keys.store.second_factors import SecondFactor
from keys.values import texts, throttle
from keys.values.errors import Conflict, InvalidCredentials, InvalidTotp, KeysError
from keys.values.records import Admin
from servicekit.languages import Text


@dataclass(frozen=True)
class Enrolment:
    """The secret of a second factor that is not confirmed yet. It is shown only once."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)


def begin(access: AccessControl, caller: Credentials) -> Attempt:
    """Counts an attempt before the caller verifies its password. Raises SignInThrottled."""
    with access.changing_own(caller) as (change, admin):
        limits = throttle.limits_of_sign_in(admin.email, caller.client_address, is_known_network=True)
        attempts.begin(change.connection, limits, change.now)
        login = admins.find_by_email(change.connection, admin.email)
    return Attempt(limits, admin, login.password_hash if login else None, caller.client_address)


def refuse(access: AccessControl, attempt: Attempt) -> KeysError:
    """Writes a wrong password to the audit log and returns its error."""
    return _noted(access, InvalidCredentials(texts.WRONG_PASSWORD), attempt.admin, attempt.client_address)


def change_password(access: AccessControl, caller: Credentials, attempt: Attempt, password_hash: str) -> None:
    """Sets the new password and ends the admin's other sessions. The caller has verified the current password.
    Raises InvalidCredentials if the password changed since `begin`.
    """
    with access.changing_own(caller) as (change, admin):
        _succeed(change, attempt)
        admins.set_password(change.connection, admin.id, password_hash)
        admins.end_sessions(change.connection, admin.id, but=credentials.digest(caller.session_token))
        change.audit("admin.change_password", admin.id)


def begin_totp(access: AccessControl, caller: Credentials, attempt: Attempt) -> Enrolment:
    """Creates the secret of a second factor, which is unused until it is confirmed. The caller has verified the
    password. Raises Conflict if a second factor is already confirmed.
    """
    with access.changing_own(caller) as (change, admin):
        _succeed(change, attempt)
        salt = secrets.token_bytes(totp.SALT_BYTES)
        factor = SecondFactor(admin.id, access.peppers.newest, salt, is_confirmed=False)
        is_begun = second_factors.begin(change.connection, factor)
    if not is_begun:
        raise Conflict(
            Text(
                "Un second facteur est déjà actif : désactivez-le d’abord.",
                "There is a second factor: remove it first.",
            )
        )
    secret = totp.secret_of(access.peppers, factor)
    return Enrolment(secret, totp.uri(secret, admin.email))


def confirm_totp(access: AccessControl, caller: Credentials, code: str) -> None:
    """Requires a code at each further sign-in, and ends the other sessions. Raises Conflict if no enrolment is in
    progress, InvalidTotp or SignInThrottled.
    """
    with access.changing_own(caller) as (change, admin):
        factor = second_factors.find(change.connection, admin.id)
        if factor is None or factor.is_confirmed:
            raise Conflict(
                Text("Aucun second facteur n’est en cours d’activation.", "No second factor is being enrolled.")
            )
        is_right = totp.use(change, access.peppers, factor, code)
        if is_right and second_factors.confirm(change.connection, factor, change.now):
            admins.end_sessions(change.connection, admin.id, but=credentials.digest(caller.session_token))
            change.audit("admin.add_totp", admin.id)
    if not is_right:
        raise _noted(access, InvalidTotp(texts.WRONG_CODE), admin, caller.client_address)


def remove_totp(access: AccessControl, caller: Credentials, attempt: Attempt, code: str) -> None:
    """Removes the second factor. The caller has verified the password. Raises Conflict if there is none or if
    owners require one, InvalidTotp or SignInThrottled.
    """
    with access.changing_own(caller) as (change, admin):
        _succeed(change, attempt)
        is_required = second_factors.is_required(change.connection)
        factor = second_factors.find(change.connection, admin.id)
        is_right = False
        if factor is not None and factor.is_confirmed and not is_required:
            is_right = totp.use(change, access.peppers, factor, code)
        if is_right:
            second_factors.remove(change.connection, admin.id)
            change.audit("admin.remove_totp", admin.id)
    if is_required:
        raise Conflict(
            Text(
                "Un second facteur est exigé de tous les administrateurs.",
                "A second factor is required of every admin.",
            )
        )
    if factor is None or not factor.is_confirmed:
        raise Conflict(Text("Il n’y a pas de second facteur.", "There is no second factor."))
    if not is_right:
        raise _noted(access, InvalidTotp(texts.WRONG_CODE), admin, caller.client_address)


def _noted(access: AccessControl, error: KeysError, admin: Admin | None, client_address: str) -> KeysError:
    """Writes the error to the audit log and returns it."""
    actor, subject = (f"admin {admin.email}", admin.id) if admin else ("nobody", "")
    access.refused.note(Refusal(refused_access.SIGN_IN, subject, Actor(actor, client_address), error.detail))
    return error


def _succeed(change: Change, attempt: Attempt) -> None:
    login = admins.find_by_email(change.connection, attempt.admin.email) if attempt.admin else None
    if login is None or login.password_hash != attempt.password_hash:
        raise InvalidCredentials(texts.WRONG_PASSWORD)
    attempts.succeed(change.connection, attempt.limits)
