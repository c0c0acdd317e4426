"""Compares this service with addok, on the same noisy queries over the addresses of Paris (BAN).

Measures how often each finds the street, what each suggests while an address is typed, and the answers per second on
one core. LAND_TEST_DATA contains the BAN file.
The queries are the forms of addressfit, and with ADDRESS_SUITE also those of another suite: the folder has noise.py,
which makes them, and score.py, which judges the answers. --forms also writes the accuracy by form. The first run
installs addok into var/addok. Edge, keys and land run on one core, then addok and Redis run on the same core. The
client has another core.
"""

import importlib.util
import json
import os
import subprocess
import sys
import urllib.parse
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import addok_server
import addok_suggestions
from contestants import RESOLVE, Contestant, Ours, compare, embedded
from load_generator import Call, Clients
from measuring import Figures, counted, on_core, parser, two_cores
from sample_data import BAN, require

from addressfit import forms as address_forms
from addressfit.directory import Directory, rows_of
from attacks import request

SUITE = os.environ.get("ADDRESS_SUITE")
SEEDS = (101, 202, 303)
CLIENTS = (1, 8, 32)
"""Numbers of concurrent clients. The last one saturates the service."""
SECONDS = 4.0
PATIENT = {"EDGE_RESOLVE_DEADLINE_S": "20"}
"""The first requests wait until the streets of all arrondissements are cached."""
TIMED = {"exact": "street_postcode_city/number", "one slip": "one_slip/number"}
"""The forms whose answers are timed."""

Case = dict[str, Any]
Judge = Callable[[Case, int, dict[str, Any]], tuple[bool, bool]]
Ask = Callable[[Case], Call]
Read = Callable[[int, bytes], dict[str, Any]]
"""Converts an answer to the format of our answers."""


