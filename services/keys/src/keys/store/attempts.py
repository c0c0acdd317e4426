"""Counts failed attempts to sign in. An attempt counts as failed from its start, which limits parallel attempts."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select, update

from keys.store.admin_tables import sign_in_failures
from keys.store.database import add_missing, insert_new
from keys.values.errors import SignInThrottled
from keys.values.throttle import FAILURE_LIFETIME, Limit, wait_s
from servicekit.languages import Text


def begin(connection: Connection, limits: Sequence[Limit], now: datetime) -> None:
    """Counts an attempt. Raises SignInThrottled, without counting, if it comes too soon."""
    by_subject = {_digest(limit): limit for limit in limits}
    subjects, c = sorted(by_subject), sign_in_failures.c
    add_missing(connection, sign_in_failures, [{"subject": id_, "failures": 0, "last_at": now} for id_ in subjects])
    statement = select(c.subject, c.failures, c.last_at).where(c.subject.in_(subjects)).order_by(c.subject)
    rows = {bytes(row.subject): row for row in connection.execute(statement.with_for_update())}
    wait = max(wait_s(by_subject[subject], row.failures, row.last_at, now) for subject, row in rows.items())
    if wait:
        raise SignInThrottled(Text("Trop de tentatives ont échoué.", "Too many attempts failed."), retry_after_s=wait)
    connection.execute(
        update(sign_in_failures).where(c.subject == bindparam("of")).values(failures=bindparam("count"), last_at=now),
        [
            {"of": subject, "count": 1 if now - row.last_at >= FAILURE_LIFETIME else row.failures + 1}
            for subject, row in rows.items()
        ],
    )


def succeed(connection: Connection, limits: Sequence[Limit]) -> None:
    """Removes a successful attempt from the counts, and the failures of its first limit."""
    connection.execute(delete(sign_in_failures).where(sign_in_failures.c.subject == _digest(limits[0])))
    withdraw(connection, limits[1:])


def use_once(connection: Connection, state: str, now: datetime) -> bool:
    """Records the use of a state of single sign-on. Returns whether it is the first. The record outlives the state."""
    subject = hashlib.sha256(f"state {state}".encode()).digest()
    return insert_new(connection, sign_in_failures, {"subject": subject, "failures": 0, "last_at": now})


def withdraw(connection: Connection, limits: Sequence[Limit]) -> None:
    """Removes an attempt from the counts. Earlier failures stay."""
    c = sign_in_failures.c
    statement = update(sign_in_failures).where(c.subject.in_([_digest(limit) for limit in limits]), c.failures > 0)
    connection.execute(statement.values(failures=c.failures - 1))


def delete_old(connection: Connection, now: datetime) -> int:
    return connection.execute(
        delete(sign_in_failures).where(sign_in_failures.c.last_at <= now - FAILURE_LIFETIME)
    ).rowcount


def _digest(limit: Limit) -> bytes:
    return hashlib.sha256(limit.subject.encode()).digest()
