"""Brings the spool's outcomes to keys, in order, and drops them only once they are acknowledged."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from prometheus_client import Counter

from edge.metering import frames
from edge.metering.spool import Batch, Spool, orphans, sync

log = logging.getLogger(__name__)

BATCH = 500
GATHER_S = 0.2
"""How long outcomes gather before they go out together."""
SYNC_S = 0.1
"""Power loss costs at most what was written within this time."""
ADOPT_S = 5.0
"""How often folders of dead processes are looked for."""
FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.1, 5.0
MAX_REFUSALS = 5
"""After so many answers that leave a payload out, it is set aside, so that it never holds up the rest."""
FLUSH_S = 5.0
_SET_ASIDE = "refused.frames"

_counted = Counter("edge_outcomes_acknowledged", "Outcomes that keys has counted.")
_refused = Counter("edge_outcomes_set_aside", "Outcomes that keys did not take.")
_failures = Counter("edge_outcomes_send_failures", "Times that keys could not be asked.")

Send = Callable[[Sequence[bytes]], Awaitable[Sequence[bytes]]]
"""Sends payloads, and returns those that were not acknowledged. Raises where keys could not be asked."""


class _Pending(Protocol):
    def next_batch(self, limit: int) -> Batch | None: ...
    def acknowledge(self, batch: Batch) -> None: ...


class Shipper:
    """Runs from `start` to `stop`."""

    def __init__(self, spool: Spool, send: Send) -> None:
        self._spool = spool
        self._send = send
        self._work = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(_keep(job)) for job in (self._ship_own, self._ship_orphans, self._sync)]

    def notify(self) -> None:
        """Says that there is something new in the spool."""
        self._work.set()

    async def stop(self) -> None:
        """Sends what is left while keys answers, and closes the spool."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(FLUSH_S):
                await self._drain(self._spool)
        self._spool.close()

    async def _ship_own(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            await asyncio.sleep(GATHER_S)
            await self._drain(self._spool)

    async def _ship_orphans(self) -> None:
        while True:
            for orphan in orphans(self._spool.root, self._spool.folder):
                try:
                    await self._drain(orphan)
                finally:
                    orphan.close()
            await asyncio.sleep(ADOPT_S)

    async def _sync(self) -> None:
        while True:
            await asyncio.sleep(SYNC_S)
            if descriptors := self._spool.take_dirty():
                await asyncio.to_thread(_sync, descriptors)

    async def _drain(self, pending: _Pending) -> None:
        while (batch := pending.next_batch(BATCH)) is not None:
            await self._deliver(batch.payloads)
            pending.acknowledge(batch)

    async def _deliver(self, payloads: Sequence[bytes]) -> None:
        backoff_s = FIRST_BACKOFF_S
        refusals = 0
        while payloads:
            try:
                left = await self._send(payloads)
            except Exception as error:
                _failures.inc()
                log.warning("outcomes wait: keys cannot be asked", extra={"reason": str(error), "count": len(payloads)})
            else:
                _counted.inc(len(payloads) - len(left))
                refusals = refusals + 1 if len(left) == len(payloads) else 0
                payloads = left
            if not payloads:
                return
            if refusals == MAX_REFUSALS:
                _refused.inc(len(payloads))
                await asyncio.to_thread(_set_aside, self._spool.root / _SET_ASIDE, payloads)
                return
            await asyncio.sleep(backoff_s)
            backoff_s = min(backoff_s * 2, LAST_BACKOFF_S)


async def _keep(job: Callable[[], Awaitable[None]]) -> None:
    """Runs a job for as long as the process lives: a disk that fails once may work again."""
    while True:
        try:
            await job()
        except Exception:
            log.exception("the spool could not be read")
            await asyncio.sleep(LAST_BACKOFF_S)


def _sync(descriptors: Sequence[int]) -> None:
    try:
        sync(descriptors)
    except OSError as error:
        log.error("outcomes may not be on the disk yet", extra={"reason": error.strerror})


def _set_aside(path: Path, payloads: Sequence[bytes]) -> None:
    log.error("outcomes set aside: keys does not take them", extra={"count": len(payloads), "file": path.name})
    with path.open("ab") as file:
        file.write(b"".join(frames.encode(payload) for payload in payloads))
