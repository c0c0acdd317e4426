"""Lets admins in: every admin call passes here, with a session or a bearer token, in its own transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from keys.access import credentials
from keys.access.roles import Admin, Role
from keys.clock import Clock
from keys.errors import CsrfFailed, RoleDenied, SignInRequired
from keys.store import sessions
from keys.store.audit import Actor
from keys.store.change import Change, Reading
from keys.store.database import Database


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
    is_worth_a_touch: bool
    token_id: str | None = None


class Gate:
    """Raises SignInRequired, CsrfFailed or RoleDenied, in this order, before anything else is looked at."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @contextmanager
    def changing(self, caller: Caller, at_least: Role) -> Iterator[Change]:
        """A transaction that the caller may change things in. Commits where the block ends."""
        with self._database.writing() as connection:
            now = self._clock()
            at = Reading(connection, now)
            leave = _identify(at, caller, for_change=True)
            if leave.admin is not None and not _has_csrf_token(caller):
                raise CsrfFailed("The CSRF token is missing or wrong.")
            _require(leave, at_least)
            _touch(at, caller, leave)
            yield Change(connection, now, leave.actor)

    @contextmanager
    def reading(self, caller: Caller, at_least: Role = Role.VIEWER) -> Iterator[Reading]:
        """A transaction that the caller may read in."""
        with self._database.reading() as connection:
            at = Reading(connection, self._clock())
            leave = _identify(at, caller)
            _require(leave, at_least)
            yield at
        if leave.is_worth_a_touch:
            with self._database.writing() as connection:
                _touch(Reading(connection, at.now), caller, leave)

    def session(self, caller: Caller) -> tuple[Admin, datetime]:
        """Who is signed in, and until when at the latest. Raises SignInRequired, also for a bearer token."""
        with self._database.reading() as connection:
            leave = _identify(Reading(connection, self._clock()), caller)
        if leave.admin is None or leave.expires_at is None:
            raise SignInRequired("Sign in first.")
        return leave.admin, leave.expires_at


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
            actor = Actor(f"admin {session.admin.email}", caller.client_address)
            return Leave(actor, session.admin.role, session.admin, session.expires_at, session.is_worth_a_touch(at.now))
    raise SignInRequired("Sign in first.")


def _has_csrf_token(caller: Caller) -> bool:
    return credentials.is_same(caller.csrf_token, credentials.csrf_token(caller.session_token))


def _require(leave: Leave, at_least: Role) -> None:
    if leave.role < at_least:
        raise RoleDenied(f"This needs the role {at_least.name.lower()}.")


def _touch(at: Reading, caller: Caller, leave: Leave) -> None:
    if not leave.is_worth_a_touch:
        return
    if leave.token_id is not None:
        sessions.touch_bearer(at.connection, leave.token_id, at.now)
    else:
        sessions.touch(at.connection, credentials.digest(caller.session_token), at.now)
