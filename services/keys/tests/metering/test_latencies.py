"""Percentiles of latency classes, compared with exact ones."""

import random
from collections import Counter
from math import ceil

import pytest

from keys.metering.latencies import LAST_CLASS, UNTIMED, class_of, percentile_ms

WIDEST = 2 ** (1 / 8)
"""The stated error: half a class up or down."""


@pytest.mark.parametrize("seed", range(20))
def test_the_percentile_is_within_half_a_class_of_the_exact_one(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 (no secret)
    latencies = [int(chance.lognormvariate(chance.uniform(4, 16), 1.5)) + 1 for _ in range(chance.randint(1, 2_000))]
    exact_ms = sorted(latencies)[ceil(0.95 * len(latencies)) - 1] / 1_000
    counts = Counter(map(class_of, latencies))
    found = percentile_ms({**counts, UNTIMED: 5_000}, 0.95)
    assert found is not None
    assert found == pytest.approx(exact_ms, rel=WIDEST - 1, abs=0.001)


def test_without_known_latencies_there_is_no_percentile() -> None:
    assert percentile_ms({}, 0.95) is None
    assert percentile_ms({UNTIMED: 3}, 0.95) is None


def test_every_latency_has_a_class() -> None:
    assert [class_of(each) for each in (0, 1, 2, 1_000, 10**18)] == [0, 0, 4, 39, LAST_CLASS]
