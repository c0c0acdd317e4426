"""Deploys to a Docker Swarm of three nodes, then kills a node under load and boots it again.

Prints where the replicas run, which requests were served, and what keys counted. Ends with status 1 if a request that
could be served was not, or if an event was lost or counted twice. Takes about 15 minutes on two idle cores, 12 GB of
disk and 5 GB of memory:

    make faults-swarm                    # ARGS=--help shows the options
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from faults.exercise import say
from faults.swarm.nodes import READY_WITHIN_S, Node, copy_images, placement, swarm, wait_for
from partners import ADDRESS, LAND, PAUSE_S, http, post
from programs import run

REPOSITORY = Path(__file__).resolve().parents[3]
STACK = "land-partner"
PREFIX = "land-partner-swarm-"
SERVICES = ("edge", "land", "keys", "assistant")
IMAGES = ("front", *SERVICES)
DATABASE_IMAGES = ("postgres:17", "postgis/postgis:17-3.5")
PORT = 8080
CLIENTS_PER_NODE = 3
SETTLED_WITHIN_S = 300.0
LOSS, IN_FLIGHT = "the node dies", "in flight then"
SERVED_AT_LEAST = 0.995
"""Of the requests to other edges after the loss. A call that the lost machine had accepted ends at its deadline."""
GENEROUS = ("--per-minute", "600000", "--burst", "60000")
SQL = {
    "events": "SELECT count(*) FROM events WHERE key_id = '{}'",
    "distinct": "SELECT count(DISTINCT reservation_id) FROM events WHERE key_id = '{}'",
    "served": "SELECT count(*) FROM events WHERE key_id = '{}' AND status = 200",
    "hours": "SELECT coalesce(sum(requests), 0) FROM usage_hours WHERE key_id = '{}'",
    "month": "SELECT coalesce(sum(requests), 0) FROM key_months WHERE key_id = '{}'",
}


@dataclass
class Answers:
    """What the clients of one edge received in one phase."""

    statuses: Counter[int] = field(default_factory=Counter)
    refused: int = 0
    """Requests that reached no edge: the client could not connect."""
    cut: int = 0
    """Requests that were sent and got no complete answer."""
    slowest_s: float = 0.0

    def __str__(self) -> str:
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(self.statuses.items())) or "none"
        return f"{statuses}; {self.cut} cut, {self.refused} not connected; slowest {self.slowest_s:.1f} s"


class Load:
    """Clients of each edge, which send requests until they are stopped. An edge of a dead node refuses them."""

    def __init__(self, urls: dict[str, str], secret: str) -> None:
        self._urls, self._secret = urls, secret
        self._ending = asyncio.Event()
        self.phase = ""
        self.answers: dict[tuple[str, str], Answers] = {}

    def _answers(self, began_in: str, node: str) -> Answers:
        is_in_flight = self.phase == LOSS != began_in
        return self.answers.setdefault((IN_FLIGHT if is_in_flight else began_in, node), Answers())

    def total(self, status: int) -> int:
        return sum(each.statuses[status] for each in self.answers.values())

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for node in self._urls:
                for _ in range(CLIENTS_PER_NODE):
                    group.create_task(self._client(node))

    def stop(self) -> None:
        self._ending.set()

    async def _client(self, node: str) -> None:
        async with http() as client:
            while not self._ending.is_set():
                for question in (ADDRESS, LAND):
                    phase, began = self.phase, time.monotonic()
                    try:
                        response = await post(client, self._urls[node], self._secret, question)
                    except (httpx.ConnectError, httpx.ConnectTimeout):
                        self._answers(phase, node).refused += 1
                        await asyncio.sleep(1)
                        continue
                    except httpx.TransportError:
                        self._answers(phase, node).cut += 1
                        continue
                    answers = self._answers(phase, node)
                    answers.statuses[response.status_code] += 1
                    answers.slowest_s = max(answers.slowest_s, time.monotonic() - began)
                await asyncio.sleep(PAUSE_S)


def deploy(manager: Node, folder: Path) -> None:
    variables = {
        "DOCKER_HOST": manager.engine,
        "IMAGE_PREFIX": PREFIX,
        "SECRETS_DIR": str(folder / "secrets"),
        "EDGE_PORT": str(PORT),
        "LAND_ON_DEMAND": "off",
        "LAND_REPLICAS": "3",
        "KEYS_REPLICAS": "3",
        **{f"{name.upper()}_PROCESSES": "1" for name in SERVICES},
    }
    run(str(REPOSITORY / "deploy/swarm.sh"), "deploy", "--resolve-image", "never", variables=variables)


def lengthen_deadlines(manager: Node, seconds: float) -> None:
    variables = [f"--env-add=EDGE_{name}_DEADLINE_S={seconds}" for name in ("KEYS", "RESOLVE", "GEOJSON")]
    manager.docker("service", "update", "--quiet", "--no-resolve-image", *variables, f"{STACK}_edge")


def is_ready(node: Node) -> bool:
    try:
        return httpx.get(f"http://{node.address}:{PORT}/readyz", timeout=3).is_success
    except httpx.TransportError:
        return False


def counts(manager: Node, key_id: str) -> dict[str, int]:
    ask = "; ".join(each.format(key_id) for each in SQL.values())
    printed = manager.inside(f"{STACK}_keys-db", "psql", "-U", "keys", "-d", "keys", "-tA", "-c", ask)
    return dict(zip(SQL, map(int, printed.split()), strict=True))


async def exercise(nodes: list[Node], seconds: float) -> list[str]:
    """Returns what is wrong. The databases are on the first node, so the last one is killed."""
    manager, victim = nodes[0], nodes[-1]
    for service, found in placement(manager, STACK).items():
        say(f"{service:20} {' '.join(found)}")
    manager.inside(f"{STACK}_land", "land", "demo")
    key = json.loads(
        manager.inside(f"{STACK}_keys", "keys", "create-key", "--partner", "Swarm", "--label", "load", *GENEROUS)
    )
    load = Load({node.container: f"http://{node.address}:{PORT}" for node in nodes}, key["secret"])

    async def phase(name: str, lasts_s: float) -> None:
        load.phase = name
        await asyncio.sleep(lasts_s)

    async with asyncio.TaskGroup() as group:
        group.create_task(load.run())
        try:
            await phase("all nodes", seconds)
            load.phase = LOSS
            await asyncio.to_thread(victim.kill)
            await phase(LOSS, 2 * seconds)
            load.phase = "the node boots"
            await asyncio.to_thread(victim.boot)
            await asyncio.to_thread(wait_for, partial(is_ready, victim), "its edge")
            await phase("all nodes again", seconds)
        finally:
            load.stop()

    for (phase_name, node), answers in load.answers.items():
        say(f"{phase_name:16} {node:24} {answers}")
    for service, found in placement(manager, STACK).items():
        say(f"{service:20} {' '.join(found)}")
    return verdict(load, victim.container, await asyncio.to_thread(settled, manager, key["key_id"], load.total(200)))


def settled(manager: Node, key_id: str, served: int) -> dict[str, int]:
    """The counts when they no longer change and contain all that was served, or after a timeout."""
    last: dict[str, int] = {}
    ends = time.monotonic() + SETTLED_WITHIN_S
    while True:
        now = counts(manager, key_id)
        if (now == last and now["served"] >= served) or time.monotonic() > ends:
            return now
        last = now
        time.sleep(5)


def verdict(load: Load, victim: str, counted: dict[str, int]) -> list[str]:
    served, sent = load.total(200), sum(each.statuses.total() + each.cut for each in load.answers.values())
    lost = max(0, served - counted["served"])
    double = sum(max(0, counted[name] - counted["distinct"]) for name in ("events", "hours", "month"))
    say(f"served {served}, counted {counted}, lost {lost}, double {double}")
    wrong = [f"{lost} served requests are not counted"] if lost else []
    if double or counted["distinct"] > sent:
        wrong.append(f"{double} events are counted twice; {counted['distinct']} counted, {sent} sent")
    for (phase, node), answers in load.answers.items():
        failed = answers.statuses.total() - answers.statuses[200]
        if phase == IN_FLIGHT:
            continue  # the lost machine may have had them
        if node == victim and not phase.startswith("all nodes"):
            continue
        most_failed = (1 - SERVED_AT_LEAST) * answers.statuses.total() if phase == LOSS else 0
        if failed > most_failed or answers.cut or answers.refused or not answers.statuses[200]:
            wrong.append(f"{phase}, {node}: {answers}")
    return wrong


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "--seconds", type=float, default=30, help="of load before the loss and after it; twice as many during it"
    )
    options.add_argument("--deadline", type=float, help="of the edge's calls, in seconds, for a busy machine")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="swarm-") as name:
        folder = Path(name)
        project = f"--project-directory={REPOSITORY}"
        files = [f"-f{REPOSITORY / each}" for each in ("docker-compose.yml", "deploy/swarm.yml")]
        variables = {"IMAGE_PREFIX": PREFIX, "SECRETS_DIR": name}
        run("docker", "compose", project, *files, "build", *IMAGES, variables=variables)
        with swarm(folder.name, 3, folder) as nodes:
            copy_images([f"{PREFIX}{each}:latest" for each in IMAGES], nodes, folder / "images.tar")
            copy_images(DATABASE_IMAGES, nodes[:1], folder / "images.tar")
            deploy(nodes[0], folder)
            if given.deadline:
                lengthen_deadlines(nodes[0], given.deadline)
            for node in nodes:
                wait_for(partial(is_ready, node), f"the edge of {node.container}", READY_WITHIN_S)
            wrong = asyncio.run(exercise(nodes, given.seconds))
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
