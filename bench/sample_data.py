"""The real sample data, in the folder LAND_TEST_DATA."""

import csv
import gzip
import os
import random
import sys
from pathlib import Path

DATA = Path(os.environ.get("LAND_TEST_DATA", "LAND_TEST_DATA"))
BAN = DATA / "ban" / "adresses-75.csv.gz"
LABELS = 2_000


def require(*files: Path) -> None:
    """Ends the program if a file is missing."""
    for file in files:
        if not file.exists():
            sys.exit(f"{file} is missing: LAND_TEST_DATA names the folder of the sample data")


def labels(commune: str = "") -> list[str]:
    """Random addresses of Paris or of one arrondissement. Ends the program if the file is missing."""
    require(BAN)
    with gzip.open(BAN, "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter=";") if row["code_insee"].startswith(commune)]
    chosen = random.Random(1).sample(rows, LABELS)  # noqa: S311 (a sample, no secret)
    return [f"{row['numero']} {row['rep']} {row['nom_voie']} {row['code_postal']} Paris" for row in chosen]
