"""Probes a service at intervals and sets its gRPC health."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

log = logging.getLogger(__name__)

TIMEOUT_S = 3.0
"""A probe that takes longer has failed. The next one starts only after it has ended."""
RETRY_S = 0.5
"""The longest interval of a service that is not serving: clients that follow its health wait for the next probe."""
LIVENESS = "liveness"
"""The health service answers SERVING under this name as long as the process runs."""
SELLER = "seller"
"""Under this name keys answers NOT_SERVING if it issues no bills, since its seller is not set."""


class HealthProbe:
    """Runs `probe` in a separate thread, so that busy workers do not make it fail. `probe` raises if the service cannot
    work. `set_health` says whether it can.
    """

    def __init__(
        self,
        probe: Callable[[], None],
        set_health: Callable[[bool], Awaitable[None]],
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
        await self._check()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stops the probes. Waits for a running probe, at most until its timeout."""
        if self._task is not None:
            self._task.cancel()
        if self._running is not None:
            await asyncio.wait([self._running], timeout=self._timeout_s)
        self._thread.shutdown(wait=False)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._interval_s if self._is_serving else min(self._interval_s, RETRY_S))
            if self._running is not None:  # the last probe may have timed out
                await asyncio.wait([self._running])
            await self._check()

    async def _check(self) -> None:
        self._running = asyncio.get_running_loop().run_in_executor(self._thread, self._probe)
        ended, _ = await asyncio.wait([self._running], timeout=self._timeout_s)
        error = self._running.exception() if ended else TimeoutError()
        is_serving, was_serving = error is None, self._is_serving
        if is_serving == was_serving:
            return
        self._is_serving = is_serving
        await self._set_health(is_serving)
        if error is not None:
            log.error("not serving: the probe failed", extra={"reason": f"{type(error).__name__}: {error}"})
        elif was_serving is not None:
            log.info("serving again")
