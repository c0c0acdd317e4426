"""PostgreSQL with standbys: the nodes of deploy/postgres-ha in containers, on ports of loopback."""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from programs import run
from stacks import REPOSITORY, free_port

FOLLOWS_WITHIN_S = 120.0


@dataclass
class Cluster:
    """Nodes by name. The first one is the primary at the start."""

    nodes: Sequence[str]
    image: str = "postgres:17"
    synchronous: str = ""
    """`synchronous_standby_names` of PostgreSQL."""
    project: str = field(default_factory=lambda: f"lp-test-{secrets.token_hex(4)}")
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    ports: dict[str, int] = field(default_factory=lambda: {name: free_port() for name in ("db-a", "db-b", "db-c")})

    def compose(self, *arguments: str) -> str:
        """Runs `docker compose` on the cluster and returns its output. Raises RuntimeError with it if it fails."""
        settings = {
            "POSTGRES_IMAGE": self.image,
            "POSTGRES_USER": "postgres",
            "POSTGRES_PASSWORD": self.password,
            "SYNCHRONOUS": self.synchronous,
            **{f"PORT_{name[-1].upper()}": str(port) for name, port in self.ports.items()},
        }
        file = REPOSITORY / "deploy" / "postgres-ha" / "compose.yml"
        command = ("docker", "compose", "--project-name", self.project, "--file", str(file), *arguments)
        return run(*command, variables=settings)

    def url(self, *nodes: str) -> str:
        """The URL of these nodes."""
        hosts = "&".join(f"host=127.0.0.1:{self.ports[node]}" for node in nodes)
        return f"postgresql+psycopg://postgres:{self.password}@/postgres?{hosts}"

    def scalar(self, node: str, statement: str) -> object:
        """The first value of a statement's result. Raises SQLAlchemyError if the node does not answer."""
        engine = create_engine(self.url(node), isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 2})
        try:
            with engine.connect() as connection:
                return connection.scalar(text(statement))
        finally:
            engine.dispose()

    def wait_for_standbys(self, primary: str, count: int) -> None:
        """Waits until `count` standbys follow the primary. Raises TimeoutError."""
        following = (
            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'db-%'"
        )
        wait_until(lambda: self.scalar(primary, following) == count)

    def ha(self, node: str, *arguments: str) -> str:
        """Runs deploy/postgres-ha/ha on a node. Raises RuntimeError."""
        return self.compose("exec", "-T", node, "/ha/ha", *arguments)


def wait_until(is_done: Callable[[], bool]) -> None:
    """Waits for a condition of the databases, which may not answer. Raises TimeoutError."""
    ends = time.monotonic() + FOLLOWS_WITHIN_S
    while True:
        try:
            if is_done():
                return
        except SQLAlchemyError:
            pass
        if time.monotonic() > ends:
            raise TimeoutError
        time.sleep(0.2)


@contextmanager
def running(cluster: Cluster) -> Iterator[Cluster]:
    try:
        cluster.compose("up", "--detach", *cluster.nodes)
        cluster.wait_for_standbys(cluster.nodes[0], len(cluster.nodes) - 1)
        yield cluster
    finally:
        cluster.compose("--profile", "three", "down", "--volumes", "--timeout", "1")
