"""The installation of `make run`: SQLite files in DATA_DIR."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

from backups import spool_files, stores
from backups.manifest import BackupError
from backups.stores import run
from embedded.installation import AlreadyRunning, Installation
from embedded.processes import program
from secret_files import replace

STAGED = ".restored"


class EmbeddedInstallation(stores.Installation):
    store = "sqlite"

    def __init__(self, installation: Installation) -> None:
        self._installation = installation
        self._staged = installation.folder / STAGED

    def save_spool(self, path: Path) -> None:
        with path.open("xb") as file:
            path.chmod(0o600)
            spool_files.save(self._installation.folder / "spool", file)

    def peppers(self) -> str:
        return (self._installation.folder / "secrets" / "peppers").read_text(encoding="ascii").strip()

    def set_peppers(self, text: str) -> None:
        replace(self._installation.folder / "secrets" / "peppers", text + "\n")

    def dump(self, service: str, path: Path) -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with closing(self._open(service)) as source, closing(sqlite3.connect(path)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            raise BackupError(f"the database of {service} cannot be copied: {error}") from error
        _check(path)

    def revision(self, service: str) -> str:
        with closing(self._open(service)) as database:
            return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])

    def version(self, service: str) -> str:
        return version(service)

    def command(self, service: str, command: str, *, is_staged: bool = False) -> str:
        environment = self._installation.backend_environment(service)
        return run([program(service), command], environment=self._environment(service) if is_staged else environment)

    def load(self, service: str, path: Path) -> None:
        self._staged.mkdir(mode=0o700, exist_ok=True)
        file = self._staged / f"{service}.sqlite"
        for outdated in _files(file):
            outdated.unlink(missing_ok=True)
        shutil.copyfile(path, file)
        file.chmod(0o600)
        _check(file)

    def check_keys(self, replaced: str, peppers: str, *, withdraw: bool) -> str:
        environment = {**self._environment("keys"), "KEYS_PEPPERS_FILE": str(self._staged / "peppers")}
        replace(self._staged / "peppers", peppers + "\n")
        command = [program("keys"), "check-restored", *(["--withdraw"] if withdraw else [])]
        return run(command, environment=environment, stdin=replaced)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        try:
            with self._installation.held():
                yield
        except AlreadyRunning:
            raise BackupError("the service runs on this data: end `make run` first") from None

    def swap(self, services: Sequence[str]) -> str:
        folder = self._installation.folder
        replaced = folder / f"replaced-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
        replaced.mkdir(mode=0o700)
        for service in services:
            with closing(sqlite3.connect(self._staged / f"{service}.sqlite")) as database:
                database.execute("PRAGMA journal_mode = DELETE")  # one file holds all
        for service in services:
            for file in _files(folder / f"{service}.sqlite"):
                if file.exists():
                    file.rename(replaced / file.name)
            (self._staged / f"{service}.sqlite").rename(folder / f"{service}.sqlite")
        shutil.rmtree(self._staged)
        return str(replaced)

    def add_spool(self, path: Path) -> None:
        with path.open("rb") as file:
            spool_files.add(self._installation.folder / "spool", file)

    def _open(self, service: str) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self._installation.folder / service}.sqlite?mode=ro", uri=True)

    def _environment(self, service: str) -> dict[str, str]:
        url = f"sqlite:///{self._staged / service}.sqlite"
        return {**self._installation.backend_environment(service), f"{service.upper()}_DATABASE_URL": url}


def _files(database: Path) -> list[Path]:
    return [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]


def _check(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as database:
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.Error as error:
        verdict = str(error)
    if verdict != "ok":
        raise BackupError(f"{path} is damaged: {verdict}")
