"""Sends the refused outcomes again. keys does not count an event id twice."""

import asyncio
from typing import NamedTuple

from edge.metering.refused import RefusedOutcomes
from edge.metering.shipper import BATCH, Send


class Replayed(NamedTuple):
    counted: int
    """Outcomes that keys has counted, now or earlier."""
    still_refused: int
    """Outcomes that keys still refuses. They stay in the file."""


async def replay(refused: RefusedOutcomes, send: Send) -> Replayed:
    """Sends every outcome and removes the acknowledged ones from the file. Raises the errors of `send`."""
    payloads = await asyncio.to_thread(refused.read)
    acknowledged: set[bytes] = set()
    try:
        for start in range(0, len(payloads), BATCH):
            batch = payloads[start : start + BATCH]
            refused_again = await send(batch)
            acknowledged.update(set(batch).difference(refused_again))
            if len(refused_again) == len(batch) > 1:  # keys may have refused the batch as a whole
                for payload in batch:
                    if not await send([payload]):
                        acknowledged.add(payload)
    finally:
        await asyncio.to_thread(refused.remove, acknowledged)
    return Replayed(len(acknowledged), len(payloads) - len(acknowledged))
