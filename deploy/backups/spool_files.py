"""Saves the spool of an edge that runs, and adds a saved one. It also runs alone, in a container of Compose.

The archive has a database and its WAL for each SQLite file. The edge writes a WAL back before it begins the next one,
which has another header. So both files belong together if the header is the same before and after they are read.
"""

import io
import sys
import tarfile
import uuid
from pathlib import Path
from typing import IO

ATTEMPTS = 100
_HEADER_BYTES = 32


def save(root: Path, output: IO[bytes]) -> None:
    """Writes a tar file of the SQLite files under the folder."""
    with tarfile.open(fileobj=output, mode="w|gz") as archive:
        for number, path in enumerate(sorted(root.rglob("*.sqlite"))):
            try:
                database, wal = _read(path)
            except FileNotFoundError:
                continue  # its outcomes have just been acknowledged
            for name, content in ((f"{number}/a.sqlite", database), (f"{number}/a.sqlite-wal", wal)):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))


def add(root: Path, archive_file: IO[bytes]) -> None:
    """Adds each SQLite file of the archive as the folder of a process that has ended."""
    folders: dict[str, Path] = {}
    with tarfile.open(fileobj=archive_file, mode="r|gz") as archive:
        for member in archive:
            number, _, name = member.name.partition("/")
            source = archive.extractfile(member)
            if source is None or name not in {"a.sqlite", "a.sqlite-wal"}:
                continue
            if number not in folders:
                folders[number] = root / f".new-{uuid.uuid4().hex}"
                folders[number].mkdir(mode=0o700)
            (folders[number] / name).write_bytes(source.read())
    for folder in folders.values():
        folder.rename(root / folder.name.removeprefix(".new-"))


def _read(path: Path) -> tuple[bytes, bytes]:
    """A database and its WAL. Raises FileNotFoundError."""
    wal_path = path.with_name(f"{path.name}-wal")
    for _ in range(ATTEMPTS):
        header = _head(wal_path)
        database = path.read_bytes()
        wal = wal_path.read_bytes() if header else b""
        if wal[:_HEADER_BYTES] == header == _head(wal_path):
            return database, wal
    raise RuntimeError(f"{path} changes all the time")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return b""


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save(Path(sys.argv[2]), sys.stdout.buffer)
    else:
        add(Path(sys.argv[2]), sys.stdin.buffer)
