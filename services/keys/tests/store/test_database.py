import socket

import pytest
from keys_world import World
from sqlalchemy import create_engine, make_url, text

from keys.errors import Unavailable
from keys.store import key_records
from keys.store.database import Database
from servicekit.errors import InvalidPayload


@pytest.mark.docker
def test_a_text_that_postgresql_cannot_hold_is_the_callers_mistake(migrated_postgres: str) -> None:
    database = Database(migrated_postgres)
    world = World(database)
    with pytest.raises(InvalidPayload), database.reading() as connection:
        key_records.find(connection, "a\0b", world.clock())
    database.close()


def test_a_database_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        database = Database(f"postgresql+psycopg://keys:hunter2@127.0.0.1:{port}/keys")
        with pytest.raises(Unavailable) as caught, database.writing():
            pass
        assert "hunter2" not in str(caught.value)
        database.close()


@pytest.mark.docker
def test_work_goes_on_by_itself_once_a_database_is_back(fresh_postgres: str, postgres_url: str) -> None:
    database = Database(fresh_postgres)
    database.migrate()
    world = World(database)
    issued = world.key()
    granted = world.ask(issued.secret.text)
    outcome = world.outcome(granted)
    name = make_url(fresh_postgres).database
    outside = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false"))
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"
        connection.execute(text(ended), {"name": name})
        for _ in range(3):
            with pytest.raises(Unavailable):
                world.ask(issued.secret.text)
            with pytest.raises(Unavailable):
                world.settler.record([outcome])
        connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
    assert world.settler.record([outcome]) == [outcome.event_id]
    assert world.ask(issued.secret.text, reservation=granted.reservation_id).decision == granted.decision
    assert world.month(issued.record.id) == {"requests": 1, "units": 1}
    outside.dispose()
    database.close()
