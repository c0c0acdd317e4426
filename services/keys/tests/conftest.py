"""Databases and keys on SQLite and PostgreSQL."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import databases
from keys.store.database import Database

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode leaves it out

from admin_access import AdminAccess
from keys_world import World


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with databases.server(tmp_path_factory) as url:
        yield url


def _migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


@pytest.fixture(scope="session")
def shared_postgres(postgres_url: str) -> Iterator[str]:
    with databases.database(postgres_url, "keys", _migrate) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to copy."""
    path = tmp_path_factory.mktemp("template") / "keys.sqlite"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Iterator[str]:
    """The URL of a new, empty database."""
    with databases.database(postgres_url, "keys") as url:
        yield url


@pytest.fixture
def migrated_postgres(shared_postgres: str) -> Iterator[str]:
    """The URL of a database with an empty schema. It is emptied after the test, which is faster than a new one."""
    yield shared_postgres
    databases.empty(shared_postgres)


@pytest.fixture
def migrated_sqlite(tmp_path: Path, sqlite_template: Path) -> str:
    shutil.copy(sqlite_template, tmp_path / "keys.sqlite")
    return f"sqlite:///{tmp_path}/keys.sqlite"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.docker)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of a database with the schema, once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue(f"migrated_{'sqlite' if request.param == 'sqlite' else 'postgres'}"))


@pytest.fixture
def open_world() -> Iterator[Callable[..., World]]:
    """Opens a world on a database. Several worlds are several replicas."""
    opened: list[Database] = []

    def open_(url: str, **parts: Any) -> World:
        database = Database(url)
        opened.append(database)
        return World(database, **parts)

    yield open_
    for database in opened:
        database.close()


@pytest.fixture
def world(database_url: str, open_world: Callable[..., World]) -> World:
    return open_world(database_url)


@pytest.fixture
def access(world: World) -> AdminAccess:
    return AdminAccess(world)