def cases(suite: Path, ban: Path, seed: int, per_kind: int) -> list[Case]:
    """The other suite's cases of a seed. Deterministic."""
    command = [sys.executable, str(suite / "noise.py"), str(ban), "--seed", str(seed), "--per-kind", str(per_kind)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def judgement(suite: Path) -> Judge:
    """The function of score.py that returns whether the street, and also the number, are right."""
    spec = importlib.util.spec_from_file_location("address_suite_score", suite / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(suite / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    judge: Judge = module.judge
    return judge


def ask_us(service: Ours, case: Case) -> Call:
    call = service.ask(RESOLVE, case["input"])
    return Call(call.message, statuses=(200, 404))


def read_ours(status: int, body: bytes) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(body) if status == 200 else {}
    return answer


def ask_addok(case: Case) -> Call:
    address = case["input"]
    text = address.get("label") or " ".join(
        filter(None, (address.get(part) for part in ("number", "street", "postcode", "city")))
    )
    query = {"q": text, "limit": "1", "autocomplete": "0"}
    if "label" not in address and "city_code" in address:
        query["citycode"] = address["city_code"]
    return Call(request(f"/search/?{urllib.parse.urlencode(query)}", method="GET"), b'"features"')


def read_addok(_: int, body: bytes) -> dict[str, Any]:
    """The first result, in the format of our answers. addok has no threshold, so its scores are ignored: it finds a
    street for each name that does not exist.
    """
    addresses = addok_addresses(body)
    return {"address": addresses[0]} if addresses else {}


def addok_addresses(body: bytes) -> list[dict[str, Any]]:
    return [
        {
            "type": properties["type"],
            "street": properties.get("street") or properties["name"],
            "number": properties.get("housenumber"),
            "city_code": properties["citycode"],
        }
        for properties in (feature["properties"] for feature in json.loads(body)["features"])
    ]


@dataclass
class Right:
    """The right answers to the queries of a form."""

    street: list[bool] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    """Street and number."""


def right_answers(
    contestant: Contestant, cases: Sequence[Case], judge: Judge, ask: Ask, read: Read
) -> dict[str, Right]:
    """Counts by kind or form."""
    counts: dict[str, Right] = defaultdict(Right)
    with Clients(contestant.url, max(CLIENTS)) as clients:
        load = clients.send(map(ask, cases), keep=True)
    for case, (status, body) in zip(cases, load.answers, strict=True):
        answer = read(status, body)
        street, whole = judge(case, 200 if answer else 404, answer)
        counts[case["kind"]].street.append(street)
        counts[case["kind"]].whole.append(whole)
    return counts


def percent(right: Sequence[bool]) -> float:
    return 100 * sum(right) / len(right)


def write_forms(to: Path, ours: dict[str, Right], addok: dict[str, Right]) -> list[str]:
    """Prints and writes both accuracies by form, side by side. Returns the forms in which addok is ahead."""
    lines = [f"{'form':46} {'cases':>6} {'street':>7} {'addok':>7} {'whole':>7} {'addok':>7}"]
    behind = []
    for form, right in sorted(ours.items(), key=lambda item: percent(item[1].whole) - percent(addok[item[0]].whole)):
        other = addok[form]
        shares = (percent(right.street), percent(other.street), percent(right.whole), percent(other.whole))
        lines.append(f"{form:46} {len(right.whole):6} " + " ".join(f"{share:7.1f}" for share in shares))
        if shares[0] < shares[1] or shares[2] < shares[3]:
            behind.append(form)
    print("\n".join(lines))
    to.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return behind


def main() -> int:
    arguments = parser(__doc__)
    arguments.add_argument("--per-kind", type=int, default=100, help="cases of each kind and seed")
    arguments.add_argument(
        "--per-form", type=int, default=10, help="cases of each form and seed, with and without a number"
    )
    arguments.add_argument("--ban", type=Path, default=BAN, help="the file of addresses; default Paris")
    arguments.add_argument("--forms", type=Path, metavar="FILE", help="write the accuracy by form to this file")
    arguments.add_argument("--only-accuracy", action="store_true", help="do not time the answers")
    arguments.add_argument("--timed", type=int, default=2000, help="cases of each kind whose answers are timed")
    arguments.add_argument("--typed", type=int, default=100, help="addresses that are typed letter by letter")
    arguments.add_argument("--addok", type=Path, default=Path("var/addok"), help="where addok is installed")
    options = arguments.parse_args()
    require(options.ban)
    seeds = SEEDS[:1] if options.quick else SEEDS
    suite = Path(SUITE) if SUITE else None
    kinds = [case for seed in seeds for case in cases(suite, options.ban, seed, options.per_kind)] if suite else []
    directory = Directory(rows_of(options.ban))
    forms = [case for seed in seeds for case in address_forms.suite(directory, seed, options.per_form)]
    folder = options.addok.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    addok_server.install(folder)
    figures, (serving, asking) = Figures.of(options, SECONDS), two_cores()
    figures.note(f"addok runs with {', '.join(addok_server.PACKAGES).replace('==', ' ')}.")
    with (
        on_core(serving),
        embedded(PATIENT) as ours,
        addok_server.serving(folder, options.ban) as addok,
        on_core(asking),
    ):
        ours.command("land", "import", "ban", str(options.ban))
        sides: dict[Contestant, tuple[Ask, Read]] = {
            ours: (partial(ask_us, ours), read_ours),
            addok: (ask_addok, read_addok),
        }
        judge = judgement(suite) if suite else address_forms.judge
        by_form: list[dict[str, Right]] = []
        for side, (ask, read) in sides.items():
            of_kinds = right_answers(side, kinds, judge, ask, read)
            of_forms = right_answers(side, forms, address_forms.judge, ask, read)
            for kind, right in of_kinds.items():
                figures.add(f"street found, {kind}", side.name, {"% of cases": [percent(right.street)]})
            for name, group in (("all", of_kinds), ("all forms", of_forms)) if suite else (("all forms", of_forms),):
                every = [is_right for right in group.values() for is_right in right.street]
                figures.add(f"street found, {name}", side.name, {"% of cases": [percent(every)]})
            every = [is_right for right in of_forms.values() for is_right in right.whole]
            figures.add("street and number found, all forms", side.name, {"% of cases": [percent(every)]})
            by_form.append({f"noise:{kind}": right for kind, right in of_kinds.items()} | of_forms)
        typed = list(address_forms.suite(directory, SEEDS[0], options.typed, only=[TIMED["exact"]]))
        suggest: dict[Contestant, tuple[addok_suggestions.Ask, addok_suggestions.Read]] = {
            ours: (partial(addok_suggestions.ask_us, ours), addok_suggestions.read_ours),
            addok: (addok_suggestions.ask_addok, addok_addresses),
        }
        for side, (ask_for, read_all) in suggest.items():
            addok_suggestions.measure(
                figures, side, typed, ask_for, read_all,
                lambda case, address: address_forms.judge(case, 200, {"address": address})[1],
            )  # fmt: skip
        behind = write_forms(options.forms or folder / "forms.txt", *by_form)
        figures.note(f"Of {len(by_form[0])} forms, addok finds more in: {', '.join(behind) or 'none'}.")
        if options.only_accuracy:
            return figures.status
        for kind, form in TIMED.items():
            cases_of_kind = list(address_forms.suite(directory, SEEDS[0] + 1, options.timed, only=[form]))
            for clients in CLIENTS:
                calls = {side: list(map(ask, cases_of_kind)) for side, (ask, _) in sides.items()}
                compare(figures, f"{kind}, {counted(clients, 'client')}", calls, clients)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
