"""No file contains an address of a package registry, a machine path, a document of elsewhere or unfinished work."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

REGISTRY = re.compile(rb"files\.pythonhosted|pypi\.org|registry\.npmjs|registry\.yarnpkg|https?://[^\s\"']*/simple\b")
MACHINE_PATH = re.compile(rb"(?<![\w.])/(?:root/(?!\.(?:cache|npm)\b)|home/\w+/|Users/\w+/|work/)[\w.]")
ELSEWHERE = re.compile(rb"\bDESIGN\b|\b[Cc]ontract \xc2\xa7|(?:\.\./|\")shared(?:/|\" */)")
"""Names of documents and folders that a clone does not have."""
DOCUMENT = re.compile(rb"(?<![\w/.-])docs/[\w./-]+\.md\b")
UNFINISHED = re.compile(rb"\b(?:TO" rb"DO|FIX" rb"ME|XX" rb"X)\b|raise Not" rb"ImplementedError")
ADDRESS = re.compile(rb"https?://|git\+|file:")


def tracked(*patterns: str) -> list[Path]:
    """The tracked and the unignored files of the working tree; none outside a checkout."""
    command = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    listed = subprocess.run([*command, *patterns], check=True, capture_output=True).stdout
    return [path for name in listed.decode().split("\0") if name and (path := REPOSITORY / name).is_file()]


def found(pattern: re.Pattern[bytes], files: list[Path]) -> Iterator[str]:
    for file in files:
        for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
            if match := pattern.search(line):
                yield f"{file.relative_to(REPOSITORY)}:{number}: {match[0].decode(errors='replace')}"


@pytest.fixture(scope="module")
def everything() -> list[Path]:
    this = Path(__file__).resolve()
    return [file for file in tracked() if file != this]


def test_no_file_names_a_package_registry(everything: list[Path]) -> None:
    assert not list(found(REGISTRY, everything))


def test_no_file_contains_a_machine_path(everything: list[Path]) -> None:
    assert not list(found(MACHINE_PATH, everything))


def test_no_file_names_what_a_clone_does_not_have(everything: list[Path]) -> None:
    texts = [file for file in everything if file.suffix != ".png" and file != REPOSITORY / ".ci" / "run"]
    assert not list(found(ELSEWHERE, texts))
    named = {name.rpartition(": ")[2] for name in found(DOCUMENT, texts)}
    assert len(named) > 10
    assert not [name for name in named if not (REPOSITORY / name).exists()]


def test_no_file_has_a_mark_of_unfinished_work() -> None:
    generated = REPOSITORY / "protos" / "src"
    sources = [file for file in tracked("*.py", "*.ts", "*.tsx") if not file.is_relative_to(generated)]
    assert not list(found(UNFINISHED, sources))


def test_no_file_has_a_merge_conflict(everything: list[Path]) -> None:
    assert not list(found(re.compile(rb"^(?:<{7}|>{7}) "), everything))


def test_lock_files_hold_hashes_and_no_address() -> None:
    locks = tracked("*.lock", "**/package-lock.json", "package-lock.json")
    assert len(locks) >= 6
    assert not list(found(ADDRESS, [lock for lock in locks if lock.suffix == ".lock"]))
    assert not list(found(re.compile(rb'"resolved":'), locks))


def test_every_locked_python_package_has_a_hash() -> None:
    for lock in tracked("requirements/*.lock"):
        text = lock.read_text(encoding="utf-8")
        assert text.count("==") > 0
        assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\S)", text.strip()) if "==" in entry), lock


def test_an_image_installs_from_its_own_lock_with_hashes() -> None:
    for service in ("edge", "land", "assistant", "keys"):
        dockerfile = (REPOSITORY / "services" / service / "Dockerfile").read_text(encoding="utf-8")
        assert "--require-hashes" in dockerfile
        assert f"requirements/{service}.lock" in dockerfile
        assert re.search(r"^USER \d+$", dockerfile, re.MULTILINE), f"{service} runs as root"
