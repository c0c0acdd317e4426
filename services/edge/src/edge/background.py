"""Background tasks, which run until they are cancelled."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


async def repeat(job: Callable[[], Awaitable[None]], backoff_s: float) -> None:
    """Repeats a job. After an error it waits, since the cause may pass, such as a full disk."""
    while True:
        try:
            await job()
        except Exception:
            log.exception("a background task failed", extra={"task": getattr(job, "__qualname__", repr(job))})
            await asyncio.sleep(backoff_s)
