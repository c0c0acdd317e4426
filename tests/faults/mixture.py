"""A mixed load of clients, and what they saw. If one edge fails, a client asks the other one."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import httpx

from partners import ADDRESS, LAND, Question, http
from replicas import IssuedKey

DIVISION = Question(
    "/api/v1/assistant/divide-land", json.dumps({"parcel_ids": ["00001000AA0001"], "question": "Puis-je diviser ?"})
)
UNITS = {ADDRESS: 1, LAND: 2, DIVISION: 10}
SHARES = {ADDRESS: 60, LAND: 35, DIVISION: 5}
"""Shares of 100 requests."""
ALL = frozenset(UNITS)
PAUSE_S = 0.5
PROBE_S = 0.2
SERVED, REVOKED, EXHAUSTED, UNAVAILABLE = 200, 401, 429, (502, 503, 504)


@dataclass
class Billed:
    """What clients know about one key. The units that keys counts must lie between `served` and `at_most`."""

    key: IssuedKey
    quota: int | None = None
    served: int = 0
    """Units of complete answers."""
    unknown: int = 0
    """Units of requests without a complete answer."""
    over: int = 0
    """Answers that refused because of the quota."""

    @property
    def at_most(self) -> int:
        return self.served + self.unknown


@dataclass
class Doomed(Billed):
    """What clients know about a key that is revoked during a fault."""

    is_revoked: bool = False
    """Whether the revocation has answered."""
    after_revocation: int = 0
    """Answers to requests that began after that."""


class LoggedRequest(NamedTuple):
    question: Question
    began: float
    ended: float
    status: int
    """The status of the last attempt; 0 without a complete answer."""
    is_first: bool
    """Whether the first attempt had this status."""


@dataclass
class Mixture:
    """The clients. `steady` has no quota. Every key in `tight` has one, which a client uses up at the edges in turn.
    Others use the last key in `doomed`, which is revoked.
    """

    urls: Sequence[str]
    steady: Billed
    clients: int
    tight: list[Billed] = field(default_factory=list)
    doomed: list[Doomed] = field(default_factory=list)
    log: list[LoggedRequest] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    """Answers with another status than expected."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """All requests have ended after the block."""
        ending = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for number in range(self.clients):
                group.create_task(self._client(number, ending))
            for number in range(len(self.urls)):
                group.create_task(self._use_doomed(number, ending))
            try:
                yield
            finally:
                ending.set()

    async def _client(self, number: int, ending: asyncio.Event) -> None:
        choose = random.Random(number)  # noqa: S311 (not a secret)
        async with http() as client:
            while not ending.is_set():
                billed = self.tight[-1] if self.tight and number % 4 == 0 else self.steady
                question = choose.choices(list(SHARES), list(SHARES.values()))[0] if billed is self.steady else ADDRESS
                number += billed is not self.steady
                began = time.monotonic()
                first = await self._attempt(client, self.urls[number % len(self.urls)], billed, question)
                status = first
                if first == 0 or first in UNAVAILABLE:
                    status = await self._attempt(client, self.urls[(number + 1) % len(self.urls)], billed, question)
                if billed is self.steady:
                    self.log.append(LoggedRequest(question, began, time.monotonic(), status, status == first))
                await asyncio.sleep(PAUSE_S)

    async def _use_doomed(self, number: int, ending: asyncio.Event) -> None:
        """Sends requests with the key to one edge, at intervals that are short against a lease."""
        async with http() as client:
            while not ending.is_set():
                if self.doomed:
                    doomed = self.doomed[-1]
                    is_revoked = doomed.is_revoked
                    status = await self._attempt(client, self.urls[number], doomed, ADDRESS)
                    doomed.after_revocation += is_revoked and status == SERVED
                await asyncio.sleep(PROBE_S)

    async def _attempt(self, client: httpx.AsyncClient, url: str, billed: Billed, question: Question) -> int:
        try:
            answer = await client.post(
                url + question.path, content=question.body, headers={"x-api-key": billed.key.secret}
            )
        except httpx.ConnectError:
            return 0
        except httpx.TransportError:
            billed.unknown += UNITS[question]
            return 0
        status = answer.status_code
        if status == SERVED:
            billed.served += UNITS[question]
        elif status == EXHAUSTED and billed.quota is not None:
            billed.over += 1
        elif status not in UNAVAILABLE and not (status == REVOKED and isinstance(billed, Doomed)):
            self.wrong[f"{status} {answer.json().get('code', '')}"] += 1
        return status

    async def answered_again(self, question: Question, times: int) -> None:
        """Asks until the question has been answered `times` times in a row, each time by another edge."""
        row = number = 0
        async with http() as client:
            while row < times:
                status = await self._attempt(client, self.urls[number % len(self.urls)], self.steady, question)
                row = row + 1 if status == SERVED else 0
                number += 1
                await asyncio.sleep(PROBE_S)
