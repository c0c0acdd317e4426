"""Setup and sign-in: how the first owner is made, and how a session starts and ends.

A password is hashed between two transactions, never inside one. Run few of these at once: each takes 64 MiB while it
hashes.
"""

from dataclasses import dataclass, field
from datetime import datetime

from keys.access import credentials, throttle
from keys.access.gate import Caller, Gate
from keys.access.passwords import Passwords, check_password, normalized_email
from keys.access.roles import Admin, Role
from keys.clock import Clock
from keys.errors import InvalidCredentials, InvalidSetupToken, SetupClosed
from keys.store import admins, attempts, audit, sessions, setup
from keys.store.audit import Actor
from keys.store.change import Change
from keys.store.database import Database
from servicekit.errors import InvalidPayload

SIGNED_IN = "session.start"


@dataclass(frozen=True)
class SignedIn:
    admin: Admin
    session_token: str = field(repr=False)
    csrf_token: str = field(repr=False)
    expires_at: datetime


class Entrance:
    def __init__(self, database: Database, gate: Gate, passwords: Passwords, clock: Clock) -> None:
        self._database = database
        self._gate = gate
        self._passwords = passwords
        self._clock = clock

    def is_setup_open(self) -> bool:
        with self._database.reading() as connection:
            return setup.is_open(connection)

    def complete_setup(self, token: str, email: str, password: str, client_address: str) -> Admin:
        """Makes the first owner. Raises SetupClosed, SignInThrottled, InvalidSetupToken or InvalidPayload."""
        digest = credentials.digest(token)
        limits = throttle.limits_of_setup(client_address)
        with self._database.writing() as connection:
            if not setup.is_open(connection):
                raise SetupClosed("The first owner was made before.")
            now = self._clock()
            attempts.begin(connection, limits, now)
            is_right, is_open = setup.is_token(connection, digest, now), setup.is_open(connection)
        if not is_open:  # by somebody else, in the meantime
            raise SetupClosed("The first owner was made before.")
        if not is_right:
            raise InvalidSetupToken("The setup token is wrong or too old.")
        address = normalized_email(email)
        check_password(password)
        password_hash = self._passwords.hash(password)
        with self._database.writing() as connection:
            now = self._clock()
            if not setup.complete(connection, digest, now):
                raise SetupClosed("The first owner was made before.")
            attempts.succeed(connection, limits)
            admin = admins.add(connection, address, password_hash, Role.OWNER, now)
            if admin is None:
                raise SetupClosed("The first owner was made before.")
            Change(connection, now, Actor("setup", client_address)).audit(
                "admin.create", admin.id, {"email": admin.email, "role": admin.role.name.lower()}
            )
        return admin

    def sign_in(self, email: str, password: str, client_address: str) -> SignedIn:
        """Starts a session. Raises InvalidCredentials, the same for an unknown account, or SignInThrottled."""
        try:
            address = normalized_email(email)
        except InvalidPayload:
            address = ""
        with self._database.writing() as connection:
            found = admins.find_by_email(connection, address)
            is_known = found is not None and audit.was_seen(connection, SIGNED_IN, found[0].id, client_address)
            limits = throttle.limits_of_sign_in(address, client_address, is_known_address=is_known)
            attempts.begin(connection, limits, self._clock())
        if not self._passwords.verify(password, found[1] if found else None) or found is None:
            raise InvalidCredentials("The email address or the password is wrong.")
        token = credentials.new_session_token()
        with self._database.writing() as connection:
            now = self._clock()
            current = admins.find_by_email(connection, address)
            if current is None or current[1] != found[1] or not current[0].is_active:
                raise InvalidCredentials("The email address or the password is wrong.")
            attempts.succeed(connection, limits)
            admin = current[0]
            expires_at = sessions.start(connection, credentials.digest(token), admin.id, client_address, now)
            Change(connection, now, Actor(f"admin {admin.email}", client_address)).audit(SIGNED_IN, admin.id)
        return SignedIn(admin, token, credentials.csrf_token(token), expires_at)

    def sign_out(self, caller: Caller) -> None:
        """Ends the caller's session. Raises SignInRequired or CsrfFailed."""
        with self._gate.changing(caller, Role.VIEWER) as change:
            sessions.end(change.connection, credentials.digest(caller.session_token))
