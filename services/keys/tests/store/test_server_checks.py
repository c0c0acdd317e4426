"""What keys requires of its PostgreSQL server, and what it does when the server becomes read-only."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from keys_world import Grant, World
from pydantic import SecretStr
from sqlalchemy import create_engine, text

from keys.settings import KeysSettings
from keys.store.database import Database
from keys.values.errors import Unavailable
from servicekit.callers import entry
from servicekit.database import open_engine, server_urls
from servicekit.postgres import DatabaseUnfit

OTHER = "other_service"


def settings(url: str, **changes: Any) -> KeysSettings:
    return KeysSettings(
        database_url=SecretStr(url),
        peppers=SecretStr(f"1:{'00' * 32}"),
        callers=entry("edge", "a" * 32),
        **changes,
    )


def check(url: str, pool_size: int = 8, **changes: Any) -> None:
    database = Database(url, pool_size=pool_size)
    try:
        database.check(settings(url, **changes))
    finally:
        database.close()


def test_a_url_names_several_servers() -> None:
    url = "postgresql+psycopg://keys:secret@/keys?host=a:5433&host=b&sslmode=require"
    assert server_urls(url) == [
        "postgresql+psycopg://keys:secret@a:5433/keys?sslmode=require",
        "postgresql+psycopg://keys:secret@b/keys?sslmode=require",
    ]
    alone = "postgresql+psycopg://keys:secret@a/keys"
    assert server_urls(alone) == [alone]


@pytest.mark.docker
def test_the_connections_of_all_replicas_fit_the_server(migrated_postgres: str) -> None:
    check(migrated_postgres, replicas=10)
    with pytest.raises(DatabaseUnfit, match="may open 800 = 100 replicas x 8 database connections"):
        check(migrated_postgres, replicas=100)


@pytest.mark.docker
def test_the_connection_limit_of_the_database_counts(migrated_postgres: str) -> None:
    admin = create_engine(migrated_postgres, isolation_level="AUTOCOMMIT")
    name = admin.url.database
    with admin.connect() as connection:
        connection.execute(text(f'ALTER DATABASE "{name}" CONNECTION LIMIT 20'))
        with pytest.raises(DatabaseUnfit, match="the connection limit of the database is 20"):
            check(migrated_postgres, replicas=3)
        connection.execute(text(f'ALTER DATABASE "{name}" CONNECTION LIMIT -1'))
    admin.dispose()


@pytest.mark.docker
def test_connections_of_other_roles_are_warned_about(migrated_postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    admin = create_engine(migrated_postgres, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        most = int(connection.scalar(text("SHOW max_connections")))
        connection.execute(text(f"CREATE ROLE {OTHER} LOGIN PASSWORD 'secret'"))
        other = create_engine(admin.url.set(username=OTHER, password="secret"))
        with other.connect(), caplog.at_level(logging.WARNING):
            check(migrated_postgres, pool_size=most - 3)
        other.dispose()
        connection.execute(text(f"DROP ROLE {OTHER}"))
    admin.dispose()
    assert "the database may run out of connections" in caplog.text


@pytest.mark.docker
def test_copies_of_commits_need_a_synchronous_standby(migrated_postgres: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(DatabaseUnfit, match="synchronous_standby_names"):
        check(migrated_postgres, database_copies=2)
    engine = create_engine(migrated_postgres)
    port = engine.url.port
    several = migrated_postgres.replace(f"@{engine.url.host}:{port}/", "@/") + "?host=localhost:1&host=localhost:"
    with caplog.at_level(logging.WARNING):
        check(f"{several}{port}")
    assert "a failover may lose commits" in caplog.text


@pytest.mark.docker
@pytest.mark.parametrize("is_pipelined", [False, True])
def test_connections_to_a_server_that_became_read_only_are_replaced(
    migrated_postgres: str, open_world: Callable[..., World], is_pipelined: bool
) -> None:
    world = open_world(migrated_postgres)
    key = world.key()
    world.ask(key.secret.text)
    engine = world.database.engine
    connections = [engine.connect() for _ in range(3)]
    for connection in connections:
        connection.execute(text("SET default_transaction_read_only = on"))
        connection.commit()
        connection.close()
    with pytest.raises(Unavailable):
        if is_pipelined:
            world.ask(key.secret.text)
        else:
            world.database.check_writable()
    for _ in range(3):
        assert isinstance(world.ask(key.secret.text).decision, Grant)
        world.database.check_writable()


@pytest.mark.docker
def test_connections_have_the_name_of_their_service(migrated_postgres: str) -> None:
    engine = open_engine(migrated_postgres, name="keys")
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW application_name")) == "keys"
    engine.dispose()
