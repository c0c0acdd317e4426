"""Decides a batch of requests in one transaction, in a number of statements that does not grow with the batch."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, insert, select

from keys.clock import Clock, hour_of, microseconds
from keys.errors import Unavailable
from keys.issuing import secret
from keys.issuing.hashing import Peppers
from keys.issuing.secret import KeyText
from keys.quota import decision as deciding
from keys.quota import months
from keys.quota.decision import Call, Denial, Grant, RateLimit, Standing
from keys.quota.policy import AssistantMode, KeyPolicy, Rules
from keys.quota.rates import RateState
from keys.store import rollups
from keys.store.database import Database, add_to_counts, put_rows
from keys.store.locking import KeyState, lock, read_states
from keys.store.rollups import Place
from keys.store.tables import key_activity, key_months, reservations
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload

MAX_BATCH = 1_024
RESERVATION_ID_BYTES = 16
_FIRST = select(
    reservations.c.id,
    reservations.c.key_id,
    reservations.c.units,
    reservations.c.assistant_mode,
    reservations.c.token_limit,
    reservations.c.denial_code,
    reservations.c.denial_detail,
    reservations.c.retry_after_s,
).where(reservations.c.id.in_(bindparam("ids", expanding=True)))
_RESERVE = insert(reservations)
_NOT_A_KEY = Denial("invalid_key", "This is not a valid key.")


@dataclass(frozen=True)
class Query:
    """A request to decide. The key's text stays out of every representation."""

    reservation_id: bytes
    api_key: str = field(repr=False)
    endpoint: str
    client_address: str


@dataclass(frozen=True)
class Answer:
    """The decision on one query. `key` and `limits` are empty where no key was identified."""

    reservation_id: bytes
    decision: Grant | Denial
    key: KeyPolicy | None = None
    limits: Sequence[RateLimit] = ()


class Authorizer:
    """Authorizes batches. Each request is granted wholly or not at all; a reservation id that was decided before gets
    its first answer.
    """

    def __init__(self, database: Database, peppers: Peppers, rules: Rules, clock: Clock) -> None:
        self._database = database
        self._peppers = peppers
        self._rules = rules
        self._clock = clock

    def authorize(self, queries: Sequence[Query]) -> list[Answer]:
        """The answers in the order of the queries. Raises InvalidPayload for a malformed batch, Unavailable where the
        database does not answer, or so late that the caller has left; nothing is reserved then.
        """
        if len(queries) > MAX_BATCH:
            raise InvalidPayload(f"A batch has at most {MAX_BATCH} queries.")
        if any(len(query.reservation_id) != RESERVATION_ID_BYTES for query in queries):
            raise InvalidPayload(f"A reservation id has {RESERVATION_ID_BYTES} bytes.")
        parsed = [key for text in {query.api_key for query in queries} if (key := secret.parse(text)) is not None]
        key_ids = sorted({key.key_id for key in parsed})
        _require_time()
        with self._database.writing() as connection:
            lock(connection, key_ids)
            now = self._clock()
            states = read_states(connection, key_ids, now)
            verified = {key.text: states[key.key_id] for key in parsed if self._is_right(key, states)}
            identified = [(query, verified.get(query.api_key)) for query in queries]
            answers = _Batch(connection, self._rules, now).decide(identified)
            _require_time()
            return answers

    def _is_right(self, key: KeyText, states: Mapping[str, KeyState]) -> bool:
        state = states.get(key.key_id)
        return self._peppers.verify(key.text, state.secrets if state is not None else ())


def _require_time() -> None:
    if remaining_s() == 0:
        raise Unavailable("The decision comes too late for its caller.")


