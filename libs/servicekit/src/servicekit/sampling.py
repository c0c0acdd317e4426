"""Metrics of what is in use, waiting or left. A background thread reads them, so that requests pay nothing."""

import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from prometheus_client import Gauge

log = logging.getLogger(__name__)

INTERVAL_S = 5.0

Reading = Callable[[], None]
"""Sets some metrics."""

_free = Gauge("disk_free_bytes", "Free space of a volume.", ["volume"])
_size = Gauge("disk_size_bytes", "Size of a volume.", ["volume"])


class Sampler:
    """A background task that runs the readings now and at intervals. A reading that fails does not stop the others."""

    def __init__(self, readings: Sequence[Reading], interval_s: float = INTERVAL_S) -> None:
        self._readings = readings
        self._interval_s = interval_s
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ending.set()

    def join(self) -> None:
        """Waits for its end."""
        self._thread.join()

    def _run(self) -> None:
        while True:
            for reading in self._readings:
                try:
                    reading()
                except Exception as error:  # for instance: the database does not answer, which other metrics show
                    log.debug("a metric was not read", extra={"reason": type(error).__name__})
            if self._ending.wait(self._interval_s):
                return


def every(interval_s: float, reading: Reading) -> Reading:
    """The reading, at most once in the interval. A failed one is repeated with the next sample."""
    due = 0.0

    def read() -> None:
        nonlocal due
        if time.monotonic() >= due:
            reading()
            due = time.monotonic() + interval_s

    return read


def disk(volume: str, folder: Path) -> Reading:
    """The space of the volume that holds the folder, under the name `volume`."""

    def read() -> None:
        usage = shutil.disk_usage(folder)
        _free.labels(volume).set(usage.free)
        _size.labels(volume).set(usage.total)

    return read
