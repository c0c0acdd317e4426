import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from edge.metering import frames
from edge.metering.spool import SEGMENT_BYTES, Segment, Spool, SpoolFull, orphans

LIMIT = 4 * SEGMENT_BYTES
PER_SEGMENT = SEGMENT_BYTES // frames.MAX_FRAME_BYTES


def append(spool: Spool, *payloads: bytes) -> None:
    for payload in payloads:
        spool.hold()
        spool.append(payload)


def drain(source: Any) -> list[bytes]:
    payloads: list[bytes] = []
    while (batch := source.next_batch(7)) is not None:
        payloads += batch.payloads
        source.acknowledge(batch)
    return payloads


def test_payloads_are_read_in_order_until_they_are_acknowledged(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    append(spool, b"a", b"b", b"c")
    first = spool.next_batch(2)
    assert first is not None
    assert first.payloads == [b"a", b"b"]
    again = spool.next_batch(2)
    assert again is not None
    assert again.payloads == [b"a", b"b"]
    spool.acknowledge(first)
    assert drain(spool) == [b"c"]
    append(spool, b"d")
    assert drain(spool) == [b"d"]
    spool.close()
    assert list(tmp_path.iterdir()) == []


def test_many_segments_are_deleted_as_they_are_acknowledged(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    for round_ in range(6):
        payloads = [b"%d-%d" % (round_, n) + b"x" * 900 for n in range(PER_SEGMENT)]
        append(spool, *payloads)
        assert drain(spool) == payloads
    assert len(list(spool.folder.glob("*.frames"))) <= 3
    spool.close()


def test_a_full_spool_refuses_to_hold_space(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    count = 0
    with pytest.raises(SpoolFull):
        while True:
            spool.hold()
            count += 1
    assert count == 4 * PER_SEGMENT
    for _ in range(count):
        spool.append(b"x" * frames.MAX_PAYLOAD_BYTES)
    with pytest.raises(SpoolFull):
        spool.hold()
    assert len(drain(spool)) == count
    spool.hold()
    spool.release()
    spool.close()


def test_released_space_can_be_held_again(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, SEGMENT_BYTES)
    for _ in range(10 * PER_SEGMENT):
        spool.hold()
        spool.release()
    spool.close()


def test_a_full_disk_refuses_and_recovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    allocate = os.posix_fallocate

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(SpoolFull):
        spool.hold()
    assert list(spool.folder.glob("*.frames")) == []
    monkeypatch.setattr(os, "posix_fallocate", allocate)
    append(spool, b"a")
    assert drain(spool) == [b"a"]
    spool.close()


def test_the_next_write_uses_the_offset_of_a_failed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    append(spool, b"a")
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: write(fd, data[:3], at))
    spool.hold()
    with pytest.raises(OSError, match="short write"):
        spool.append(b"lost")
    monkeypatch.setattr(os, "pwrite", write)
    append(spool, b"b")
    assert drain(spool) == [b"a", b"b"]
    spool.close()


def test_the_folder_of_a_running_process_is_not_adopted(tmp_path: Path) -> None:
    spool, other = Spool.open(tmp_path, LIMIT), Spool.open(tmp_path, LIMIT)
    append(spool, b"mine")
    assert list(orphans(tmp_path, other.folder)) == []
    other.close()
    spool.close()


def test_the_folder_of_a_closed_spool_is_adopted(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    append(spool, b"a", b"b")
    spool.close()
    heir = Spool.open(tmp_path, LIMIT)
    (orphan,) = orphans(tmp_path, heir.folder)
    assert drain(orphan) == [b"a", b"b"]
    orphan.close()
    assert list(tmp_path.iterdir()) == [heir.folder]
    heir.close()


def test_only_one_process_adopts_an_orphan(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    append(spool, b"a")
    spool.close()
    (orphan,) = orphans(tmp_path, tmp_path / "none")
    assert list(orphans(tmp_path, tmp_path / "none")) == []
    orphan.close()
    (again,) = orphans(tmp_path, tmp_path / "none")
    assert drain(again) == [b"a"]
    again.close()


KILLED = """
import pathlib, sys
from edge.metering.spool import Spool
spool = Spool.open(pathlib.Path(sys.argv[1]), 1 << 24)
number = 0
while True:
    spool.hold()
    spool.append(b"%d" % number)
    print(number, flush=True)
    number += 1
"""


def test_sigkill_loses_no_written_outcome(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) > 500:
            break
    process.kill()
    printed = [int(line) for line in process.stdout if line.endswith("\n")]
    process.stdout.close()
    process.wait()
    last_printed = max([501, *printed])
    (orphan,) = orphans(tmp_path, tmp_path / "none")
    numbers = [int(payload) for payload in drain(orphan)]
    orphan.close()
    assert numbers == list(range(len(numbers)))
    assert last_printed in (len(numbers) - 1, len(numbers) - 2)


def test_a_torn_last_frame_is_skipped(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path, LIMIT)
    append(spool, b"a" * 100, b"b" * 100)
    (file,) = spool.folder.glob("*.frames")
    with file.open("r+b") as raw:
        raw.seek(108 + 40)
        raw.write(bytes(200))
    spool.close()
    (orphan,) = orphans(tmp_path, tmp_path / "none")
    assert drain(orphan) == [b"a" * 100]
    orphan.close()


def test_a_million_zeros_are_decoded_quickly(tmp_path: Path) -> None:
    path = tmp_path / "1.frames"
    segment = Segment.allocate(path)
    segment.append(frames.encode(b"x"))
    os.close(segment.fd)
    reopened = Segment.reopen(path)
    before = time.process_time()
    assert reopened.read(10).payloads == [b"x"]
    assert time.process_time() - before < 5
    reopened.delete()
