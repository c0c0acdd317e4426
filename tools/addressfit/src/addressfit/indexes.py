"""The indexes that address quality is measured on: one for each file of addresses, and one without some of its streets.

They are saved in var/address-indexes, because loading takes longer than most measurements.
"""

import csv
import gzip
import hashlib
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import SecretStr

from addressfit.directory import Directory, plain, rows_of
from land.addresses.cache import AddressCache
from land.addresses.commune_lookup import CommuneLookup
from land.addresses.resolver import AddressIndex
from land.addresses.stored_streets import FORM_VERSION
from land.datasets.addresses.registration import BAN
from land.loading.loader import load_file
from land.loading.row_version import row_version
from land.settings import LoadingSettings
from land.store import MIGRATIONS
from land.store.snapshot import snapshot
from servicekit.database import open_engine
from servicekit.schema import upgrade

REPOSITORY = Path(__file__).parents[4]
PARIS = Path(os.environ.get("LAND_TEST_DATA", ".")) / "ban" / "adresses-75.csv.gz"
VAR = REPOSITORY / "var"
REGIONS = VAR / "address-regions"
"""A folder per region, with the file of addresses that `bench/fictional_regions.py` wrote."""
INDEXES = VAR / "address-indexes"
OMIT_ONE_IN = 20
"""Street names per omitted one."""


@dataclass(frozen=True)
class Region:
    name: str
    file: Path

    @cached_property
    def directory(self) -> Directory:
        return Directory(rows_of(self.file))

    def left_out(self, seed: int) -> set[str]:
        """One street name in twenty."""
        names = sorted({street.name for street in self.directory.streets.values()})
        return set(random.Random(seed).sample(names, len(names) // OMIT_ONE_IN))  # noqa: S311 (a sample, no secret)


def regions() -> dict[str, Region]:
    """Paris if LAND_TEST_DATA has its addresses, and the regions with a file of addresses."""
    files = {"paris": PARIS} if PARIS.exists() else {}
    files |= {file.parent.name: file for file in sorted(REGIONS.glob("*/adresses-*.csv.gz"))}
    return {name: Region(name, file) for name, file in files.items()}


def source_digest(*paths: Path) -> str:
    """Returns a digest of the source in these files or folders, to recognize what was saved for another state."""
    digest = hashlib.sha256()
    for path in paths:
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@contextmanager
def index_of(region: Region, *, without: int | None = None) -> Iterator[AddressIndex]:
    """The index of a region. `without` is a seed: the index then lacks the streets of `left_out`."""
    key = f"{row_version(BAN)}-{FORM_VERSION}-{region.file.stat().st_size}"
    saved = INDEXES / f"{region.name}-{'all' if without is None else without}-{key}.sqlite"
    if not saved.exists():
        _load(region, without, saved)
    engine = open_engine(f"sqlite:///{saved}")
    with snapshot(engine) as current:
        yield AddressCache(CommuneLookup(engine)).at(current).index("all")
    engine.dispose()


def _load(region: Region, without: int | None, to: Path) -> None:
    INDEXES.mkdir(parents=True, exist_ok=True)
    for outdated in INDEXES.glob(f"{to.name.rpartition('-')[0].rsplit('-', 2)[0]}-*"):
        outdated.unlink()
    with tempfile.TemporaryDirectory(dir=INDEXES) as folder:
        file = region.file
        if without is not None:
            file = Path(folder) / file.name
            _copy_without(region.file, region.left_out(without), file)
        url = f"sqlite:///{folder}/land.sqlite"
        engine = open_engine(url)
        upgrade(engine, MIGRATIONS)
        load_file(engine, LoadingSettings(database_url=SecretStr(url)).datasets()["ban"], str(file), Path(folder))
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        engine.dispose()
        (Path(folder) / "land.sqlite").rename(to)


def _copy_without(source: Path, names: set[str], to: Path) -> None:
    rows, left_out = list(rows_of(source)), {plain(name) for name in names}
    with gzip.open(to, "wt", encoding="utf-8", newline="", compresslevel=1) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for row in rows if plain(row["nom_voie"]) not in left_out)
