"""The log that keeps the outcomes of granted requests until keys has counted them. One that waits delays no other."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prometheus_client import Counter, Gauge

from edge.background import repeat
from edge.metering import refused
from edge.metering.refused import BATCH, Send
from edge.metering.spool import Spool, SpoolFile, SpoolFolder, SpoolFull, orphans
from landpartner.keys.v1.keys_pb2 import Outcome

log = logging.getLogger(__name__)

AssistantUse = Literal["none", "rules", "model", "unknown"]
"""What wrote the assistant's answer: nothing, the rules, or a model. Unknown if the call ended early."""

SYNC_INTERVAL_S = 0.1
"""A power failure loses at most the outcomes of this time."""
CLEAN_INTERVAL_S = 1.0
ADOPTION_INTERVAL_S = 5.0
"""Interval of the search for folders of dead processes."""
FIRST_BACKOFF_S, LAST_POSTPONEMENT_S, LAST_BACKOFF_S = 0.1, 1.0, 5.0
MAX_REFUSALS = 5
"""keys may refuse an outcome this often while it counts another of the same call. The outcome is then set aside."""
MAX_FAILURES = 120
"""keys may refuse all outcomes of a call this often, for about ten minutes: keys may be at fault."""
MAX_WAITING = 10_000
"""If more outcomes of a file wait for another attempt, no others are read."""
FLUSH_TIMEOUT_S = 5.0

_counted = Counter("edge_outcomes_acknowledged", "Outcomes that keys has counted.")
_set_aside = Counter("edge_outcomes_set_aside", "Outcomes that keys did not take.")
_failures = Counter("edge_outcomes_send_failures", "Times that keys could not be asked.")
_waiting = Gauge("edge_outcomes_waiting_bytes", "Outcomes that keys has not counted.")
_delay = Gauge("edge_outcomes_delay_seconds", "Time since the first attempt to send the oldest outcomes.")
_spool_bytes = Gauge("edge_spool_bytes", "Disk space that the spool takes.")
_spool_max = Gauge("edge_spool_max_bytes", "Disk space that the spool may take.")
_refused_bytes = Gauge("edge_outcomes_set_aside_bytes", "Size of refused.sqlite.")

ReleaseHolder = Callable[[bytes], Awaitable[bool]]
"""Ends the leases of a process that has ended and whose outcomes are counted. Returns False if one cannot be ended at
the moment. Raises if keys is not available.
"""


@dataclass(slots=True)
class _Attempts:
    """The attempts to send one outcome."""

    first_at: float
    due_at: float = 0.0
    count: int = 0
    failures: int = 0
    """A refusal while keys counts another outcome weighs as much as MAX_FAILURES / MAX_REFUSALS without."""

    def postpone(self, longest_s: float) -> None:
        self.due_at = time.monotonic() + min(FIRST_BACKOFF_S * 2 ** min(self.count, 16), longest_s)
        self.count += 1


class _Queue:
    """The outcomes of one file that are to be sent."""

    def __init__(self, file: SpoolFile) -> None:
        self.file = file
        self.attempts: dict[int, _Attempts] = {}
        """By the id of each outcome that was read and is not acknowledged."""

    def next_batch(self) -> dict[int, bytes]:
        """New payloads first, then those whose next attempt is due. Empty while the file is busy."""
        if self.file.is_busy or not self.file.rows:
            return {}
        now = time.monotonic()
        due = [id_ for id_, attempts in self.attempts.items() if attempts.due_at <= now]
        payloads = self.file.read_next(BATCH) if len(self.attempts) < MAX_WAITING else {}
        self.attempts.update((id_, _Attempts(now)) for id_ in payloads)
        return payloads | self.file.read(due[: BATCH - len(payloads)])

    def acknowledge(self, payloads: Mapping[int, bytes]) -> None:
        self.file.acknowledge(payloads)
        for id_ in payloads:
            del self.attempts[id_]


