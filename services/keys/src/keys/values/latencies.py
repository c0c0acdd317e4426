"""Classes of latencies, and percentiles of counts by class.

Each class is 2^(1/4) = 1.19 times as wide as the one before. A class stands for the geometric middle of its bounds. So
a percentile between 1 ms and 32 s is at most 10 % too high or too low (2^(1/8) = 1.09).
"""

from collections.abc import Sequence
from itertools import accumulate
from math import ceil, log2

_PER_DOUBLING = 4
_DOUBLINGS = 15
CLASSES = _DOUBLINGS * _PER_DOUBLING + 2
"""The first class ends at 1 ms. The last one begins at 32,768 ms and has no end."""
_MS_US = 1_000


def class_of(latency_us: int) -> int:
    if latency_us < _MS_US:
        return 0
    return min(CLASSES - 1, 1 + int(_PER_DOUBLING * log2(latency_us / _MS_US)))


def percentile_ms(counts: Sequence[int], share: float) -> float | None:
    """The latency that this share of the requests does not exceed: 1 in the first class, 32,768 in the last one. None
    without a request. `counts` has a number for each class.
    """
    total = sum(counts)
    if not total:
        return None
    rank = ceil(share * total)
    latency_class = next(number for number, reached in enumerate(accumulate(counts)) if reached >= rank)
    if latency_class in (0, CLASSES - 1):
        return 1.0 if latency_class == 0 else float(2**_DOUBLINGS)
    return round(float(2 ** ((latency_class - 0.5) / _PER_DOUBLING)), 3)
