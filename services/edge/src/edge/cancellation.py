"""Cancels a call when its client disconnects, for calls that cost money while they run."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


async def cancel_on_disconnect(request: Request, work: Coroutine[None, None, T]) -> T:
    """Returns the result of the work. If the client disconnects, cancels the work and waits for its end.

    The body must have been read before. Raises starlette.requests.ClientDisconnect after a cancellation.
    """
    working = asyncio.create_task(work)
    disconnecting = asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait((working, disconnecting), return_when=asyncio.FIRST_COMPLETED)
    finally:  # without a wait: at a shutdown, the outcome is written before the spool is closed
        is_done = working.done()
        working.cancel()
        disconnecting.cancel()
    await asyncio.gather(working, disconnecting, return_exceptions=True)
    if not is_done:
        raise ClientDisconnect
    return working.result()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
