"""A queue of outcomes whose key is locked by another transaction."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, select

from keys.metering.outcomes import AnsweredLines, AssistantUse, Outcome
from keys.store.database import add_missing
from keys.store.tables import waiting_outcomes

MAX_KEYS = 1_000
_BATCH = 1_000
_LINE_BYTES = ("request_id", "succeeded")


def add(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Adds the outcomes that are not in the queue."""
    rows = [{"id": outcome.event_id, "key_id": outcome.key_id, "outcome": _json(outcome)} for outcome in outcomes]
    add_missing(connection, waiting_outcomes, sorted(rows, key=lambda row: row["id"]))


def key_ids(connection: Connection) -> list[str]:
    """Returns at most 1,000 keys with queued outcomes."""
    c = waiting_outcomes.c
    return list(connection.execute(select(c.key_id).distinct().order_by(c.key_id).limit(MAX_KEYS)).scalars())


def count(connection: Connection) -> int:
    """Returns the number of queued outcomes."""
    return connection.execute(select(func.count()).select_from(waiting_outcomes)).scalar_one()


def of_key(connection: Connection, key_id: str) -> list[Outcome]:
    """Returns at most 1,000 outcomes of a key."""
    c = waiting_outcomes.c
    statement = select(c.outcome).where(c.key_id == key_id).order_by(c.id).limit(_BATCH)
    return [_outcome(stored) for stored in connection.execute(statement).scalars()]


def remove(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Removes the outcomes. Must be last in its transaction: `add` of the same outcomes waits for it."""
    ids = [outcome.event_id for outcome in outcomes]
    connection.execute(delete(waiting_outcomes).where(waiting_outcomes.c.id.in_(ids)))


def _json(outcome: Outcome) -> dict[str, Any]:
    lines = outcome.lines
    return {
        **asdict(outcome),
        "event_id": outcome.event_id.hex(),
        "reservation_id": outcome.reservation_id.hex(),
        "occurred_at": outcome.occurred_at.isoformat(),
        "lines": lines and {**asdict(lines), "request_id": lines.request_id.hex(), "succeeded": lines.succeeded.hex()},
    }


def _outcome(fields: dict[str, Any]) -> Outcome:
    lines = fields["lines"]
    read = {
        "event_id": bytes.fromhex(fields["event_id"]),
        "reservation_id": bytes.fromhex(fields["reservation_id"]),
        "occurred_at": datetime.fromisoformat(fields["occurred_at"]),
        "assistant_use": AssistantUse(fields["assistant_use"]),
        "lines": lines and AnsweredLines(**{**lines, **{name: bytes.fromhex(lines[name]) for name in _LINE_BYTES}}),
    }
    return Outcome(**{**fields, **read})
