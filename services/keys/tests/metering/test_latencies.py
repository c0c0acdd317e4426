"""Percentiles of latency classes, compared with exact ones."""

import random
from collections import Counter
from math import ceil

import pytest

from keys.values.outcomes import LATENCY_CLASSES, latency_class_of, percentile_ms

WIDEST = 2 ** (1 / 8)
"""The stated error: half a class up or down."""


def p95_ms(latencies_us: list[int]) -> float | None:
    counts = Counter(map(latency_class_of, latencies_us))
    return percentile_ms([counts[number] for number in range(LATENCY_CLASSES)], 0.95)


@pytest.mark.parametrize("seed", range(20))
def test_the_percentile_is_within_half_a_class_of_the_exact_one(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret)
    median = chance.uniform(9, 15)
    latencies = [int(chance.lognormvariate(median, 0.6)) + 1 for _ in range(chance.randint(1, 2_000))]
    exact_ms = sorted(latencies)[ceil(0.95 * len(latencies)) - 1] / 1_000
    assert 1 < exact_ms < 32_768
    assert p95_ms(latencies) == pytest.approx(exact_ms, rel=WIDEST - 1, abs=0.001)


def test_without_requests_there_is_no_percentile() -> None:
    assert p95_ms([]) is None
    assert percentile_ms((), 0.95) is None


def test_the_first_and_the_last_class_have_one_bound() -> None:
    assert (p95_ms([0, 999]), p95_ms([10**18])) == (1.0, 32_768.0)
    assert [latency_class_of(latency_us) for latency_us in (999, 1_000, 2_000, 32_767_999, 32_768_000)] == [
        0,
        1,
        5,
        60,
        61,
    ]
