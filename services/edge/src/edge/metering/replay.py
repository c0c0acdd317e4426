"""Sends the outcomes that keys refused again: an event id that was counted before is not counted twice."""

import asyncio
from typing import NamedTuple

from edge.metering.refused import RefusedOutcomes
from edge.metering.shipper import BATCH, Send


class Replayed(NamedTuple):
    counted: int
    """Outcomes that keys has counted, now or before."""
    left: int
    """Outcomes that it still refuses, which stay in the file."""


async def replay(refused: RefusedOutcomes, send: Send) -> Replayed:
    """Sends every outcome and removes those that are acknowledged. Raises what `send` raises, after removing those that
    were acknowledged until then.
    """
    payloads = await asyncio.to_thread(refused.read)
    taken: set[bytes] = set()
    try:
        for start in range(0, len(payloads), BATCH):
            batch = payloads[start : start + BATCH]
            left = await send(batch)
            taken.update(set(batch).difference(left))
            if len(left) == len(batch) > 1:  # some may not have been tried alone
                for payload in batch:
                    if not await send([payload]):
                        taken.add(payload)
    finally:
        await asyncio.to_thread(refused.remove, taken)
    return Replayed(len(taken), len(payloads) - len(taken))
