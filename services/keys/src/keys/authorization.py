"""Authorizes a batch so that a key which another transaction holds fails alone."""

import asyncio
from collections.abc import Mapping, Sequence

from keys.errors import Blocked, Unavailable
from keys.held_keys import HeldKeys
from keys.issuing import secret
from keys.quota.decision import Grant
from keys.store.authorizing import Answer, Authorizer, Decided, Query
from servicekit.context import deadline, remaining_s
from servicekit.errors import Overloaded
from servicekit.workers import Workers

BESIDE_OTHERS_S = 0.5
"""How long the answers of a batch wait for a key that is held. A call for one key alone waits as long as it may."""


class Authorizations:
    def __init__(self, authorizer: Authorizer, workers: Workers, held: HeldKeys) -> None:
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

    async def _decide_most(self, queries: Sequence[Query]) -> Decided:
        """All at once where nobody holds a key for long, else the free keys."""
        try:
            return await self._workers.run(
                self._authorizer.authorize_together, queries, self._held.busy, self._held.apart
            )
        except Blocked:
            return await self._workers.run(self._authorizer.authorize_free, queries, self._held.busy)

    async def _decide_each(
        self, queries: Sequence[Query], by_key: Mapping[str, Sequence[int]], *, is_alone: bool
    ) -> dict[int, Answer]:
        with deadline(None if is_alone else BESIDE_OTHERS_S):
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
