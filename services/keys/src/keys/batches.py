"""Authorizes and records batches. A locked key delays no other key of its batch."""

import asyncio
from collections.abc import Mapping, Sequence

from keys.errors import Blocked, Unavailable
from keys.issuing import secret
from keys.locked_keys import LockedKeys
from keys.metering.outcomes import Outcome
from keys.quota.decision import Grant
from keys.store.authorizing import Answer, Authorizer, BatchResult, Query
from keys.store.settling import Settler
from servicekit.context import deadline, remaining_s
from servicekit.errors import Overloaded
from servicekit.workers import Workers

LOCKED_KEY_TIMEOUT_S = 0.5
"""How long the answers of a batch wait for a key that is held. A call for one key alone waits as long as it may."""


class BatchAuthorizer:
    def __init__(self, authorizer: Authorizer, workers: Workers, held: LockedKeys) -> None:
        self._authorizer = authorizer
        self._workers = workers
        self._held = held

    async def authorize(self, queries: Sequence[Query]) -> list[Answer]:
        """The answers in the order of the queries. Raises InvalidPayload for a malformed batch, Unavailable where the
        database does not answer, and Overloaded.
        """
        try:
            decided = await self._decide_most(queries)
        except Blocked:
            # Somebody holds another row of a key than its own, such as its counts, and it is not known of which one.
            by_key = _by_key(queries)
            answers = await self._decide_each(queries, by_key, is_alone=len(by_key) == 1)
            for key_id, indexes in by_key.items():
                if answers[indexes[0]].decision is None:
                    self._held.try_alone(key_id)
        else:
            answers = dict(decided.answers)
            for answer in decided.answers.values():
                if answer.key is not None and isinstance(answer.decision, Grant):
                    self._held.was_free(answer.key.key_id)
            is_alone = len(decided.held) == 1 and not answers
            answers.update(await self._decide_each(queries, decided.held, is_alone=is_alone))
        return [answers[index] for index in range(len(queries))]

    async def _decide_most(self, queries: Sequence[Query]) -> BatchResult:
        """All at once where nobody holds a key for long, else the free keys."""
        try:
            return await self._workers.run(self._authorizer.authorize_batch, queries, self._held.busy, self._held.apart)
        except Blocked:
            return await self._workers.run(self._authorizer.authorize_unlocked, queries, self._held.busy)

    async def _decide_each(
        self, queries: Sequence[Query], by_key: Mapping[str, Sequence[int]], *, is_alone: bool
    ) -> dict[int, Answer]:
        with deadline(None if is_alone else LOCKED_KEY_TIMEOUT_S):
            found = await asyncio.gather(
                *(self._decide_alone(key_id, queries, indexes) for key_id, indexes in by_key.items())
            )
        return {index: answer for answers in found for index, answer in answers.items()}

    async def _decide_alone(
        self, key_id: str, queries: Sequence[Query], indexes: Sequence[int]
    ) -> Mapping[int, Answer]:
        of_key = [queries[index] for index in indexes]
        try:
            async with asyncio.timeout(remaining_s()):
                answers = await self._held.run(key_id, self._authorizer.authorize, of_key)
        except (Unavailable, Overloaded, TimeoutError):
            answers = [Answer(query.reservation_id, None) for query in of_key]
        return dict(zip(indexes, answers, strict=True))


def _by_key(queries: Sequence[Query]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, query in enumerate(queries):
        key = secret.parse(query.api_key)
        found.setdefault(key.key_id if key is not None else "", []).append(index)
    return found


class BatchRecorder:
    def __init__(self, settler: Settler, workers: Workers, held: LockedKeys) -> None:
        self._settler = settler
        self._workers = workers
        self._held = held

    async def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes, or keeps them to be counted once their key is free. Returns the event ids of those that
        need not be sent again, each once. Raises Unavailable where the database does not answer, and Overloaded; all
        may be sent again then.
        """
        try:
            recorded, left = await self._workers.run(self._settler.try_record, outcomes)
        except Blocked:
            recorded, left = [], list(outcomes)  # somebody holds other rows of a key than its own, such as its counts
        by_key: dict[str, list[Outcome]] = {}
        for outcome in left:
            by_key.setdefault(outcome.key_id, []).append(outcome)
        for ids in await asyncio.gather(*(self._record_alone(key_id, of_key) for key_id, of_key in by_key.items())):
            recorded += ids
        known = set(recorded)
        return list(dict.fromkeys(outcome.event_id for outcome in outcomes if outcome.event_id in known))

    async def _record_alone(self, key_id: str, outcomes: Sequence[Outcome]) -> list[bytes]:
        try:
            return await self._held.run(key_id, self._settler.record, outcomes)
        except Blocked:
            return await self._workers.run(self._settler.queue, outcomes)
