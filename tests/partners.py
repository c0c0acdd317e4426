"""Clients that send requests continuously and log the answers. Tests compare the log with the counts of keys."""

import asyncio
import contextlib
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import httpx

from embedded.run import DEMO_REQUEST
from stacks import PATIENCE_S


class Question(NamedTuple):
    path: str
    body: str


ADDRESS = Question("/api/v1/addresses/resolve", DEMO_REQUEST)
"""Costs 1 unit."""
LAND = Question("/api/v1/land-units/geojson", '{"parcel_ids": ["00001000AA0001"], "include": []}')
"""Costs 2 units."""
ANSWER_WITHIN_S = 60.0
PAUSE_S = 0.05
"""Pause after each served request, so that starting processes get processor time."""
REFUSED_PAUSE_S = 0.5
"""Pause after each other answer. An outage lasts, and more requests during it would show nothing else."""
_CERTIFICATES = ssl.create_default_context()
"""Not used on loopback; shared, since loading them for each client is slow."""
HEADERS = {"content-type": "application/json", "x-request-id": "always-the-same"}


@dataclass
class Log:
    """The answers that clients received completely."""

    statuses: Counter[int] = field(default_factory=Counter)
    unanswered: int = 0
    """Requests that were sent and got no complete answer."""

    @property
    def served(self) -> int:
        return self.statuses[200]

    async def more(self, served: int) -> None:
        """Waits until `served` more requests are served. Raises TimeoutError."""
        target_count = self.served + served
        await until(lambda: self.served >= target_count)


async def until(condition: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
    """Waits for a condition. Raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 (the condition depends on other processes)
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """A client with separate connections."""
    async with httpx.AsyncClient(verify=_CERTIFICATES, timeout=ANSWER_WITHIN_S, headers=HEADERS) as client:
        yield client


async def post(client: httpx.AsyncClient, url: str, secret: str, question: Question = ADDRESS) -> httpx.Response:
    """Sends one request. Raises TransportError if no complete answer arrives."""
    return await client.post(url + question.path, content=question.body, headers={"x-api-key": secret})


async def ask(client: httpx.AsyncClient, url: str, secret: str, log: Log, question: Question = ADDRESS) -> int | None:
    """Sends one request and logs the answer. Returns its status; None without a complete answer."""
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
    """Runs clients that send requests until the end of the block. If an edge fails, a client uses the next one.

    All requests have ended after the block.
    """
    log = Log()
    ending = asyncio.Event()

    async def send_requests(number: int) -> None:
        async with http() as client:
            while not ending.is_set():
                status = await ask(client, urls[number % len(urls)], secret, log)
                if status is None:
                    number += 1
                await asyncio.sleep(PAUSE_S if status in (None, httpx.codes.OK) else REFUSED_PAUSE_S)

    async with asyncio.TaskGroup() as group:
        for number in range(clients):
            group.create_task(send_requests(number))
        try:
            yield log
        finally:
            ending.set()
