import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from contract.endpoints import MAX_LINES
from contract.problem_codes import PROBLEMS
from edge.metering.spool import (
    EXTENT_BYTES,
    MAX_PAYLOAD_BYTES,
    PAGE_PAYLOAD_BYTES,
    Spool,
    SpoolFile,
    SpoolFolder,
    SpoolFull,
    orphans,
)
from landpartner.keys.v1 import keys_pb2

LIMIT = 64 * EXTENT_BYTES
MAX_INT64 = 2**63 - 1


def append(spool: Spool, *payloads: bytes) -> None:
    for payload in payloads:
        spool.hold()
        spool.append(payload)


def drain(folder: SpoolFolder) -> list[bytes]:
    payloads: list[bytes] = []
    for file in folder.files:
        while batch := file.read_next(7):
            payloads += batch.values()
            file.acknowledge(batch)
    return payloads


def remove(folder: SpoolFolder) -> None:
    folder.is_settled = True
    folder.close()


def clean(spool: Spool) -> None:
    """Cleans both files."""
    while file := spool.next_to_clean():
        file.clean()


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    opened = Spool(tmp_path, LIMIT)
    yield opened
    remove(opened)
    assert list(tmp_path.iterdir()) == []


def test_payloads_are_read_in_order_and_again_until_they_are_acknowledged(spool: Spool) -> None:
    append(spool, b"a", b"b", b"c")
    [file] = [file for file in spool.files if file.rows]
    batch = file.read_next(2)
    assert list(batch.values()) == [b"a", b"b"]
    assert file.read(list(batch)) == batch
    file.acknowledge(batch)
    assert drain(spool) == [b"c"]
    append(spool, b"d")
    assert drain(spool) == [b"d"]
    assert (spool.rows, [file.waiting_bytes for file in spool.files]) == (0, [0, 0])


def test_a_waiting_row_stays_while_others_are_deleted(spool: Spool) -> None:
    append(spool, b"waits")
    for round_ in range(20):
        payloads = [b"%d-%d" % (round_, number) for number in range(100)]
        append(spool, *payloads)
        for file in spool.files:
            batch = file.read_next(200)
            file.acknowledge({id_: payload for id_, payload in batch.items() if payload != b"waits"})
        clean(spool)
        assert spool.rows == 1
    assert spool.size < 8 * EXTENT_BYTES
    for file in spool.files:
        file.acknowledge(file.read([1]) if file.rows else {})


def test_outcomes_are_kept_through_cleanings_without_an_acknowledgement(spool: Spool) -> None:
    payloads = [os.urandom(1 + number % MAX_PAYLOAD_BYTES) for number in range(2_000)]
    for start in range(0, 2_000, 100):
        append(spool, *payloads[start : start + 100])
        file = spool.next_to_clean()
        assert file is not None
        file.clean()
    assert sorted(drain(spool)) == sorted(payloads)


@pytest.mark.parametrize("size", [1, 100, 230, 480, PAGE_PAYLOAD_BYTES, PAGE_PAYLOAD_BYTES + 1, MAX_PAYLOAD_BYTES])
def test_the_inserts_stay_within_the_allocated_wal(tmp_path: Path, size: int) -> None:
    """Also with a tree of many pages that is split on all levels, and with rows of two pages, which count twice."""
    file = SpoolFile(tmp_path / "x.sqlite")
    wal = tmp_path / "x.sqlite-wal"
    for _ in range(40):
        file.allocate(500 * (1 + (size > PAGE_PAYLOAD_BYTES)), 2 * LIMIT)
        allocated = wal.stat().st_size
        for _ in range(500):
            file.insert(os.urandom(size))
            assert wal.stat().st_size == allocated
        file.clean()
    file.close()


def test_a_full_spool_refuses_to_hold_space(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 4 * EXTENT_BYTES)
    count = 0
    with pytest.raises(SpoolFull):
        while True:
            spool.hold()
            count += 1
    assert count > 150
    for _ in range(count):
        spool.append(b"x" * PAGE_PAYLOAD_BYTES)
    with pytest.raises(SpoolFull):
        spool.hold()
    assert len(drain(spool)) == count
    clean(spool)
    spool.hold()
    spool.release()
    remove(spool)


