"""Measures the processor time of land units in one process: the pipeline and the message, without gRPC.

Run as `bench_land_unit.py DATABASE_URL COMMUNE` on a store with the commune's parcels. Times are medians of rounds.
"""

import random
import statistics
import sys
import time
from collections.abc import Sequence

from pydantic import SecretStr
from sqlalchemy import Engine, select

from land.addresses.model import AddressQuery
from land.datasets.parcels.tables import parcel
from land.pipeline import Pipeline, Selection
from land.rpc import messages
from land.store import open_store
from land.units.model import Block

ALL: Sequence[Block] = ("land", "urbanism", "buildings", "real_estate")
CASES: Sequence[tuple[str, Sequence[Block], int, int]] = (
    ("all blocks", ALL, 1, 120),
    ("history only", (), 1, 200),
    ("all blocks", ALL, 10, 15),
    ("all blocks", ALL, 100, 3),
)
"""Name, blocks, parcels of one request, requests of one round."""
ROUNDS = 9
"""The first one is a warm-up."""


def parcel_ids(engine: Engine, commune: str) -> list[str]:
    """Returns parcel ids in order, so that the parcels of one request are mostly adjacent."""
    with engine.connect() as connection:
        statement = select(parcel.c.parcel_id).where(parcel.c.commune_code == commune).order_by(parcel.c.parcel_id)
        return list(connection.scalars(statement))


def main() -> int:
    url, commune = sys.argv[1:]
    engine = open_store(SecretStr(url))
    ids = parcel_ids(engine, commune)
    if len(ids) <= max(per for _, _, per, _ in CASES):
        sys.exit(f"{commune} has too few parcels in this store")
    pipeline, chance = Pipeline(engine), random.Random(1)  # noqa: S311 (a sample, no secret)
    for name, blocks, per, count in CASES:
        took = []
        for _ in range(ROUNDS):
            starts = [chance.randrange(len(ids) - per) for _ in range(count)]
            began = time.process_time()
            for start in starts:
                selection = Selection(AddressQuery(), ids[start : start + per])
                messages.land_unit(pipeline.land_unit(selection, blocks, "all")).SerializeToString()
            took.append((time.process_time() - began) / count * 1000)
        print(f"{name:12} {per:3} parcels  {statistics.median(took[1:]):7.2f} ms  least {min(took[1:]):7.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
