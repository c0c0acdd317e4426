"""Compares this service with addok, on the same noisy queries over the addresses of Paris (BAN).

Measures how often each finds the street, and the answers per second on one core. LAND_TEST_DATA contains the BAN file.
ADDRESS_SUITE contains noise.py, which creates the queries, and score.py, which judges the answers. Both are by default
in ../shared. The first run installs addok into var/addok. Edge, keys and land run on one core, then addok and Redis run
on the same core. The client has another core.
"""

import importlib.util
import json
import os
import subprocess
import sys
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import addok_server
from contestants import RESOLVE, Contestant, Ours, embedded, measured_in_round
from load_generator import Call, Clients
from measuring import Figures, alternate, counted, on_core, parser, two_cores
from sample_data import BAN, require

from attacks import request

SUITE = Path(os.environ.get("ADDRESS_SUITE", Path(__file__).parents[2] / "shared" / "bench" / "addresses"))
SEEDS = (101, 202, 303)
CLIENTS = (1, 8, 32)
"""Numbers of concurrent clients. The last one saturates the service."""
SECONDS = 4.0
PATIENT = {"EDGE_RESOLVE_DEADLINE_S": "20"}
"""The first requests wait until the streets of all arrondissements are cached."""
TIMED = ("exact", "typo1")
"""The kinds of cases whose answers are timed."""

Case = dict[str, Any]
Ask = Callable[[Case], Call]
Read = Callable[[int, bytes], dict[str, Any]]
"""From an answer to the format of our answers."""


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


def ask_us(service: Ours, case: Case) -> Call:
    call = service.ask(RESOLVE, case["input"])
    return Call(call.message, statuses=(200, 404))


def read_ours(status: int, body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body) if status == 200 else {}
    return found


def ask_addok(case: Case) -> Call:
    given = case["input"]
    text = given.get("label") or " ".join(
        filter(None, (given.get(n) for n in ("number", "street", "postcode", "city")))
    )
    query = {"q": text, "limit": "1", "autocomplete": "0"}
    if "label" not in given and "city_code" in given:
        query["citycode"] = given["city_code"]
    return Call(request(f"/search/?{urllib.parse.urlencode(query)}", method="GET"), b'"features"')


def read_addok(_: int, body: bytes) -> dict[str, Any]:
    """The first result, in the format of our answers. addok has no threshold, so its scores are ignored."""
    found = json.loads(body)["features"]
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


def found_percent(contestant: Contestant, suites: Sequence[Sequence[Case]], ask: Ask, read: Read) -> dict[str, float]:
    """Share of streets found, by kind."""
    judge = judgement()
    right: dict[str, list[bool]] = defaultdict(list)
    with Clients(contestant.url, max(CLIENTS)) as clients:
        for suite in suites:
            load = clients.send(map(ask, suite), keep=True)
            for case, (status, body) in zip(suite, load.answers, strict=True):
                answer = read(status, body)
                right[case["kind"]].append(judge(case, 200 if answer else 404, answer)[0])
    right["all"] = [each for kind in list(right.values()) for each in kind]
    return {kind: 100 * sum(each) / len(each) for kind, each in right.items()}


def main() -> int:
    made = parser(__doc__)
    made.add_argument("--per-kind", type=int, default=100, help="cases of each kind and seed")
    made.add_argument("--timed", type=int, default=2000, help="cases of each kind whose answers are timed")
    made.add_argument("--addok", type=Path, default=Path("var/addok"), help="where addok is installed")
    options = made.parse_args()
    require(BAN)
    if not (SUITE / "noise.py").exists():
        sys.exit(f"{SUITE} has no noise.py and score.py: ADDRESS_SUITE names their folder")
    seconds, rounds = (0.3, 1) if options.quick else (SECONDS, options.rounds)
    suites = [cases(seed, options.per_kind) for seed in (SEEDS[:1] if options.quick else SEEDS)]
    timed = [case for case in cases(SEEDS[0] + 1, options.timed) if case["kind"] in TIMED]
    folder = options.addok.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    addok_server.install(folder)
    figures, (serving, asking) = Figures(options.json), two_cores()
    figures.note(f"addok runs with {', '.join(addok_server.PACKAGES).replace('==', ' ')}.")
    with on_core(serving), embedded(PATIENT) as ours, addok_server.serving(folder, BAN) as addok, on_core(asking):
        ours.command("land", "import", "ban", str(BAN))
        sides: dict[Contestant, tuple[Ask, Read]] = {
            ours: (partial(ask_us, ours), read_ours),
            addok: (ask_addok, read_addok),
        }
        for each, (ask, read) in sides.items():
            for kind, percent in found_percent(each, suites, ask, read).items():
                figures.add(f"street found, {kind}", each.name, "% of cases", [percent])
        for kind in TIMED:
            asked = [case for case in timed if case["kind"] == kind]
            for clients in CLIENTS:
                case = f"{kind}, {counted(clients, 'client')}"
                if options.only not in case:
                    continue
                measures = {
                    each.name: partial(measured_in_round, each, list(map(ask, asked)), clients, seconds, rounds)
                    for each, (ask, _) in sides.items()
                }
                figures.add_all(case, alternate(figures, case, measures, rounds))
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