class _Batch:
    """One transaction's decisions, made in order in memory and written together."""

    def __init__(self, connection: Connection, rules: Rules, now: datetime) -> None:
        self._connection = connection
        self._rules = rules
        self._now = now
        self._now_us = microseconds(now)
        self._month = months.month_of(now)
        self._inserts: list[dict[str, Any]] = []

    def decide(self, identified: Sequence[tuple[Query, KeyState | None]]) -> list[Answer]:
        first = self._first_answers([query.reservation_id for query, state in identified if state is not None])
        standings = {state.policy.key_id: self._standing(state) for _, state in identified if state is not None}
        before = dict(standings)
        answers = []
        for query, state in identified:
            if state is None:
                answers.append(Answer(query.reservation_id, _NOT_A_KEY))
                continue
            policy, key_id = state.policy, state.policy.key_id
            owner, decision = first.get(query.reservation_id, (key_id, None))
            if owner != key_id:
                raise InvalidPayload("A reservation id belongs to another key.")
            if decision is None:
                decision = deciding.decide(
                    policy, standings[key_id], Call(query.endpoint, query.client_address), self._now, self._rules
                )
                standings[key_id] = deciding.after(standings[key_id], decision)
                first[query.reservation_id] = (key_id, decision)
                self._inserts.append(self._row(query, key_id, decision))
            limits = deciding.rate_limits(policy, standings[key_id], self._now)
            answers.append(Answer(query.reservation_id, decision, policy, limits))
        self._write(before, standings)
        return answers

    def _standing(self, state: KeyState) -> Standing:
        quota = state.policy.quota
        rates = state.rates or RateState.full(quota.burst, self._now_us)
        return Standing(rates.at(self._now_us, quota.per_minute, quota.burst), state.month)

    def _first_answers(self, ids: Sequence[bytes]) -> dict[bytes, tuple[str, Grant | Denial | None]]:
        if not ids:
            return {}
        rows = self._connection.execute(_FIRST, {"ids": ids}).mappings()
        return {row["id"]: (row["key_id"], _read_decision(row)) for row in rows}

    def _row(self, query: Query, key_id: str, decision: Grant | Denial) -> dict[str, Any]:
        granted = decision if isinstance(decision, Grant) else None
        denied = decision if isinstance(decision, Denial) else None
        return {
            "id": query.reservation_id,
            "key_id": key_id,
            "endpoint": query.endpoint,
            "reserved_at": self._now,
            "month": self._month,
            "state": "denied" if denied else "held",
            "units": granted.units if granted else 0,
            "assistant_mode": granted.assistant if granted else None,
            "token_limit": granted.token_limit if granted else None,
            "denial_code": denied.code if denied else None,
            "denial_detail": denied.detail if denied else None,
            "retry_after_s": denied.retry_after_s if denied else None,
        }

    def _write(self, before: dict[str, Standing], standings: dict[str, Standing]) -> None:
        if not self._inserts:
            return
        self._connection.execute(_RESERVE, self._inserts)
        used = sorted({row["key_id"] for row in self._inserts})
        add_to_counts(
            self._connection,
            key_months,
            [_difference(key_id, self._month, before[key_id], standings[key_id]) for key_id in used],
        )
        put_rows(
            self._connection,
            key_activity,
            [{"key_id": key_id, **vars(standings[key_id].rates), "last_used_at": self._now} for key_id in used],
        )
        hour = hour_of(self._now)
        denied = Counter(
            Place(hour, row["key_id"], row["endpoint"]) for row in self._inserts if row["state"] == "denied"
        )
        rollups.add(self._connection, {place: {"requests": count, "errors": count} for place, count in denied.items()})


def _read_decision(row: RowMapping) -> Grant | Denial:
    if row["denial_code"] is not None:
        return Denial(row["denial_code"], row["denial_detail"], row["retry_after_s"])
    mode = row["assistant_mode"]
    return Grant(row["units"], AssistantMode(mode) if mode is not None else None, row["token_limit"])


def _difference(key_id: str, month: str, before: Standing, now: Standing) -> dict[str, Any]:
    return {
        "key_id": key_id,
        "month": month,
        "requests": now.month.requests - before.month.requests,
        "errors": now.month.errors - before.month.errors,
        "reserved_units": now.month.reserved_units - before.month.reserved_units,
        "reserved_calls": now.month.reserved_calls - before.month.reserved_calls,
        "reserved_tokens": now.month.reserved_tokens - before.month.reserved_tokens,
    }
