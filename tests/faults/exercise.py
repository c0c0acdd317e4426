"""Runs the faults in turn under a mixed load, and compares what keys counted with what the clients saw."""

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from process_costs import resident_bytes

from faults.kinds import Fault, faults
from faults.mixture import ALL, SERVED, Billed, Doomed, Mixture
from faults.site import Site

CLIENTS = 4
TIGHT_UNITS = 20
"""Quota of the key that is used up during each fault."""
IN_A_ROW = 4
"""Answers that show that a question is answered again: two of each edge."""
RECOVERS_WITHIN_S = 120.0
REVOKES_WITHIN_S = 2.4
"""The time that a revocation takes. Faults begin at different moments of it."""
AFTER_REVOCATION_S = 1.2
REVOKE_AGAIN_S = 0.2
_SETTLES_WITHIN_S = 120.0
TREND_AFTER_S = 300.0
"""How long a process must serve before the trend of its memory means something."""
_WARM_UP_S = 5.0
_SAMPLE_S = 2.0


@dataclass(frozen=True)
class Observed:
    """One fault. Requests count if they began and ended during the fault and could be answered."""

    name: str
    lasted_s: float
    request_count: int
    served: int
    at_first: int
    """Served by the first attempt."""
    slowest_s: float
    recovered_s: float | None
    """Time from the end of the fault until each question is answered again; None if that took too long."""


@dataclass(frozen=True)
class Memory:
    """Resident memory of one process."""

    replica: str
    minutes: float
    """The time from its first sample to its last."""
    mib: float
    """The memory at the last sample."""
    mib_per_hour: float
    """The trend of the second half: caches and pools fill in the first."""


@dataclass
class Report:
    seconds: float
    faults: list[Observed] = field(default_factory=list)
    requests: int = 0
    units: int = 0
    lost: int = 0
    """Units of complete answers that keys did not count."""
    twice: int = 0
    """Units that keys counted and no client asked for."""
    overshoot: int = 0
    """Units granted beyond a quota."""
    after_revocation: int = 0
    """Requests that were answered although they began after the revocation of their key had answered."""
    unrevoked: int = 0
    """Keys that could not be revoked after their fault."""
    reserved: int = 0
    """Units of requests whose outcome keys does not know: it releases them later."""
    unsent: int = 0
    """Files of outcomes that a stopped edge left behind."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Answers with a status that no fault explains."""
    memory: list[Memory] = field(default_factory=list)
    """The memory of each process that served long enough."""

    @property
    def is_right(self) -> bool:
        nothing = not (self.lost or self.twice or self.overshoot or self.unsent or self.wrong)
        nothing &= not (self.after_revocation or self.unrevoked)
        return nothing and all(fault.recovered_s is not None for fault in self.faults)


def print_line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def exercise(folder: Path, seconds: float, fault_s: float) -> Report:
    """Runs each fault at least once, and further ones until the time is over. Raises Unavailable."""
    site = Site(folder)
    async with site.running():
        report, began = Report(seconds), time.monotonic()
        steady = Billed(await asyncio.to_thread(site.create_key, "steady"))
        mixture = Mixture(site.urls, steady, CLIENTS)
        sizes: dict[int, tuple[str, list[tuple[float, int]]]] = {}
        async with mixture.running():
            watching = asyncio.create_task(_watch(site, sizes))
            try:
                await asyncio.sleep(_WARM_UP_S)
                kinds = faults(site)
                for number, fault in enumerate(_in_turn(kinds)):
                    if number >= len(kinds) and time.monotonic() - began >= seconds:
                        break
                    options = ("--monthly-units", str(TIGHT_UNITS))
                    key = await asyncio.to_thread(site.create_key, f"tight {number}", *options)
                    mixture.tight.append(Billed(key, TIGHT_UNITS))
                    doomed = Doomed(await asyncio.to_thread(site.create_key, f"doomed {number}"))
                    mixture.doomed.append(doomed)
                    revoking = asyncio.create_task(_revoke(site, doomed))
                    await asyncio.sleep(number % 4 * REVOKES_WITHIN_S / 4)
                    report.faults.append(await _observe(fault, mixture, fault_s))
                    report.unrevoked += not await revoking
                    await asyncio.sleep(AFTER_REVOCATION_S)
            finally:
                watching.cancel()
        trends = (_memory(name, taken) for name, taken in sizes.values())
        report.memory = sorted((trend for trend in trends if trend), key=lambda trend: (trend.replica, -trend.minutes))
        report.after_revocation = sum(doomed.after_revocation for doomed in mixture.doomed)
        await _settle(site, [steady, *mixture.tight, *mixture.doomed])
        for name, replica in site.replicas.items():
            if name.startswith("edge"):
                await asyncio.to_thread(replica.stop)
                report.unsent += sum(path.suffix == ".sqlite" for path in site.spool(name).rglob("*"))
        for billed in (steady, *mixture.tight, *mixture.doomed):
            counts = await site.counts(billed.key.key_id)
            report.units += counts.units
            report.reserved += counts.reserved_units
            report.lost += max(0, billed.served - counts.units)
            report.twice += max(0, counts.units - billed.at_most)
            report.overshoot += max(0, billed.served - (billed.quota if billed.quota is not None else billed.served))
        report.requests, report.wrong, report.seconds = len(mixture.log), mixture.wrong, time.monotonic() - began
        return report


