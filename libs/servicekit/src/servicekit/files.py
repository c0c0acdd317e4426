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
    seen: list[object] | None = None
    logged: list[object] | None = None
    while True:
        await asyncio.sleep(interval_s)
        state = [_state(path) for path in paths]
        if state == seen:
            continue
        try:
            read()
        except (OSError, ValueError) as error:
            if state != logged:
                facts = {"files": [str(path) for path in paths], "reason": str(error)}
                log.error("changed files are not used; tried again at each interval", extra=facts)
            logged = state
        else:
            seen = state


def _state(path: Path) -> object:
    try:
        found = path.stat()
    except OSError as error:
        return error.errno
    return found.st_mtime_ns, found.st_ino, found.st_size
