"""Backups of an embedded installation: real databases, without running services."""

import io
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from backups import __main__ as backups
from backups import manifest, spool_files
from backups.embedded import EmbeddedInstallation
from backups.manifest import BackupError
from backups.stores import SERVICES

from command_lines import run_command
from edge.metering.spool import Spool, orphans
from embedded.installation import Installation
from embedded.run import create_demo_key

pytestmark = pytest.mark.thorough

OUTCOME = b"an outcome"
Restore = Callable[..., None]


@pytest.fixture(scope="module", autouse=True)
def path_of_deploy() -> Iterator[None]:
    """Commands of a service run in a process of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "deploy"))
        yield


@pytest.fixture(scope="module")
def used(path_of_deploy: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with migrated databases, one key and one outcome in the spool, and a backup in `backup`."""
    folder = tmp_path_factory.mktemp("used")
    installation = Installation(folder / "data")
    installation.make_folders()
    for service in SERVICES:
        run_command(service, ["migrate"], installation.backend_environment(service))
    create_demo_key(installation)
    spool = Spool(installation.folder / "spool", 2**24)
    spool.hold()
    spool.append(OUTCOME)
    backups.make(EmbeddedInstallation(installation), folder / "backup", with_land=True)
    spool.is_settled = True
    spool.close()
    return folder


@pytest.fixture
def copy(used: Path, tmp_path: Path) -> Path:
    """Does the same with a backup of keys only: each database that is restored takes seconds."""
    shutil.copytree(used, tmp_path / "copy")
    _edit_manifest(tmp_path / "copy", lambda parts: [parts.pop(f"{name}.dump") for name in ("assistant", "land")])
    return tmp_path / "copy"


def restore(folder: Path, *, withdraw: bool = False) -> None:
    installation = EmbeddedInstallation(Installation(folder / "data"))
    backups.restore(installation, folder / "backup", withdraw=withdraw, is_confirmed=True)


def keys(folder: Path, *arguments: str) -> str:
    return run_command("keys", arguments, Installation(folder / "data").backend_environment("keys"))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "data" / f"{name}.sqlite").read_bytes() for name in SERVICES}


def test_a_backup_is_private_and_complete(used: Path) -> None:
    content = manifest.read(used / "backup")
    assert set(content.parts) == {"keys.dump", "land.dump", "assistant.dump", "spool.tar.gz", "peppers"}
    assert all(content.parts[f"{service}.dump"].revision for service in SERVICES)
    assert stat.S_IMODE((used / "backup").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (used / "backup").iterdir()} == {0o600}


