"""Opens the databases of all services. The URL selects SQLite (embedded) or PostgreSQL (Compose).

A PostgreSQL URL may name several servers of one cluster: `postgresql://user@/database?host=a:5432&host=b:5432`.
Connections then go to the one that can be written. A column of instants has the same values on both.
"""

import select as polling
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import URL, Connection, DateTime, Dialect, Engine, create_engine, event, func, make_url, select
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.types import TypeDecorator

from servicekit import tracing

SQLITE_BUSY_MS = 15_000
SQLITE_JOURNAL_BYTES = 64 * 1024**2
"""SQLite truncates a larger journal to this after a checkpoint. One large load can make it larger."""
_WRITES = "transaction_writes"
CONNECT_TIMEOUT_S = 5
CONNECT_TIMEOUT_PER_HOST_S = 2
"""The timeout for each of several servers. libpq allows no less."""
UNACKNOWLEDGED_MS = 10_000
"""Time until a connection is closed whose data PostgreSQL's host does not acknowledge (TCP user timeout)."""
_KEEPALIVES = {"keepalives_idle": 4, "keepalives_interval": 2, "keepalives_count": 3}
"""The values are seconds. Without them, a statement whose server has lost its power waits for two hours."""
_READ_ONLY = "25006"
"""SQLSTATE of a write to a server that only reads, such as a former primary."""


@dataclass(frozen=True)
class Limits:
    """Timeouts of a PostgreSQL transaction in seconds: waiting for a lock, running one statement, idle between two
    statements. 0 is no timeout.
    """

    lock_s: float
    statement_s: float
    idle_s: float

    def variables(self) -> dict[str, int]:
        """The timeouts as PostgreSQL's variables, in milliseconds."""
        return {
            "lock_timeout": round(self.lock_s * 1000),
            "statement_timeout": round(self.statement_s * 1000),
            "idle_in_transaction_session_timeout": round(self.idle_s * 1000),
        }


SERVING = Limits(lock_s=2, statement_s=30, idle_s=60)
"""The limits of transactions of requests."""
LOADING = Limits(lock_s=600, statement_s=3600, idle_s=600)
"""The limits of transactions that load a file. A load may take minutes, and the next load of the same commune waits."""
MIGRATING = Limits(lock_s=10, statement_s=0, idle_s=0)
"""The limits of migrations. A migration that waits for a table lock blocks later requests, so it fails soon."""


def open_engine(
    url: str,
    *,
    pool_size: int = 8,
    limits: Limits = SERVING,
    writing_limits: Limits | None = None,
    connect_timeout_s: int = CONNECT_TIMEOUT_S,
    name: str = "landpartner",
    keeps_plans: bool = False,
) -> Engine:
    """Opens `sqlite:///path` or `postgresql://…`. Creates the folder of a SQLite file if it is missing.

    SQLite uses WAL mode, so that a writer does not block readers. Transactions begin explicitly, so that a read
    transaction sees one snapshot. Use `for_writing` for transactions that write. On PostgreSQL `limits` apply to every
    transaction, but `writing_limits` replace them in those of `for_writing`. Error messages omit statement values.
    PostgreSQL lists the connections under `name`. If a server turns out to be read-only, all connections are replaced.

    With `keeps_plans`, PostgreSQL plans a prepared statement once for all values, which suits reads of few rows by an
    index. Transactions of `for_writing` plan as usual: an import begins on empty tables, whose plans would be kept.
    """
    parsed = make_url(url)
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    has_several_hosts = len(server_urls(url)) > 1
    options: dict[str, object] = {
        "connect_timeout": CONNECT_TIMEOUT_PER_HOST_S if has_several_hosts else connect_timeout_s,
        "tcp_user_timeout": UNACKNOWLEDGED_MS,
        **_KEEPALIVES,
        "application_name": name,
        **({"target_session_attrs": "read-write"} if has_several_hosts else {}),
    }
    defaults = {option: value for option, value in options.items() if option not in parsed.query}
    plans = {"plan_cache_mode": "force_generic_plan"} if keeps_plans else {}
    engine = _create_engine(parsed, pool_size, {**defaults, "options": _options(parsed, limits, plans)})
    if not is_sqlite(engine) and (writing_limits is not None or keeps_plans):
        event.listen(engine, "begin", partial(_prepare_writing, limits=writing_limits, plans_anew=keeps_plans))
    if tracing.active() is not None:
        from servicekit import traced_database  # noqa: PLC0415 (only for traces)

        event.listen(engine, "do_connect", traced_database.connect)
    return engine


