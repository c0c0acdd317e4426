"""The real sample data, in the folder LAND_TEST_DATA, by default ../shared/data."""

import csv
import gzip
import os
import random
from pathlib import Path

DATA = Path(os.environ.get("LAND_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
BAN = DATA / "ban" / "adresses-75.csv.gz"
LABELS = 2_000


def labels() -> list[str]:
    """Random addresses of Paris."""
    with gzip.open(BAN, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    chosen = random.Random(1).sample(rows, LABELS)  # noqa: S311 (a sample, no secret)
    return [f"{row['numero']} {row['rep']} {row['nom_voie']} {row['code_postal']} Paris" for row in chosen]
