import socket

import pytest
from keys_world import World

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
