"""The file of finished parts: its bound, its versions, what it forgets, and what happens if it is damaged."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from land.store import unit_file
from land.store.unit_file import StoredPart, UnitFile

BODY = bytes(10_000)
MAX_BYTES = 1 << 20
Open = Callable[..., UnitFile]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a file of units, which the test need not close."""
    monkeypatch.setattr(unit_file, "RETRY_S", 0.01)
    files = []

    def open_file(version: str = "a", max_bytes: int = MAX_BYTES) -> UnitFile:
        file = UnitFile(tmp_path, version, max_bytes)
        file.start()
        files.append(file)
        file.put(b"", [])
        file.flush()  # until the file is open
        return file

    yield open_file
    for file in files:
        close(file)


def close(file: UnitFile) -> None:
    file.end()
    file.join()


def put(file: UnitFile, unit: str, *, name: str = "land", commune: str = "00001", body: bytes = BODY) -> None:
    file.put(unit.encode(), [StoredPart(name, commune, "place", b"stamp", body)])
    file.flush()


def bodies(file: UnitFile, unit: str) -> dict[str, bytes]:
    return {part.name: part.body for part in file.parts(unit.encode())}


def test_parts_are_found_by_unit_and_survive_a_restart(opened: Open) -> None:
    file = opened()
    put(file, "one", name="land", body=b"1")
    put(file, "one", name="history", body=b"2")
    put(file, "one", name="history", body=b"3")
    put(file, "two", body=b"4")
    close(file)
    file = opened()
    assert bodies(file, "one") == {"land": b"1", "history": b"3"}


def test_the_least_recently_used_units_are_evicted_above_the_bound(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter(range(0, 10_000_000, unit_file.USE_INTERVAL_S + 1))
    monkeypatch.setattr("time.time", lambda: float(next(now)))
    file = opened()
    put(file, "used")
    for number in range(300):
        put(file, f"unit {number}")
        assert bodies(file, "used")
        assert file.size_bytes <= MAX_BYTES
    assert not bodies(file, "unit 0")
    assert bodies(file, "unit 299")
    assert file.size_bytes > MAX_BYTES // 2


def test_a_commune_is_forgotten(opened: Open) -> None:
    file = opened()
    put(file, "one", commune="00001")
    put(file, "two", commune="00002")
    file.forget_commune("00001")
    file.flush()
    assert not bodies(file, "one")
    assert bodies(file, "two")


def test_another_version_of_the_code_finds_nothing_and_deletes_the_file(opened: Open, tmp_path: Path) -> None:
    file = opened("a")
    put(file, "one")
    close(file)
    file = opened("b")
    put(file, "two")
    assert not bodies(file, "one")
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {"units-b"}


def test_a_file_that_is_none_is_made_anew(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "units-a.sqlite").write_bytes(b"no database" * 1_000)
    file = opened()
    put(file, "one")
    assert bodies(file, "one")


def test_damage_that_a_request_meets_is_a_miss_and_the_file_is_made_anew(
    opened: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = opened()
    for number in range(50):
        put(file, f"unit {number}")
    close(file)
    path = tmp_path / "units-a.sqlite"
    content = path.read_bytes()
    path.write_bytes(content[:8_192] + b"\xff" * (len(content) - 8_192))
    file = opened()
    assert not caplog.records
    for number in range(50):
        assert bodies(file, f"unit {number}") == {}
    file.flush()
    put(file, "one")
    assert bodies(file, "one")
    assert [record.getMessage() for record in caplog.records] == ["the file of stored units cannot be used"]
    assert path.stat().st_size < len(content)
