"""The faults. Each begins and ends, and names the questions that can be answered while it lasts."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from containers import docker, freeze, thaw
from faults.links import Link
from faults.mixture import ALL, DIVISION
from faults.site import Database, Site
from partners import Question

NOTHING: frozenset[Question] = frozenset()
DELAY_S = 0.1
LOSS = 0.05
JUMPS = ("+2h", "-2h")


@dataclass(frozen=True)
class Fault:
    name: str
    can_serve: frozenset[Question]
    begin: Callable[[], Awaitable[None]]
    end: Callable[[], Awaitable[None]]


def faults(site: Site) -> list[Fault]:
    """Every kind once, in a fixed order."""
    database = site.database
    kinds = [_killed(site, name, ALL if name != "assistant 1" else ALL - {DIVISION}) for name in
            ("edge 1", "keys 1", "land 2", "assistant 1")]  # fmt: skip
    kinds += [
        Fault("database killed", NOTHING, _thread(docker, "kill", database.name), _thread(database.ensure_started)),
        Fault("database hangs", NOTHING, _thread(freeze, database.name), _thread(thaw, database.name)),
        Fault("disk of the database full", NOTHING, _thread(database.fill), _emptied(database)),
        Fault("disk of edge 1 full", ALL, _thread(_fill, site), _thread(_empty, site)),
    ]
    for name, jump in (("edge 2", JUMPS[0]), ("keys 2", JUMPS[0]), ("keys 1", JUMPS[1])):
        file = site.clock_file(name)
        kinds.append(
            Fault(
                f"clock of {name} off by {jump}", ALL, _thread(file.write_text, jump), _thread(file.write_text, "+0s")
            )
        )
    kinds += [
        _slow(site, "edge 1", delay_s=DELAY_S),
        _slow(site, "edge 2", loss=LOSS),
        _cut("edge 1 and keys 2 cannot reach each other", ALL, [site.links["edge 1", "keys 2"]]),
        _cut("edge 2 and land 1 cannot reach each other", ALL, [site.links["edge 2", "land 1"]]),
        _cut("edge 1 alone", ALL, _links(site, "edge 1")),
        _cut("keys 1 cannot reach its database", ALL, [site.links["keys 1", "keys database"]]),
        _cut("land cannot reach its database", NOTHING, _links(site, "land database")),
        _cut("keys cannot reach its database", NOTHING, _links(site, "keys database")),
    ]
    return kinds


def _links(site: Site, peer: str) -> list[Link]:
    return [link for peers, link in site.links.items() if peer in peers]


def _thread(call: Callable[..., object], *arguments: object) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        await asyncio.to_thread(call, *arguments)

    return run


def _killed(site: Site, name: str, can_serve: frozenset[Question]) -> Fault:
    async def begin() -> None:
        site.replicas[name].kill()

    async def end() -> None:
        site.replicas[name].begin()
        await asyncio.to_thread(site.replicas[name].wait)

    return Fault(f"{name} killed", can_serve, begin, end)


def _cut(name: str, can_serve: frozenset[Question], links: Iterable[Link]) -> Fault:
    cut = list(links)

    async def begin() -> None:
        for link in cut:
            link.cut()

    async def end() -> None:
        for link in cut:
            link.mend()

    return Fault(name, can_serve, begin, end)


def _slow(site: Site, peer: str, delay_s: float = 0.0, loss: float = 0.0) -> Fault:
    async def shape(delay_s: float, loss: float) -> None:
        for link in _links(site, peer):
            link.delay_s, link.loss = delay_s, loss

    name = f"{delay_s * 1000:.0f} ms of delay" if delay_s else f"{loss:.0%} of packets lost"
    return Fault(f"{name} behind {peer}", ALL, lambda: shape(delay_s, loss), lambda: shape(0.0, 0.0))


def _fill(site: Site) -> None:
    with suppress(OSError), (site.spool("edge 1") / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(os.urandom(1 << 16))


def _empty(site: Site) -> None:
    (site.spool("edge 1") / "filler").unlink()


def _emptied(database: Database) -> Callable[[], Awaitable[None]]:
    async def end() -> None:
        await asyncio.to_thread(database.empty)
        with suppress(RuntimeError):
            await asyncio.to_thread(database.ensure_started)

    return end
