"""Waits for something outside of the test, within a generous bound."""

import asyncio
from collections.abc import Awaitable, Callable

SAFETY_S = 30.0


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    """Returns once the check holds. Raises TimeoutError."""
    async with asyncio.timeout(SAFETY_S):
        while not await check():  # noqa: ASYNC110 (of a database or a server)
            await asyncio.sleep(0.02)
