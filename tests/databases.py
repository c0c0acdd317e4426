"""One PostgreSQL server with PostGIS for all test processes of a run.

The server does not sync to disk, since its data is temporary. A new database is a copy of a template that was migrated
once.
"""

import fcntl
import json
import os
import secrets
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from containers import docker
from needs import missing, more_than_python

IMAGE = "postgis/postgis:17-3.5"
_SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=400"


@contextmanager
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the server. The first process starts it, the last one removes it.

    Skips without a Docker engine; fails if REQUIRE_ALL is set.
    """
    more_than_python("a Docker engine")
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode != 0:
        missing("a Docker engine")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the folder of this process; its parent belongs to the run
    record = folder / "postgres.json"
    with _locked(folder) as _:
        server = json.loads(record.read_text()) if record.exists() else _started()
        record.write_text(json.dumps({**server, "users": server["users"] + 1}))
    try:
        yield server["url"]
    finally:
        with _locked(folder):
            server = json.loads(record.read_text())
            if server["users"] > 1:
                record.write_text(json.dumps({**server, "users": server["users"] - 1}))
            else:
                record.unlink()
                docker("rm", "--force", "--volumes", server["container"])


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "postgres.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _started() -> dict[str, Any]:
    os.environ["TESTCONTAINERS_RYUK_DISABLED"] = "true"
    from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415 (reads the variable as it loads)

    container = PostgresContainer(IMAGE, driver="psycopg").with_command(f"postgres {_SETTINGS}").start()
    return {
        "url": container.get_connection_url(),
        "container": container.get_wrapped_container().id,
        "users": 0,
    }


@contextmanager
def database(server_url: str, prefix: str, migrate: Callable[[str], None] | None = None) -> Iterator[str]:
    """The URL of a new database, removed after the block. It is empty, or migrated by `migrate`.

    `migrate` runs once per server and prefix, so each prefix must always have the same `migrate`.
    """
    name = f"{prefix}_{secrets.token_hex(6)}"
    admin = create_engine(server_url, isolation_level="AUTOCOMMIT")
    try:
        with admin.connect() as connection:
            copied = "" if migrate is None else f" TEMPLATE {_template(connection, server_url, prefix, migrate)}"
            connection.execute(text(f"CREATE DATABASE {name}{copied}"))
        yield _on(server_url, name)
        with admin.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        admin.dispose()


def empty(url: str) -> None:
    """Deletes all rows but those of migrations and PostGIS, and starts the sequences again. A new database would take
    ten times as long, and TRUNCATE, which makes new files, a hundred times.
    """
    engine = create_engine(url)
    with engine.begin() as connection:
        tables = connection.scalars(
            text(
                "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'"
                " AND tablename NOT IN ('alembic_version', 'schema_compatibility', 'spatial_ref_sys')"
            )
        )
        connection.execute(text("SET LOCAL session_replication_role = replica"))  # in any order, without triggers
        connection.execute(text("; ".join(f"DELETE FROM {table}" for table in tables)))
        connection.execute(text("SELECT setval(oid, seqstart, false) FROM pg_class JOIN pg_sequence ON oid = seqrelid"))
    engine.dispose()


def _template(connection: Any, server_url: str, prefix: str, migrate: Callable[[str], None]) -> str:
    name = f"template_{prefix}"
    connection.execute(text("SELECT pg_advisory_lock(1)"))
    try:
        existing = connection.execute(text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}).first()
        if existing is None:
            connection.execute(text(f"CREATE DATABASE {name}_new"))
            migrate(_on(server_url, f"{name}_new"))
            connection.execute(text(f"ALTER DATABASE {name}_new RENAME TO {name}"))
    finally:
        connection.execute(text("SELECT pg_advisory_unlock(1)"))
    return name


def _on(server_url: str, name: str) -> str:
    return make_url(server_url).set(database=name).render_as_string(hide_password=False)
