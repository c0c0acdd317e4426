"""Authenticates and authorizes every admin call, by session or bearer token, in the call's own transaction."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from keys.admins import credentials
from keys.store import refused_access, sessions
from keys.store.audit_log import Actor
from keys.store.change import Change, Transaction, role_denied
from keys.store.database import Database
from keys.store.refused_access import Refusal, RefusedAccess
from keys.store.sessions import Principal
from keys.values import texts
from keys.values.clock import Clock
from keys.values.errors import CsrfFailed, KeysError, RoleDenied, SignInRequired, SignInThrottled, TotpEnrolmentRequired
from keys.values.hashing import Peppers
from keys.values.records import Admin, Role
from servicekit.errors import expect
from servicekit.languages import Text


@dataclass(frozen=True)
class Credentials:
    """The credentials and the address of a call, and the check of its payload, which raises InvalidPayload. Only the
    address is in its representation.
    """

    session_token: str = field(default="", repr=False)
    csrf_token: str = field(default="", repr=False)
    bearer_token: str = field(default="", repr=False)
    client_address: str = ""
    check_payload: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)


_ACTIONS: dict[type[KeysError], str] = {
    CsrfFailed: refused_access.CSRF,
    RoleDenied: refused_access.ROLE,
    SignInThrottled: refused_access.THROTTLED,
}
"""The audit log's name for each refusal of an authenticated caller."""


@dataclass(frozen=True)
class AccessControl:
    """What setup, sign-in and each call of an admin need. Its transactions of callers raise SignInRequired, CsrfFailed,
    TotpEnrolmentRequired or RoleDenied, in this order, before they read anything else. Then they check the payload of
    the call. Refusals of authenticated callers are written to the audit log.
    """

    database: Database
    clock: Clock
    peppers: Peppers
    refused: RefusedAccess

    @contextmanager
    def changing(self, caller: Credentials, at_least: Role) -> Iterator[Change]:
        """A transaction in which the caller may change records. It commits when the block ends."""
        with self._changing(caller, partial(_require, at_least=at_least)) as (change, _):
            yield change

    @contextmanager
    def changing_own(self, caller: Credentials) -> Iterator[tuple[Change, Admin]]:
        """A transaction in which an admin changes their own account. A missing second factor does not matter here.
        Raises SignInRequired, also for a bearer token, or CsrfFailed.
        """
        with self._changing(caller, _admin_of) as (change, principal):
            yield change, _admin_of(principal)

    @contextmanager
    def reading(self, caller: Credentials, at_least: Role = Role.VIEWER) -> Iterator[Transaction]:
        """A transaction in which the caller may read."""
        with self._identified(caller, for_change=False) as (transaction, principal):
            _require(principal, at_least)
            caller.check_payload()
            yield transaction
        if principal.is_touch_due(transaction.now):
            with self.database.writing() as connection:
                _touch(Transaction(connection, transaction.now), caller, principal)

    def verify(self, caller: Credentials) -> Principal:
        """Returns the caller of any valid session or bearer token. Raises SignInRequired."""
        with self.database.reading() as connection:
            return _identify(Transaction(connection, self.clock()), caller)

    def session(self, caller: Credentials) -> Principal:
        """Returns the signed-in admin. Raises SignInRequired, also for a bearer token."""
        principal = self.verify(caller)
        _admin_of(principal)
        return principal

    @contextmanager
    def noting(self, action: str, subject: str, client_address: str, *errors: type[KeysError]) -> Iterator[None]:
        """Writes these errors of the block to the audit log, as refusals of somebody who is not signed in."""
        try:
            yield
        except errors as error:
            self.refused.note(Refusal(action, subject, Actor("nobody", client_address), error.detail))
            raise

    @contextmanager
    def _changing(
        self, caller: Credentials, check: Callable[[Principal], object]
    ) -> Iterator[tuple[Change, Principal]]:
        with self._identified(caller, for_change=True) as (transaction, principal):
            _require_csrf_token(principal, caller)
            check(principal)
            caller.check_payload()
            _touch(transaction, caller, principal)
            yield Change(transaction.connection, transaction.now, principal.actor, principal.role), principal

    @contextmanager
    def _identified(self, caller: Credentials, *, for_change: bool) -> Iterator[tuple[Transaction, Principal]]:
        """A transaction and its caller, whose refusal is written to the audit log after the transaction."""
        principal = None
        try:
            with self.database.writing() if for_change else self.database.reading() as connection:
                transaction = Transaction(connection, self.clock())
                principal = _identify(transaction, caller, for_change=for_change)
                yield transaction, principal
        except KeysError as error:
            if principal is not None and type(error) in _ACTIONS:
                self.refused.note(Refusal(_ACTIONS[type(error)], "", principal.actor, error.detail))
            raise


def _identify(transaction: Transaction, caller: Credentials, *, for_change: bool = False) -> Principal:
    find = sessions.find_bearer if caller.bearer_token else sessions.find
    now, address = transaction.now, caller.client_address
    principal = find(transaction.connection, _digest(caller), address, now, for_change=for_change)
    return expect(principal, SignInRequired(texts.SIGN_IN_FIRST))


def _digest(caller: Credentials) -> bytes:
    return credentials.digest(caller.bearer_token or caller.session_token)


def _admin_of(principal: Principal) -> Admin:
    return expect(principal.admin, SignInRequired(texts.SIGN_IN_FIRST))


def _require_csrf_token(principal: Principal, caller: Credentials) -> None:
    is_right = credentials.is_same(caller.csrf_token, credentials.csrf_token(caller.session_token))
    if principal.admin is not None and not is_right:
        raise CsrfFailed(Text("Le jeton anti-CSRF est absent ou incorrect.", "The CSRF token is missing or wrong."))


def _require(principal: Principal, at_least: Role) -> None:
    if principal.must_enrol:
        raise TotpEnrolmentRequired(Text("Activez d’abord un second facteur.", "Enrol a second factor first."))
    if principal.role < at_least:
        raise role_denied(at_least)


def _touch(transaction: Transaction, caller: Credentials, principal: Principal) -> None:
    if principal.is_touch_due(transaction.now):
        touch = sessions.touch_bearer if caller.bearer_token else sessions.touch
        touch(transaction.connection, _digest(caller), transaction.now)
