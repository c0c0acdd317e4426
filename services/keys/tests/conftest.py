"""A world of keys on SQLite and on PostgreSQL."""

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from keys.store.database import Database

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode leaves it out

from keys_world import World


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    import docker  # noqa: PLC0415 (only where it is needed)
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415

    try:
        docker.from_env().ping()
    except Exception as error:
        if os.environ.get("REQUIRE_ALL") == "1":
            raise
        pytest.skip(f"no Docker engine answers: {type(error).__name__}")
    with PostgresContainer("postgres:17", driver="psycopg") as container:
        yield container.get_connection_url()


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Iterator[str]:
    """The address of an empty database of its own."""
    name = f"keys_{secrets.token_hex(6)}"
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.docker)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/keys.sqlite"
    return str(request.getfixturevalue("fresh_postgres"))


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
    opened = open_world(database_url)
    opened.database.migrate()
    return opened
