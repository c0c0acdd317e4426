"""Authorizes and records batches. A locked key delays no other key of its batch."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache

from prometheus_client import Counter

from keys.errors import Blocked, Unavailable
from keys.issuing import secret
from keys.locked_keys import LockedKeys
from keys.metering.outcomes import Outcome
from keys.quota.decision import Denial, Grant
from keys.store.authorizing import Authorizer, BatchResult
from keys.store.decisions import Answer, Query
from keys.store.settling import Settler
from servicekit.context import deadline, remaining_s
from servicekit.errors import Overloaded
from servicekit.workers import Workers

LOCKED_KEY_TIMEOUT_S = 0.5
"""How long a batch of several keys waits for a locked key. A batch of one key waits for its full deadline."""

_decisions = Counter("keys_decisions", "Requests by decision: granted, undecided, or why denied.", ["result"])
_recorded = Counter("keys_outcomes_recorded", "Outcomes that were acknowledged, also if they were known before.")
_RESULTS = {Grant: "granted", type(None): "undecided"}
for _known in _RESULTS.values():  # from 0, so that a rate includes the first one
    _decisions.labels(_known)


class BatchAuthorizer:
    def __init__(self, authorizer: Authorizer, workers: Workers, locked: LockedKeys) -> None:
        self._authorizer = authorizer
        self._workers = workers
        self._locked = locked

    async def authorize(self, queries: Sequence[Query]) -> list[Answer]:
        """Returns the answers in the order of the queries. Raises InvalidPayload for a malformed batch, Unavailable if
        the database does not answer, and Overloaded.
        """
        try:
            decided = await self._decide_together(queries)
        except Blocked:
            # Another row of some key is locked, such as its counts. The error does not say of which key.
            by_key = _by_key(queries)
            answers = await self._decide_each(queries, by_key, is_only_key=len(by_key) == 1)
            for key_id, indexes in by_key.items():
                if answers[indexes[0]].decision is None:
                    self._locked.isolate(key_id)
        else:
            answers = dict(decided.answers)
            for answer in decided.answers.values():
                if answer.key is not None and isinstance(answer.decision, Grant):
                    self._locked.note_free(answer.key.key_id)
            is_only_key = len(decided.locked) == 1 and not answers
            answers.update(await self._decide_each(queries, decided.locked, is_only_key=is_only_key))
        in_order = [answers[index] for index in range(len(queries))]
        for answer in in_order:
            _count(answer.decision.code if isinstance(answer.decision, Denial) else _RESULTS[type(answer.decision)])
        return in_order

    async def _decide_together(self, queries: Sequence[Query]) -> BatchResult:
        """Decides all keys in one transaction. If the locks take too long, decides only the unlocked keys."""
        decided = self._authorizer.authorize_at_once(queries, self._locked.busy)
        if decided is not None:
            return decided
        try:
            return await self._workers.run(
                self._authorizer.authorize_batch, queries, self._locked.busy, self._locked.blocked
            )
        except Blocked:
            return await self._workers.run(self._authorizer.authorize_unlocked, queries, self._locked.busy)

    async def _decide_each(
        self, queries: Sequence[Query], by_key: Mapping[str, Sequence[int]], *, is_only_key: bool
    ) -> dict[int, Answer]:
        with deadline(None if is_only_key else LOCKED_KEY_TIMEOUT_S):
            answers_of_keys = await asyncio.gather(
                *(self._decide_alone(key_id, queries, indexes) for key_id, indexes in by_key.items())
            )
        return {index: answer for answers in answers_of_keys for index, answer in answers.items()}

    async def _decide_alone(
        self, key_id: str, queries: Sequence[Query], indexes: Sequence[int]
    ) -> Mapping[int, Answer]:
        of_key = [queries[index] for index in indexes]
        try:
            async with asyncio.timeout(remaining_s()):
                answers = await self._locked.run(key_id, self._authorizer.authorize, of_key)
        except (Unavailable, Overloaded, TimeoutError):
            answers = [Answer(query.reservation_id, None) for query in of_key]
        return dict(zip(indexes, answers, strict=True))


def _count(result: str) -> None:
    """Looks up the label once: that costs more than to count."""
    _counter(result).inc()


@cache
def _counter(result: str) -> Counter:
    return _decisions.labels(result)


def _by_key(queries: Sequence[Query]) -> dict[str, list[int]]:
    by_key: dict[str, list[int]] = {}
    for index, query in enumerate(queries):
        key = secret.parse(query.api_key)
        by_key.setdefault(key.key_id if key is not None else "", []).append(index)
    return by_key


class BatchRecorder:
    def __init__(self, settler: Settler, workers: Workers, locked: LockedKeys) -> None:
        self._settler = settler
        self._workers = workers
        self._locked = locked

    async def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes. Outcomes of a locked key are queued in the database and counted later. Returns the event
        ids that the caller need not send again, each once. Raises Unavailable if the database does not answer, and
        Overloaded; the caller may then send all of them again.
        """
        try:
            recorded, uncounted = await self._workers.run(self._settler.try_record, outcomes)
        except Blocked:
            recorded, uncounted = [], list(outcomes)  # another row of some key is locked, such as its counts
        by_key: dict[str, list[Outcome]] = {}
        for outcome in uncounted:
            by_key.setdefault(outcome.key_id, []).append(outcome)
        for ids in await asyncio.gather(*(self._record_alone(key_id, of_key) for key_id, of_key in by_key.items())):
            recorded += ids
        recorded_ids = set(recorded)
        acknowledged = list(dict.fromkeys(outcome.event_id for outcome in outcomes if outcome.event_id in recorded_ids))
        _recorded.inc(len(acknowledged))
        return acknowledged

    async def _record_alone(self, key_id: str, outcomes: Sequence[Outcome]) -> list[bytes]:
        try:
            return await self._locked.run(key_id, self._settler.record, outcomes)
        except Blocked:
            return await self._workers.run(self._settler.queue, outcomes)
