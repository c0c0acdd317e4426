"""Secrets are created once. Lost secrets are not replaced if data depends on them."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from embedded.installation import REPOSITORY, Installation
from secret_files import SecretMissing


@pytest.fixture
def provision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The job that creates the secrets of a Compose installation, with temporary folders."""
    spec = importlib.util.spec_from_file_location("provision", REPOSITORY / "deploy" / "compose" / "provision.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for service in ("edge", "land", "keys", "keys-mail", "assistant", "land-db", "keys-db", "assistant-db"):
        (tmp_path / service).mkdir()
    monkeypatch.setattr(module, "VOLUMES", tmp_path)
    monkeypatch.setattr(module.os, "chown", lambda *_: None)
    return module


def run_job(provision: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["provision", *arguments])
    provision.main()


def test_the_secrets_of_an_installation_are_created_once(
    provision: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_job(provision, monkeypatch)
    files = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert Path("keys/peppers") in files
    run_job(provision, monkeypatch)
    assert {path: (tmp_path / path).read_text() for path in files} == files


def test_lost_peppers_stop_the_job_until_they_are_restored(
    provision: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_job(provision, monkeypatch)
    peppers = tmp_path / "keys" / "peppers"
    backup = peppers.read_text()
    peppers.unlink()
    with pytest.raises(SystemExit, match=r"restore .*peppers from its backup"):
        run_job(provision, monkeypatch)
    assert not peppers.exists()
    with (tmp_path / "backup").open("w+") as file:
        file.write(backup)
        file.seek(0)
        monkeypatch.setattr(sys, "stdin", file)
        (tmp_path / "backup").unlink()
        run_job(provision, monkeypatch, "keys/peppers")
    assert peppers.read_text() == backup
    run_job(provision, monkeypatch)


def test_an_interrupted_job_continues(provision: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_job(provision, monkeypatch)
    (tmp_path / "keys-db" / "password").unlink()
    (tmp_path / "keys" / "peppers").unlink()
    run_job(provision, monkeypatch)
    assert (tmp_path / "keys" / "peppers").exists()


def test_an_embedded_installation_without_its_peppers_does_not_start(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    installation.make_folders()
    peppers = tmp_path / "secrets" / "peppers"
    peppers.unlink()
    (tmp_path / "keys.sqlite").touch()
    with pytest.raises(SecretMissing):
        installation.make_folders()
    deploy = str(REPOSITORY / "deploy")
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": deploy, "DATA_DIR": str(tmp_path), "EDGE_PORT": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "embedded.run"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "peppers is missing" in done.stderr
    assert not peppers.exists()


def test_a_command_on_a_folder_without_data_names_the_folder_and_creates_nothing(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY / "deploy"), "DATA_DIR": str(elsewhere)}
    for service in ("keys", "land", "edge"):
        done = subprocess.run(
            [sys.executable, "-m", "embedded.tool", service, "--help"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert str(elsewhere) in done.stderr
        assert "DATA_DIR=" in done.stderr
    assert not elsewhere.exists()
