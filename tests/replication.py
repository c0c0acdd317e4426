"""PostgreSQL servers in containers: a primary and its streaming standbys, on ports of loopback."""

import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from containers import docker
from stacks import PATIENCE_S, free_port

_FOLLOW = """
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install --directory --owner postgres --mode 700 "$PGDATA"
  gosu postgres pg_basebackup --pgdata "$PGDATA" --dbname "$PRIMARY" --checkpoint fast --write-recovery-conf
fi
exec gosu postgres postgres "$@"
"""


@dataclass
class Server:
    """One PostgreSQL server. Its container stays after `kill`, so that `start` finds its data."""

    name: str = field(default_factory=lambda: f"lp-test-{secrets.token_hex(4)}")
    port: int = field(default_factory=free_port)

    def execute(self, statement: str) -> object:
        """Returns the first value of the result; None if it has none. Raises SQLAlchemyError without an answer."""
        engine = create_engine(url(self), isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 2})
        try:
            with engine.connect() as connection:
                result = connection.execute(text(statement))
                return result.scalar() if result.returns_rows else None
        finally:
            engine.dispose()

    def kill(self) -> None:
        docker("kill", self.name)

    def start(self) -> None:
        docker("start", self.name)

    def wait_for_standbys(self, count: int) -> None:
        """Waits until `count` standbys follow this primary. Raises TimeoutError."""
        ends = time.monotonic() + PATIENCE_S
        while self._standby_count() != count:
            if time.monotonic() > ends:
                raise TimeoutError(f"no {count} standbys within {PATIENCE_S:.0f} s")
            time.sleep(0.2)

    def _standby_count(self) -> object:
        try:
            streaming = "state = 'streaming' AND application_name <> 'pg_basebackup'"
            return self.execute(f"SELECT count(*) FROM pg_stat_replication WHERE {streaming}")
        except SQLAlchemyError:
            return None


def url(*servers: Server) -> str:
    """Returns a URL of these servers. A client tries them in this order."""
    hosts = "&".join(f"host=127.0.0.1:{server.port}" for server in servers)
    return f"postgresql+psycopg://postgres@/postgres?{hosts}"


@contextmanager
def replicated(standby_count: int, *, image: str, is_synchronous: bool = False) -> Iterator[list[Server]]:
    """Runs a primary and its standbys, and yields the primary first.

    With `is_synchronous`, a commit waits for one standby.
    """
    primary, *standbys = servers = [Server() for _ in range(standby_count + 1)]
    try:
        _run(primary, image, ["--env", "POSTGRES_HOST_AUTH_METHOD=trust"], *_settings(primary))
        primary.wait_for_standbys(0)
        source = f"host=127.0.0.1 port={primary.port} user=postgres"
        for standby in standbys:
            follow = ["--env", f"PRIMARY={source}", "--entrypoint", "bash"]
            _run(standby, image, follow, "-euc", _FOLLOW, "follow", *_settings(standby))
        primary.wait_for_standbys(standby_count)
        if is_synchronous:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")
        yield servers
    finally:
        for server in servers:
            subprocess.run(["docker", "rm", "--force", "--volumes", server.name], capture_output=True, check=False)


def _run(server: Server, image: str, options: list[str], *command: str) -> None:
    docker(
        "run", "--detach", "--name", server.name, "--network", "host", "--shm-size", "256m", *options, image, *command
    )


def _settings(server: Server) -> list[str]:
    settings = {
        "port": server.port,
        "listen_addresses": "127.0.0.1",
        "cluster_name": server.name,
        "hot_standby_feedback": "on",  # the primary keeps the rows that a query of a standby still needs
    }
    return [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
