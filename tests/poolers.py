"""PgBouncer in transaction mode, in front of one database."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, make_url, text

from containers import docker
from servicekit.database import Limits
from stacks import PATIENCE_S, REPOSITORY, free_port

SERVER_CONNECTIONS = 8
"""Fewer than the clients have, so that clients share them."""


@contextmanager
def pooled(url: str, limits: Limits, folder: Path) -> Iterator[str]:
    """The URL of the database through PgBouncer. Its role gets these limits in this database."""
    server = make_url(url)
    admin = create_engine(url, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for name, milliseconds in limits.variables().items():
            role = f'ALTER ROLE "{server.username}" IN DATABASE "{server.database}"'
            connection.execute(text(f"{role} SET {name} = {milliseconds}"))
    admin.dispose()
    port = free_port()
    (folder / "pgbouncer.ini").write_text(
        f"""
        [databases]
        {server.database} = host=127.0.0.1 port={server.port} user={server.username} password={server.password}
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = {port}
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = {SERVER_CONNECTIONS}
        max_prepared_statements = 200
        ignore_startup_parameters = options
        """
    )
    image = docker("build", "--quiet", "--tag", "landpartner-pgbouncer", str(REPOSITORY / "deploy" / "pgbouncer"))
    os.chmod(folder, 0o755)  # noqa: S103 (the container has another user)
    volume = f"{folder}/pgbouncer.ini:/etc/pgbouncer/pgbouncer.ini:ro"
    container = docker("run", "--detach", "--rm", "--network", "host", "--volume", volume, image)
    try:
        _wait(port)
        yield server.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    finally:
        docker("rm", "--force", container)


def _wait(port: int) -> None:
    """Raises OSError if nothing listens within PATIENCE_S."""
    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)
        else:
            return