def test_a_restore_tells_what_it_brings_back_and_withdraws_it(
    used: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(used, copy)
    key_id = json.loads(keys(copy, "list-keys"))["key_id"]
    keys(copy, "revoke-key", key_id)
    restore(copy, withdraw=True)
    printed = capsys.readouterr().out
    assert "1 keys that were revoked since" in printed
    assert key_id in printed
    assert "key.revoke" in printed
    assert json.loads(keys(copy, "list-keys"))["status"] == "revoked"
    payloads = []
    for orphan in orphans(copy / "data" / "spool", copy):
        payloads += [payload for file in orphan.files for payload in file.read_next(10).values()]
        orphan.close()
    assert payloads == [OUTCOME]
    [replaced] = (copy / "data").glob("replaced-*")
    assert {path.name for path in replaced.iterdir()} >= {f"{service}.sqlite" for service in SERVICES}


def test_a_spool_is_saved_while_it_is_written_and_cleaned(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool", 2**26)
    waiting: list[bytes] = []
    is_over = threading.Event()

    def write() -> None:
        numbers = count()
        while not is_over.is_set():
            for number in islice(numbers, 20):
                spool.hold()
                spool.append(b"%d" % number)
                if number % 10 == 0:
                    waiting.append(b"%d" % number)
            for file in spool.files:
                batch = file.read_next(500)
                file.acknowledge({id_: payload for id_, payload in batch.items() if int(payload) % 10})
            if file_to_clean := spool.next_to_clean():
                file_to_clean.clean()
            time.sleep(0.002)

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for number in range(20):
            expected = set(waiting)
            archive = io.BytesIO()
            spool_files.save(tmp_path / "spool", archive)
            archive.seek(0)
            root = tmp_path / f"restored {number}"
            root.mkdir()
            spool_files.add(root, archive)
            payloads: set[bytes] = set()
            for orphan in orphans(root, root):
                payloads.update(payload for file in orphan.files for payload in file.read_next(100_000).values())
                orphan.close()
            assert expected <= payloads
    finally:
        is_over.set()
        writing.join()
        spool.close()


def test_without_the_current_database_it_says_that_nobody_knows(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "data" / "keys.sqlite").write_bytes(b"not a database")
    (copy / "data" / "secrets" / "peppers").write_text(f"1:{bytes(32).hex()},2:{bytes(33).hex()}\n")
    restore(copy)
    assert "nobody knows what changed since the backup" in capsys.readouterr().out
    assert json.loads(keys(copy, "list-keys"))["status"] == "active"
    restored, backup = ((path / "peppers").read_text().strip() for path in (copy / "data/secrets", copy / "backup"))
    assert restored == f"{backup},2:{bytes(33).hex()}"


def test_on_a_new_machine_nothing_is_withdrawn(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (copy / "data").glob("keys.sqlite*"):
        path.unlink()
    keys(copy, "migrate")
    restore(copy, withdraw=True)
    assert "nobody knows what changed since the backup" in capsys.readouterr().out
    assert json.loads(keys(copy, "list-keys"))["status"] == "active"


def damage(folder: Path) -> None:
    path = folder / "backup" / "keys.dump"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def migrate_further(folder: Path) -> None:
    path = folder / "backup" / "keys.dump"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.execute("UPDATE schema_compatibility SET oldest_code = '9999'")
    _sign(folder, path)


def lose_peppers(folder: Path) -> None:
    (folder / "backup" / "peppers").write_text(f"1:{bytes(32).hex()}\n")
    with closing(sqlite3.connect(folder / "backup" / "keys.dump")) as database, database:
        database.execute("INSERT INTO pepper_checks VALUES (1, ?) ON CONFLICT DO NOTHING", [bytes(32)])
    _sign(folder, folder / "backup" / "keys.dump")
    _sign(folder, folder / "backup" / "peppers")


def other_store(folder: Path) -> None:
    path = folder / "backup" / manifest.NAME
    path.write_text(path.read_text().replace("sqlite", "postgresql"))


def _sign(folder: Path, path: Path) -> None:
    """Makes the manifest agree with a changed file."""
    size = path.stat().st_size
    _edit_manifest(folder, lambda parts: parts[path.name].update(sha256=manifest.digest(path), size=size))


def _edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "backup" / manifest.NAME
    content = json.loads(path.read_text())
    edit(content["parts"])
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (damage, "is damaged"),
        (migrate_further, "does not work with"),
        (lose_peppers, "restore the peppers"),
        (other_store, "is a backup of postgresql"),
    ],
)
def test_a_backup_that_cannot_be_used_replaces_nothing(copy: Path, fault: Callable[[Path], None], message: str) -> None:
    fault(copy)
    before = contents(copy)
    with pytest.raises(BackupError, match=message):
        restore(copy)
    assert contents(copy) == before


def test_a_running_service_is_not_replaced(copy: Path) -> None:
    before = contents(copy)
    with Installation(copy / "data").held(), pytest.raises(BackupError, match="end `make run` first"):
        restore(copy)
    assert contents(copy) == before


def test_the_command_reports_a_missing_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "backups", "verify", str(tmp_path)],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "deploy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "manifest.json cannot be read" in done.stderr
