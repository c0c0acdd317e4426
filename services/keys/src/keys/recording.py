"""Records outcomes so that those of a key which another transaction holds do not keep the others waiting."""

import asyncio
from collections.abc import Sequence

from keys.errors import Blocked
from keys.held_keys import HeldKeys
from keys.metering.outcomes import Outcome
from keys.store.settling import Settler
from servicekit.workers import Workers


class Recording:
    def __init__(self, settler: Settler, workers: Workers, held: HeldKeys) -> None:
        self._settler = settler
        self._workers = workers
        self._held = held

    async def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes, or keeps them to be counted once their key is free. Returns the event ids of those that
        need not be sent again, each once. Raises Unavailable where the database does not answer, and Overloaded; all
        may be sent again then.
        """
        try:
            recorded, left = await self._workers.run(self._settler.record_free, outcomes)
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
            return await self._workers.run(self._settler.keep, outcomes)
