"""A backup: a private folder with one file for each part, and `manifest.json` with their digests and versions.

keys.dump, assistant.dump, land.dump    databases: a SQLite file, or a dump in PostgreSQL's custom format
spool.tar.gz                            outcomes of the edge that keys had not acknowledged
peppers                                 without them no key can be verified
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1
NAME = "manifest.json"
SPOOL, PEPPERS = "spool.tar.gz", "peppers"


class BackupError(Exception):
    """A backup cannot be written, or cannot be used. Nothing was replaced."""


@dataclass(frozen=True)
class Part:
    """One file. `revision` is that of a database's schema, `version` that of the service that used it."""

    sha256: str
    size: int
    revision: str = ""
    version: str = ""


@dataclass(frozen=True)
class Manifest:
    """`store` is sqlite or postgresql: a backup of one cannot be restored into the other."""

    store: str
    created_at: str
    parts: dict[str, Part]
    format: int = FORMAT
    notes: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> None:
        private_file(folder / NAME, json.dumps(asdict(self), indent=2).encode() + b"\n")


def dump_name(service: str) -> str:
    return f"{service}.dump"


def private_file(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def part(path: Path, revision: str = "", version: str = "") -> Part:
    return Part(digest(path), path.stat().st_size, revision, version)


def read(folder: Path) -> Manifest:
    """Reads the manifest and compares every file with it. Raises BackupError."""
    try:
        content: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
        if content.get("format") != FORMAT:
            raise BackupError(f"{folder} has format {content.get('format')}; this version reads {FORMAT}")
        parts = {name: Part(**members) for name, members in content.pop("parts").items()}
        backup = Manifest(**content, parts=parts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupError(f"{folder / NAME} cannot be read: {error}") from error
    for name, expected in backup.parts.items():
        path = folder / name
        if Path(name).name != name or not path.is_file():
            raise BackupError(f"{path} is missing")
        if path.stat().st_size != expected.size or digest(path) != expected.sha256:
            raise BackupError(f"{path} is damaged: its digest is not that of the manifest")
    return backup
