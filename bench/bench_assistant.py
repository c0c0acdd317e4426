"""Measures the time to assess and draw 1,000 real parcels of a suburb and a city, with the answer, on one core.

It also measures the processor time of divide-land by rules in each process. There one client sends requests for parcels
of the demo commune to the embedded service.

LAND_TEST_DATA is the folder of the sample data, by default ../shared/data. Without it, only divide-land is measured.
"""

import gzip
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import shapely
from bench_land_unit import parcel_ids
from process_costs import cpu_s
from pydantic import SecretStr
from pyproj import Transformer
from shapely import MultiLineString, STRtree

import stacks
from assistant.assessment.facts import LandFacts
from assistant.models.base import Brief
from assistant.models.rules import passages
from assistant.prompts.loader import DIVIDE_LAND, DIVIDE_LAND_VERSION, load_prompt
from assistant.rpc.messages import quick_assessment
from assistant.rpc.site import site_of
from assistant.study import study
from land.store import open_store
from landpartner.land.v1 import land_pb2

COMMUNES = ("91216", "75118")
PARCELS = 500
"""Number of parcels per commune."""
TARGET_P95_MS = 60
DEMO = "00001"
WARM_UP, REQUESTS = 50, 200
TARGET_MS = 15
"""Processor time of divide-land over all processes. Source: the design."""
DATA = Path(os.environ.get("LAND_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))


def land_units(commune: str) -> list[land_pb2.LandUnit]:
    """Parcels from all over the commune. Their frontage is the boundary that no other parcel touches."""
    to_metres = Transformer.from_crs(4326, 2154, always_xy=True)
    to_degrees = Transformer.from_crs(2154, 4326, always_xy=True)
    with gzip.open(DATA / "cadastre" / f"cadastre-{commune}-parcelles.json.gz", "rt", encoding="utf-8") as file:
        features = json.load(file)["features"]
    shapes = [shapely.make_valid(shapely.geometry.shape(feature["geometry"])) for feature in features]
    metric = [shapely.transform(s, lambda p: np.column_stack(to_metres.transform(p[:, 0], p[:, 1]))) for s in shapes]
    tree = STRtree(metric)
    units = []
    for index in range(0, len(features), len(features) // PARCELS)[:PARCELS]:
        shape = metric[index]
        around = [metric[i].buffer(0.2) for i in tree.query(shape.buffer(0.3)) if i != index]
        free = shapely.get_parts(shapely.line_merge(shape.boundary.difference(shapely.union_all(around))))
        frontage = MultiLineString([line for line in free if line.geom_type == "LineString" and line.length > 0.5])
        frontage_degrees = shapely.transform(
            frontage, lambda p: np.column_stack(to_degrees.transform(p[:, 0], p[:, 1]))
        )
        unit = land_pb2.LandUnit(parcel_ids=[features[index]["properties"]["id"]])
        unit.geometry = json.dumps(features[index]["geometry"]).encode()
        unit.land.geometric_area_m2 = shape.area
        unit.land.frontage_m = frontage.length
        unit.land.frontage = shapely.to_geojson(frontage_degrees).encode()
        unit.land.is_contiguous = True
        units.append(unit)
    return units


def measure_requests() -> None:
    """Prints the processor time of a request in each process."""
    with tempfile.TemporaryDirectory() as folder, stacks.embedded(Path(folder)) as stack:
        store = open_store(SecretStr(f"sqlite:///{folder}/land.sqlite"))
        sampled_ids = random.Random(1).sample(parcel_ids(store, DEMO), WARM_UP + REQUESTS)  # noqa: S311 (a sample, no secret)
        pids, headers = stack.record()["pids"], {"x-api-key": stack.record()["api_key"]}
        with httpx.Client(base_url=stack.url, headers=headers, timeout=60) as client:
            for number, parcel_id in enumerate(sampled_ids):
                if number == WARM_UP:
                    before = cpu_s(pids)
                client.post("/api/v1/assistant/divide-land", json={"parcel_ids": [parcel_id]}).raise_for_status()
            after = cpu_s(pids)
    costs = {name: (after[name] - before[name]) / REQUESTS * 1000 for name in pids}
    listed = ", ".join(f"{name} {cost:.1f}" for name, cost in sorted(costs.items()))
    print(f"divide-land: {sum(costs.values()):.1f} ms of processor a request (target: {TARGET_MS}): {listed}")


def main() -> int:
    measure_requests()
    if not DATA.is_dir():
        print(f"no sample data: LAND_TEST_DATA={DATA}")
        return 0
    prompt = load_prompt(DIVIDE_LAND, DIVIDE_LAND_VERSION)
    for commune in COMMUNES:
        units = land_units(commune)
        studied, whole, drawn_count = [], [], 0
        for unit in units:
            started = time.perf_counter()
            facts, projected = LandFacts(unit), site_of(unit)
            done = study(facts, projected.site if projected else None, "Diviser un terrain")
            studied.append(time.perf_counter() - started)
            brief = Brief("", "fr", prompt, facts, done.assessment, done.division, done.assumptions, done.replies)
            "".join(passage.text for passage in passages(brief))
            quick_assessment(done.assessment, done.division, done.assumptions, 2154).SerializeToString()
            whole.append(time.perf_counter() - started)
            drawn_count += bool(done.division.proposals)
        for what, times in (("assessment and division", studied), ("with the answer, as messages", whole)):
            p50, p95 = (1000 * float(np.percentile(times, q)) for q in (50, 95))
            print(f"{commune}: {what}: p50 {p50:.1f} ms, p95 {p95:.1f} ms (target: p95 {TARGET_P95_MS} ms)")
        print(f"{commune}: {len(units)} parcels, {drawn_count} with at least one proposal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
