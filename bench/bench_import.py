"""Measures each importer: rows per second of processor time, and peak memory, on empty SQLite and PostGIS databases.

The files describe a fictional town of --addresses addresses, from `land demo`, with a GeoPackage of BD TOPO and an
export of the RNB. If LAND_TEST_DATA has the BAN file of Paris, it is imported too. Each importer runs in a separate
process; the cost to start a process is measured first and subtracted. Then two contestants import alternately:

- addresses: land, and `bare_import.py`, which copies the same columns by the csv module and `executemany` or COPY;
- parcels into PostGIS: land, and ogr2ogr (GDAL), if it is installed. Starting is included, which is most of the time of
  one commune, and little of that of ten.

Processor times do not include PostgreSQL.
"""

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
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio.raw  # type: ignore[import-untyped]
import shapely
from contestants import POSTGIS_IMAGE, database_server
from measuring import Figures, parser
from pyproj import Transformer
from sample_data import BAN, DATA
from sqlalchemy import create_engine, make_url, text

import demoland
from embedded.processes import program

PARIS_PARCELS = DATA / "cadastre" / "cadastre-75118-parcelles.json.gz"
BARE = Path(__file__).with_name("bare_import.py")
ADDRESSES = 40_000
ROWS_PER_S = "rows/s of processor"
LEAST_ROWS = 3_000
"""A load with fewer rows gets no rate is printed: the load is shorter than the variation of a process start."""
PARCELS = "cadastre-parcels"
LAMBERT_93 = Transformer.from_crs(4326, 2154, always_xy=True)
_ROWS = re.compile(r": ([\d,]+) rows in ")


@dataclass(frozen=True)
class Cost:
    rows: int
    wall_s: float
    cpu_s: float
    peak_mib: float


def files_of(folder: Path, addresses: int) -> dict[str, list[Path]]:
    """Files by importer, in the order of import."""
    files: dict[str, list[Path]] = {}
    for source, path in demoland.write(folder, addresses).files:
        files.setdefault(source, []).append(path)
    [topo] = files["bdtopo"]
    features = json.loads(topo.read_text(encoding="utf-8"))["features"]
    files["bdtopo"] = [geopackage(folder / "BDT_batiment_D000.gpkg", features)]
    files["rnb"] = [register(folder / "RNB_00.csv", features)]
    return files


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


def copies(path: Path, parcels: Path, code: str) -> Path:
    """Writes the parcels of a commune ten times, as those of ten communes."""
    content = gzip.decompress(parcels.read_bytes()).decode()
    start, features, end = re.split(r'(?<="features":\[)(.*)(?=])', content, flags=re.DOTALL)
    communes = (features.replace(f'"{code}', f'"{code[:3]}{number}') for number in range(20, 30))
    path.write_bytes(gzip.compress(f"{start}{','.join(communes)}{end}".encode()))
    return path


def to_lambert(points: Any) -> Any:
    return np.column_stack(LAMBERT_93.transform(points[:, 0], points[:, 1]))


def register(path: Path, features: Sequence[dict[str, Any]]) -> Path:
    """Writes the buildings in the format of the RNB's export."""
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
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output_file:
        process = subprocess.Popen(
            command, stdout=output_file, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})}
        )
        # Not the memory of wait4: it includes that of this process before exec.
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            peak_kib = max(peak_kib, high_water_kib(process.pid))
            time.sleep(0.02)
        _, status, used = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - started
        output_file.seek(0)
        output = output_file.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    rows = sum(int(count.replace(",", "")) for count in _ROWS.findall(output))
    return output, Cost(rows, wall_s, used.ru_utime + used.ru_stime, peak_kib / 1024)


def high_water_kib(pid: int) -> int:
    """Peak resident memory of a process; 0 if it has ended."""
    try:
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(peak[1]) if peak else 0


def imported(source: str, paths: Sequence[Path], database_url: str, scratch: Path) -> Cost:
    environment = {"LAND_DATABASE_URL": database_url, "LAND_DATA_DIR": str(scratch)}
    return run([program("land"), "import", source, *map(str, paths)], environment)[1]


