"""Measures land's store and its answers as the number of parcels grows, for docs/benchmarks.md.

The parcels are those of two real communes, repeated beside each other under other codes until there are enough. After
each size the script states the load's cost, the size on disk, memory, and the cost of a lone call for one land unit.
Without more datasets an answer is about parcels only.
"""

import asyncio
import gzip
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import orjson
from bench_national import CALL_WITHIN_S, STORES, Store
from measuring import P50, P95, Figures, parser, quantile
from process_costs import Costs, resident_bytes
from sample_data import DATA, require

from landpartner.land.v1 import land_pb2, land_pb2_grpc
from replicas import LOOPBACK
from servicekit.rpc_client import Outgoing, open_channel

SOURCES = tuple(DATA / "cadastre" / f"cadastre-{code}-parcelles.json.gz" for code in ("75118", "91216"))
SIZES = (100_000, 1_000_000, 3_000_000, 10_000_000)
CALLS = 500
PER_FILE = 60
"""Communes in a file."""
COLUMNS, STEP = 60, 0.15
"""The copies lie on a grid: how many in a row, and degrees from one to the next."""
DATASET = "cadastre-parcels"
ALL_BLOCKS = [
    land_pb2.BLOCK_LAND, land_pb2.BLOCK_URBANISM, land_pb2.BLOCK_BUILDINGS, land_pb2.BLOCK_REAL_ESTATE
]  # fmt: skip


class Originals:
    """The features of the communes, and what a copy changes."""

    def __init__(self) -> None:
        require(*SOURCES)
        self._communes: list[list[dict[str, Any]]] = []
        for source in SOURCES:
            with gzip.open(source, "rb") as file:
                self._communes.append(orjson.loads(file.read())["features"])

    def copy(self, number: int) -> tuple[list[str], bytes]:
        """The ids and the features of the copy, as the lines of a file."""
        code = f"{number // 900 + 1:02}{number % 900 + 1:03}"
        moved = np.array([STEP * (number % COLUMNS), -STEP * (number // COLUMNS)])
        ids, lines = [], []
        for feature in self._communes[number % len(self._communes)]:
            parcel_id = code + feature["id"][5:]
            geometry = feature["geometry"]
            coordinates = _moved(geometry["coordinates"], moved)
            properties = {**feature["properties"], "id": parcel_id, "commune": code}
            lines.append(
                orjson.dumps(
                    {
                        **feature,
                        "id": parcel_id,
                        "geometry": {**geometry, "coordinates": coordinates},
                        "properties": properties,
                    },
                    option=orjson.OPT_SERIALIZE_NUMPY,
                )
            )
            ids.append(parcel_id)
        return ids, b",\n".join(lines)


def _moved(coordinates: Any, by: Any) -> Any:
    if isinstance(coordinates[0][0], list):
        return [_moved(part, by) for part in coordinates]
    return np.round(np.array(coordinates) + by, 7)


def files(folder: Path, originals: Originals, copies: Iterator[int], parcels: int) -> Iterator[tuple[Path, list[str]]]:
    """Files with at least `parcels` parcels together, and their ids. Each file exists until the next one."""
    parcel_count = 0
    while parcel_count < parcels:
        ids: list[str] = []
        bodies: list[bytes] = []
        for _ in range(PER_FILE):
            if parcel_count + len(ids) >= parcels:
                break
            more, body = originals.copy(next(copies))
            ids += more
            bodies.append(body)
        path = folder / f"parcelles-{ids[0]}.json"
        path.write_bytes(b'{"type":"FeatureCollection","features":[\n' + b",\n".join(bodies) + b"\n]}\n")
        parcel_count += len(ids)
        yield path, ids
        path.unlink()


def processor_of_children_s() -> float:
    """The seconds that all ended child processes have used."""
    used = os.times()
    return used.children_user + used.children_system


async def ask(store: Store, parcel_ids: list[str], blocks: list[land_pb2.Block.ValueType]) -> list[float]:
    """Milliseconds of each call. Raises grpc.RpcError."""
    outgoing, took = Outgoing(store.token), []
    async with open_channel(f"{LOOPBACK}:{store.port}") as channel:
        stub = land_pb2_grpc.LandServiceStub(channel)
        for parcel_id in parcel_ids:
            request = land_pb2.GetLandUnitRequest(parcel_ids=[parcel_id], blocks=blocks)
            started = time.perf_counter()
            await stub.GetLandUnit(request, **outgoing(CALL_WITHIN_S))
            took.append((time.perf_counter() - started) * 1000)
    return took


def measure(figures: Figures, store: Store, size: str, ids: list[str]) -> None:
    """Starts land and asks about random parcels of the whole store."""
    sampled_ids = random.Random(1).sample(ids, min(CALLS, len(ids)))  # noqa: S311 (a sample, no secret)
    started = time.perf_counter()
    with store.serving() as pids:
        asyncio.run(ask(store, sampled_ids[:1], []))
        figures.add(f"{store.kind}, first answer after the start", size, {"s": [time.perf_counter() - started]})
        for case, blocks in (("history only", []), ("all blocks", ALL_BLOCKS)):
            costs = Costs(pids)
            took = asyncio.run(ask(store, sampled_ids, blocks))
            values = {P50: quantile(took, 50), P95: quantile(took, 95), **costs.each(len(took))}
            figures.add(f"{store.kind}, {case}", size, {unit: [value] for unit, value in values.items()})
        figures.add(f"{store.kind}, memory", size, {"MiB": [resident_bytes(pids["land"]) / 2**20]})


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of parcels, rising")
    command.add_argument("--stores", nargs="+", choices=STORES, default=["sqlite"])
    options = command.parse_args()
    sizes = (5_000, 20_000) if options.quick else sorted(options.sizes)
    figures, originals = Figures.of(options), Originals()
    for name in options.stores:
        with (
            tempfile.TemporaryDirectory(dir=Path("var").resolve()) as temporary,
            STORES[name](Path(temporary)) as (url, databases),
        ):
            folder = Path(temporary)
            store = Store("", name, url, folder, databases)
            store.command("migrate")
            ids: list[str] = []
            copies = count()
            for size in sizes:
                before, cost_s = len(ids), 0.0
                for path, more in files(folder, originals, copies, size - len(ids)):
                    began_s = processor_of_children_s()
                    store.command("import", DATASET, str(path))
                    cost_s += processor_of_children_s() - began_s
                    ids += more
                label = f"{len(ids):,} parcels"
                rate, size_each = (len(ids) - before) / cost_s, store.size() / len(ids)
                figures.add(f"{name}, load", label, {"rows/s of processor": [rate], "bytes a parcel": [size_each]})
                try:
                    measure(figures, store, label, ids)
                except grpc.RpcError as error:
                    figures.fail(f"{name}, answers", label, error)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
