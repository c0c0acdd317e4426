"""Compares this service with addok, on the same noisy queries over the addresses of Paris (BAN).

Measures how often each finds the street, and the answers per second on one core. LAND_TEST_DATA contains the BAN file.
ADDRESS_SUITE contains noise.py, which creates the queries, and score.py, which judges the answers. Both are by default
in ../shared. The first run installs addok into var/addok. Edge, keys and land run on one core, then addok and Redis run
on the same core. The client has another core.
"""

import argparse
import http.client
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import addok_server
from process_costs import cpu_s

import stacks

SHARED = Path(__file__).parents[2] / "shared"
BAN = Path(os.environ.get("LAND_TEST_DATA", SHARED / "data")) / "ban" / "adresses-75.csv.gz"
SUITE = Path(os.environ.get("ADDRESS_SUITE", SHARED / "bench" / "addresses"))
SEEDS = (101, 202, 303)
CLIENTS = (1, 8, 32)
"""Numbers of concurrent clients. The last one saturates the service."""
WARM_UP = 400
TARGETS = {"exact": 1.5, "typo1": 5.0}
"""Targets for our answers per second at saturation, as a multiple of addok's."""

Case = dict[str, Any]
Ask = Callable[[http.client.HTTPConnection, Case], dict[str, Any]]


