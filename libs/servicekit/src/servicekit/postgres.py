"""Checks at start whether a database suits a service: its schema, and timeouts, connections and copies of commits."""

import logging
from collections.abc import Mapping

from sqlalchemy import Connection, Engine, text

from servicekit.database import SERVING, Limits, is_sqlite, server_urls
from servicekit.schema import Accepted, is_accepted
from servicekit.settings import RpcSettings

log = logging.getLogger(__name__)

_COPYING = ("on", "remote_apply")
"""Values of `synchronous_commit` with which a commit waits until a standby has it on disk."""
_SETTINGS = text("SELECT name, setting FROM pg_settings")
_CONNECTIONS = text(
    """
    SELECT (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS of_role,
           (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS of_database,
           (SELECT count(*) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND usename <> current_user) AS of_other_roles
    """
)


class DatabaseUnfit(Exception):
    """The database does not suit the service. The message says what to change."""


def check_database(
    engine: Engine, migrations: str, schema: Accepted, settings: RpcSettings, limits: Limits = SERVING
) -> None:
    """Raises DatabaseUnfit if the database does not suit all replicas of this service. Logs what may go wrong.

    `limits` are those of the engine. Of SQLite, only the schema is checked. Raises SQLAlchemyError.
    """
    if not is_accepted(engine, migrations, schema):
        service = migrations.partition(":")[0]
        raise DatabaseUnfit(
            f"this version does not work with the schema of the database: run `{service} migrate` first"
        )
    if is_sqlite(engine):
        return
    with engine.connect() as connection:
        values = {row.name: row.setting for row in connection.execute(_SETTINGS)}
        _check_limits(values, limits)
        if not _is_pooled(connection):
            _check_connections(connection, values, settings, engine)
        _check_copies(values, settings, engine)


def _check_limits(values: Mapping[str, str], limits: Limits) -> None:
    dropped = {name: timeout_ms for name, timeout_ms in limits.variables().items() if int(values[name]) != timeout_ms}
    if dropped:
        statements = "; ".join(f"ALTER ROLE … SET {name} = {timeout_ms}" for name, timeout_ms in dropped.items())
        raise DatabaseUnfit(f"a pooler in front of PostgreSQL drops the timeouts of the connection; run: {statements}")


def _is_pooled(connection: Connection) -> bool:
    """Whether PgBouncer is in between. It states another process id than the server. Its own limits apply then."""
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 (for mypy)
    return bool(driver.info.backend_pid != connection.scalar(text("SELECT pg_backend_pid()")))


def _check_connections(
    connection: Connection, values: Mapping[str, str], settings: RpcSettings, engine: Engine
) -> None:
    """Compares what all replicas may open with the limits of the server, the role and the database."""
    of_replica: int = engine.pool.size()  # type: ignore[attr-defined]
    needed = settings.replicas * of_replica
    share = f"{needed} = {settings.replicas} replicas x {of_replica}"
    connections = connection.execute(_CONNECTIONS).one()
    reserved = int(values["superuser_reserved_connections"]) + int(values["reserved_connections"])
    of_server = int(values["max_connections"]) - reserved
    limits = {
        "max_connections without the reserved ones": of_server,
        "the connection limit of the role": connections.of_role,
        "the connection limit of the database": connections.of_database,
    }
    for name, limit in limits.items():
        if 0 <= limit < needed:
            raise DatabaseUnfit(f"the service may open {share} database connections, but {name} is {limit}")
    if needed > of_server - connections.of_other_roles:
        log.warning(
            "the database may run out of connections",
            extra={"needed": share, "limit": of_server, "used_by_other_roles": connections.of_other_roles},
        )


def _check_copies(values: Mapping[str, str], settings: RpcSettings, engine: Engine) -> None:
    """Whether a commit that the service saw is on as many servers as the settings ask for."""
    is_copied = bool(values["synchronous_standby_names"]) and values["synchronous_commit"] in _COPYING
    if is_copied:
        return
    if settings.database_copies > 1:
        raise DatabaseUnfit(
            "commits wait for one server only, but the setting database_copies asks for two: set "
            "synchronous_standby_names, and synchronous_commit to on"
        )
    if len(server_urls(engine.url.render_as_string(hide_password=False))) > 1:
        log.warning("a failover may lose commits: the database has no synchronous standby")
