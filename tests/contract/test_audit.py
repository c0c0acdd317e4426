"""`make audit` with fake pip-audit and npm programs: it succeeds only if every package was checked."""

import json
from pathlib import Path

import pytest

import audit

CLEAN = {"name": "click", "version": "8.1.0", "vulns": []}
BAD = {"name": "jinja2", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
UNKNOWN = {"name": "uvloop", "skip_reason": "Dependency not found on PyPI"}
NPM_BAD = {"vulnerabilities": {"lodash": {"severity": "high"}}, "metadata": {}}


def program(folder: Path, output: object, status: int = 0) -> str:
    """Creates a program that prints `output`."""
    path = folder / "program"
    text = output if isinstance(output, str) else json.dumps(output)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\necho 'no route to the database' >&2\nexit {status}\n")
    path.chmod(0o755)
    return str(path)


def python(folder: Path, output: object, status: int = 0) -> int:
    return audit.run([("lock", lambda: audit.audit_python(folder, program(folder, output, status)))])


def npm(folder: Path, output: object, status: int = 0) -> int:
    return audit.run([("npm", lambda: audit.audit_npm(folder, program(folder, output, status)))])


def test_packages_without_a_known_vulnerability_pass(tmp_path: Path) -> None:
    assert python(tmp_path, {"dependencies": [CLEAN]}) == 0
    assert npm(tmp_path, {"vulnerabilities": {}, "metadata": {}}) == 0


def test_a_vulnerability_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert python(tmp_path, {"dependencies": [CLEAN, BAD]}, 1) == 1
    assert npm(tmp_path, NPM_BAD, 1) == 1
    printed = capsys.readouterr().out
    assert "jinja2 2.0: PYSEC-1, fixed in 2.1" in printed
    assert "lodash: high" in printed


@pytest.mark.parametrize(
    ("output", "status"),
    [("", 1), ("", 0), ("[]", 0), ({"dependencies": []}, 0), ({"dependencies": [CLEAN, UNKNOWN]}, 0)],
)
def test_an_unchecked_python_package_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], output: object, status: int
) -> None:
    assert python(tmp_path, output, status) == 1
    assert "NOT AUDITED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("", "no route to the database"),
        ({"message": "405 Method Not Allowed"}, "405 Method Not Allowed"),
        ({"error": {"summary": "offline"}}, "offline"),
    ],
)
def test_an_unavailable_npm_database_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], output: object, reason: str
) -> None:
    assert npm(tmp_path, output, 1) == 1
    assert f"NOT AUDITED: {reason}" in capsys.readouterr().out


def test_a_missing_program_fails(tmp_path: Path) -> None:
    assert audit.run([("lock", lambda: audit.audit_python(tmp_path, str(tmp_path / "nothing")))]) == 1
