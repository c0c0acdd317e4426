"""Measures the response times through the edge, embedded on SQLite, with one client that sends one request at a time.

Resolve uses addresses of Paris (BAN), geojson uses parcels of the 18th arrondissement, both from LAND_TEST_DATA (by
default ../shared/data). Without these files, the requests use the demo commune.
"""

import csv
import gzip
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx

import stacks

DATA = Path(os.environ.get("LAND_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
ADDRESSES = DATA / "ban" / "adresses-75.csv.gz"
PARCELS = DATA / "cadastre" / "cadastre-75118-parcelles.json.gz"
DEMO_LABEL = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction"
DEMO_PARCEL = "00001000AA0001"

WARM_UP = 200
CALLS = 2000
SLOW_CALLS = 200
TARGETS_MS = {"resolve": (4, 8), "geojson": (8, None)}
"""Targets of p50 and p95 in milliseconds. Source: the design. None if it has none."""


def labels() -> list[str]:
    """2,000 random labels of Paris."""
    with gzip.open(ADDRESSES, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    chosen = random.Random(1).sample(rows, CALLS)  # noqa: S311 (a sample, no secret)
    return [f"{row['numero']} {row['rep']} {row['nom_voie']} {row['code_postal']} Paris" for row in chosen]


def parcel_ids() -> list[str]:
    with gzip.open(PARCELS, "rt", encoding="utf-8") as file:
        ids = [feature["properties"]["id"] for feature in json.load(file)["features"]]
    return random.Random(1).sample(ids, CALLS)  # noqa: S311 (a sample, no secret)


def measure(client: httpx.Client, path: str, bodies: Sequence[dict[str, Any]], calls: int) -> list[float]:
    """Time of each call in milliseconds, after a warm-up. Raises HTTPStatusError if a call fails."""
    asked: Iterator[dict[str, Any]] = cycle(bodies)
    took = []
    for number in range(-min(WARM_UP, calls), calls):
        started = time.perf_counter()
        response = client.post(path, json=next(asked))
        if number >= 0:
            took.append((time.perf_counter() - started) * 1000)
        response.raise_for_status()
    return took


def report(name: str, took: Sequence[float]) -> None:
    cuts = statistics.quantiles(took, n=100)
    p50, p95 = TARGETS_MS.get(name, (None, None))
    wanted = "".join(f", {label} to reach {value} ms" for label, value in (("p50", p50), ("p95", p95)) if value)
    print(f"{name:12} p50 {cuts[49]:7.2f} ms  p95 {cuts[94]:7.2f} ms  {1000 / statistics.mean(took):6.0f}/s{wanted}")


def main() -> int:
    is_real = ADDRESSES.exists() and PARCELS.exists()
    with tempfile.TemporaryDirectory() as folder, stacks.embedded(Path(folder)) as stack:
        if is_real:
            print(stack.command("land", "import", "ban", str(ADDRESSES)), end="")
            print(stack.command("land", "import", "cadastre-parcels", str(PARCELS)), end="")
        else:
            print(f"no sample data at {DATA}: the demo commune is asked")
        headers = {"x-api-key": stack.record()["api_key"]}
        with httpx.Client(base_url=stack.url, headers=headers, timeout=60) as client:
            addresses = [{"label": label} for label in labels()] if is_real else [{"label": DEMO_LABEL}]
            parcels = [{"parcel_ids": [each]} for each in (parcel_ids() if is_real else [DEMO_PARCEL])]
            report("resolve", measure(client, "/api/v1/addresses/resolve", addresses, CALLS))
            report("geojson", measure(client, "/api/v1/land-units/geojson", parcels, CALLS))
            report("divide-land", measure(client, "/api/v1/assistant/divide-land", parcels, SLOW_CALLS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