class OutcomeLog:
    """A spool, and background tasks that send, sync and clean it between `start` and `stop`."""

    def __init__(
        self, root: Path, max_bytes: int, send: Send, release_holder: ReleaseHolder, interval_s: float
    ) -> None:
        """Outcomes of `interval_s` are sent together. Raises OSError or sqlite3.Error."""
        self._root = root
        self._spool = Spool(root, max_bytes)
        self.holder = _holder(self._spool)
        """16 bytes: the id of this spool."""
        self._send = send
        self._release_holder = release_holder
        self._interval_s = interval_s
        self._work = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._cleaner = ThreadPoolExecutor(1, "spool")
        self._queues = [_Queue(file) for file in self._spool.files]
        self._orphan_queues: list[_Queue] = []
        self._counted: bytes | None = None
        """An outcome that keys has counted."""

    def hold(self) -> None:
        """Holds space for one outcome, so that the finished request can be recorded. Raises SpoolFull."""
        self._spool.hold()

    def release(self) -> None:
        """Releases the space: the request has no outcome."""
        self._spool.release()

    def record(self, outcome: Outcome) -> None:
        """Writes the outcome into the held space. It then survives the end of this process. Raises OSError."""
        self._spool.append(outcome.SerializeToString())
        self._work.set()

    def sample(self) -> None:
        """Sets the metrics of what waits here. For any thread."""
        attempts = [item for queue in (*self._queues, *self._orphan_queues) for item in tuple(queue.attempts.values())]
        now = time.monotonic()
        _delay.set(max((now - item.first_at for item in attempts), default=0.0))
        _waiting.set(sum(file.waiting_bytes for file in self._spool.files))
        _spool_bytes.set(self._spool.size)
        _spool_max.set(self._spool.max_bytes)
        file = refused.path_of(self._root)
        _refused_bytes.set(file.stat().st_size if file.exists() else 0)

    def start(self) -> None:
        jobs = (self._ship, self._ship_orphans, self._sync, self._clean)
        self._tasks = [asyncio.create_task(repeat(job, LAST_BACKOFF_S)) for job in jobs]

    async def stop(self) -> None:
        """Sends the remaining outcomes for at most FLUSH_TIMEOUT_S, then closes the spool."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                if self._spool.size:
                    await self._settle(self._spool, self._queues)
                else:  # it was never used, and keys may not be there
                    self._spool.is_settled = True
        except Exception as error:
            log.warning("outcomes stay in the spool", extra={"count": self._spool.rows, "reason": repr(error)})
        with self._cleaner:
            await asyncio.wrap_future(self._cleaner.submit(self._spool.close))

    async def _ship(self) -> None:
        await self._send_due(self._queues)
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_BACKOFF_S if any(queue.attempts for queue in self._queues) else None):
                await self._work.wait()
        self._work.clear()
        await asyncio.sleep(self._interval_s)

    async def _ship_orphans(self) -> None:
        for orphan in orphans(self._root, self._spool.folder):
            log.info("adopted the spool of a dead process", extra={"folder": orphan.folder.name})
            self._orphan_queues = [_Queue(file) for file in orphan.files]
            try:
                await self._settle(orphan, self._orphan_queues)
            except Exception:
                log.exception("the spool of a dead process stays", extra={"folder": orphan.folder.name})
            finally:
                self._orphan_queues = []
                await asyncio.to_thread(orphan.close)
        await asyncio.sleep(ADOPTION_INTERVAL_S)

    async def _sync(self) -> None:
        await asyncio.sleep(SYNC_INTERVAL_S)
        await asyncio.to_thread(self._spool.sync)

    async def _clean(self) -> None:
        await asyncio.sleep(CLEAN_INTERVAL_S)
        try:
            if file := self._spool.next_to_clean():
                # a cancelled cleaning would leave the file busy
                await asyncio.shield(asyncio.wrap_future(self._cleaner.submit(file.clean)))
        except (sqlite3.Error, SpoolFull) as error:
            log.warning("the spool cannot be cleaned", extra={"reason": str(error)})
        self._work.set()  # the file was not read meanwhile

    async def _settle(self, folder: SpoolFolder, queues: Sequence[_Queue]) -> None:
        """Sends all outcomes of a folder, then releases its holder."""
        while folder.rows:
            await self._send_due(queues)
            if folder.rows:
                await asyncio.sleep(FIRST_BACKOFF_S)
        while not await self._release_holder(_holder(folder)):  # noqa: ASYNC110 (keys has no event to wait for)
            await asyncio.sleep(FIRST_BACKOFF_S)
        folder.is_settled = True

    async def _send_due(self, queues: Sequence[_Queue]) -> None:
        """Sends every outcome that is due. Waits while keys is not available."""
        backoff_s = FIRST_BACKOFF_S
        for queue in queues:
            while payloads := queue.next_batch():
                if not await self._send_batch(queue, payloads):
                    await asyncio.sleep(backoff_s)
                    backoff_s = min(backoff_s * 2, LAST_BACKOFF_S)
                elif len(payloads) < BATCH:
                    break  # what has arrived meanwhile waits for others

    async def _send_batch(self, queue: _Queue, payloads: Mapping[int, bytes]) -> bool:
        """Returns False if keys is not available.

        A retry of refused outcomes also contains one that keys has counted. If keys refuses that too, keys is at fault.
        """
        attempts = queue.attempts
        control = [self._counted] if self._counted and any(attempts[id_].failures for id_ in payloads) else []
        try:
            unsettled = await self._send([*control, *payloads.values()])
        except Exception as error:
            _failures.inc()
            log.warning("outcomes wait: keys is not available", extra={"reason": str(error), "count": len(payloads)})
            return False
        refused_payloads, postponed = map(frozenset, unsettled)
        counted = {id_: payload for id_, payload in payloads.items() if payload not in refused_payloads | postponed}
        queue.acknowledge(counted)
        _counted.inc(len(counted))
        self._counted = next(iter(counted.values()), self._counted)
        is_working = bool(counted) or any(payload not in refused_payloads | postponed for payload in control)
        over: dict[int, bytes] = {}
        for id_ in payloads.keys() - counted.keys():
            if payloads[id_] in postponed:
                attempts[id_].postpone(LAST_POSTPONEMENT_S)
                continue
            attempts[id_].failures += MAX_FAILURES // MAX_REFUSALS if is_working else 1
            attempts[id_].postpone(LAST_BACKOFF_S)
            if attempts[id_].failures >= MAX_FAILURES:
                over[id_] = payloads[id_]
        if over:
            await self._set_aside(queue, over)
        return True

    async def _set_aside(self, queue: _Queue, payloads: Mapping[int, bytes]) -> None:
        """Moves the payloads to the file of refused ones. If that fails, they stay in the spool."""
        fields = {"count": len(payloads), "file": refused.path_of(self._root).name}
        try:
            await asyncio.to_thread(refused.set_aside, self._root, payloads.values())
        except (SpoolFull, sqlite3.Error, OSError) as error:
            log.error("refused outcomes cannot be set aside", extra={**fields, "reason": str(error)})
            return
        queue.acknowledge(payloads)
        _set_aside.inc(len(payloads))
        log.error("outcomes set aside: keys refuses them; see `edge replay-refused`", extra=fields)


def _holder(folder: SpoolFolder) -> bytes:
    return bytes.fromhex(folder.folder.name)
