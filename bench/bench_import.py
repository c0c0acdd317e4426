"""Measures each importer: rows per second of processor time, and peak memory, on empty SQLite and PostGIS databases.

The files describe a fictional town of --addresses addresses, from `land demo`, with a GeoPackage of BD TOPO and an
export of the RNB. If LAND_TEST_DATA has the BAN file of Paris, it is imported too. Each importer runs in a separate
process; the cost to start a process is measured first and subtracted. Then two contestants import alternately:

- addresses: land, and `bare_import.py`, which copies the same columns by the csv module and `executemany` or COPY;
- parcels into PostGIS: land, and ogr2ogr (GDAL), if it is installed. Starting is included.

Processor times do not include PostgreSQL. `--json FILE` writes the results: case, contestant, unit, median, spread (the
lowest and highest run) and runs.
"""

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyogrio.raw  # type: ignore[import-untyped]
import shapely
from pyproj import Transformer
from sqlalchemy import create_engine, make_url, text

import demoland
from embedded.processes import program

DATA = Path(os.environ.get("LAND_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
PARIS = DATA / "ban" / "adresses-75.csv.gz"
PARIS_PARCELS = DATA / "cadastre" / "cadastre-75118-parcelles.json.gz"
BARE = Path(__file__).with_name("bare_import.py")
POSTGIS_IMAGE = "postgis/postgis:17-3.5"
ADDRESSES = 40_000
BAN_ROWS_PER_S = 40_000
"""To reach per second of processor time. Source: the design."""
LEAST_ROWS = 3_000
"""With fewer rows no rate is printed: the load is shorter than the variation of a process start."""
ROUNDS = 5
"""Runs of each contestant in a comparison."""
PARCELS = "cadastre-parcels"
LAMBERT_93 = Transformer.from_crs(4326, 2154, always_xy=True)
_ROWS = re.compile(r": ([\d,]+) rows in ")


@dataclass(frozen=True)
class Cost:
    rows: int
    wall_s: float
    cpu_s: float
    peak_mib: float


class Results:
    """The results of all cases."""

    def __init__(self) -> None:
        self.all: list[dict[str, object]] = []

    def add(self, case: str, contestant: str, unit: str, runs: Sequence[float]) -> float:
        """Returns the median."""
        middle = median(runs)
        self.all.append(
            {"case": case, "contestant": contestant, "unit": unit, "median": middle,
             "spread": [min(runs), max(runs)], "runs": list(runs)}
        )  # fmt: skip
        return middle


def files_of(folder: Path, addresses: int) -> dict[str, list[Path]]:
    """Files by importer, in the order of import."""
    found: dict[str, list[Path]] = {}
    for source, path in demoland.write(folder, addresses=addresses).files:
        found.setdefault(source, []).append(path)
    [topo] = found["bdtopo"]
    features = json.loads(topo.read_text(encoding="utf-8"))["features"]
    found["bdtopo"] = [geopackage(folder / "BDT_batiment_D000.gpkg", features)]
    found["rnb"] = [register(folder / "RNB_00.csv", features)]
    return found


def geopackage(path: Path, features: Sequence[dict[str, Any]]) -> Path:
    """BD TOPO's buildings in Lambert-93, as the IGN publishes them."""
    shapes = shapely.transform(
        np.array([shapely.geometry.shape(feature["geometry"]) for feature in features], dtype=object), to_lambert
    )
    names = list(features[0]["properties"])
    columns = []
    for name in names:
        values = [feature["properties"][name] for feature in features]
        kinds = {type(value) for value in values if value is not None}
        if kinds <= {int, float}:
            columns.append(np.array([np.nan if value is None else value for value in values], dtype=float))
        else:
            columns.append(np.array(values, dtype=bool if kinds == {bool} else object))
    pyogrio.raw.write(
        path, shapely.to_wkb(shapes), columns, names, layer="batiment", geometry_type="MultiPolygon", crs="EPSG:2154",
        driver="GPKG",
    )  # fmt: skip
    return path


def to_lambert(points: Any) -> Any:
    return np.column_stack(LAMBERT_93.transform(points[:, 0], points[:, 1]))


def register(path: Path, features: Sequence[dict[str, Any]]) -> Path:
    """The same buildings in the format of the RNB's export."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=";", lineterminator="\n")
        rows.writerow(("rnb_id", "point", "shape", "status", "ext_ids", "addresses", "plots", "validated_by"))
        for number, feature in enumerate(features):
            shape = shapely.geometry.shape(feature["geometry"])
            point = f"SRID=4326;{shape.representative_point().wkt}"
            plots = json.dumps([{"id": f"00001000AB{number % 10_000:04}", "bdg_cover_ratio": 1.0}])
            rows.writerow((f"{number:012}", point, f"SRID=4326;{shape.wkt}", "constructed", "[]", "[]", plots, "[]"))
    return path


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> tuple[str, Cost]:
    """Runs a command. Returns its output and its cost. Raises CalledProcessError if it fails."""
    started = time.perf_counter()
    peak_kib = 0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})}
        )
        # Not the memory of wait4: it includes that of this process before exec.
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            peak_kib = max(peak_kib, high_water_kib(process.pid))
            time.sleep(0.02)
        _, status, used = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - started
        said.seek(0)
        output = said.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    rows = sum(int(count.replace(",", "")) for count in _ROWS.findall(output))
    return output, Cost(rows, wall_s, used.ru_utime + used.ru_stime, peak_kib / 1024)


def high_water_kib(pid: int) -> int:
    """Peak resident memory of a process; 0 if it has ended."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def imported(source: str, paths: Sequence[Path], database_url: str, scratch: Path) -> Cost:
    environment = {"LAND_DATABASE_URL": database_url, "LAND_DATA_DIR": str(scratch)}
    return run([program("land"), "import", source, *map(str, paths)], environment)[1]


def report(results: Results, case: str, cost: Cost, start: Cost) -> None:
    cpu_s, wall_s = max(cost.cpu_s - start.cpu_s, 0.01), max(cost.wall_s - start.wall_s, 0.01)
    rate = "too few to tell a rate"
    if cost.rows >= LEAST_ROWS:
        rate = f"{results.add(case, 'land', 'rows/s of processor', [cost.rows / cpu_s]):>8,.0f} a second of processor"
    print(
        f"  {case:30} {cost.rows:>8,} rows, {rate}, {cpu_s:5.1f} s of it in {wall_s:5.1f} s, "
        f"peak {cost.peak_mib:4.0f} MiB",
        flush=True,
    )


def measure(results: Results, store: str, database_url: str, files: dict[str, list[Path]], scratch: Path) -> None:
    run([program("land"), "migrate"], {"LAND_DATABASE_URL": database_url})
    _, start = run([program("land"), "status"], {"LAND_DATABASE_URL": database_url})
    print(f"{store}: a process starts in {start.cpu_s:.1f} s of processor and {start.peak_mib:.0f} MiB")
    for source, paths in files.items():
        report(results, f"import of {source}, {store}", imported(source, paths, database_url, scratch), start)


def compare_with_csv(
    results: Results, store: str, databases: Iterator[str], addresses: Path, scratch: Path, rounds: int
) -> None:
    """Imports the same addresses with both, alternately, each into an empty database. Starting is subtracted."""
    empty = scratch / "empty.csv.gz"
    with gzip.open(addresses, "rt", encoding="utf-8") as file:
        empty.write_bytes(gzip.compress(file.readline().encode()))
    case = f"addresses, {addresses.name}, {store}"
    contestants: dict[str, list[float]] = {"land": [], "csv and the driver": []}
    for _ in range(rounds):
        url = next(databases)
        run([program("land"), "migrate"], {"LAND_DATABASE_URL": url})
        start, cost = (imported("ban", [path], url, scratch) for path in (empty, addresses))
        contestants["land"].append(cost.rows / (cost.cpu_s - start.cpu_s))
        bare = [run([sys.executable, str(BARE), str(path), next(databases)])[1] for path in (empty, addresses)]
        contestants["csv and the driver"].append(bare[1].rows / (bare[1].cpu_s - bare[0].cpu_s))
    ours, theirs = (results.add(case, name, "rows/s of processor", runs) for name, runs in contestants.items())
    print(
        f"{case}, median of {rounds}: land {ours:,.0f} rows a second of processor (to reach: {BAN_ROWS_PER_S:,}), "
        f"csv and the driver alone {theirs:,.0f}, ratio {ours / theirs:.2f}",
        flush=True,
    )


@contextmanager
def postgis() -> Iterator[str | None]:
    """Runs a PostGIS with default settings. Yields its URL, or None if no Docker engine answers."""
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (reads the variable as it loads)

    try:
        subprocess.run(["docker", "info"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        yield None
        return
    with PostgresContainer(POSTGIS_IMAGE, driver="psycopg") as container:
        yield container.get_connection_url()


def compare_with_gdal(results: Results, databases: Iterator[str], parcels: Path, scratch: Path, rounds: int) -> None:
    """Imports the same parcels with both, alternately, each into an empty database. land also checks and repairs
    geometries, computes areas and links permits. ogr2ogr uses COPY and creates a geometry column with an index.
    """
    try:
        version = subprocess.run(["ogr2ogr", "--version"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.SubprocessError):
        print("ogr2ogr is not installed (gdal-bin of Debian): parcels are not compared with it")
        return
    case = f"parcels, {parcels.name}, PostGIS"
    costs: dict[str, list[Cost]] = {"land": [], "ogr2ogr": []}
    for _ in range(rounds):
        for contestant, of_contestant in costs.items():
            whole = next(databases)
            run([program("land"), "migrate"], {"LAND_DATABASE_URL": whole})  # also creates the extension
            if contestant == "land":
                of_contestant.append(imported(PARCELS, [parcels], whole, scratch))
                continue
            url = make_url(whole)
            target = (
                f"host={url.host} port={url.port} user={url.username} password={url.password} dbname={url.database}"
            )
            command = [
                "ogr2ogr", "-f", "PostgreSQL", f"PG:{target}", f"/vsigzip/{parcels}", "-nln", "by_gdal",
                "-nlt", "GEOMETRY", "-lco", "GEOMETRY_NAME=geometry", "--config", "PG_USE_COPY", "YES",
            ]  # fmt: skip
            of_contestant.append(run(command)[1])
    print(f"{case}, {costs['land'][0].rows:,} rows, with start, median of {rounds}, {version.partition(',')[0]}:")
    for unit, field in (("s", "wall_s"), ("s of processor", "cpu_s"), ("MiB", "peak_mib")):
        ours, theirs = (
            results.add(case, name, unit, [getattr(cost, field) for cost in runs]) for name, runs in costs.items()
        )
        print(f"  land {ours:6.2f} {unit}, ogr2ogr {theirs:6.2f} {unit}, ratio {ours / theirs:.2f}", flush=True)


def sqlite_databases(folder: Path) -> Iterator[str]:
    """URLs of new databases."""
    for number in count():
        yield f"sqlite:///{folder}/compared-{number}.sqlite"


def postgis_databases(database_url: str) -> Iterator[str]:
    """URLs of new databases on the same server."""
    server = make_url(database_url)
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    for number in count():
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE compared_{number}"))
        yield server.set(database=f"compared_{number}").render_as_string(hide_password=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--addresses", type=int, default=ADDRESSES)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="Runs of each contestant in a comparison.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="Write the results to this file.")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process would compile land again
    results = Results()
    with tempfile.TemporaryDirectory(prefix="bench-import-") as name:
        folder = Path(name)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        files = files_of(folder / "files", options.addresses)
        addresses = PARIS if PARIS.exists() else files["ban"][0]
        parcels = [files[PARCELS][0], *([PARIS_PARCELS] if PARIS_PARCELS.exists() else [])]
        measure(results, "SQLite", f"sqlite:///{folder}/land.sqlite", files, folder)
        compare_with_csv(results, "SQLite", sqlite_databases(folder), addresses, folder, options.rounds)
        with postgis() as database_url:
            if database_url is None:
                print("no Docker engine answers: nothing is imported into PostGIS")
            else:
                databases = postgis_databases(database_url)
                measure(results, "PostGIS", database_url, files, folder)
                compare_with_csv(results, "PostGIS", databases, addresses, folder, options.rounds)
                for each in parcels:
                    compare_with_gdal(results, databases, each, folder, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(results.all, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
