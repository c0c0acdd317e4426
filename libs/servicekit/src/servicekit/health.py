"""Probes a service at intervals and sets its gRPC health."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

log = logging.getLogger(__name__)

TIMEOUT_S = 3.0
"""A probe that takes longer has failed. The next one starts only after it has ended."""
RETRY_S = 0.5
"""The longest interval of a service that is not serving: clients that follow its health wait for the next probe."""
LIVENESS = "liveness"
"""The health service answers SERVING under this name as long as the process runs."""


class SetHealth(Protocol):
    async def __call__(self, *, is_serving: bool) -> None: ...


class HealthProbe:
    """Runs `probe` in a separate thread, so that busy workers do not make it fail. `probe` raises if the service cannot
    work.
    """

    def __init__(
        self,
        probe: Callable[[], None],
        set_health: SetHealth,
        interval_s: float,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._probe = probe
        self._set_health = set_health
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._is_serving: bool | None = None
        self._task: asyncio.Task[None] | None = None
        self._running: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Starts the probes. Returns after the first probe has ended or timed out."""
        first = asyncio.Event()
        self._task = asyncio.create_task(self._run(first))
        await first.wait()

    async def stop(self) -> None:
        """Stops the probes. Waits for a running probe, at most until its timeout."""
        if self._task is not None:
            self._task.cancel()
        if self._running is not None:
            await asyncio.wait([self._running], timeout=self._timeout_s)
        self._thread.shutdown(wait=False)

    async def _run(self, first: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._running = probe = loop.run_in_executor(self._thread, self._probe)
            error = await self._outcome(probe)
            await self._update(error)
            first.set()
            if isinstance(error, TimeoutError):
                with contextlib.suppress(Exception):
                    await probe
            await asyncio.sleep(self._interval_s if error is None else min(self._interval_s, RETRY_S))

    async def _outcome(self, probe: asyncio.Future[None]) -> Exception | None:
        """The error of the probe; None if it succeeded."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await asyncio.shield(probe)
        except Exception as error:
            return error
        return None

    async def _update(self, error: Exception | None) -> None:
        is_serving, was_serving = error is None, self._is_serving
        if is_serving == was_serving:
            return
        self._is_serving = is_serving
        await self._set_health(is_serving=is_serving)
        if error is not None:
            log.error("not serving: the probe failed", extra={"reason": f"{type(error).__name__}: {error}"})
        elif was_serving is not None:
            log.info("serving again")
