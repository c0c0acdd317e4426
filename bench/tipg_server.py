"""Installs and serves tipg, an OGC Features API in front of PostGIS, from public packages.

`tipg` is set up as its documentation says: plain uvicorn with one worker and tipg's default settings. `tipg tuned` has
what our edge has, uvloop and httptools, and no access log. Both read one table, with a primary key and an indexed
geometry, from one PostGIS.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psycopg
from contestants import POSTGIS_IMAGE, Contestant, answers, database_server, running
from load_generator import Call
from sqlalchemy import create_engine, make_url, select

from attacks import request
from embedded.processes import free_ports
from land.datasets.parcels.queries import parcel

PACKAGES = ("tipg==1.6.1", "uvicorn[standard]==0.54.0")
TABLE = "public.parcels"
SETUPS = {
    "tipg": ("--loop", "asyncio", "--http", "h11"),
    "tipg tuned": ("--loop", "uvloop", "--http", "httptools", "--no-access-log"),
}
"""Options of uvicorn. Those of `tipg` are what it takes if no other package is installed."""
_CREATE = """
CREATE TABLE parcels (
    id text PRIMARY KEY, commune text NOT NULL, prefix text NOT NULL, section text NOT NULL, number text NOT NULL,
    area_m2 integer, is_surveyed boolean, created date, updated date, geometry geometry(Geometry, 4326)
)
"""
_COLUMNS = (
    parcel.c.parcel_id, parcel.c.commune_code, parcel.c.prefix, parcel.c.section, parcel.c.number,
    parcel.c.cadastral_area_m2, parcel.c.is_surveyed, parcel.c.created_on, parcel.c.updated_on, parcel.c.geometry,
)  # fmt: skip


def install(folder: Path) -> Path:
    """Creates the virtual environment if it is missing. Returns its folder of programs."""
    programs = folder / "venv" / "bin"
    marker = folder / "installed"
    if not marker.exists() or marker.read_text() != "\n".join(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder / "venv"], check=True)
        pip = [str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PACKAGES], check=True)
        marker.write_text("\n".join(PACKAGES))
    return programs


def packages(folder: Path) -> str:
    """The installed packages that answer a request, with their versions."""
    command = [str(folder / "venv" / "bin" / "pip"), "freeze", "--disable-pip-version-check"]
    frozen = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    names = ("tipg", "uvicorn", "fastapi", "pydantic", "asyncpg", "uvloop", "httptools", "h11")
    return ", ".join(
        requirement.replace("==", " ") for requirement in frozen if requirement.partition("==")[0] in names
    )


def fill(database_url: str, store_url: str) -> str:
    """Copies the parcels of a store of land. Returns the versions of PostgreSQL and PostGIS."""
    dsn = _dsn(database_url)
    with create_engine(store_url).connect() as store, psycopg.connect(dsn) as target:
        target.execute(_CREATE)
        with target.cursor().copy("COPY parcels FROM STDIN") as copy:
            for *values, geometry in store.execute(select(*_COLUMNS)):
                copy.write_row([*values, geometry and geometry.hex()])
        target.execute("CREATE INDEX ON parcels USING gist (geometry)")
    with psycopg.connect(dsn, autocommit=True) as target:
        target.execute("VACUUM ANALYZE parcels")
        versions = target.execute("SELECT current_setting('server_version'), postgis_lib_version()").fetchone()
        return "PostgreSQL {}, PostGIS {}".format(*versions or ())


@contextmanager
def serving(folder: Path, store_url: str) -> Iterator[tuple[list[Contestant], str]]:
    """Serves the parcels of a store of land from a separate PostGIS while the block runs. Yields the two setups, and
    the versions of what they use.
    """
    programs = install(folder)
    with ExitStack() as stack:
        database_url, database = stack.enter_context(database_server(POSTGIS_IMAGE))
        versions = f"{fill(database_url, store_url)}, {packages(folder)}"
        environment = {"DATABASE_URL": _dsn(database_url)}
        contestants = []
        for (name, options), port in zip(SETUPS.items(), free_ports("127.0.0.1", len(SETUPS)), strict=True):
            command = [str(programs / "uvicorn"), "tipg.main:app", "--port", str(port), "--workers", "1", *options]
            url = f"http://127.0.0.1:{port}"
            is_ready = partial(answers, f"{url}/healthz")
            pids = stack.enter_context(running({"tipg": command}, folder / f"{name}.log", is_ready, environment))
            contestants.append(Contestant(name, url, {**pids, **database}))
        yield contestants, versions


def _dsn(database_url: str) -> str:
    return make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)


def ask(parcel_ids: Sequence[str]) -> Call:
    """One item by its id, or several by theirs."""
    several = f"?ids={','.join(parcel_ids)}&limit={len(parcel_ids)}"
    path = f"/collections/{TABLE}/items{f'/{parcel_ids[0]}' if len(parcel_ids) == 1 else several}"
    return Call(request(path, method="GET", accept="application/geo+json"), parcel_ids[-1].encode())


def ask_box(bbox: str, limit: int) -> Call:
    """The items that intersect a bounding box."""
    path = f"/collections/{TABLE}/items?bbox={bbox}&limit={limit}"
    return Call(request(path, method="GET", accept="application/geo+json"), b"FeatureCollection")
