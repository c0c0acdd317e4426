"""Files that attack the process which reads them, and what that process may do."""

import json
import os
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from gis_files import write_gis

from land.errors import UnreadableFile
from land.sources import confinement, gis

ATTEMPTS = """
import json, os, socket, sys
from pathlib import Path
import pyogrio
from land.sources import confinement

folder, parent = Path(sys.argv[1]), int(sys.argv[2])
results = {}

def attempt(name, action):
    try:
        action()
        results[name] = "done"
    except Exception as error:
        results[name] = type(error).__name__

confinement.remove_drivers(set(pyogrio.list_drivers()) - {"GPKG"})
confinement.confine([folder / "given.gpkg"], 1 << 30, 60)
attempt("read", lambda: (folder / "given.gpkg").read_bytes())
attempt("side file", lambda: (folder / "given.cpg").read_bytes())
attempt("codec", lambda: b"".decode("cp1140"))
attempt("thread", lambda: __import__("threading").Thread(target=print).start())
attempt("other file", lambda: (folder / "other").read_bytes())
attempt("password file", lambda: Path("/etc/passwd").read_bytes())
attempt("environment of the parent", lambda: Path(f"/proc/{parent}/environ").read_bytes())
attempt("write", lambda: (folder / "new").write_bytes(b""))
attempt("TCP", lambda: socket.create_connection(("127.0.0.1", 9)))
attempt("program", lambda: os.execv("/bin/true", ["true"]))
attempt("signal", lambda: os.kill(parent, 0))
attempt("memory", lambda: bytearray(1 << 30))
attempt("VRT", lambda: pyogrio.list_layers("<OGRVRTDataSource></OGRVRTDataSource>"))
attempt("URL", lambda: pyogrio.list_layers("/vsicurl/http://127.0.0.1:9/x.gpkg"))
print(json.dumps(results))
"""
ALLOWED = {"read", "side file", "codec", "thread"}


def test_a_confined_process_reads_its_file_and_does_nothing_else(tmp_path: Path) -> None:
    for name in ("given.gpkg", "given.cpg", "other"):
        (tmp_path / name).write_bytes(b"content")
    command = [sys.executable, "-I", "-c", ATTEMPTS, str(tmp_path), str(os.getpid())]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    results = json.loads(done.stdout.splitlines()[-1])
    version = confinement.landlock_version()
    may_signal = {"signal"} if version < 6 else set()
    assert {name for name, result in results.items() if result == "done"} == ALLOWED | may_signal, results
    assert results["program"] == "PermissionError"
    assert results["TCP"] == ("PermissionError" if version >= 4 else "ConnectionRefusedError")
    assert (results["memory"], results["VRT"]) == ("MemoryError", "DataSourceError")


def read(path: Path) -> int:
    return sum(len(batch.properties) for batch in gis.read_layers([path], path.name, ["EVIL", "BUILDINGS"]))


def endless(path: Path) -> Path:
    """A GeoPackage whose layer is a view without an end."""
    point = {"geometry": {"type": "Point", "coordinates": [2, 47]}, "properties": {"NAME": "one"}}
    write_gis(path, [point], layer="EVIL")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM gpkg_ogr_contents")
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        connection.execute('ALTER TABLE "EVIL" RENAME TO first')
        connection.execute(
            'CREATE VIEW "EVIL" AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) '
            "SELECT x AS fid, first.geom FROM c, first"
        )
    connection.close()
    return path


def test_a_file_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gis, "CPU_S", 1)
    with pytest.raises(UnreadableFile, match=r"evil\.gpkg: reading it took more than 1 s of processor time"):
        read(endless(tmp_path / "evil.gpkg"))


def test_a_file_that_takes_too_much_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.dbf"
    path.write_bytes(b"\x03" + bytes(3) + struct.pack("<IHH", 1, 33, 2) + bytes(100))
    os.truncate(path, 2 * gis.MEMORY_BYTES)
    with pytest.raises(UnreadableFile, match=r"large\.dbf: reading it needs more than \d+ bytes of memory"):
        read(path)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("kill -SEGV $$", "damaged: the process that read it ended with SIGSEGV"),
        ("kill -KILL $$", "reading it needs more than .* bytes of memory"),
        ("exit 3", "damaged: the process that read it ended with status 3"),
        ("cat > /dev/null; head -c 2000 /dev/zero; sleep 60", "features of more than 1000 bytes"),
        ("cat > /dev/null; sleep 60", "reading its features took more than 0 s"),
    ],
)
def test_the_end_of_the_process_is_an_error_of_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, reason: str
) -> None:
    monkeypatch.setattr(gis, "COMMAND", ("/bin/sh", "-c", script))
    monkeypatch.setattr(gis, "MAX_LINE_BYTES", 1_000)
    if script.endswith("null; sleep 60"):
        monkeypatch.setattr(gis, "SILENCE_S", 0.1)
    with pytest.raises(UnreadableFile, match=f"file.gpkg: {reason}"):
        read(tmp_path / "file.gpkg")
