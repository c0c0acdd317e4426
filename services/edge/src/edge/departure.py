"""Ends work that nobody waits for any more: for calls that cost money while they run."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[None, None, T]) -> T:
    """The result of the work, which is cancelled, and waited for, when the client leaves. The body must have been read.

    Raises starlette.requests.ClientDisconnect then, which the gate settles as it does every departure.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_departure(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _departure(request: Request) -> None:
    """Returns when the server says that the connection is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
