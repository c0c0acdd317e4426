"""Stores to test on: an empty one on SQLite and, where Docker runs, one on PostGIS; the real sample data; publishers on
this machine, and land that fetches from them.
"""

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from publishers import Publishers, local_publishers
from sqlalchemy import Engine, make_url, text
from supplied_land import POOL_SIZE, Replica

from land.configured import MIGRATIONS
from servicekit.database import open_engine
from servicekit.migrations import upgrade

REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"
POSTGIS_IMAGE = "postgis/postgis:17-3.5"


def missing(what: str) -> None:
    """Skips the test, or fails it where nothing may be skipped."""
    if REQUIRE_ALL:
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real sample data."""
    default = Path(__file__).resolve().parents[4] / "shared" / "data"
    folder = Path(os.environ.get("LAND_TEST_DATA", default))
    if not (folder / "FORMATS.md").is_file():
        missing(f"no sample data in {folder} (LAND_TEST_DATA)")
    return folder


@pytest.fixture(scope="session")
def postgis_url() -> Iterator[str]:
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode != 0:
        missing("no Docker engine answers")
    os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (only where Docker runs)

    with PostgresContainer(POSTGIS_IMAGE, driver="psycopg") as container:
        yield container.get_connection_url()


@pytest.fixture(params=["sqlite", pytest.param("postgis", marks=pytest.mark.docker)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty store with the current schema."""
    if request.param == "sqlite":
        engine = open_engine(f"sqlite:///{tmp_path}/land.sqlite", pool_size=POOL_SIZE)
        upgrade(engine, MIGRATIONS)
        yield engine
        engine.dispose()
        return
    server = make_url(request.getfixturevalue("postgis_url"))
    name = f"land_{uuid.uuid4().hex}"
    admin = open_engine(server.render_as_string(hide_password=False)).execution_options(isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine = open_engine(server.set(database=name).render_as_string(hide_password=False), pool_size=POOL_SIZE)
    upgrade(engine, MIGRATIONS)
    yield engine
    engine.dispose()
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, to be copied: making one takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "land.sqlite"
    engine = open_engine(f"sqlite:///{path}")
    upgrade(engine, MIGRATIONS)
    engine.dispose()
    return path


@pytest.fixture
def engine(empty: Path, tmp_path: Path) -> Iterator[Engine]:
    """A store for what does not depend on its kind."""
    shutil.copy(empty, tmp_path / "land.sqlite")
    engine = open_engine(f"sqlite:///{tmp_path}/land.sqlite", pool_size=POOL_SIZE)
    yield engine
    engine.dispose()


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    """Those of two communes."""
    with local_publishers() as served:
        served.serve_communes()
        yield served


@pytest.fixture
def replica(engine: Engine, publishers: Publishers, tmp_path: Path) -> Iterator[Replica]:
    replica = Replica(engine, publishers, tmp_path / "land")
    yield replica
    replica.on_demand.end()
