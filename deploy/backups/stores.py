"""What a backup needs of an installation, and the commands that both kinds share."""

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Protocol

from backups.manifest import BackupError

SERVICES = ("keys", "assistant", "land")


class Installation(Protocol):
    """An installation in Docker, or one that `make run` uses."""

    store: str

    def save_spool(self, path: Path) -> None:
        """Writes the spool of the edge as a tar file."""

    def peppers(self) -> str: ...

    def set_peppers(self, text: str) -> None: ...

    def dump(self, service: str, path: Path) -> None:
        """Writes one consistent state of the database, and reads all of it again. Raises BackupError."""

    def revision(self, service: str) -> str:
        """The revision of the schema."""

    def version(self, service: str) -> str: ...

    def record(self) -> None:
        """Notes in the audit log of keys that a backup was made."""

    def access_state(self) -> str:
        """The access state of keys as JSON; empty if its database cannot be read."""

    def stage(self, service: str, path: Path) -> None:
        """Loads a dump beside the current database, and migrates it. Raises BackupError for a newer schema."""

    def check_keys(self, replaced: str, peppers: str, *, withdraw: bool) -> str:
        """Runs `keys check-restored` on the staged database."""

    def quiet(self) -> AbstractContextManager[None]:
        """Nobody uses the service inside the block. Raises BackupError if somebody does."""

    def swap(self, services: Sequence[str]) -> str:
        """Replaces the databases by the staged ones. Returns where the replaced ones are."""

    def add_spool(self, path: Path) -> None:
        """Adds the outcomes of a spool to the current one. keys counts each outcome once."""


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
