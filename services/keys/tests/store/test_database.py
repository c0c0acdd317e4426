import socket
import threading

import pytest
from keys_world import Grant, World
from sqlalchemy import Connection, Interval, cast, create_engine, func, insert, make_url, select, text

from keys.store import key_records
from keys.store.database import LIMITS, MIGRATIONS, SCHEMA, Database, now_of
from keys.store.tables import write_probes
from keys.values.errors import Unavailable
from servicekit.context import deadline
from servicekit.database import LOADING, SERVING, Limits, for_writing, open_engine
from servicekit.errors import InvalidPayload
from servicekit.schema import is_accepted


@pytest.mark.docker
def test_a_text_that_postgresql_cannot_store_is_an_invalid_payload(migrated_postgres: str) -> None:
    database = Database(migrated_postgres)
    world = World(database)
    with pytest.raises(InvalidPayload), database.reading() as connection:
        key_records.find(connection, "a\0b", world.clock())
    database.close()


def test_a_missing_database_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        database = Database(f"postgresql+psycopg://keys:hunter2@127.0.0.1:{port}/keys")
        with pytest.raises(Unavailable) as caught, database.writing():
            pass
        assert "hunter2" not in str(caught.value)
        database.close()


@pytest.mark.docker
def test_work_continues_after_a_database_outage(fresh_postgres: str, postgres_url: str) -> None:
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
                world.record([outcome])
        connection.execute(text(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
    assert world.record([outcome]) == [outcome.event_id]
    assert isinstance(world.ask(issued.secret.text).decision, Grant)
    assert world.month(issued.record.id) == {"requests": 1, "units": 1, "reserved_units": 1}
    outside.dispose()
    database.close()


def limits_of(connection: Connection) -> Limits:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    query = select(*(func.extract("epoch", cast(func.current_setting(name), Interval)) for name in names))
    lock_s, statement_s, idle_s = (float(seconds) for seconds in connection.execute(query).one())
    return Limits(lock_s, statement_s, idle_s)


@pytest.mark.docker
def test_a_session_has_limits_and_a_load_has_its_own(migrated_postgres: str) -> None:
    database = Database(migrated_postgres)
    with database.reading() as reading, database.writing() as writing:
        assert limits_of(reading) == limits_of(writing) == LIMITS
    database.close()
    engine = open_engine(f"{migrated_postgres}?options=-c%20work_mem%3D1MB", pool_size=1, writing_limits=LOADING)
    with for_writing(engine).begin() as loading:
        assert limits_of(loading) == LOADING
    with engine.begin() as reading:
        assert limits_of(reading) == SERVING
        assert reading.scalar(text("SHOW work_mem")) == "1MB"
    engine.dispose()


@pytest.mark.docker
@pytest.mark.parametrize(
    ("limits", "statement"),
    [(Limits(0, 0.05, 0), "SELECT pg_sleep(30)"), (Limits(0, 0, 0.05), "SELECT 1")],
)
def test_a_transaction_past_its_limits_is_ended(
    migrated_postgres: str, monkeypatch: pytest.MonkeyPatch, limits: Limits, statement: str
) -> None:
    monkeypatch.setattr("keys.store.database.LIMITS", limits)
    database = Database(migrated_postgres)
    outside = create_engine(migrated_postgres, isolation_level="AUTOCOMMIT")
    with outside.connect() as other, pytest.raises(Unavailable), database.writing() as connection:
        pid = connection.scalar(text("SELECT pg_backend_pid()"))
        connection.execute(text(statement))
        while other.scalar(text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid"), {"pid": pid}):
            other.execute(text("SELECT pg_sleep(0.01)"))
        connection.execute(text("SELECT 1"))
    outside.dispose()
    with database.reading() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    database.close()


@pytest.mark.docker
def test_a_migration_waits_for_another_one_and_has_no_statement_limit(
    fresh_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keys.store.database.LIMITS", Limits(0.05, 0.05, 0.05))
    engine = open_engine(fresh_postgres)
    database = Database(fresh_postgres)
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": 0x6C616E64})
        waiting = threading.Thread(target=database.migrate)
        waiting.start()
        advisory = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while not connection.scalar(advisory):
            connection.execute(text("SELECT pg_sleep(0.01)"))
        connection.execute(text("SELECT pg_sleep(0.2)"))
    waiting.join()
    assert is_accepted(database.engine, MIGRATIONS, SCHEMA)
    database.close()
    engine.dispose()


def test_a_writer_waits_for_sqlite_until_its_deadline(migrated_sqlite: str) -> None:
    database = Database(migrated_sqlite)
    begun, go = threading.Event(), threading.Event()

    def hold() -> None:
        with database.writing():
            begun.set()
            assert go.wait(60)

    holding = threading.Thread(target=hold)
    holding.start()
    assert begun.wait(60)
    with deadline(0.01), pytest.raises(Unavailable), database.writing():
        pass
    go.set()
    holding.join()
    with database.writing():
        pass
    database.close()


def test_a_transaction_that_fails_leaves_nothing(world: World) -> None:
    with pytest.raises(InvalidPayload), world.database.writing() as connection:
        connection.execute(insert(write_probes), {"id": b"lost"})
        raise InvalidPayload("rolled back")
    with world.database.writing() as connection:
        connection.execute(insert(write_probes), {"id": b"kept"})
    with world.database.reading() as connection:
        assert connection.execute(select(write_probes.c.id)).scalars().all() == [b"kept"]


def test_the_write_probe_leaves_no_row(world: World) -> None:
    before = world.dump()
    world.database.check_writable()
    assert world.dump() == before


def test_only_postgresql_has_a_separate_clock(world: World) -> None:
    with world.database.reading() as connection:
        assert (now_of(connection) is None) == (connection.dialect.name == "sqlite")
