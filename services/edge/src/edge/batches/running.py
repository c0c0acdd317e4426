"""Runs a request with many lines: one reservation, a few lines at a time, answers in order.

Each group of lines begins only while a lease of the key is open. So a revoked key gets no more lines within a second.

The outcome of lines is in the spool before they are sent. So a killed edge loses the charge of no line that it sent.
Keys charges a line once, so the same request may run again after a lost connection (docs/billing.md).
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from itertools import islice
from typing import NamedTuple

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from edge.batches.inputs import Line, Lines
from edge.batches.outputs import OK, Answered, Writer, answered
from edge.clients.lines import LineReservation
from edge.leases.decisions import Grant
from edge.metering.outcomes import OutcomeLog
from edge.middleware.capacity import Pool, Shares
from edge.problems import Problem
from edge.settings import EdgeSettings
from servicekit.languages import Text

log = logging.getLogger(__name__)

RETRIED = frozenset({"unavailable", "commune_loading"})
"""Problems of a line that pass. A line is tried again, since its client would have to send it again otherwise."""
MAX_RETRIES = 3
MAX_WAIT_S = 5
LINE_COUNT_HEADER = "line-count"
_BUSY = Text("Trop de requêtes à plusieurs lignes sont en cours.", "Too many requests with many lines are running.")
_BUSY_RETRY_S = 10
_BODIES_PER_SLOT = 4
_CHECK_RETRY_S = 0.5
_LATE = Problem("deadline_exceeded")


class Job(NamedTuple):
    """How lines are answered."""

    answer: Callable[[Sequence[Line]], Awaitable[list[Answered]]]
    group: int
    """Lines that are answered together."""
    at_once: int
    """Groups at once. Few, so that single requests of others wait no longer."""
    deadline_s: float


class BatchSlots:
    """Limits the concurrent requests with many lines: bodies in memory, requests whose body is there, and the requests
    of each key and each partner.
    """

    def __init__(self, settings: EdgeSettings) -> None:
        most = settings.max_batches
        self.files = Pool("files", most, message=_BUSY, retry_s=_BUSY_RETRY_S)
        self._bodies = Pool("file_bodies", _BODIES_PER_SLOT * most, message=_BUSY, retry_s=_BUSY_RETRY_S)
        self._shares = Shares(
            {"key": settings.max_batches_per_key, "partner": settings.max_batches_per_partner}, retry_s=_BUSY_RETRY_S
        )

    @contextmanager
    def body(self, grant: Grant) -> Iterator[None]:
        """Counts a request from before its body arrives until its end. Raises Problem rate_limited if its key or its
        partner has no share left, and unavailable if there are too many bodies.
        """
        with self._shares.share(key=grant.key_id, partner=grant.partner_id), self._bodies.slot():
            yield


class Run:
    """One run of a request. `end` must be called."""

    def __init__(self, reservation: LineReservation, outcomes: OutcomeLog, settings: EdgeSettings) -> None:
        self._reservation = reservation
        self._outcomes = outcomes
        self._renewal_s = settings.batch_renewal_s
        self._refusal: Problem | None = None
        self._ends_at = 0.0
        self._is_ended = False

    async def content(self, lines: Lines, job: Job, writer: Writer) -> AsyncGenerator[bytes]:
        self._ends_at = time.monotonic() + job.deadline_s
        renewal = asyncio.create_task(self._renew())
        try:
            if head := writer.start():
                yield head
            async with aclosing(self._answers(lines.read(), job)) as groups:
                async for answered in groups:
                    group = self._in_time(answered)
                    content = writer.write(group)
                    self._record(group, is_last=group[-1].number == lines.count)
                    if content:
                        yield content
            if tail := await asyncio.to_thread(writer.end):  # a workbook is compressed now
                yield tail
        finally:
            renewal.cancel()

    def end(self) -> None:
        """Releases what is still reserved."""
        if not self._is_ended:
            self._record((), is_last=True)

    async def _answers(self, lines: Iterator[Line], job: Job) -> AsyncGenerator[Sequence[Answered]]:
        """The answers in order. At most `at_once` groups are in memory, also if the client reads slowly."""
        running: deque[asyncio.Task[list[Answered]]] = deque()
        try:
            while True:
                while len(running) < job.at_once and (group := list(islice(lines, job.group))):
                    running.append(asyncio.create_task(self._answer(group, job)))
                if not running:
                    return
                yield await running[0]
                running.popleft()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _answer(self, lines: Sequence[Line], job: Job) -> list[Answered]:
        answered = await self._tried(lines, job)
        for _ in range(MAX_RETRIES):
            failed = [
                place
                for place, line in enumerate(answered)
                if isinstance(line.answer, Problem) and line.answer.code in RETRIED
            ]
            if not failed:
                break
            await asyncio.sleep(max(_wait_s(answered[place].answer) for place in failed))
            again = await self._tried([lines[place] for place in failed], job)
            for place, line in zip(failed, again, strict=True):
                answered[place] = line
        return answered

    async def _tried(self, lines: Sequence[Line], job: Job) -> list[Answered]:
        if (refusal := await self._end()) is not None:
            return [answered(line, refusal) for line in lines]
        return await job.answer(lines)

    async def _end(self) -> Problem | None:
        """Returns the problem that ended the run, or None if it goes on. If keys is not available, waits for it."""
        while self._refusal is None and not self._is_over() and time.monotonic() < self._ends_at:
            try:
                await self._reservation.key.check()
            except Problem as problem:
                self._note(problem)
                if self._refusal is None:
                    await asyncio.sleep(_CHECK_RETRY_S)
            else:
                return self._refusal
        return self._refusal or _LATE

    def _in_time(self, answered: Sequence[Answered]) -> Sequence[Answered]:
        """The answers, without successes that waited for a slow client until the reservation ended."""
        return [line._replace(answer=_LATE) for line in answered] if self._is_over() else answered

    def _is_over(self) -> bool:
        """Whether another request may have got the units."""
        return time.monotonic() >= self._reservation.ends_at

    async def _renew(self) -> None:
        """Keeps the reservation, until a refusal ends the work on further lines."""
        while self._refusal is None:
            await asyncio.sleep(self._renewal_s)
            try:
                await self._reservation.reserve()
            except Problem as problem:
                self._note(problem)

    def _note(self, problem: Problem) -> None:
        """A refusal ends the work on further lines."""
        if problem.code in ("unavailable", "upstream_failed"):
            log.warning("keys was not available for a file of lines", extra={"reason": problem.code})
        else:
            self._refusal = problem

    def _record(self, answered: Sequence[Answered], *, is_last: bool) -> None:
        """Writes the outcome of answered lines. Raises SpoolFull or OSError; these lines must not be sent then."""
        self._outcomes.hold()
        succeeded = [line.number - 1 for line in answered if line.status == OK]
        self._outcomes.record(self._reservation.outcome(succeeded, is_last=is_last))
        self._is_ended |= is_last


def _wait_s(answer: object) -> int:
    retry_after_s = answer.retry_after_s if isinstance(answer, Problem) else None
    return min(max(1, retry_after_s or 1), MAX_WAIT_S)


class LinesResponse(StreamingResponse):
    """The answers of a run. It ends the run in any case, and releases the `occupied` slots."""

    def __init__(
        self, run: Run, content: AsyncGenerator[bytes], lines: Lines, writer: Writer, occupied: ExitStack
    ) -> None:
        headers = {LINE_COUNT_HEADER: str(lines.count), "cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(content, headers=headers, media_type=writer.media_type)
        self._run = run
        self._content = content
        self._occupied = occupied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._occupied:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._content.aclose()
                self._run.end()
