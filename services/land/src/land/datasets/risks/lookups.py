"""Asks for the risks of a land unit that the store does not have, or has for too long, and stores the answers.

A request waits a short time for its questions. They continue without it, so a later request finds their answers.
"""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import partial
from threading import Lock, Semaphore

import shapely
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from land.datasets import territory
from land.datasets.parcels.queries import parcels_by_id
from land.datasets.partitions import Partition, is_demo
from land.datasets.risks import queries as risks
from land.datasets.risks.client import Georisques, Lookup, LookupFailed
from land.datasets.risks.queries import AnswerAge
from land.datasets.risks.questions import NEAR_M, QUESTIONS
from land.datasets.risks.records import RiskAnswer
from land.datasets.risks.registration import GEORISQUES
from land.events.recording import fact_events
from land.loading.prefetch import ANSWER_S
from land.loading.store_reader import StoreReader
from land.store.events import Origin
from land.store.snapshot import snapshot
from servicekit.clock import utc_now
from servicekit.context import remaining_s, requester
from servicekit.database import for_writing

log = logging.getLogger(__name__)

WAIT_S = 1.5
"""The longest time that a request waits for its questions."""
THREADS = 8
MAX_WAITING = 600
"""Questions of all requests that wait or are asked."""
MAX_PER_REQUESTER = 300
MAX_PARCELS = 10
"""Parcels of one land unit that are asked about: the first ones."""
RETRY_S = 60.0
"""How long a question that failed is not asked again."""
MAX_FAILURES = 10_000
MAX_RADIUS_M = 10_000
_RADIUS_STEP_M = 100
MAX_AGE_STORED = timedelta(days=365)
"""Older answers are deleted, except imported ones. Until then they answer if the publisher fails."""

Key = tuple[str, str]
"""Place and question."""


class Waiting:
    """The questions of one request."""

    def __init__(self, states: dict[Key, str], futures: dict[Key, "Future[str]"], waiters: Semaphore) -> None:
        self._states = states
        self._futures = futures
        self._waiters = waiters
        self._ends = time.monotonic() + WAIT_S

    def finish(self, reader: StoreReader) -> dict[Key, str]:
        """Waits for the answers, at most WAIT_S since the start and within the deadline. Does not wait if too many
        callers do, or if nothing was asked. Returns why each answer that is not there is missing or old.
        """
        if not self._futures:
            return self._states
        reader.release()
        left_s = self._ends - time.monotonic()
        if (until_deadline_s := remaining_s()) is not None:
            left_s = min(left_s, until_deadline_s - ANSWER_S)
        if left_s > 0 and self._waiters.acquire(blocking=False):
            try:
                wait(self._futures.values(), left_s)
            finally:
                self._waiters.release()
        results = {
            key: future.result() if future.done() and not future.cancelled() else "loading"
            for key, future in self._futures.items()
        }
        return self._states | {key: reason for key, reason in results.items() if reason}