def cases(seed: int, per_kind: int) -> list[Case]:
    """The cases of a seed. Deterministic."""
    made = [sys.executable, str(SUITE / "noise.py"), str(BAN), "--seed", str(seed), "--per-kind", str(per_kind)]
    printed = subprocess.run(made, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def judgement() -> Callable[[Case, int, dict[str, Any]], tuple[bool, bool]]:
    """The function of score.py that returns whether the street, and also the number, are right."""
    spec = importlib.util.spec_from_file_location("address_suite_score", SUITE / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(SUITE / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    judge: Callable[[Case, int, dict[str, Any]], tuple[bool, bool]] = module.judge
    return judge


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Binds this process, and processes that the block starts, to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass
class WholePath:
    url: str
    secret: str
    """Secret of a key without effective limits."""
    pids: dict[str, int]


@contextmanager
def whole_path(core: int) -> Iterator[WholePath]:
    """Runs an embedded service with the addresses of Paris on one core while the block runs."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        with on_core(core):
            ours = stack.enter_context(stacks.embedded(Path(folder)))
        print(ours.command("land", "import", "ban", str(BAN)), end="")
        secret = stacks.create_key(ours, "bench", "--per-minute", "1000000", "--burst", "1000000")["secret"]
        yield WholePath(ours.url, secret, ours.record()["pids"])


def ask_us(secret: str) -> Ask:
    headers = {"content-type": "application/json", "x-api-key": secret}

    def ask(connection: http.client.HTTPConnection, case: Case) -> dict[str, Any]:
        connection.request("POST", "/api/v1/addresses/resolve", json.dumps(case["input"]), headers)
        response = connection.getresponse()
        body: dict[str, Any] = json.loads(response.read())
        if response.status not in (http.client.OK, http.client.NOT_FOUND):
            raise RuntimeError(f"{response.status}: {body}")
        return body if response.status == http.client.OK else {}

    return ask


def ask_addok(connection: http.client.HTTPConnection, case: Case) -> dict[str, Any]:
    """The first result, in the format of our answers. addok has no threshold, so its scores are ignored."""
    given = case["input"]
    text = given.get("label") or " ".join(
        filter(None, (given.get(n) for n in ("number", "street", "postcode", "city")))
    )
    query = {"q": text, "limit": "1", "autocomplete": "0"}
    if "label" not in given and "city_code" in given:
        query["citycode"] = given["city_code"]
    connection.request("GET", f"/search/?{urllib.parse.urlencode(query)}")
    response = connection.getresponse()
    found = json.loads(response.read())["features"]
    if not found:
        return {}
    properties = found[0]["properties"]
    return {
        "address": {
            "type": properties["type"],
            "street": properties.get("street") or properties["name"],
            "number": properties.get("housenumber"),
            "city_code": properties["citycode"],
        }
    }


def answers(url: str, asked: Sequence[Case], ask: Ask, clients: int) -> tuple[list[dict[str, Any]], float]:
    """The answers in order, and the answers per second with this number of concurrent clients."""
    base = urllib.parse.urlsplit(url)
    found: list[dict[str, Any]] = [{} for _ in asked]

    def client(first: int) -> None:
        with closing(http.client.HTTPConnection(str(base.hostname), base.port, timeout=60)) as connection:
            for place in range(first, len(asked), clients):
                found[place] = ask(connection, asked[place])

    started = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, range(clients)))
    return found, len(asked) / (time.perf_counter() - started)


@dataclass
class Figures:
    found: dict[str, float]
    """Share of streets found, by kind, in percent."""
    rates: dict[tuple[str, int], float]
    """Answers per second by kind and clients."""
    costs: dict[tuple[str, int], dict[str, float]]
    """Processor time per answer in milliseconds, by kind and clients, then by process."""


def measure(
    url: str, pids: dict[str, int], suites: Sequence[Sequence[Case]], quick: dict[str, list[Case]], ask: Ask
) -> Figures:
    judge = judgement()
    right: dict[str, list[bool]] = defaultdict(list)
    for suite in suites:
        for case, body in zip(suite, answers(url, suite, ask, max(CLIENTS))[0], strict=True):
            right[case["kind"]].append(judge(case, http.client.OK if body else http.client.NOT_FOUND, body)[0])
    found = {kind: 100 * sum(each) / len(each) for kind, each in right.items()}
    found["all"] = 100 * sum(map(sum, right.values())) / sum(map(len, right.values()))
    figures = Figures(found, {}, {})
    for kind, asked in quick.items():
        for clients in CLIENTS:
            answers(url, asked[:WARM_UP], ask, clients)
            before = cpu_s(pids)
            figures.rates[kind, clients] = answers(url, asked, ask, clients)[1]
            after = cpu_s(pids)
            costs = {name: (after[name] - before[name]) * 1000 / len(asked) for name in pids}
            figures.costs[kind, clients] = costs
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-kind", type=int, default=100, help="cases of each kind and seed")
    parser.add_argument("--timed", type=int, default=2000, help="cases of each kind whose answers are timed")
    parser.add_argument("--addok", type=Path, default=Path("var/addok"), help="where addok is installed")
    options = parser.parse_args()
    for needed in (BAN, SUITE / "noise.py", SUITE / "score.py"):
        if not needed.exists():
            print(f"{needed} is missing: name its folder by LAND_TEST_DATA or ADDRESS_SUITE")
            return 1
    suites = [cases(seed, options.per_kind) for seed in SEEDS]
    more = [case for case in cases(SEEDS[0] + 1, options.timed) if case["kind"] in TARGETS]
    quick = {kind: [case for case in more if case["kind"] == kind] for kind in TARGETS}
    serving, asking = sorted(os.sched_getaffinity(0))[:2]
    folder = options.addok.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    addok_server.install(folder)

    with whole_path(serving) as ours, on_core(asking):
        us = measure(ours.url, ours.pids, suites, quick, ask_us(ours.secret))
    with on_core(serving), addok_server.serving(folder, BAN) as (url, pids), on_core(asking):
        them = measure(url, pids, suites, quick, ask_addok)
    report(us, them)
    return 0


def report(us: Figures, them: Figures) -> None:
    print(f"\n{'street found, % of cases':32} {'ours':>7} {'addok':>7}")
    for kind, percent in us.found.items():
        print(f"{kind:32} {percent:7.1f} {them.found[kind]:7.1f}")
    print(f"\n{'answers per second on one core':32} {'ours':>7} {'addok':>7} {'ratio':>7}")
    for (kind, clients), rate in us.rates.items():
        ratio = rate / them.rates[kind, clients]
        wanted = f" (to reach: {TARGETS[kind]})" if clients == max(CLIENTS) else ""
        print(f"{_named(kind, clients):32} {rate:7.0f} {them.rates[kind, clients]:7.0f} {ratio:7.2f}{wanted}")
    print(f"\n{'processor ms per answer':32} {'ours':>7} {'addok':>7} {'ratio':>7} (undisturbed by other work)")
    for kind, clients in us.costs:
        ours, theirs = (sum(each.costs[kind, clients].values()) for each in (us, them))
        print(f"{_named(kind, clients):32} {ours:7.2f} {theirs:7.2f} {theirs / ours:7.2f}")
        for each in (us, them):
            print("    " + ", ".join(f"{name} {ms:.2f}" for name, ms in each.costs[kind, clients].items()))


def _named(kind: str, clients: int) -> str:
    return f"{kind}, {clients} client{'s' if clients > 1 else ''}"


if __name__ == "__main__":
    sys.exit(main())
