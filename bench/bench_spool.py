"""Measures the spool of the edge: the time of one recorded outcome, and how long the event loop waits at most.

The outcomes are also sent, to a function that counts them after 2 ms. `python bench/bench_spool.py [SECONDS]`.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from measuring import quantile

from edge.metering.outcomes import OutcomeLog
from edge.metering.refused import Unsettled
from landpartner.keys.v1.keys_pb2 import Outcome

RATES = (100, 500, 1_000)
"""Outcomes per second."""
MAX_BYTES = 256 * 1024 * 1024
INTERVAL_S = 0.1
OUTCOME = Outcome(
    event_id=bytes(16),
    lease_id=bytes(16),
    key_id="k" * 8,
    endpoint="land_units.geojson",
    status=200,
    latency_us=4_000,
    occurred_at="2026-03-14T12:00:00.123Z",
    leased_at="2026-03-14T12:00:00.123Z",
    units=1,
    request_id="r" * 32,
)


async def count(payloads: Sequence[bytes]) -> Unsettled:
    await asyncio.sleep(0.002)
    return Unsettled()


async def release(holder: bytes) -> None:
    pass


async def record_at(outcomes: OutcomeLog, rate: int, seconds: float) -> tuple[list[float], list[float]]:
    """The times of the records, and how late the event loop was at each of them, in seconds."""
    times: list[float] = []
    delays: list[float] = []
    begin = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = begin + number / rate
        await asyncio.sleep(due - time.perf_counter())
        started = time.perf_counter()
        outcomes.hold()
        outcomes.record(OUTCOME)
        times.append(time.perf_counter() - started)
        delays.append(started - due)
    return times, delays


async def measure(folder: Path, seconds: float) -> None:
    outcomes = OutcomeLog(folder, MAX_BYTES, count, release, INTERVAL_S)
    outcomes.start()
    for rate in RATES:
        times, delays = await record_at(outcomes, rate, seconds)
        p50, p99 = (quantile(times, share) * 1e6 for share in (50, 99))
        print(
            f"{rate:>5} a second: {p50:.0f} µs in the median, {p99:.0f} µs in p99, {max(times) * 1000:.1f} ms at most; "
            f"the event loop was late by {quantile(delays, 99) * 1000:.1f} ms in p99, {max(delays) * 1000:.1f} at most"
        )
    await outcomes.stop()


def main() -> None:
    seconds = float(sys.argv[1]) if sys.argv[1:] else 10.0
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), seconds))


if __name__ == "__main__":
    main()
