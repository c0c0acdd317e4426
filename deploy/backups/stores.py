"""What a backup needs of an installation, and the commands that both kinds share."""

import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO

from backups.manifest import BackupError

SERVICES = ("keys", "assistant", "land")


class Installation(ABC):
    """An installation in Docker, or one that `make run` uses."""

    store: str

    @abstractmethod
    def save_spool(self, path: Path) -> None:
        """Writes the spool of the edge as a tar file."""

    @abstractmethod
    def peppers(self) -> str:
        """The peppers in use."""

    @abstractmethod
    def set_peppers(self, text: str) -> None:
        """Replaces the peppers."""

    @abstractmethod
    def dump(self, service: str, path: Path) -> None:
        """Writes one consistent state of the database, and reads all of it again. Raises BackupError."""

    @abstractmethod
    def revision(self, service: str) -> str:
        """The revision of the schema."""

    @abstractmethod
    def version(self, service: str) -> str:
        """The version of the service."""

    @abstractmethod
    def command(self, service: str, command: str, *, is_staged: bool = False) -> str:
        """Runs a command of the service, on the staged database if it `is_staged`. Raises BackupError."""

    @abstractmethod
    def load(self, service: str, path: Path) -> None:
        """Loads a dump beside the current database. Raises BackupError."""

    @abstractmethod
    def check_keys(self, replaced: str, peppers: str, *, withdraw: bool) -> str:
        """Runs `keys check-restored` on the staged database."""

    @abstractmethod
    def quiet(self) -> AbstractContextManager[None]:
        """Nobody uses the service inside the block. Raises BackupError if somebody does."""

    @abstractmethod
    def swap(self, services: Sequence[str]) -> str:
        """Replaces the databases by the staged ones. Returns where the replaced ones are."""

    @abstractmethod
    def add_spool(self, path: Path) -> None:
        """Adds the outcomes of a spool to the current one. keys counts each outcome once."""

    def access_state(self) -> str:
        """The access state of keys as JSON; empty if its database cannot be read."""
        with suppress(BackupError):
            return self.command("keys", "access-state")
        return ""

    def stage(self, service: str, path: Path) -> None:
        """Loads a dump beside the current database, and migrates it. Raises BackupError for a newer schema."""
        self.load(service, path)
        try:
            self.command(service, "migrate", is_staged=True)
        except BackupError as error:
            raise BackupError(f"{path.name} cannot be used by this version\n{error}") from error


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    stdin: str | IO[bytes] = "",
    output: IO[bytes] | None = None,
) -> str:
    """Returns the standard output of a command, or writes it to `output`. Raises BackupError with its last words."""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE if isinstance(stdin, str) else stdin,
        stdout=output or subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        printed, errors = process.communicate(stdin.encode() if isinstance(stdin, str) else None)
    if process.returncode:
        words = errors.decode(errors="replace").strip().splitlines()[-5:]
        raise BackupError(f"`{' '.join(command[:6])} …` failed\n" + "\n".join(words))
    return (printed or b"").decode()
