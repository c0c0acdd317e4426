"""Sends the spool's outcomes to keys, in order, and deletes them after their acknowledgement."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from prometheus_client import Counter, Gauge

from edge.metering.refused import BATCH, RefusedFull, RefusedOutcomes, Send
from edge.metering.spool import SEGMENT_BYTES, Batch, Spool, orphans, sync

log = logging.getLogger(__name__)

SYNC_INTERVAL_S = 0.1
"""A power failure loses at most the outcomes of this time."""
ADOPTION_INTERVAL_S = 5.0
"""Interval of the search for folders of dead processes."""
FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.1, 5.0
MAX_REFUSALS = 5
"""keys may refuse a payload this often while it accepts another. It is then set aside and no longer delays others."""
MAX_FAILURES = 120
"""keys may refuse all payloads this often, for about ten minutes. keys may be at fault and needs time to recover."""
FLUSH_TIMEOUT_S = 5.0

_counted = Counter("edge_outcomes_acknowledged", "Outcomes that keys has counted.")
_refused = Counter("edge_outcomes_set_aside", "Outcomes that keys did not take.")
_failures = Counter("edge_outcomes_send_failures", "Times that keys could not be asked.")
_waiting = Gauge("edge_outcomes_waiting_bytes", "Outcomes that keys has not counted.")
_delay = Gauge("edge_outcomes_delay_seconds", "Time since the first attempt to send the oldest outcomes.")
_spool_bytes = Gauge("edge_spool_bytes", "Disk space that the spool takes.")
_spool_max = Gauge("edge_spool_max_bytes", "Disk space that the spool may take.")
_refused_bytes = Gauge("edge_outcomes_set_aside_bytes", "Size of refused.frames.")


class _Pending(Protocol):
    def next_batch(self, limit: int) -> Batch | None: ...
    def acknowledge(self, batch: Batch) -> None: ...


class Shipper:
    """Background tasks that send and sync outcomes between `start` and `stop`."""

    def __init__(self, spool: Spool, send: Send, interval_s: float) -> None:
        """Outcomes of `interval_s` are sent together."""
        self._spool = spool
        self._send = send
        self._interval_s = interval_s
        self._refused = RefusedOutcomes(spool.root)
        self._work = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._delivering: set[float] = set()
        """When each batch that is not acknowledged yet was sent first."""

    def start(self) -> None:
        self._tasks = [asyncio.create_task(_repeat(job)) for job in (self._ship_own, self._ship_orphans, self._sync)]

    def notify(self) -> None:
        """Wakes the shipper after a write to the spool."""
        self._work.set()

    def sample(self) -> None:
        """Sets the metrics of what waits here."""
        _waiting.set(self._spool.unacknowledged_bytes())
        _delay.set(max((time.monotonic() - began for began in tuple(self._delivering)), default=0.0))
        _spool_bytes.set(self._spool.segment_count() * SEGMENT_BYTES)
        _spool_max.set(self._spool.max_bytes)
        _refused_bytes.set(self._refused.size())

    async def stop(self) -> None:
        """Sends the remaining outcomes for at most FLUSH_TIMEOUT_S, then closes the spool."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                await self._drain(self._spool)
        self._spool.close()

    async def _ship_own(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            await asyncio.sleep(self._interval_s)
            while (count := await self._send_batch(self._spool)) == BATCH:
                pass  # more outcomes wait
            if count:
                self._work.set()  # the batch may be short because its segment ended

    async def _ship_orphans(self) -> None:
        while True:
            for orphan in orphans(self._spool.root, self._spool.folder):
                try:
                    await self._drain(orphan)
                finally:
                    orphan.close()
            await asyncio.sleep(ADOPTION_INTERVAL_S)

    async def _sync(self) -> None:
        while True:
            await asyncio.sleep(SYNC_INTERVAL_S)
            if descriptors := self._spool.take_dirty():
                await asyncio.to_thread(_sync, descriptors)

    async def _drain(self, pending: _Pending) -> None:
        while await self._send_batch(pending):
            pass

    async def _send_batch(self, pending: _Pending) -> int:
        """Sends the oldest outcomes, at most BATCH. Returns their number."""
        batch = pending.next_batch(BATCH)
        if batch is None:
            return 0
        began = time.monotonic()
        self._delivering.add(began)
        try:
            await self._deliver(batch.payloads)
        finally:
            self._delivering.discard(began)
        pending.acknowledge(batch)
        return len(batch.payloads)

    async def _deliver(self, payloads: Sequence[bytes]) -> None:
        """Returns when each payload is acknowledged or set aside.

        A retry of refused payloads also contains an accepted one. If keys refuses that too, keys itself is at fault.
        """
        control: Sequence[bytes] = ()
        backoff_s = FIRST_BACKOFF_S
        refusals = failures = 0
        while True:
            try:
                unacknowledged = frozenset(await self._send([*payloads, *control]))
            except Exception as error:
                _failures.inc()
                log.warning(
                    "outcomes wait: keys is not available", extra={"reason": str(error), "count": len(payloads)}
                )
            else:
                acknowledged = [payload for payload in payloads if payload not in unacknowledged]
                _counted.inc(len(acknowledged))
                payloads = [payload for payload in payloads if payload in unacknowledged]
                if not payloads:
                    return
                control = acknowledged[:1] or control
                if control and control[0] not in unacknowledged:
                    refusals += 1
                else:
                    failures += 1
                is_over_limit = refusals >= MAX_REFUSALS or failures >= MAX_FAILURES
                if is_over_limit and await asyncio.to_thread(self._set_aside, payloads):
                    return
            await asyncio.sleep(backoff_s)
            backoff_s = min(backoff_s * 2, LAST_BACKOFF_S)

    def _set_aside(self, payloads: Sequence[bytes]) -> bool:
        """Writes the payloads to the file of refused ones. Returns False if it cannot; they then stay in the spool."""
        fields = {"count": len(payloads), "file": self._refused.path.name}
        try:
            self._refused.add(payloads)
        except (RefusedFull, OSError) as error:
            log.error("refused outcomes cannot be set aside", extra={**fields, "reason": str(error)})
            return False
        _refused.inc(len(payloads))
        log.error("outcomes set aside: keys refuses them; see `edge replay-refused`", extra=fields)
        return True


async def _repeat(job: Callable[[], Awaitable[None]]) -> None:
    """Repeats a job until it is cancelled. After an error it waits, since a disk error may be temporary."""
    while True:
        try:
            await job()
        except Exception:
            log.exception("a background task of the spool failed")
            await asyncio.sleep(LAST_BACKOFF_S)


def _sync(descriptors: Sequence[int]) -> None:
    try:
        sync(descriptors)
    except OSError as error:
        log.error("outcomes may not be on the disk yet", extra={"reason": error.strerror})
