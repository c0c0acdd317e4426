"""The size of the embedded service's logs is limited."""

import time
from pathlib import Path

import pytest

from embedded import processes
from embedded.processes import Fleet, bound_log
from stacks import PATIENCE_S

WRITER = """
import itertools, sys
for number in itertools.count():
    sys.stdout.write(f"line {number:09} of a log\\n")
    sys.stdout.flush()
"""


def numbers(log: Path) -> list[int]:
    return [int(line.split()[1]) for line in log.read_text().splitlines() if line.endswith("of a log")]


def test_endless_output_does_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MAX_LOG_BYTES", 100_000)
    log, old = tmp_path / "edge.log", tmp_path / "edge.log.1"
    fleet = Fleet()
    fleet.start("edge", ["python", "-c", WRITER], {}, log)
    rotated: set[int] = set()
    ends = time.monotonic() + PATIENCE_S
    try:
        while len(rotated) < 5:
            assert time.monotonic() < ends
            fleet.check()
            fleet.bound_logs()
            if old.exists():
                rotated.add(numbers(old)[-1])
                assert old.stat().st_size < 1_000_000
            assert sorted(path.name for path in tmp_path.iterdir()) in (["edge.log"], ["edge.log", "edge.log.1"])
    finally:
        fleet.end()
    old_numbers, current = numbers(old), numbers(log)
    assert old_numbers == sorted(old_numbers)
    assert current == sorted(current)
    assert max(old_numbers) < (current[0] if current else max(old_numbers) + 1)


def test_the_lines_before_the_rotation_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "keys.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    bound_log(log, 10_000)
    assert not (tmp_path / "keys.log.1").exists()
    lines = log.read_text()
    bound_log(log, len(lines) - 1)
    assert (log.read_text(), (tmp_path / "keys.log.1").read_text()) == ("", lines)


def test_the_newest_lines_of_an_oversized_log_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "keys.log"
    log.write_text("".join(f"line {number:05}\n" for number in range(1_000)))
    bound_log(log, 105)
    old_lines = (tmp_path / "keys.log.1").read_text().splitlines()
    assert old_lines == [f"line {number:05}" for number in range(1_000 - len(old_lines), 1_000)]
    assert 0 < len(old_lines) * 11 <= 210
