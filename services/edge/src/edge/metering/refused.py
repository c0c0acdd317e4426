"""The outcomes that keys refuses: one file for all edges that share a spool, until `edge replay-refused` sends them."""

import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from edge.metering.spool import SpoolFile, SpoolFull, lock

BATCH = 500
"""Outcomes that are sent together."""
MAX_BYTES = 64 * 1024 * 1024


class Unsettled(NamedTuple):
    """Payloads that keys did not count."""

    refused: Sequence[bytes] = ()
    """keys cannot know whether it has counted them."""
    postponed: Sequence[bytes] = ()
    """Their API keys are locked at the moment."""


Send = Callable[[Sequence[bytes]], Awaitable[Unsettled]]
"""Sends payloads. It has counted those that it does not return. Raises if keys is not available."""


def path_of(root: Path) -> Path:
    """The file exists only while it has outcomes."""
    return root / "refused.sqlite"


def set_aside(root: Path, payloads: Iterable[bytes], max_bytes: int = MAX_BYTES) -> None:
    """Writes and syncs the payloads. Blocks.

    Raises SpoolFull if the file has its maximum size, and sqlite3.Error or OSError, also if another process has it.
    """
    with _opened(root) as file:
        if file.waiting_bytes > max_bytes:
            raise SpoolFull("the file of refused outcomes has its maximum size")
        for payload in payloads:
            file.insert(payload)


async def replay(root: Path, send: Send) -> tuple[int, int]:
    """Sends every refused outcome, and removes those that keys counts. Returns how many it counted, and how many not.

    Other processes can set nothing aside meanwhile. Raises the errors of `send` and of `set_aside`.
    """
    counted = 0
    with _opened(root) as file:
        while payloads := file.read_next(BATCH):
            unsettled = await send(list(payloads.values()))
            rest = {*unsettled.refused, *unsettled.postponed}
            if len(unsettled.refused) == len(payloads) > 1:  # keys may have refused the batch as a whole
                rest = {payload for payload in unsettled.refused if any(await send([payload]))}
            done = {id_: payload for id_, payload in payloads.items() if payload not in rest}
            file.acknowledge(done)
            counted += len(done)
        return counted, file.rows


@contextmanager
def _opened(root: Path) -> Iterator[SpoolFile]:
    lock_fd = lock(root / "refused.lock")
    try:
        with closing(SpoolFile(path_of(root))) as file:
            yield file
        if not file.rows:
            path_of(root).unlink()
    finally:
        os.close(lock_fd)
