"""Partners that keep asking, and their own log of what they were answered: what the service's counts are held to."""

import asyncio
import contextlib
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import httpx

from embedded.preparing import DEMO_REQUEST


class Question(NamedTuple):
    path: str
    body: str


ADDRESS = Question("/api/v1/addresses/resolve", DEMO_REQUEST)
"""Costs 1 unit."""
LAND = Question("/api/v1/land-units/geojson", '{"parcel_ids": ["00001000AA0001"], "include": []}')
"""Costs 2 units."""
ANSWER_WITHIN_S = 40.0
PROGRESS_WITHIN_S = 60.0
PAUSE_S = 0.02
"""After each answer, so that starting processes get their share of the machine."""
_CERTIFICATES = ssl.create_default_context()
"""Never asked for on loopback, and slow to read for each client anew."""
HEADERS = {"content-type": "application/json", "x-request-id": "always-the-same"}


@dataclass
class Log:
    """What clients saw. An answer counts once its last byte has come."""

    statuses: Counter[int] = field(default_factory=Counter)
    unanswered: int = 0
    """Requests that had left and got no whole answer."""

    @property
    def served(self) -> int:
        return self.statuses[200]

    async def more(self, served: int) -> None:
        """Waits until so many more were served. Raises TimeoutError."""
        wanted = self.served + served
        await until(lambda: self.served >= wanted)


async def until(condition: Callable[[], bool], timeout_s: float = PROGRESS_WITHIN_S) -> None:
    """Waits for a condition. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 (what is waited for happens in other processes)
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A client of its own, with its own connections."""
    async with httpx.AsyncClient(verify=_CERTIFICATES, timeout=ANSWER_WITHIN_S, headers=HEADERS) as client:
        yield client


async def post(client: httpx.AsyncClient, url: str, secret: str, question: Question = ADDRESS) -> httpx.Response:
    """One request. Raises TransportError where no whole answer comes."""
    return await client.post(url + question.path, content=question.body, headers={"x-api-key": secret})


async def ask(client: httpx.AsyncClient, url: str, secret: str, log: Log, question: Question = ADDRESS) -> int | None:
    """Posts and notes what came. Returns the status, None where no whole answer came."""
    try:
        response = await post(client, url, secret, question)
    except httpx.ConnectError:
        return None
    except httpx.TransportError:
        log.unanswered += 1
        return None
    log.statuses[response.status_code] += 1
    return response.status_code


@contextlib.asynccontextmanager
async def load(urls: Sequence[str], secret: str, clients: int) -> AsyncIterator[Log]:
    """Clients that ask without end while the block runs, each going on to the next edge where one does not answer.
    All their requests have ended when the block has.
    """
    log = Log()
    ending = asyncio.Event()

    async def keep_asking(number: int) -> None:
        async with http() as client:
            while not ending.is_set():
                status = await ask(client, urls[number % len(urls)], secret, log)
                if status is None:
                    number += 1
                await asyncio.sleep(PAUSE_S)

    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(keep_asking(number))
        try:
            yield log
        finally:
            ending.set()
