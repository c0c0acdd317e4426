"""Compares services of one process with services of several, embedded on all cores of this machine.

All installations answer in turn, about the demo commune. Prints the processor time of a request and the answers per
second, and both as ratios to the first installation. Clients use the same cores, so compare only the ratios.
"""

import argparse
import http.client
import itertools
import json
import sqlite3
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_addok import Case, answers
from process_costs import cpu_s, resident_bytes

import stacks
from embedded.preparing import DEMO_REQUEST

SERVICES = ("EDGE", "LAND", "KEYS", "ASSISTANT")
INSTALLATIONS = ("1,1,1,1", "1,2,1,1", "2,2,2,2", "4,4,4,4")
ROUNDS = 5
PER_ROUND = 320
CLIENTS = (1, 16, 64)
TARGET = 1.1
"""For the processor time of a request with four processes of each service."""
RESOLVE, GEOJSON = "/api/v1/addresses/resolve", "/api/v1/land-units/geojson"
BLOCKS = ("land", "urbanism", "buildings", "real_estate")


@dataclass(frozen=True)
class Installation:
    name: str
    url: str
    secret: str
    pids: dict[str, int]

    def ask(self, connection: http.client.HTTPConnection, case: Case) -> dict[str, Any]:
        headers = {"content-type": "application/json", "x-api-key": self.secret}
        connection.request("POST", case["path"], json.dumps(case["body"]), headers)
        response = connection.getresponse()
        body: dict[str, Any] = json.loads(response.read())
        if response.status != http.client.OK:
            raise RuntimeError(f"{response.status}: {body}")
        return body

    def memory_mb(self) -> dict[str, int]:
        def processes(pid: int) -> list[int]:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            return [pid, *itertools.chain.from_iterable(processes(int(child)) for child in children)]

        return {name: sum(map(resident_bytes, processes(pid))) // 2**20 for name, pid in self.pids.items()}


def start(name: str, folder: Path, stack: ExitStack) -> Installation:
    counts = name.split(",")
    settings = {f"{service}_PROCESSES": count for service, count in zip(SERVICES, counts, strict=True)}
    stacked = stack.enter_context(stacks.embedded(folder, settings))
    key = stacks.create_key(stacked, "bench", "--per-minute", "1000000", "--burst", "1000000")
    return Installation(name, stacked.url, key["secret"], stacked.record()["pids"])


def cases(folder: Path) -> dict[str, list[Case]]:
    with sqlite3.connect(folder / "land.sqlite") as store:
        parcels = [parcel_id for (parcel_id,) in store.execute("SELECT parcel_id FROM parcel ORDER BY parcel_id")]
    endless = itertools.islice(itertools.cycle(parcels), PER_ROUND)
    return {
        "resolve": [{"path": RESOLVE, "body": json.loads(DEMO_REQUEST)}] * PER_ROUND,
        "geojson": [{"path": GEOJSON, "body": {"parcel_ids": [each], "include": BLOCKS}} for each in endless],
    }


def compare(name: str, asked: Sequence[Case], installations: Sequence[Installation], clients: int) -> None:
    costs: dict[str, list[dict[str, float]]] = {each.name: [] for each in installations}
    rates: dict[str, list[float]] = {each.name: [] for each in installations}
    for number in range(ROUNDS + 1):  # the first round is a warm-up
        for each in installations:
            before = cpu_s(each.pids)
            rate = answers(each.url, asked, each.ask, clients)[1]
            used = {
                service: (after - before[service]) * 1000 / len(asked) for service, after in cpu_s(each.pids).items()
            }
            if number:
                costs[each.name].append(used)
                rates[each.name].append(rate)
    first: tuple[float, float] | None = None
    for each in installations:
        cost = statistics.median(sum(used.values()) for used in costs[each.name])
        rate = statistics.median(rates[each.name])
        first = first or (cost, rate)
        parts = ", ".join(
            f"{service} {statistics.median(used[service] for used in costs[each.name]):.2f}" for service in each.pids
        )
        print(
            f"{name:8} {clients:3} clients  {each.name:8} {cost:6.2f} ms ({cost / first[0]:4.2f} x)"
            f" {rate:6.0f}/s ({rate / first[1]:4.2f} x)   {parts}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", nargs="+", default=INSTALLATIONS, help="of edge, land, keys and assistant")
    parser.add_argument("--clients", nargs="+", type=int, default=CLIENTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root = Path(folder)
        installations = [start(name, root / str(number), stack) for number, name in enumerate(given.processes)]
        asked = cases(root / "0")
        print(
            f"processes of {', '.join(SERVICES).lower()} (to reach: at most {TARGET} x the processor time of one each)"
        )
        for clients in given.clients:
            for name, list_ in asked.items():
                compare(name, list_, installations, clients)
        for each in installations:
            print(f"{each.name:8} memory in MB, shared pages counted in each process: {each.memory_mb()}")


if __name__ == "__main__":
    main()