def test_the_maximum_also_counts_outcomes_that_were_written_back(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 8 * EXTENT_BYTES)
    count = 0
    with pytest.raises(SpoolFull):
        for count in range(20_000):
            append(spool, b"x" * 230)
            if count % 100 == 0 and (file := spool.next_to_clean()):
                file.clean()
    assert 4_000 < count < 12_000
    used = sum(path.stat().st_size for path in spool.folder.iterdir())
    assert used < 10 * EXTENT_BYTES
    assert len(drain(spool)) == count
    clean(spool)
    append(spool, b"a")
    assert drain(spool) == [b"a"]
    remove(spool)


def test_released_space_can_be_held_again(spool: Spool) -> None:
    for _ in range(10_000):
        spool.hold()
        spool.release()
    assert spool.size == EXTENT_BYTES


def test_held_space_is_also_in_the_other_file(spool: Spool) -> None:
    append(spool, b"a")
    for _ in range(200):
        spool.hold()
    clean(spool)
    sizes = {path.name: path.stat().st_size for path in spool.folder.glob("*-wal")}
    for _ in range(200):
        spool.append(b"x" * PAGE_PAYLOAD_BYTES)
    assert {path.name: path.stat().st_size for path in spool.folder.glob("*-wal")} == sizes
    assert len(drain(spool)) == 201


def test_a_large_wal_is_released(spool: Spool) -> None:
    append(spool, *(b"x" for _ in range(1_000)))
    assert max(path.stat().st_size for path in spool.folder.glob("*-wal")) > 4 * 1024 * 1024
    drain(spool)
    clean(spool)
    assert max(path.stat().st_size for path in spool.folder.glob("*-wal")) <= EXTENT_BYTES


def test_an_outcome_that_cannot_be_written_raises_oserror(spool: Spool) -> None:
    spool.hold()
    with pytest.raises(ValueError, match="1921 bytes"):
        spool.append(bytes(MAX_PAYLOAD_BYTES + 1))
    for file in spool.files:
        file._database.execute("PRAGMA query_only = ON")
    spool.hold()
    with pytest.raises(OSError, match="the spool"):
        spool.append(b"lost")
    for file in spool.files:
        file._database.execute("PRAGMA query_only = OFF")
    append(spool, b"b")
    assert drain(spool) == [b"b"]


def test_the_folder_of_a_running_process_is_not_adopted(tmp_path: Path) -> None:
    spool, other = Spool(tmp_path, LIMIT), Spool(tmp_path, LIMIT)
    append(spool, b"mine")
    assert list(orphans(tmp_path, other.folder)) == []
    remove(other)
    assert drain(spool) == [b"mine"]
    remove(spool)


def test_the_folder_of_a_closed_spool_is_adopted(tmp_path: Path) -> None:
    (tmp_path / "lost+found").mkdir()
    (tmp_path / ".new-0123").mkdir()
    spool = Spool(tmp_path, LIMIT)
    append(spool, b"a", b"b", b"c")
    [file] = [file for file in spool.files if file.rows]
    file.acknowledge(file.read_next(1))
    spool.close()
    heir = Spool(tmp_path, LIMIT)
    [orphan] = orphans(tmp_path, heir.folder)
    assert orphan.folder == spool.folder
    assert drain(orphan) == [b"b", b"c"]
    remove(orphan)
    remove(heir)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".new-0123", "lost+found"]


def test_only_one_process_adopts_an_orphan(tmp_path: Path) -> None:
    spool = Spool(tmp_path, LIMIT)
    append(spool, b"a")
    spool.close()
    [orphan] = orphans(tmp_path, tmp_path / "none")
    assert list(orphans(tmp_path, tmp_path / "none")) == []
    orphan.close()
    [again] = orphans(tmp_path, tmp_path / "none")
    assert drain(again) == [b"a"]
    remove(again)


