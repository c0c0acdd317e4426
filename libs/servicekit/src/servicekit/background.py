"""Work that a background thread repeats."""

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Repeated:
    """A background task. Its thread works at the start and then at intervals. Work that fails is logged."""

    def __init__(self, name: str, interval_s: float, work: Callable[[], None]) -> None:
        self.ending = threading.Event()
        """Is set when the task is to end. Work that takes long returns soon after."""
        self._interval_s = interval_s
        self._work = work
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self.ending.set()

    def join(self) -> None:
        """Waits for its end."""
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                self._work()
            except Exception:
                facts = {"task": self._thread.name, "retry_after_s": self._interval_s}
                log.exception("background work failed, the next attempt follows", extra=facts)
            if self.ending.wait(self._interval_s):
                return
