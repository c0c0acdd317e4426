"""Classes of latencies, and percentiles of counts by class.

Each class is 2^(1/4) = 1.19 times as wide as the one before. A class stands for the geometric middle of its bounds. So
a percentile is at most 10 % too high or too low (2^(1/8) = 1.09).
"""

from collections.abc import Mapping
from math import ceil, log2

_CLASSES_PER_DOUBLING = 4
LAST_CLASS = 119
"""The last class begins at 15 minutes and has no end. No request takes that long."""
UNTIMED = -1
"""The class of requests whose latency is not known."""


def class_of(latency_us: int) -> int:
    """The class of a latency. The first one begins at 1 µs, and includes 0."""
    return min(LAST_CLASS, int(_CLASSES_PER_DOUBLING * log2(max(1, latency_us))))


def percentile_ms(counts: Mapping[int, int], share: float) -> float | None:
    """The latency that this share of the requests does not exceed. None without a request of known latency."""
    timed = sorted((each, count) for each, count in counts.items() if each != UNTIMED)
    rank = ceil(share * sum(count for _, count in timed))
    for latency_class, count in timed:
        rank -= count
        if rank <= 0:
            return round(float(2 ** ((latency_class + 0.5) / _CLASSES_PER_DOUBLING)) / 1_000, 3)
    return None
