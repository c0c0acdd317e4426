"""Decides a batch of requests in one transaction. The number of statements does not depend on the size of the batch.

Keys are locked, read and decided. A key whose last requests were refused is first read without a lock. If all its
requests are refused again, it is not locked at all. Refused requests write nothing.
"""

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

import psycopg

from keys import texts
from keys.clock import Clock
from keys.errors import Unavailable
from keys.issuing import secret
from keys.issuing.hashing import Peppers
from keys.issuing.secret import KeyText
from keys.quota.policy import Rules
from keys.store.database import Database, WouldWait
from keys.store.decisions import Answer, Batch, EarlierDecisions, Query
from keys.store.driver import Store
from keys.store.locking import KeyState, ReadStates, TryLock, lock, lock_briefly
from keys.store.refused_requests import RefusedKeys, RefusedRequests
from servicekit.context import remaining_s
from servicekit.errors import InvalidPayload

MAX_BATCH = 1_024
MAX_AT_ONCE = 64
"""Queries that the event loop decides itself: an edge's batch, about 3 ms."""
RESERVATION_ID_BYTES = 16
_REPEATED = (sqlite3.IntegrityError, psycopg.errors.UniqueViolation)
"""The error of the driver if a reservation id exists."""


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

    def authorize_at_once(self, queries: Sequence[Query], busy: Collection[str]) -> BatchResult | None:
        """Does what `authorize_batch` does, on the event loop. Returns None if it would wait, and for a large batch."""
        if len(queries) > MAX_AT_ONCE:
            return None

        def lock_keys(_: Store, key_ids: Collection[str]) -> set[str]:
            return set(key_ids).intersection(busy)

        try:
            return self._authorize(queries, lock_keys, self._refused.__contains__, self._database.at_once)
        except WouldWait:
            return None

    def authorize_batch(self, queries: Sequence[Query], busy: Collection[str], blocked: Collection[str]) -> BatchResult:
        """Does the same as `authorize` with a short lock timeout. Does not wait for the keys `blocked`. Leaves out the
        keys `busy`.
        """

        def lock_keys(connection: Store, key_ids: Collection[str]) -> set[str]:
            free = set(key_ids) - set(busy) - set(blocked)
            lock_briefly(connection, free)
            return set(key_ids) - free - _lock_free(connection, set(key_ids).intersection(blocked).difference(busy))

        return self._authorize(queries, lock_keys, self._refused.__contains__)

    def authorize_unlocked(self, queries: Sequence[Query], busy: Collection[str]) -> BatchResult:
        """Does the same as `authorize` without waiting for locks. Leaves out the keys `busy`."""

        def lock_keys(connection: Store, key_ids: Collection[str]) -> set[str]:
            lock_briefly(connection, ())
            return set(key_ids) - _lock_free(connection, set(key_ids).difference(busy))

        return self._authorize(queries, lock_keys, lambda _: True)

    def _authorize(
        self,
        queries: Sequence[Query],
        lock_keys: Callable[[Store, Collection[str]], set[str]],
        is_read_first: Callable[[str], bool],
        begin: Callable[[], AbstractContextManager[Store]] | None = None,
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
        batches = partial(
            self._decide, queries, parsed, by_key, read_first, lock_keys, begin or self._database.pipelined
        )
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
        begin: Callable[[], AbstractContextManager[Store]],
        *,
        may_repeat: bool,
    ) -> BatchResult:
        """Reads earlier decisions if a query may repeat one. A new reservation id needs none. If an id is not new, its
        row cannot be inserted, and the transaction fails with one of _REPEATED.
        """
        with begin() as connection:
            first = self._batch(connection, queries, read_first, parsed, may_repeat=True)
            undecided = {key_id for key_id, indexes in by_key.items() if not first.refuses_all(indexes)}
            locked = lock_keys(connection, undecided) if undecided else set()
            again = [index for key_id in sorted(undecided - locked) for index in by_key[key_id]]
            second = self._batch(connection, queries, again, parsed, may_repeat=may_repeat)
            second.write()
            _check_deadline()
        waiting = {index for key_id in locked for index in by_key[key_id]}
        answers = {
            index: answer for index, answer in {**first.answers, **second.answers}.items() if index not in waiting
        }
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
    ) -> Batch:
        """Reads the current state of the keys of these queries, and decides."""
        now = self._clock()
        batch = Batch(connection, self._rules, now)
        if not indexes:
            return batch
        texts = {queries[index].api_key for index in indexes}
        keys = [key for text, key in parsed.items() if text in texts]
        reading = ReadStates(connection, sorted({key.key_id for key in keys}), now)
        ids = [queries[index].reservation_id for index in indexes if queries[index].api_key in parsed]
        earlier = EarlierDecisions(connection, ids if may_repeat else ())
        states = reading.states()
        verified = {key.text: states[key.key_id] for key in keys if self._is_right(key, states)}
        identified = [(index, queries[index], verified.get(queries[index].api_key)) for index in indexes]
        batch.decide(identified, earlier.decisions())
        if may_repeat or not batch.refusals(()):
            return batch
        # nothing inserts the row of a refused request, so it may repeat a granted one
        batch = Batch(connection, self._rules, now)
        batch.decide(identified, EarlierDecisions(connection, ids).decisions())
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
