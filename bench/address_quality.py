"""Measures the quality of address resolution, and fits the weights of `land.addresses.confidence`.

    python bench/address_quality.py fit        fits the weights on the training seeds and prints them
    python bench/address_quality.py report     prints accuracy by kind and calibration, on other seeds
    python bench/address_quality.py worst      prints the times of 5,000 odd texts and the slowest of them

The cases are real addresses of Paris with typing errors, from the address harness. ADDRESS_SUITE is its folder, by
default in ../shared; LAND_TEST_DATA is the folder of the addresses. A second index omits one street in twenty and is
queried for these streets, so that the weights also fit streets that do not exist.

BAN=file selects another file of addresses, CASES=n another number of cases per kind and seed.
"""

import csv
import gzip
import importlib.util
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from pydantic import SecretStr

from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.confidence import WEIGHTS, Features
from land.addresses.model import AddressQuery
from land.addresses.resolver import AddressIndex, Candidate, find_candidates, resolve
from land.loading.loader import load_file
from land.settings import LoadingSettings
from land.store import MIGRATIONS
from land.store.snapshot import snapshot
from servicekit.database import open_engine
from servicekit.schema import upgrade

SHARED = Path(__file__).parents[2] / "shared"
SUITE = Path(os.environ.get("ADDRESS_SUITE", SHARED / "bench" / "addresses"))
DATA = Path(os.environ.get("LAND_TEST_DATA", SHARED / "data"))
BAN = Path(os.environ.get("BAN", DATA / "ban" / "adresses-75.csv.gz"))

TRAINING_SEEDS = (11, 12, 13)
REPORT_SEEDS = (101, 102, 103)
TRAINING_CASES = 100
"""Per kind and seed, over the whole index."""
REPORT_CASES = int(os.environ.get("CASES", "300"))
"""Per kind and seed."""
OMITTED_CASES = 12
"""Per kind and seed, over the omitted streets."""
OMIT_ONE_IN = 20
"""Street names per omitted one."""
MAX_CANDIDATES = 24
STEPS = 1_500
ODD_TEXTS = 5_000
RATE = 0.05
PENALTY = 1e-4

Case = dict[str, Any]


def harness(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SUITE / f"{name}.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no {name}.py in {SUITE} (ADDRESS_SUITE)")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


noise, score = harness("noise"), harness("score")


@dataclass(frozen=True)
class Result:
    case: Case
    is_in_index: bool
    candidates: list[Candidate]
    right: list[bool]


@contextmanager
def index_of(file: Path) -> Iterator[AddressIndex]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/land.sqlite"
        engine = open_engine(url)
        upgrade(engine, MIGRATIONS)
        load_file(engine, LoadingSettings(database_url=SecretStr(url)).datasets()["ban"], str(file), Path(folder))
        with snapshot(engine) as current:
            yield AddressCache(CommuneLookup(engine)).at(current).index("all")
        engine.dispose()


