"""Fixtures: empty stores on SQLite and PostGIS, the real sample data, files that tests write, local publishers, and a
replica that fetches from them.
"""

import gzip
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from demo_records import DemoRecords
from land_replica import POOL_SIZE, Replica, end_replicas
from publishers import Publishers, local_publishers
from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, text
from written_files import Writer

import databases
import demoland
import needs
from land.sources.base import ReadReport
from land.store import MIGRATIONS, open_store
from servicekit.database import open_engine
from servicekit.schema import upgrade


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real sample data."""
    return needs.sample_data()


@pytest.fixture
def sample(samples: Path) -> Callable[[str], Path]:
    """Finds a real sample file."""
    return needs.sample_data


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    """Writes a file, gzipped if its name ends in .gz."""

    def to_file(name: str, content: str | bytes) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return to_file


@pytest.fixture
def report() -> ReadReport:
    return ReadReport("a file")


@pytest.fixture(scope="session")
def postgis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with databases.server(tmp_path_factory) as url:
        yield url


def migrate(url: str) -> None:
    engine = open_engine(url)
    upgrade(engine, MIGRATIONS)
    engine.dispose()


@pytest.fixture(scope="session")
def shared_postgis(postgis_url: str) -> Iterator[str]:
    with databases.database(postgis_url, "land", migrate) as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgis", marks=pytest.mark.docker)])
def store(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """An empty store with the current schema."""
    if request.param == "sqlite":
        yield request.getfixturevalue("engine")
        return
    url = request.getfixturevalue("shared_postgis")
    engine = open_store(SecretStr(url), POOL_SIZE)
    yield engine
    end_replicas()
    engine.dispose()
    _end_sessions(url)
    databases.empty(url)


def _end_sessions(url: str) -> None:
    """Ends those that a killed process left."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
        )
    engine.dispose()


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty store. Tests copy it, because a migration takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "land.sqlite"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def engine(empty_store: Path, tmp_path: Path) -> Iterator[Engine]:
    """An empty store on SQLite, for tests that do not depend on the kind of store."""
    shutil.copy(empty_store, tmp_path / "land.sqlite")
    engine = open_store(SecretStr(f"sqlite:///{tmp_path}/land.sqlite"), POOL_SIZE)
    yield engine
    end_replicas()
    engine.dispose()


@pytest.fixture(scope="session")
def small_demo(tmp_path_factory: pytest.TempPathFactory) -> DemoRecords:
    return DemoRecords(demoland.write(tmp_path_factory.mktemp("demo")))


@pytest.fixture
def publishers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publishers]:
    """Local publishers with all files of two communes, whose national lists have these alone."""
    monkeypatch.setattr("land.datasets.communes.registration.LEAST_ROWS", {"communes": 2, "movements": 1, "": 2})
    with local_publishers() as served:
        served.serve_communes()
        yield served


@pytest.fixture
def replica(engine: Engine, publishers: Publishers, tmp_path: Path) -> Replica:
    return Replica(engine, publishers, tmp_path / "land")
