"""Decides a batch of requests in one transaction. The number of statements does not depend on the size of the batch.

Keys are locked, read and decided. A key whose last requests were refused is first read without a lock. If all its
requests are refused again, it is not locked at all. Refused requests write nothing.
"""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import psycopg
from sqlalchemy import bindparam, insert, select

from keys import texts
from keys.clock import Clock, hour_of, microseconds
from keys.errors import Unavailable
from keys.issuing import secret
from keys.issuing.hashing import Peppers
from keys.issuing.secret import KeyText
from keys.quota import decision as deciding
from keys.quota import months
from keys.quota.decision import Call, Consumption, Denial, Grant, RateLimit
from keys.quota.policy import AssistantMode, KeyPolicy, Rules
from keys.quota.rates import RateState
from keys.store import driver
from keys.store.database import Database, adding_to_counts, putting_rows
from keys.store.driver import Store
from keys.store.locking import KeyState, ReadStates, TryLock, lock, lock_briefly
from keys.store.refused_requests import RefusedKeys, RefusedRequest, RefusedRequests
from keys.store.rollups import RollupKey
from keys.store.tables import key_activity, key_months, reservations
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload

MAX_BATCH = 1_024
RESERVATION_ID_BYTES = 16
_EARLIER_DECISIONS = select(
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
_REPEATED = (sqlite3.IntegrityError, psycopg.errors.UniqueViolation)
"""The error of the driver if a reservation id exists."""
_NOT_A_KEY = Denial("invalid_key", "This is not a valid key.")


@dataclass(frozen=True)
class Query:
    """A request to decide. The key's text is in no representation."""

    reservation_id: bytes
    api_key: str = field(repr=False)
    endpoint: str
    client_address: str


@dataclass(frozen=True)
class Answer:
    """The decision on one query. None means that nothing was decided or reserved. `key` and `limits` are empty if no
    key was identified.
    """

    reservation_id: bytes
    decision: Grant | Denial | None
    key: KeyPolicy | None = None
    limits: Sequence[RateLimit] = ()


@dataclass(frozen=True)
class BatchResult:
    """Answers by the index of their query, and the indexes of undecided queries by their locked key."""

    answers: Mapping[int, Answer]
    locked: Mapping[str, Sequence[int]]


class Authorizer:
    """Authorizes batches. Each request is granted in full or not at all. A reservation id that was granted before gets
    its first answer.
    """

    def __init__(
        self, database: Database, peppers: Peppers, rules: Rules, clock: Clock, refusals: RefusedRequests
    ) -> None:
        self._database = database
        self._peppers = peppers
        self._rules = rules
        self._clock = clock
        self._refusals = refusals
        self._refused = RefusedKeys()

    def authorize(self, queries: Sequence[Query]) -> list[Answer]:
        """Locks every key and returns the answers in the order of the queries. Raises InvalidPayload for a malformed
        batch, Blocked if a lock times out, and Unavailable if the database does not answer in time. Nothing is reserved
        then.
        """
        answers = self._authorize(queries, _lock_all, self._refused.__contains__).answers
        return [answers[index] for index in range(len(queries))]

    def authorize_batch(self, queries: Sequence[Query], busy: Collection[str], blocked: Collection[str]) -> BatchResult:
        """Like `authorize`, with a short lock timeout. Does not wait for the keys `blocked`. Leaves out the keys
        `busy`.
        """

        def lock_keys(connection: Store, key_ids: Collection[str]) -> set[str]:
            free = set(key_ids) - set(busy) - set(blocked)
            lock_briefly(connection, free)
            return set(key_ids) - free - _lock_free(connection, set(key_ids).intersection(blocked).difference(busy))

        return self._authorize(queries, lock_keys, self._refused.__contains__)

    def authorize_unlocked(self, queries: Sequence[Query], busy: Collection[str]) -> BatchResult:
        """Like `authorize`, without waiting for locks. Leaves out the keys `busy`."""

        def lock_keys(connection: Store, key_ids: Collection[str]) -> set[str]:
            lock_briefly(connection, ())
            return set(key_ids) - _lock_free(connection, set(key_ids).difference(busy))

        return self._authorize(queries, lock_keys, lambda _: True)

    def _authorize(
        self,
        queries: Sequence[Query],
        lock_keys: Callable[[Store, Collection[str]], set[str]],
        is_read_first: Callable[[str], bool],
    ) -> BatchResult:
        """`lock_keys` locks keys and returns those that it could not lock."""
        if len(queries) > MAX_BATCH:
            raise InvalidPayload(texts.BATCH_TOO_LARGE.format(most=MAX_BATCH))
        if any(len(query.reservation_id) != RESERVATION_ID_BYTES for query in queries):
            raise InvalidPayload(texts.WRONG_RESERVATION_ID.format(size=RESERVATION_ID_BYTES))
        parsed = {text: key for text in {query.api_key for query in queries} if (key := secret.parse(text)) is not None}
        by_key: dict[str, list[int]] = {}
        read_first: list[int] = []
        for index, query in enumerate(queries):
            key = parsed.get(query.api_key)
            if key is not None:
                by_key.setdefault(key.key_id, []).append(index)
            if key is None or is_read_first(key.key_id):
                read_first.append(index)
        _check_deadline()
        batches = partial(self._decide, queries, parsed, by_key, read_first, lock_keys)
        try:
            return batches(may_repeat=False)
        except _REPEATED:
            return batches(may_repeat=True)

    def _decide(
        self,
        queries: Sequence[Query],
        parsed: Mapping[str, KeyText],
        by_key: Mapping[str, Sequence[int]],
        read_first: Sequence[int],
        lock_keys: Callable[[Store, Collection[str]], set[str]],
        *,
        may_repeat: bool,
    ) -> BatchResult:
        """Reads earlier decisions if a query may repeat one. A new reservation id needs none. If an id is not new, its
        row cannot be inserted, and the transaction fails with one of _REPEATED.
        """
        with self._database.pipelined() as connection:
            first = self._batch(connection, queries, read_first, parsed, may_repeat=True)
            undecided = {key_id for key_id, indexes in by_key.items() if not first.refuses_all(indexes)}
            locked = lock_keys(connection, undecided) if undecided else set()
            again = [index for key_id in sorted(undecided - locked) for index in by_key[key_id]]
            second = self._batch(connection, queries, again, parsed, may_repeat=may_repeat)
            second.write()
            _check_deadline()
        waiting = {index for key_id in locked for index in by_key[key_id]}
        answers = {index: each for index, each in {**first.answers, **second.answers}.items() if index not in waiting}
        self._refusals.count([*first.refusals({*again, *waiting}), *second.refusals(())])
        for key_id in undecided - locked:
            self._refused.note(key_id, is_refused=second.refuses_all(by_key[key_id]))
        return BatchResult(answers, {key_id: by_key[key_id] for key_id in locked})

    def _batch(
        self,
        connection: Store,
        queries: Sequence[Query],
        indexes: Sequence[int],
        parsed: Mapping[str, KeyText],
        *,
        may_repeat: bool,
    ) -> "_Batch":
        """Reads the current state of the keys of these queries, and decides."""
        now = self._clock()
        batch = _Batch(connection, self._rules, now)
        if not indexes:
            return batch
        texts = {queries[index].api_key for index in indexes}
        asked = [key for text, key in parsed.items() if text in texts]
        reading = ReadStates(connection, sorted({key.key_id for key in asked}), now)
        ids = [queries[index].reservation_id for index in indexes if queries[index].api_key in parsed]
        earlier = _EarlierDecisions(connection, ids if may_repeat else ())
        states = reading.states()
        verified = {key.text: states[key.key_id] for key in asked if self._is_right(key, states)}
        identified = [(index, queries[index], verified.get(queries[index].api_key)) for index in indexes]
        batch.decide(identified, earlier.decisions())
        if may_repeat or not batch.refusals(()):
            return batch
        # nothing inserts the row of a refused request, so it may repeat a granted one
        batch = _Batch(connection, self._rules, now)
        batch.decide(identified, _EarlierDecisions(connection, ids).decisions())
        return batch

    def _is_right(self, key: KeyText, states: Mapping[str, KeyState]) -> bool:
        state = states.get(key.key_id)
        return self._peppers.verify(key.text, state.secrets if state is not None else ())


def _lock_free(connection: Store, key_ids: Collection[str]) -> set[str]:
    """Locks the unlocked keys. Returns them, and those that do not exist."""
    return set(key_ids) - TryLock(connection, key_ids).failed()


def _lock_all(connection: Store, key_ids: Collection[str]) -> set[str]:
    lock(connection, key_ids)
    return set()


def _check_deadline() -> None:
    if remaining_s() == 0:
        raise Unavailable(texts.TOO_LATE)


class _Batch:
    """Decides requests in order, in memory, and writes all grants together."""

    def __init__(self, connection: Store, rules: Rules, now: datetime) -> None:
        self._connection = connection
        self._rules = rules
        self._now = now
        self._now_us = microseconds(now)
        self._month = months.month_of(now)
        self._before: dict[str, Consumption] = {}
        self._consumptions: dict[str, Consumption] = {}
        self._inserts: list[dict[str, Any]] = []
        self._refusals: list[tuple[int, RefusedRequest]] = []
        self.answers: dict[int, Answer] = {}

    def decide(
        self,
        identified: Sequence[tuple[int, Query, KeyState | None]],
        first: dict[bytes, tuple[str, Grant | Denial | None]],
    ) -> None:
        """`first` has the earlier decisions and their keys, by reservation id."""
        self._before = {
            state.policy.key_id: self._consumption(state) for _, _, state in identified if state is not None
        }
        self._consumptions = dict(self._before)
        for index, query, state in identified:
            if state is None:
                self.answers[index] = Answer(query.reservation_id, _NOT_A_KEY)
                continue
            policy, key_id = state.policy, state.policy.key_id
            owner, decision = first.get(query.reservation_id, (key_id, None))
            if owner != key_id:
                raise InvalidPayload(texts.RESERVATION_OF_ANOTHER_KEY)
            if decision is None:
                decision = deciding.decide(
                    policy,
                    self._consumptions[key_id],
                    Call(query.endpoint, query.client_address),
                    self._now,
                    self._rules,
                )
                self._consumptions[key_id] = deciding.apply(self._consumptions[key_id], decision)
                first[query.reservation_id] = (key_id, decision)
                self._note(index, query, key_id, decision)
            limits = deciding.rate_limits(policy, self._consumptions[key_id], self._now)
            self.answers[index] = Answer(query.reservation_id, decision, policy, limits)

    def refuses_all(self, indexes: Sequence[int]) -> bool:
        """Whether this batch decided and refused all of these."""
        return all(index in self.answers and isinstance(self.answers[index].decision, Denial) for index in indexes)

    def refusals(self, without: Collection[int]) -> list[RefusedRequest]:
        """Returns the refused requests, except those at these indexes."""
        return [refusal for index, refusal in self._refusals if index not in without]

    def write(self) -> None:
        """Writes the grants and waits for it, since another transaction may have locked the counts."""
        if not self._inserts:
            return
        used = sorted({row["key_id"] for row in self._inserts})
        differences = [
            _difference(key_id, self._month, self._before[key_id], self._consumptions[key_id]) for key_id in used
        ]
        activities = [
            {"key_id": key_id, **vars(self._consumptions[key_id].rates), "last_used_at": self._now} for key_id in used
        ]
        driver.write_together(
            self._connection,
            [
                (_RESERVE, self._inserts),
                adding_to_counts(self._connection, key_months, differences),
                putting_rows(self._connection, key_activity, activities),
            ],
        )
        driver.wait(self._connection)

    def _note(self, index: int, query: Query, key_id: str, decision: Grant | Denial) -> None:
        if isinstance(decision, Denial):
            rollup_key = RollupKey(hour_of(self._now), key_id, query.endpoint)
            self._refusals.append((index, RefusedRequest(self._month, rollup_key)))
        else:
            self._inserts.append(self._row(query, key_id, decision))

    def _consumption(self, state: KeyState) -> Consumption:
        quota = state.policy.quota
        rates = state.rates or RateState.full(quota.burst, self._now_us)
        return Consumption(rates.at(self._now_us, quota.per_minute, quota.burst), state.month)

    def _row(self, query: Query, key_id: str, granted: Grant) -> dict[str, Any]:
        return {
            "id": query.reservation_id,
            "key_id": key_id,
            "endpoint": query.endpoint,
            "reserved_at": self._now,
            "month": self._month,
            "state": "held",
            "units": granted.units,
            "assistant_mode": granted.assistant,
            "token_limit": granted.token_limit,
        }


class _EarlierDecisions:
    """Reads the decisions on these reservation ids. An earlier version also stored denials."""

    def __init__(self, connection: Store, ids: Sequence[bytes]) -> None:
        self._rows = driver.read(connection, _EARLIER_DECISIONS, {"ids": ids})

    def decisions(self) -> dict[bytes, tuple[str, Grant | Denial | None]]:
        return {row[0]: (row[1], _read_decision(*row[2:])) for row in self._rows}


def _read_decision(
    units: int, mode: str | None, token_limit: int | None, code: str | None, detail: str, retry_after_s: int | None
) -> Grant | Denial:
    if code is not None:
        return Denial(code, detail, retry_after_s)
    return Grant(units, AssistantMode(mode) if mode is not None else None, token_limit)


def _difference(key_id: str, month: str, before: Consumption, now: Consumption) -> dict[str, Any]:
    return {
        "key_id": key_id,
        "month": month,
        "reserved_units": now.month.reserved_units - before.month.reserved_units,
        "reserved_calls": now.month.reserved_calls - before.month.reserved_calls,
        "reserved_tokens": now.month.reserved_tokens - before.month.reserved_tokens,
    }