def measure(figures: Figures, store: str, database_url: str, files: dict[str, list[Path]], scratch: Path) -> None:
    run([program("land"), "migrate"], {"LAND_DATABASE_URL": database_url})
    _, start = run([program("land"), "status"], {"LAND_DATABASE_URL": database_url})
    for source, paths in files.items():
        cost, case = imported(source, paths, database_url, scratch), f"import of {source}, {store}"
        rate = {ROWS_PER_S: [cost.rows / max(cost.cpu_s - start.cpu_s, 0.01)]} if cost.rows >= LEAST_ROWS else {}
        figures.add(case, "land", {**rate, "MiB": [cost.peak_mib]})


def compare_with_csv(figures: Figures, store: str, databases: Iterator[str], addresses: Path, scratch: Path) -> None:
    """Imports the same addresses with both, alternately, each into an empty database. Starting is subtracted."""
    empty = scratch / "empty.csv.gz"
    with gzip.open(addresses, "rt", encoding="utf-8") as file:
        empty.write_bytes(gzip.compress(file.readline().encode()))
    case = f"addresses, {addresses.name}, {store}"
    contestants: dict[str, list[float]] = {"land": [], "csv and the driver": []}
    for _ in range(figures.rounds):
        url = next(databases)
        run([program("land"), "migrate"], {"LAND_DATABASE_URL": url})
        start, cost = (imported("ban", [path], url, scratch) for path in (empty, addresses))
        contestants["land"].append(cost.rows / (cost.cpu_s - start.cpu_s))
        bare = [run([sys.executable, str(BARE), str(path), next(databases)])[1] for path in (empty, addresses)]
        contestants["csv and the driver"].append(bare[1].rows / (bare[1].cpu_s - bare[0].cpu_s))
    for name, runs in contestants.items():
        figures.add(case, name, {ROWS_PER_S: runs})


def compare_with_gdal(figures: Figures, databases: Iterator[str], parcels: Path, scratch: Path) -> None:
    """Imports the same parcels with both, alternately, each into an empty database. land also checks and repairs
    geometries, computes areas and links permits. ogr2ogr uses COPY and creates a geometry column with an index.
    """
    case = f"parcels, {parcels.name}, PostGIS"
    costs: dict[str, list[Cost]] = {"land": [], "ogr2ogr": []}
    for _ in range(figures.rounds):
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
    for name, runs in costs.items():
        units = (("s", "wall_s"), ("s of processor", "cpu_s"), ("MiB", "peak_mib"))
        figures.add(case, name, {unit: [getattr(cost, field) for cost in runs] for unit, field in units})


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
    command = parser(__doc__)
    command.add_argument("--addresses", type=int, default=ADDRESSES)
    options = command.parse_args()
    figures = Figures.of(options)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process would compile land again
    with tempfile.TemporaryDirectory(prefix="bench-import-") as name:
        folder = Path(name)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        files = files_of(folder / "files", options.addresses)
        addresses = BAN if BAN.exists() else files["ban"][0]
        parcels = [files[PARCELS][0]]
        if PARIS_PARCELS.exists():
            parcels = [PARIS_PARCELS, copies(folder / "ten-communes.json.gz", PARIS_PARCELS, "75118")]
        measure(figures, "SQLite", f"sqlite:///{folder}/land.sqlite", files, folder)
        compare_with_csv(figures, "SQLite", sqlite_databases(folder), addresses, folder)
        contestant = "PostGIS"
        try:
            with database_server(POSTGIS_IMAGE) as (database_url, _):
                databases = postgis_databases(database_url)
                measure(figures, "PostGIS", database_url, files, folder)
                compare_with_csv(figures, "PostGIS", databases, addresses, folder)
                contestant = "ogr2ogr (gdal-bin of Debian)"
                version = subprocess.run(["ogr2ogr", "--version"], check=True, capture_output=True, text=True).stdout
                figures.note(f"ogr2ogr is that of {version.partition(',')[0]}.")
                for parcel in parcels:
                    compare_with_gdal(figures, databases, parcel, folder)
        except Exception as error:
            figures.fail("start", contestant, error)
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