ADOPTING = """
import pathlib, sys
from edge.metering.spool import orphans
for _ in range(50):
    for orphan in orphans(pathlib.Path(sys.argv[1]), pathlib.Path("none")):
        for file in orphan.files:
            while batch := file.read_next(7):
                print(*(payload.decode() for payload in batch.values()), sep="\\n", flush=True)
                file.acknowledge(batch)
        orphan.is_settled = True
        orphan.close()
"""


def test_two_adopters_at_the_same_time_send_each_outcome_once(tmp_path: Path) -> None:
    names: set[str] = set()
    for folder in range(20):
        spool = Spool(tmp_path, LIMIT)
        payloads = [b"%d-%d" % (folder, number) for number in range(50)]
        names.update(payload.decode() for payload in payloads)
        append(spool, *payloads)
        spool.close()
    command = [sys.executable, "-c", ADOPTING, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate()[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sorted(outputs[0] + outputs[1]) == sorted(names)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_does_not_stop_the_adoption_of_others(tmp_path: Path) -> None:
    spools = [Spool(tmp_path, LIMIT) for _ in range(3)]
    for number, spool in enumerate(spools):
        append(spool, b"%d" % number)
        spool.close()
    (spools[1].folder / "a.sqlite").write_bytes(b"damaged" * 1_000)
    adopted: list[bytes] = []
    for orphan in orphans(tmp_path, tmp_path / "none"):
        adopted += drain(orphan)
        remove(orphan)
    assert sorted(adopted) == [b"0", b"2"]
    assert list(tmp_path.iterdir()) == [spools[1].folder]


WRITING = """
import pathlib, sys, threading, time
from edge.metering.spool import Spool
spool = Spool(pathlib.Path(sys.argv[1]), 1 << 26)
number = 0
cleaning = threading.Thread()
while True:
    spool.hold()
    spool.append(b"%d" % number)
    print("written", number, flush=True)
    number += 1
    for file in spool.files:
        if not file.is_busy and number % 5 == 0:
            batch = {id_: payload for id_, payload in file.read_next(500).items() if int(payload) % 10}
            if batch:
                print("counted", *map(int, batch.values()), flush=True)
            file.acknowledge(batch)
    if not cleaning.is_alive() and (file := spool.next_to_clean()):
        cleaning = threading.Thread(target=file.clean)
        cleaning.start()
"""


@pytest.mark.parametrize("delay_s", [0.0, 0.003, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4])
def test_sigkill_loses_no_written_outcome(tmp_path: Path, delay_s: float) -> None:
    """Each tenth outcome waits; the others are acknowledged, and a thread cleans the files all the time."""
    process = subprocess.Popen([sys.executable, "-c", WRITING, tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    time.sleep(delay_s)
    process.kill()
    lines += [line for line in process.stdout if line.endswith("\n")]
    process.stdout.close()
    process.wait()
    written = {int(line.split()[1]) for line in lines if line.startswith("written")}
    counted = {int(number) for line in lines if line.startswith("counted") for number in line.split()[1:]}
    [orphan] = orphans(tmp_path, tmp_path / "none")
    numbers = [int(payload) for payload in drain(orphan)]
    remove(orphan)
    assert len(numbers) == len(set(numbers))
    assert written - counted <= set(numbers)
    assert set(numbers) <= written | {max(written) + 1}
    assert {number for number in written if number % 10 == 0} <= set(numbers)


def test_a_cleaning_that_fails_is_repeated_before_the_file_takes_outcomes(spool: Spool) -> None:
    append(spool, b"a", b"b", b"c")
    clean(spool)
    [file] = [file for file in spool.files if file.rows]
    file.acknowledge(file.read_next(2))
    assert spool.next_to_clean() is file
    file._database.set_authorizer(
        lambda _, name, *__: sqlite3.SQLITE_DENY if name == "wal_checkpoint" else sqlite3.SQLITE_OK
    )
    with pytest.raises(sqlite3.DatabaseError):
        file.clean()
    file._database.set_authorizer(None)
    append(spool, b"d")
    assert spool.next_to_clean() is file
    file.clean()
    assert sorted(drain(spool)) == [b"c", b"d"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = [shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount the file system that this test fills")
    with ExitStack() as stack:
        stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=True)
        yield folder


def fill(folder: Path) -> Path:
    """Fills the disk to the last byte."""
    filler = folder / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (64 * 1024, 4096, 1):
            with pytest.raises(OSError, match="No space left"):
                while True:
                    file.write(b"x" * size)
    return filler


def test_a_full_disk_refuses_requests_and_keeps_every_held_outcome(small_disk: Path) -> None:
    spool = Spool(small_disk, LIMIT)
    append(spool, b"first")
    held = 120
    for _ in range(held):
        spool.hold()
    filler = fill(small_disk)
    with pytest.raises(SpoolFull):
        for _ in range(1_000):
            spool.hold()
            held += 1
    payloads = [os.urandom(PAGE_PAYLOAD_BYTES) for _ in range(held)]
    for payload in payloads:
        spool.append(payload)
    with pytest.raises(SpoolFull):
        spool.hold()
    spool.sync()
    filler.unlink()
    append(spool, b"last")
    assert drain(spool) == [b"first", *payloads, b"last"]
    remove(spool)


def test_held_outcomes_are_kept_if_the_disk_fills_at_any_step_of_a_cleaning(small_disk: Path) -> None:
    spool = Spool(small_disk, LIMIT)
    expected: list[bytes] = []
    for step in range(40):
        try:
            for _ in range(40):
                spool.hold()
        except SpoolFull:
            pytest.fail("the disk is not full")
        filler = fill(small_disk)
        os.truncate(filler, max(0, filler.stat().st_size - step * 4096))
        payloads = [b"%d-%d" % (step, number) + b"x" * 800 for number in range(40)]
        for payload in payloads[:20]:
            spool.append(payload)
        for _ in range(3):
            try:
                if file := spool.next_to_clean():
                    file.clean()
            except (sqlite3.Error, SpoolFull):
                continue
        for payload in payloads[20:]:
            spool.append(payload)
        expected += payloads
        filler.unlink()
        if step % 4 == 3:
            assert sorted(drain(spool)) == sorted(expected)
            expected = []
            clean(spool)
    assert sorted(drain(spool)) == sorted(expected)
    remove(spool)


def test_after_a_kill_with_a_full_disk_the_outcomes_can_be_read(small_disk: Path) -> None:
    code = WRITING.replace("while True:", "while number < 300:") + "\ntime.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code, small_disk], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "written 299\n":
                break
        fill(small_disk)
        process.kill()
    [orphan] = orphans(small_disk, small_disk / "none")
    assert {int(payload) for payload in drain(orphan)} >= set(range(0, 300, 10))
    remove(orphan)
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_the_largest_outcome_fits_in_the_space_that_is_held_for_it() -> None:
    outcome = keys_pb2.Outcome(
        event_id=bytes(16),
        lease_id=bytes(16),
        key_id="k" * 8,
        endpoint="e" * 40,
        status=599,
        latency_us=MAX_INT64,
        input_tokens=MAX_INT64,
        output_tokens=MAX_INT64,
        occurred_at="2026-03-14T12:00:00.123456+00:00",
        leased_at="2026-03-14T12:00:00.123456+00:00",
        units=MAX_INT64,
        assistant_mode=keys_pb2.ASSISTANT_MODE_MODEL,
        token_limit=MAX_INT64,
        assistant_use=keys_pb2.ASSISTANT_USE_UNKNOWN,
        request_id="r" * 128,
        code=max(PROBLEMS, key=len),
        lines=keys_pb2.AnsweredLines(request_id=bytes(16), run=2**31 - 1, is_last=True),
    )
    assert len(outcome.SerializeToString()) <= PAGE_PAYLOAD_BYTES // 2
    outcome.lines.succeeded = b"\xff" * (MAX_LINES // 8)
    assert len(outcome.SerializeToString()) <= MAX_PAYLOAD_BYTES


def test_a_start_with_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    filler = fill(small_disk)
    for _ in range(3):
        with pytest.raises((sqlite3.Error, OSError)):
            Spool(small_disk, LIMIT)
    assert list(small_disk.iterdir()) == [filler]