def _in_turn(kinds: Sequence[Fault]) -> Iterator[Fault]:
    """All kinds in the given order, then again and again in other orders."""
    yield from kinds
    for seed in count(1):
        yield from random.Random(seed).sample(kinds, len(kinds))  # noqa: S311 (not a secret)


async def _revoke(site: Site, doomed: Doomed) -> bool:
    """Revokes a key, and tries again while the database does not answer. Returns whether it succeeded."""
    with suppress(TimeoutError):
        async with asyncio.timeout(RECOVERS_WITHIN_S):
            while not doomed.is_revoked:
                with suppress(subprocess.CalledProcessError):
                    await asyncio.to_thread(site.command, "keys", "revoke-key", doomed.key.key_id)
                    doomed.is_revoked = True
                await asyncio.sleep(REVOKE_AGAIN_S)
    return doomed.is_revoked


async def _observe(fault: Fault, mixture: Mixture, fault_s: float) -> Observed:
    await fault.begin()
    began = time.monotonic()
    try:
        await asyncio.sleep(fault_s)
    finally:
        ended = time.monotonic()
        await fault.end()
    recovered_s = await _recover(mixture)
    covered = [
        request
        for request in mixture.log
        if began <= request.began and request.ended <= ended and request.question in fault.can_serve
    ]
    served = [request for request in covered if request.status == SERVED]
    observed = Observed(
        fault.name,
        ended - began,
        len(covered),
        len(served),
        sum(request.is_first for request in served),
        max((request.ended - request.began for request in served), default=0.0),
        recovered_s,
    )
    print_line(line(observed))
    return observed


async def _recover(mixture: Mixture) -> float | None:
    """The time until each question is answered again, by every edge; None if that takes too long."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(RECOVERS_WITHIN_S):
            await asyncio.gather(*(mixture.answered_again(question, IN_A_ROW) for question in ALL))
    except TimeoutError:
        return None
    return time.monotonic() - began


def line(observed: Observed) -> str:
    share = f"{observed.served}/{observed.request_count} served, {observed.at_first} at first"
    share += f", slowest {observed.slowest_s:.1f} s"
    recovered = "never recovered" if observed.recovered_s is None else f"recovered after {observed.recovered_s:.1f} s"
    return f"{observed.name}: {share if observed.request_count else 'nothing can be served'}; {recovered}"


async def _settle(site: Site, keys: Sequence[Billed]) -> None:
    """Waits until the outcomes of all complete answers are counted, or the time is over: then they are lost."""
    ends = time.monotonic() + _SETTLES_WITHIN_S
    for billed in keys:
        while (await site.counts(billed.key.key_id)).units < billed.served and time.monotonic() < ends:  # noqa: ASYNC110
            await asyncio.sleep(0.3)


async def _watch(site: Site, sizes: dict[int, tuple[str, list[tuple[float, int]]]]) -> None:
    """Notes the memory of every process that serves at intervals."""
    while True:
        for name, replica in site.replicas.items():
            try:
                site.pids.add(replica.pid)
                sizes.setdefault(replica.pid, (name, []))[1].append((time.monotonic(), resident_bytes(replica.pid)))
            except (OSError, KeyError):  # it is killed at the moment
                continue
        await asyncio.sleep(_SAMPLE_S)


def _memory(replica: str, taken: Sequence[tuple[float, int]]) -> Memory | None:
    """None for a process that served too shortly."""
    began, (ended, size) = taken[0][0], taken[-1]
    if ended - began < TREND_AFTER_S:
        return None
    times, sizes = zip(*taken[len(taken) // 2 :], strict=True)
    slope = statistics.linear_regression(times, sizes).slope * 3600 / 2**20
    return Memory(replica, (ended - began) / 60, size / 2**20, slope)