def without_streets(seed: int, to: Path) -> set[str]:
    """Writes the file without one street name in twenty. Returns these names."""
    with gzip.open(BAN, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter=";")
        names = rows.fieldnames or ()
        kept = list(rows)
    streets = sorted({row["nom_voie"] for row in kept})
    chosen = set(random.Random(seed).sample(streets, len(streets) // OMIT_ONE_IN))  # noqa: S311 (a sample, no secret)
    with gzip.open(to, "wt", encoding="utf-8", newline="", compresslevel=1) as file:
        writer = csv.DictWriter(file, names, delimiter=";", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in kept if row["nom_voie"] not in chosen)
    return chosen


def answer_of(candidate: Candidate) -> dict[str, Any]:
    street, point = candidate.street, candidate.point
    number = f"{point.number} {point.suffix}".strip() if point else None
    return {
        "street": street.name if street else None,
        "city_code": candidate.commune.code,
        "number": number,
        "type": "street" if street else "municipality",
    }


def query(index: AddressIndex, cases: Sequence[Case], *, is_in_index: bool) -> Iterator[Result]:
    for case in cases:
        candidates = find_candidates(AddressQuery(**case["input"]), index)
        there = is_in_index and case["kind"] != "negative"
        right = [there and score.judge(case, 200, {"address": answer_of(c)})[1] for c in candidates]
        yield Result(case, there, candidates, right)


def omitted_cases(rows: Sequence[dict[str, str]], names: set[str], seed: int, per_kind: int) -> list[Case]:
    """Each omitted street once without errors, and some cases of each kind of error."""
    out = [row for row in rows if row["street"] in names]
    one_each = {(row["street"], row["city_code"]): row for row in out}.values()
    exact = [
        {
            "kind": "omitted",
            "expected": row,
            "input": {"label": f"{row['number']} {row['street']} {row['postcode']} {row['city']}"},
        }
        for row in one_each
    ]
    disturbed = [case for case in noise.suite(out, seed, per_kind) if case["kind"] != "negative"]
    return [*exact, *(dict(case, kind="omitted_with_errors") for case in disturbed)]


def answers(seeds: Sequence[int], per_kind: int) -> list[Result]:
    rows = list(noise.read_ban(str(BAN), set()))
    found: list[Result] = []
    with index_of(BAN) as index:
        for seed in seeds:
            found += query(index, list(noise.suite(rows, seed, per_kind)), is_in_index=True)
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "addresses.csv.gz"
            names = without_streets(seed, file)
            with index_of(file) as index:
                found += query(index, omitted_cases(rows, names, seed, OMITTED_CASES), is_in_index=False)
    return found


def fit(results: Sequence[Result]) -> Features:
    """The weights with the highest likelihood of the right candidates (conditional logit, Adam, L2 penalty)."""
    shape = (len(results), MAX_CANDIDATES)
    features = np.zeros((*shape, len(WEIGHTS)))
    present, right = np.zeros(shape), np.zeros(shape)
    nothing = np.zeros(len(results))
    for row, item in enumerate(results):
        order = sorted(range(len(item.candidates)), key=lambda i: -item.candidates[i].utility)[:MAX_CANDIDATES]
        for place, index in enumerate(order):
            features[row, place] = item.candidates[index].features
            present[row, place] = 1
            right[row, place] = item.right[index]
        nothing[row] = not item.is_in_index
    usable = (right.sum(1) > 0) | (nothing > 0)  # the right address must be a candidate to learn from the case
    features, present, right, nothing = features[usable], present[usable], right[usable], nothing[usable]
    weights = np.array(WEIGHTS, dtype=float)
    seen = features.any((0, 1))  # without cases for a feature, its weight is unchanged
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        utilities = np.where(present > 0, features @ weights, -np.inf)
        highest = np.maximum(utilities.max(1), 0)
        odds, none = np.exp(utilities - highest[:, None]), np.exp(-highest)
        total = odds.sum(1) + none
        truth = (odds * right).sum(1) + none * nothing
        difference = odds / total[:, None] - odds * right / truth[:, None]
        gradient = np.einsum("ij,ijk->k", difference, features) / len(features) + PENALTY * weights
        gradient *= seen
        mean, spread = 0.9 * mean + 0.1 * gradient, 0.999 * spread + 0.001 * gradient**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
        if step % (STEPS // 4) == 0:
            print(f"step {step}: loss {-np.log(truth / total).mean():.4f} over {len(features)} cases")
    return Features(*(round(float(weight), 2) for weight in weights))


def report() -> None:
    rows = list(noise.read_ban(str(BAN), set()))
    kinds: dict[str, Counter[str]] = {}
    curve: dict[int, list[tuple[float, bool]]] = {}

    def count(index: AddressIndex, cases: Sequence[Case], *, is_in_index: bool) -> None:
        for case in cases:
            found = resolve(AddressQuery(**case["input"]), index)
            address = {} if found is None else {"address": vars(found.address)}
            kind = case["kind"] if is_in_index else "negative"
            street, full = score.judge(dict(case, kind=kind), 404 if found is None else 200, address)
            others = found.alternatives if found is not None and is_in_index else ()
            is_offered = street or any(score.judge(case, 200, {"address": vars(other)})[0] for other in others)
            kinds.setdefault(case["kind"], Counter()).update(asked=1, street=street, full=full, offered=is_offered)
            if found:
                likely = found.address.score
                curve.setdefault(min(int(likely * 10), 9), []).append((likely, is_in_index and bool(full)))

    with index_of(BAN) as index:
        for seed in REPORT_SEEDS:
            count(index, list(noise.suite(rows, seed, REPORT_CASES)), is_in_index=True)
    total = sum((found for found in kinds.values()), Counter[str]())
    for seed in REPORT_SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "addresses.csv.gz"
            names = without_streets(seed, file)
            with index_of(file) as index:
                count(index, omitted_cases(rows, names, seed, OMITTED_CASES), is_in_index=False)
    print(f"{'kind':30} {'asked':>6} {'street %':>9} {'whole %':>8} {'or an alternative %':>20}")
    for kind, found in [*kinds.items(), ("all but omitted", total)]:
        print(
            f"{kind:30} {found['asked']:6} {100 * found['street'] / found['asked']:9.1f}"
            f" {100 * found['full'] / found['asked']:8.1f} {100 * found['offered'] / found['asked']:20.1f}"
        )
    print(f"\n{'score':>10} {'answers':>8} {'mean score':>11} {'right':>7}")
    for tenth, answered in sorted(curve.items()):
        print(
            f"{tenth / 10:.1f} to {tenth / 10 + 0.1:.1f} {len(answered):8} {np.mean([s for s, _ in answered]):11.3f}"
            f" {np.mean([r for _, r in answered]):7.3f}"
        )


def odd_texts(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    """Texts up to the maximum length of a query, of address words or of random characters."""
    chance = random.Random(1)  # noqa: S311 (a sample, no secret)
    words = sorted({word for row in rows for word in (*row["street"].split(), row["postcode"], row["number"])})
    words += ["Paris", "Paris 18e", "CEDEX", "BP 12", "bis", "rue", "place", "saint", "de la", "12-14", "Bât B"]
    words += ["75", "("]
    for _ in range(ODD_TEXTS):
        if chance.random() < 1 / 5:
            yield "".join(
                chr(chance.choice((chance.randrange(32, 127), chance.randrange(160, 0x2FFF)))) for _ in range(512)
            )
        else:
            yield " ".join(chance.choices(words, k=chance.choice((2, 4, 8, 16, 60))))[:512]


def worst() -> None:
    rows = list(noise.read_ban(str(BAN), set()))
    times: list[tuple[float, str]] = []
    with index_of(BAN) as index:
        for text in odd_texts(rows):
            started = time.perf_counter()
            resolve(AddressQuery(label=text), index)
            times.append(((time.perf_counter() - started) * 1000, text))
    times.sort()
    figures = {
        name: times[int(share * (len(times) - 1))][0] for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
    }
    print(f"{len(times)} odd texts, ms: " + ", ".join(f"{name} {value:.1f}" for name, value in figures.items()))
    for milliseconds, text in times[-5:]:
        print(f"{milliseconds:8.1f}  {text[:160]!r}")


def main() -> None:
    match sys.argv[1:]:
        case ["fit"]:
            weights = fit(answers(TRAINING_SEEDS, TRAINING_CASES))
            print("\n".join(f"    {name}={value}," for name, value in zip(weights._fields, weights, strict=True)))
        case ["report"]:
            report()
        case ["worst"]:
            worst()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