class RiskLookups:
    """Safe for threads."""

    def __init__(
        self,
        engine: Engine,
        georisques: Georisques,
        max_age: timedelta,
        max_waiting: int = 1,
    ) -> None:
        """Lets at most `max_waiting` callers wait at a time. Further ones get the answers of the store."""
        self._engine = engine
        self._georisques = georisques
        self._max_age = max_age
        self._waiters = Semaphore(max_waiting)
        self._pool = ThreadPoolExecutor(THREADS, "risks")
        self._lock = Lock()
        self._writing = Lock()
        self._futures: dict[Key, Future[str]] = {}
        self._requesters: Counter[str] = Counter()
        self._failures: dict[Key, tuple[float, str]] = {}

    def start(self) -> None:
        """Threads start with the first questions."""

    def end(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._georisques.close()

    def ask(self, parcel_ids: Sequence[str], ages: Sequence[AnswerAge], reader: StoreReader) -> Waiting | None:
        """Starts the questions whose answers are missing or old. None if there are none, and for the demo. `ages` are
        those of the stored answers about these parcels and their communes.
        """
        if any(map(is_demo, parcel_ids)):
            return None
        questions = self._georisques.questions
        stored = {(answer.place, answer.question): answer.retrieved_at for answer in ages}
        oldest = utc_now(minus=self._max_age)
        if not self._georisques.has_refused_token and all(
            stored.get((place, question.name), "") >= oldest
            for question in questions
            for place in question.places(parcel_ids)
        ):
            return None
        records = parcels_by_id(reader.snapshot, parcel_ids)
        outlines = {parcel_id: records[parcel_id].geometry for parcel_id in parcel_ids if parcel_id in records}
        asked_parcels = list(outlines)[:MAX_PARCELS]
        states: dict[Key, str] = {}
        if self._georisques.has_refused_token:
            states = {
                key: "token_refused"
                for key, retrieved_at in stored.items()
                if retrieved_at < oldest and key[1] in QUESTIONS and QUESTIONS[key[1]].needs_token
            }
        lookups = []
        for question in questions:
            for place in question.places(list(outlines)):
                if stored.get((place, question.name), "") >= oldest:
                    continue
                if not question.is_of_commune and place not in asked_parcels:
                    states[place, question.name] = "too_many_parcels"
                elif reason := self._recent_failure((place, question.name)):
                    states[place, question.name] = reason
                elif lookup := lookup_of(place, question.name, outlines.get(place)):
                    lookups.append(lookup)
                else:
                    states[place, question.name] = "not_drawn"
        if not lookups and not states:
            return None
        futures: dict[Key, Future[str]] = {}
        for lookup in lookups:
            submitted = self._submit(lookup, requester.get())
            if isinstance(submitted, str):
                states[lookup.place, lookup.question] = submitted
            else:
                futures[lookup.place, lookup.question] = submitted
        return Waiting(states, futures, self._waiters)

    def renew(self, answers: Sequence[AnswerAge]) -> tuple[int, int]:
        """Asks again for stored answers, and waits. Returns how many were renewed, and how many were asked for: a
        question that needs a token is left out without one. Raises StoreUnavailable.
        """
        with snapshot(self._engine) as connection:
            records = parcels_by_id(connection, [answer.place for answer in answers])
        names = {question.name for question in self._georisques.questions}
        lookups = []
        for place, question, _ in answers:
            record = records.get(place)
            if question in names and (lookup := lookup_of(place, question, record.geometry if record else None)):
                lookups.append(lookup)
        futures = [self._pool.submit(self._run, lookup, "") for lookup in lookups]
        return sum(not future.result() for future in futures), len(futures)

    def forget_old(self) -> None:
        """Deletes answers that are too old to be given."""
        with for_writing(self._engine).begin() as connection:
            risks.forget(connection, GEORISQUES.id, utc_now(minus=MAX_AGE_STORED))

    def _recent_failure(self, key: Key) -> str:
        """Why the question failed, until it is asked again; else an empty text."""
        retry_at, reason = self._failures.get(key, (0.0, ""))
        return reason if time.monotonic() < retry_at else ""

    def _submit(self, lookup: Lookup, who: str) -> "Future[str] | str":
        """The question's result, or why it is not asked."""
        key = (lookup.place, lookup.question)
        with self._lock:
            if key in self._futures:
                return self._futures[key]
            if len(self._futures) >= MAX_WAITING or self._requesters[who] >= MAX_PER_REQUESTER:
                return "busy"
            try:
                future = self._futures[key] = self._pool.submit(self._run, lookup, who)
            except RuntimeError:  # the service ends
                return "busy"
            self._requesters[who] += 1
        return future

    def _run(self, lookup: Lookup, who: str) -> str:
        """Asks and stores the answer. Returns why there is none, else an empty text."""
        key = (lookup.place, lookup.question)
        reason = "source_unavailable"
        try:
            reason = self._store(lookup)
        except Exception:
            # The thread must survive any answer, since it asks other questions too.
            log.exception("a question about risks failed", extra={"question": lookup.question})
        with self._lock:
            if self._futures.pop(key, None) is not None:
                self._requesters[who] -= 1
                self._requesters += Counter()  # drops requesters without a question
            self._failures.pop(key, None)
            if reason and reason != "busy":
                if len(self._failures) >= MAX_FAILURES:
                    self._failures.clear()
                self._failures[key] = (time.monotonic() + RETRY_S, reason)
        return reason

    def _store(self, lookup: Lookup) -> str:
        try:
            answer = self._georisques.answer(lookup)
            with self._writing, for_writing(self._engine).begin() as connection, _events(connection, answer):
                risks.put(connection, [answer])
        except LookupFailed as error:
            return str(error)
        except SQLAlchemyError:
            log.warning("an answer about risks was not stored", exc_info=True)
            return "busy"
        return ""


def _events(connection: Connection, answer: RiskAnswer) -> AbstractContextManager[None]:
    """Writes an event if the answer is stored in the block and differs from an earlier one to the same question."""
    ages = {age.question: age.retrieved_at for age in risks.ages(connection, [answer.place])}
    if answer.question not in ages:
        return nullcontext()
    partition = Partition(answer.commune_code)
    read = partial(risks.facts, connection, GEORISQUES.id, partition, [answer])
    origin = Origin(GEORISQUES.id, answer.retrieved_at[:10], ages[answer.question][:10])
    return fact_events(connection, partition, read, origin)


def lookup_of(place: str, question: str, outline: bytes | None) -> Lookup | None:
    """A question about a commune or a parcel with its outline. The radius reaches NEAR_M beyond the outline. None if
    the question needs an outline, and there is none.
    """
    if not outline:
        return Lookup(place, question) if QUESTIONS[question].ask in ("commune", "parcel") else None
    projection = territory.projection_of(shapely.from_wkb(outline))
    metric = territory.to_metres(shapely.from_wkb(outline), projection)
    inside = shapely.point_on_surface(metric)
    reach_m = NEAR_M + float(shapely.hausdorff_distance(inside, metric))
    radius_m = min(MAX_RADIUS_M, -int(-reach_m // _RADIUS_STEP_M) * _RADIUS_STEP_M)
    point = territory.to_degrees(inside, projection)
    return Lookup(place, question, (point.x, point.y), radius_m)
