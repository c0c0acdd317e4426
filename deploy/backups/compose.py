"""The installation of Compose: one PostgreSQL server for each service. Nothing secret is an argument of a command."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backups import spool_files
from backups.stores import SERVICES, Installation, run

STAGED, REPLACED = "restored", "replaced"
_STAGED_URL = f"sed 's#/\\([a-z]*\\)$#/\\1_{STAGED}#' /secrets/database-url > /tmp/url"
_SPOOL_JOB = ("edge", "python", "-c", Path(spool_files.__file__).read_text(encoding="utf-8"))


class ComposeInstallation(Installation):
    store = "postgresql"

    def save_spool(self, path: Path) -> None:
        with _private(path) as output, os.fdopen(os.dup(output), "wb") as file:
            run(_job(*_SPOOL_JOB, "save", "/state"), output=file)

    def peppers(self) -> str:
        return run(_job("keys", "cat", "/secrets/peppers")).strip()

    def set_peppers(self, text: str) -> None:
        run(["docker", "compose", "run", "--rm", "--no-deps", "-T", "secrets", "keys/peppers"], stdin=text + "\n")

    def dump(self, service: str, path: Path) -> None:
        with _private(path) as output, os.fdopen(os.dup(output), "wb") as file:
            run(_in_database(service, "pg_dump", "--format", "custom", service), output=file)
        with path.open("rb") as file:
            run(_in_database(service, "pg_restore", "--file", "/dev/null", user=False), stdin=file)

    def revision(self, service: str) -> str:
        return self._query(service, service, "SELECT version_num FROM alembic_version").strip()

    def version(self, service: str) -> str:
        code = f"from importlib.metadata import version; print(version('{service}'))"
        return run(_job(f"{service}-migrate", "python", "-c", code)).strip()

    def command(self, service: str, command: str, *, is_staged: bool = False) -> str:
        if not is_staged:
            return run(_job(f"{service}-migrate", service, command))
        variable = f"{service.upper()}_DATABASE_URL_FILE"
        staged = f"{_STAGED_URL}; {variable}=/tmp/url exec {service} {command}"
        return run(_job(f"{service}-migrate", "bash", "-c", staged))

    def load(self, service: str, path: Path) -> None:
        staged = f"{service}_{STAGED}"
        run(_in_database(service, "dropdb", "--if-exists", "--force", staged))
        run(_in_database(service, "createdb", staged))
        with path.open("rb") as file:
            restore = ("pg_restore", "--exit-on-error", "--no-owner", "--dbname", staged)
            run(_in_database(service, *restore), stdin=file)

    def check_keys(self, replaced: str, peppers: str, *, withdraw: bool) -> str:
        option = "--withdraw" if withdraw else ""
        command = (
            f"umask 077; read -r peppers; printf '%s' \"$peppers\" > /tmp/peppers; {_STAGED_URL}; "
            f"KEYS_PEPPERS_FILE=/tmp/peppers KEYS_DATABASE_URL_FILE=/tmp/url exec keys check-restored {option}"
        )
        return run(_job("keys-migrate", "bash", "-c", command), stdin=f"{peppers}\n{replaced}")

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Stops the edge first, so that no request is accepted, then the others. Starts them again in any case."""
        _compose("stop", "edge")
        _compose("stop", *SERVICES)
        try:
            yield
        finally:
            _compose("up", "--detach", "--no-build", "--no-recreate", "--wait")

    def swap(self, services: Sequence[str]) -> str:
        for service in services:
            old, new = f"{service}_{REPLACED}", f"{service}_{STAGED}"
            run(_in_database(service, "dropdb", "--if-exists", "--force", old))
            databases = self._query(service, "postgres", "SELECT datname FROM pg_database").split()
            renames = [f"ALTER DATABASE {service} RENAME TO {old}"] if service in databases else []
            self._query(service, "postgres", *renames, f"ALTER DATABASE {new} RENAME TO {service}")
        return ", ".join(f"{service}_{REPLACED} in {service}-db" for service in services)

    def add_spool(self, path: Path) -> None:
        with path.open("rb") as file:
            run(_job(*_SPOOL_JOB, "add", "/state"), stdin=file)

    @staticmethod
    def _query(service: str, database: str, *statements: str) -> str:
        commands = [part for statement in statements for part in ("--command", statement)]
        psql = ("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", "--dbname", database)
        return run(_in_database(service, *psql, *commands))


def _compose(*arguments: str) -> str:
    return run(["docker", "compose", "--progress", "quiet", *arguments])


def _job(service: str, program: str, *arguments: str) -> list[str]:
    """A container with the image, the secrets and the networks of a service."""
    options = ("--rm", "--no-deps", "-T", "--entrypoint", program)
    return ["docker", "compose", "--progress", "quiet", "run", *options, service, *arguments]


def _in_database(service: str, program: str, *arguments: str, user: bool = True) -> list[str]:
    login = ("--username", service) if user else ()
    return ["docker", "compose", "exec", "-T", f"{service}-db", program, *login, *arguments]


@contextmanager
def _private(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        yield descriptor
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
