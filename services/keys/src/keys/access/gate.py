"""Lets admins in: every admin call passes here, with a session or a bearer token, in its own transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from keys.access import credentials
from keys.access.roles import Admin, Role
from keys.clock import Clock
from keys.errors import (
    CsrfFailed,
    KeysError,
    RoleDenied,
    SignInRequired,
    SignInThrottled,
    TotpEnrolmentRequired,
)
from keys.store import access_policy, refused_access, sessions
from keys.store.audit import Actor
from keys.store.change import Change, Reading
from keys.store.database import Database
from keys.store.refused_access import Refusal, RefusedAccess


@dataclass(frozen=True)
class Caller:
    """What a call carries of who makes it. Nothing of it is in any representation but the address."""

    session_token: str = field(default="", repr=False)
    csrf_token: str = field(default="", repr=False)
    bearer_token: str = field(default="", repr=False)
    client_address: str = ""


@dataclass(frozen=True)
class Leave:
    """Who the caller was found to be; `admin` is None for a bearer token."""

    actor: Actor
    role: Role
    admin: Admin | None
    expires_at: datetime | None
    """The end of the session at the latest."""
    is_worth_a_touch: bool
    token_id: str | None = None
    is_totp_required: bool = False

    @property
    def must_enrol(self) -> bool:
        """Whether the session may only enrol a second factor."""
        return self.admin is not None and self.is_totp_required and not self.admin.has_totp


_ACTIONS: dict[type[KeysError], str] = {
    CsrfFailed: refused_access.CSRF,
    RoleDenied: refused_access.ROLE,
    SignInThrottled: refused_access.THROTTLED,
}
"""What the audit log calls each refusal of somebody who is signed in."""


class CurrentSession(NamedTuple):
    """`expires_at` is the end at the latest."""

    admin: Admin
    expires_at: datetime
    is_totp_required: bool
    """Whether owners demand a second factor of every admin."""


class Gate:
    """Raises SignInRequired, CsrfFailed, TotpEnrolmentRequired or RoleDenied, in this order, before anything else is
    looked at. Notes the refusals of those who are signed in.
    """

    def __init__(self, database: Database, clock: Clock, refused: RefusedAccess) -> None:
        self._database = database
        self._clock = clock
        self._refused = refused

    @contextmanager
    def changing(self, caller: Caller, at_least: Role) -> Iterator[Change]:
        """A transaction that the caller may change things in. Commits where the block ends."""
        with self._noting() as identified, self._database.writing() as connection:
            at = Reading(connection, self._clock())
            leave = _identify(at, caller, for_change=True)
            identified.append(leave)
            _require_csrf_token(leave, caller)
            _require(leave, at_least)
            _touch(at, caller, leave)
            yield Change(connection, at.now, leave.actor, leave.role)

    @contextmanager
    def changing_own(self, caller: Caller) -> Iterator[tuple[Change, Admin]]:
        """A transaction in which an admin changes their own account, whether or not a second factor is missing. Raises
        SignInRequired, also for a bearer token, or CsrfFailed.
        """
        with self._noting() as identified, self._database.writing() as connection:
            at = Reading(connection, self._clock())
            leave = _identify(at, caller, for_change=True)
            identified.append(leave)
            if leave.admin is None:
                raise SignInRequired("Sign in first.")
            _require_csrf_token(leave, caller)
            _touch(at, caller, leave)
            yield Change(connection, at.now, leave.actor, leave.role), leave.admin

    @contextmanager
    def reading(self, caller: Caller, at_least: Role = Role.VIEWER) -> Iterator[Reading]:
        """A transaction that the caller may read in."""
        with self._noting() as identified, self._database.reading() as connection:
            at = Reading(connection, self._clock())
            leave = _identify(at, caller)
            identified.append(leave)
            _require(leave, at_least)
            yield at
        if leave.is_worth_a_touch:
            with self._database.writing() as connection:
                _touch(Reading(connection, at.now), caller, leave)

    def session(self, caller: Caller) -> CurrentSession:
        """Who is signed in. Raises SignInRequired, also for a bearer token."""
        with self._database.reading() as connection:
            leave = _identify(Reading(connection, self._clock()), caller)
        if leave.admin is None or leave.expires_at is None:
            raise SignInRequired("Sign in first.")
        return CurrentSession(leave.admin, leave.expires_at, leave.is_totp_required)

    @contextmanager
    def _noting(self) -> Iterator[list[Leave]]:
        """Notes the refusal of a caller who was identified, once its transaction is over."""
        identified: list[Leave] = []
        try:
            yield identified
        except TotpEnrolmentRequired:
            raise
        except (CsrfFailed, RoleDenied, SignInThrottled) as error:
            for leave in identified:
                self._refused.note(Refusal(_ACTIONS[type(error)], "", leave.actor, error.detail))
            raise


def _identify(at: Reading, caller: Caller, *, for_change: bool = False) -> Leave:
    if caller.bearer_token:
        digest = credentials.digest(caller.bearer_token)
        bearer = sessions.find_bearer(at.connection, digest, at.now, for_change=for_change)
        if bearer is not None:
            actor = Actor(f"token {bearer.label} ({bearer.id})", caller.client_address)
            return Leave(actor, bearer.role, None, None, bearer.is_worth_a_touch(at.now), bearer.id)
    elif caller.session_token:
        digest = credentials.digest(caller.session_token)
        session = sessions.find(at.connection, digest, at.now, for_change=for_change)
        if session is not None:
            return Leave(
                Actor(f"admin {session.admin.email}", caller.client_address),
                session.admin.role,
                session.admin,
                session.expires_at,
                session.is_worth_a_touch(at.now),
                is_totp_required=access_policy.is_totp_required(at.connection),
            )
    raise SignInRequired("Sign in first.")


def _require_csrf_token(leave: Leave, caller: Caller) -> None:
    is_right = credentials.is_same(caller.csrf_token, credentials.csrf_token(caller.session_token))
    if leave.admin is not None and not is_right:
        raise CsrfFailed("The CSRF token is missing or wrong.")


def _require(leave: Leave, at_least: Role) -> None:
    if leave.must_enrol:
        raise TotpEnrolmentRequired("Enrol a second factor first.")
    if leave.role < at_least:
        raise RoleDenied(f"This needs the role {at_least.name.lower()}.")


def _touch(at: Reading, caller: Caller, leave: Leave) -> None:
    if not leave.is_worth_a_touch:
        return
    if leave.token_id is not None:
        sessions.touch_bearer(at.connection, leave.token_id, at.now)
    else:
        sessions.touch(at.connection, credentials.digest(caller.session_token), at.now)
