"""Runs a request once for each Idempotency-Key, and answers its repetitions with the first answer
(draft-ietf-httpapi-idempotency-key-header).

A run with a key continues after its client disconnects. Its answer is stored, then its outcome is recorded, then the
answer is sent. The store also has the outcome, and each replay records it again, since keys counts it once. So a run is
billed once, even if the edge is killed at any step.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from typing import NamedTuple

import orjson
from backports import zstd
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from edge.access import Admission, admission_of
from edge.clients.answers import MAX_CONTENT_BYTES, AnswerClaim, StoredAnswer
from edge.clients.keys import encode_outcome
from edge.event_stream import (
    EVENT_STREAM,
    STREAM_HEADERS,
    encoded_event,
    event_data,
    is_private,
    sent_events,
    wants_events,
)
from edge.metering.spool import SpoolFull
from edge.middleware.metered import SHUTTING_DOWN, Settlement, settlement_of
from edge.problems import CLIENT_CLOSED_REQUEST, Problem, problem_json
from edge.upstreams import upstreams_of
from servicekit.context import remaining_s
from servicekit.languages import language
from servicekit.problem_codes import PROBLEMS

log = logging.getLogger(__name__)

REPLAYED_HEADER, STORED_HEADER = "idempotency-replayed", "idempotency-stored"

_UNAVAILABLE = PROBLEMS["unavailable"].status
_COMPRESSION_LEVEL = 3


Write = Callable[[Mapping[str, bytes], Mapping[str, str]], Awaitable[Response]]
"""Makes an answer that is no stream, from the JSON of its parts by name, with these headers. Raises Problem."""


class Part(NamedTuple):
    """A part of an answer: an event of a stream, or a member of the JSON answer. A private one is only stored."""

    name: str
    data: object


def request_digest(content: object) -> bytes:
    """Identifies a request by its content and the language of its answer."""
    return sha256(orjson.dumps([content, language.get()], option=orjson.OPT_SORT_KEYS)).digest()


async def answer_once(
    request: Request,
    key: str,
    digest: bytes,
    parts: AsyncGenerator[Part],
    members: Sequence[str],
    write: Write | None = None,
) -> Response:
    """The answer of the first request with this key. If this is the first one, runs `parts` and stores them.

    The answer is a stream of all parts if the client accepts one, else what `write` makes of them, else a JSON object
    of the `members`. Must be called within a deadline, which is also the lease of the key. Raises Problem:
    idempotency_mismatch or idempotency_in_progress if the key does not give an answer, and the problems of `parts` and
    `write`. If `write` fails, the answer is stored already, and a repetition costs nothing.
    """
    write = write or partial(_write_json, members)
    admission, settlement = admission_of(request), settlement_of(request)
    answers = upstreams_of(request).answers
    claimed = await answers.claim(admission.grant.key_id, key, digest, lease_s=remaining_s() or 0.0)
    if isinstance(claimed, StoredAnswer):
        admission.assistant_use = "replayed"
        return await _replay(claimed, settlement, write, as_events=wants_events(request))
    settlement.disconnected_status = _UNAVAILABLE  # an answer that is neither stored nor sent is free
    run = _Run(parts, members, claimed, settlement)
    if wants_events(request):
        return _RunResponse(run, await run.first_event(), admission, request)
    events = await run.all_events()
    headers = {} if run.is_stored else {STORED_HEADER: "false"}
    return await write(event_data(events), headers)


async def _replay(answer: StoredAnswer, settlement: Settlement, write: Write, *, as_events: bool) -> Response:
    try:
        settlement.record_again(answer.outcome)
    except (SpoolFull, OSError) as error:
        log.error("no space for outcomes", extra={"reason": str(error)})
        raise Problem("unavailable") from error
    events = await asyncio.to_thread(zstd.decompress, answer.content)
    headers = {REPLAYED_HEADER: "true"}
    if as_events:
        content = sent_events(events) + _done(is_stored=True)
        return Response(content, headers={**STREAM_HEADERS, **headers}, media_type=EVENT_STREAM)
    return await write(event_data(events), headers)


async def _write_json(members: Sequence[str], data: Mapping[str, bytes], headers: Mapping[str, str]) -> Response:
    """The JSON object, in the bytes that were stored."""
    content = b"{" + b",".join(b'"%s":%s' % (name.encode(), data[name]) for name in members) + b"}"
    return Response(content, headers=headers, media_type="application/json")


def _done(*, is_stored: bool) -> bytes:
    return encoded_event("done", {} if is_stored else {"idempotency_stored": False})


class _Run:
    """Runs the parts in a separate task. Releases the key at the end, unless the answer is stored."""

    def __init__(
        self, parts: AsyncGenerator[Part], members: Sequence[str], claim: AnswerClaim, settlement: Settlement
    ) -> None:
        self.is_stored = False
        self._members = members
        self._claim = claim
        self._settlement = settlement
        self._unsent: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(parts))

    async def first_event(self) -> bytes:
        """Waits for the first event. Raises the problem of a run that has none."""
        try:
            event = await self._unsent.get()
        except asyncio.CancelledError:
            await self.cancel()
            raise
        if event is None:
            await self._task
            raise Problem("upstream_failed")
        return event

    async def later_events(self) -> AsyncIterator[bytes]:
        """Yields each event after the first one as it arrives. Raises Problem at the end if the run failed."""
        while (event := await self._unsent.get()) is not None:
            yield event
        await self._task

    async def all_events(self) -> bytes:
        """Waits for the end. Raises Problem if the run failed."""
        return await self._task

    def mark_sent(self) -> None:
        """Says that a part of the answer was sent. If the client disconnects later, it pays, also for an answer that is
        not stored.
        """
        self._settlement.disconnected_status = CLIENT_CLOSED_REQUEST

    async def cancel(self) -> None:
        """Ends the run and waits for its end. Does nothing if it has ended."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, parts: AsyncGenerator[Part]) -> bytes:
        collected: list[bytes] = []
        missing = set(self._members)
        try:
            async with aclosing(parts):
                async for part in parts:
                    missing.discard(part.name)
                    collected.append(encoded_event(part.name, part.data))
                    if not is_private(part.name):
                        self._unsent.put_nowait(collected[-1])
            if missing:
                raise Problem("upstream_failed")
            events = b"".join(collected)
            await self._store(events)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):  # the edge shuts down: its spool is closed soon
                with suppress(OSError):
                    self._settlement.settle(SHUTTING_DOWN)
            await self._release()
            raise
        finally:
            self._unsent.put_nowait(None)
        return events

    async def _store(self, events: bytes) -> None:
        """Stores the answer and records its outcome, or releases the key. Raises Problem."""
        content = await asyncio.to_thread(zstd.compress, events, _COMPRESSION_LEVEL)
        answer = StoredAnswer(content, encode_outcome(self._settlement.outcome(HTTPStatus.OK)))
        try:
            self.is_stored = len(content) <= MAX_CONTENT_BYTES and await self._claim.store(answer)
        except Problem as problem:
            log.warning("an answer could not be stored", extra={"reason": problem.code})
        if not self.is_stored:
            await self._release()
            return
        try:
            self._settlement.settle(HTTPStatus.OK)
        except OSError as error:
            log.exception("an outcome could not be written")
            raise Problem("unavailable") from error

    async def _release(self) -> None:
        try:
            await self._claim.release()
        except Problem as problem:  # the key is free at the end of its lease
            log.warning("an idempotency key could not be released", extra={"reason": problem.code})


class _RunResponse(StreamingResponse):
    """The events of a run. A disconnect of the client does not end it."""

    def __init__(self, run: _Run, first: bytes, admission: Admission, request: Request) -> None:
        super().__init__(_stream(run, first, admission, request), headers=STREAM_HEADERS, media_type=EVENT_STREAM)
        self._run = run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.stream_response(send)
        finally:
            await self._run.cancel()


async def _stream(run: _Run, first: bytes, admission: Admission, request: Request) -> AsyncIterator[bytes]:
    try:
        yield first
        if not await request.is_disconnected():
            run.mark_sent()
        async for event in run.later_events():
            yield event
    except Problem as problem:
        admission.failed_status, admission.problem_code = problem.status, problem.code
        yield encoded_event("error", problem_json(problem, request.url.path))
        return
    yield _done(is_stored=run.is_stored)
