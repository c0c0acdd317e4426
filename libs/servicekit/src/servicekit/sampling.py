"""Metrics of what is in use, waiting or left. A background thread reads them, so that requests pay nothing."""

import logging
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from prometheus_client import Gauge

from servicekit.background import Repeated

log = logging.getLogger(__name__)

INTERVAL_S = 5.0

Reading = Callable[[], None]
"""Sets some metrics."""

_free = Gauge("disk_free_bytes", "Free space of a volume.", ["volume"])
_size = Gauge("disk_size_bytes", "Size of a volume.", ["volume"])


class Sampler(Repeated):
    """A background task that runs the readings now and at intervals. A reading that fails does not stop the others."""

    def __init__(self, readings: Sequence[Reading], interval_s: float = INTERVAL_S) -> None:
        super().__init__("sampler", interval_s, self._read)
        self._readings = readings

    def _read(self) -> None:
        for reading in self._readings:
            try:
                reading()
            except Exception as error:  # for instance: the database does not answer, which other metrics show
                log.debug("a metric was not read", extra={"reason": type(error).__name__})


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