def _create_engine(parsed: URL, pool_size: int, options: Mapping[str, object]) -> Engine:
    """`options` are those of a PostgreSQL connection."""
    is_server = parsed.get_backend_name() != "sqlite"
    if parsed.database and not is_server:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        parsed,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_use_lifo=True,
        hide_parameters=True,
        connect_args=dict(options) if is_server else {},
    )
    if is_server:
        event.listen(engine, "checkout", _refuse_closed)
        event.listen(engine, "handle_error", _leave_read_only)
    else:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def close_engine(engine: Engine) -> None:
    """Closes the connections of an engine at once, and those that a thread still uses when it returns them."""
    event.listen(engine, "checkin", lambda _, entry: entry.invalidate())
    engine.dispose()


def server_urls(url: str) -> list[str]:
    """The URL of each server that a URL names."""
    parsed = make_url(url)
    hosts = parsed.query.get("host", ())
    without_hosts = parsed.difference_update_query(["host"])
    parts = [host.partition(":") for host in ([hosts] if isinstance(hosts, str) else hosts)]
    urls = [without_hosts.set(host=name, port=int(port) if port else None) for name, _, port in parts] or [parsed]
    return [server.render_as_string(hide_password=False) for server in urls]


def is_read_only(error: BaseException | None) -> bool:
    """Whether a driver's error says that the server cannot be written."""
    return getattr(error, "sqlstate", None) == _READ_ONLY


def for_writing(engine: Engine) -> Engine:
    """Returns the engine for transactions that write. On SQLite they take the write lock when they begin: a transaction
    that reads first would fail if another one wrote in between. On PostgreSQL the engine's `writing_limits` apply.
    """
    return engine.execution_options(**{_WRITES: True})


def set_limits(connection: Connection, limits: Limits) -> None:
    """Sets the limits of the current transaction. Does nothing on SQLite."""
    if not is_sqlite(connection):
        values = [func.set_config(name, str(milliseconds), True) for name, milliseconds in limits.variables().items()]
        connection.execute(select(*values))


class _Bind(Protocol):
    @property
    def dialect(self) -> Dialect:
        """The kind of database."""


def is_sqlite(bind: _Bind) -> bool:
    return bind.dialect.name == "sqlite"


def _options(url: URL, limits: Limits, variables: Mapping[str, str]) -> str:
    """The options of the URL, followed by the variables of `limits` and the others."""
    of_url = url.query.get("options", "")
    settings = [f"-c {name}={value}" for name, value in {**limits.variables(), **variables}.items()]
    return " ".join([of_url if isinstance(of_url, str) else " ".join(of_url), *settings]).strip()


def _prepare_writing(connection: Connection, *, limits: Limits | None, plans_anew: bool) -> None:
    if not connection.get_execution_options().get(_WRITES):
        return
    if limits is not None:
        set_limits(connection, limits)
    if plans_anew:
        connection.execute(select(func.set_config("plan_cache_mode", "auto", True)))


def _leave_read_only(context: ExceptionContext) -> None:
    """Lets the pool replace its connections, as if the server had closed them. Another one is the primary now."""
    if is_read_only(context.original_exception):
        context.is_disconnect = True


def _refuse_closed(connection: Any, _: ConnectionPoolEntry, __: PoolProxiedConnection) -> None:
    """Lets the pool replace a connection that PostgreSQL has closed. Only such a connection has data to read while it
    is idle. A query to test it would cost as much as a statement.
    """
    if connection.closed:
        raise DisconnectionError
    poll = polling.poll()
    poll.register(connection.fileno(), polling.POLLIN)
    if poll.poll(0):
        raise DisconnectionError


def _begin_sqlite(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:  # it cannot fail on a lock, and SQLAlchemy's translation of errors costs several times as much
        driver: Any = connection.connection.driver_connection
        driver.execute("BEGIN")


def _set_up_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    assert isinstance(connection, sqlite3.Connection)  # noqa: S101 (for mypy)
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {SQLITE_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "mmap_size = 268435456",
        f"journal_size_limit = {SQLITE_JOURNAL_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}")


class Instant(TypeDecorator[datetime]):
    """An instant in UTC, to the microsecond. SQLite stores no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
