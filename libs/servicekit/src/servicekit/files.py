"""Follows files that an operator replaces while a process runs: tokens and certificates."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

log = logging.getLogger(__name__)

INTERVAL_S = 2.0


async def follow(paths: Sequence[Path], read: Callable[[], None], interval_s: float = INTERVAL_S) -> None:
    """Calls `read` once, and whenever a file has changed, until it is cancelled. Logs an OSError or ValueError of
    `read`: the process goes on with what it has.
    """
    state_in_use: list[object] | None = None
    logged_state: list[object] | None = None
    while True:
        await asyncio.sleep(interval_s)
        state = [_state(path) for path in paths]
        if state == state_in_use:
            continue
        try:
            read()
        except (OSError, ValueError) as error:
            if state != logged_state:
                facts = {"files": [str(path) for path in paths], "reason": str(error)}
                log.error("changed files are not used; tried again at each interval", extra=facts)
            logged_state = state
        else:
            state_in_use = state


def _state(path: Path) -> object:
    try:
        status = path.stat()
    except OSError as error:
        return error.errno
    return status.st_mtime_ns, status.st_ino, status.st_size
