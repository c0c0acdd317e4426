"""A world of keys on SQLite and on PostgreSQL."""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from keys.store.database import Database
from keys.store.tables import metadata

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode leaves it out

from keys_world import World


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode != 0:
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail("no Docker engine answers")
        pytest.skip("no Docker engine answers")
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (only where Docker runs)

    container = PostgresContainer("postgres:17", driver="psycopg")
    container.with_command("postgres -c fsync=off -c max_connections=300")  # nothing here outlives the tests
    with container:
        yield container.get_connection_url()


@contextmanager
def _new_database(postgres_url: str) -> Iterator[str]:
    name = f"keys_{secrets.token_hex(6)}"
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


def _migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


@pytest.fixture(scope="session")
def shared_postgres(postgres_url: str) -> Iterator[str]:
    with _new_database(postgres_url) as url:
        _migrate(url)
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to copy."""
    path = tmp_path_factory.mktemp("template") / "keys.sqlite"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Iterator[str]:
    """The address of an empty database of its own."""
    with _new_database(postgres_url) as url:
        yield url


@pytest.fixture
def migrated_postgres(shared_postgres: str) -> Iterator[str]:
    """The address of a database with the schema and nothing else. Emptied after the test: quicker than a new one."""
    yield shared_postgres
    engine = create_engine(shared_postgres)
    with engine.begin() as connection:
        names = ", ".join(table.name for table in metadata.sorted_tables)
        connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY"))
    engine.dispose()


@pytest.fixture
def migrated_sqlite(tmp_path: Path, sqlite_template: Path) -> str:
    shutil.copy(sqlite_template, tmp_path / "keys.sqlite")
    return f"sqlite:///{tmp_path}/keys.sqlite"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.docker)])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database with the schema, of each kind."""
    return str(request.getfixturevalue(f"migrated_{'sqlite' if request.param == 'sqlite' else 'postgres'}"))


@pytest.fixture
def open_world() -> Iterator[Callable[..., World]]:
    """Opens a world on a database; as many as there are replicas."""
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
