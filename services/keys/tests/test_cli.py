"""The command line. Each command runs like a separate process."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

import pyotp
import pytest
from admin_access import OWNER, AdminAccess
from click.testing import CliRunner, Result
from keys_world import World

from keys.admins import account
from keys.admins import changes as administrators
from keys.cli import main
from keys.values.clock import system_clock
from keys.values.errors import InvalidCredentials, InvalidSetupToken, TotpRequired
from keys.values.hashing import Peppers
from keys.values.records import Role
from servicekit.callers import entry

PEPPERS = f"1:{bytes(range(32)).hex()}"
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    pepper_file = tmp_path / "peppers"
    pepper_file.write_text(PEPPERS + "\n")
    monkeypatch.setenv("KEYS_DATABASE_URL", f"sqlite:///{tmp_path}/keys.sqlite")
    monkeypatch.setenv("KEYS_PEPPERS_FILE", str(pepper_file))
    monkeypatch.setenv("KEYS_CALLERS", entry("edge", "token"))

    def run_(*arguments: str, input: str | None = None) -> Result:  # noqa: A002 (click's name)
        return CliRunner().invoke(main, arguments, input=input)

    return run_


def test_a_key_is_created_listed_masked_and_revoked(run: Run, tmp_path: Path, open_world: Callable[..., World]) -> None:
    assert run("migrate").exit_code == 0
    created = run("create-key", "--partner", "Cadastra", "--label", "Démo", "--mode", "test", "--monthly-units", "5")
    assert created.exit_code == 0, created.stderr
    key = json.loads(created.stdout)
    assert sorted(key) == ["key_id", "masked", "secret"]
    assert key["secret"].startswith(f"lp_test_{key['key_id']}")

    world = open_world(f"sqlite:///{tmp_path}/keys.sqlite", peppers=Peppers.parse(PEPPERS))
    answer = world.ask(key["secret"])
    assert answer.key is not None
    assert answer.key.quota.monthly_units == 5

    listed = run("list-keys").stdout
    assert json.loads(listed)["masked"] == key["masked"]
    assert key["secret"] not in listed

    assert json.loads(run("revoke-key", key["key_id"]).stdout)["status"] == "revoked"
    assert json.loads(run("list-keys").stdout)["status"] == "revoked"


def test_invalid_options_are_named(run: Run) -> None:
    run("migrate")
    refused = run("create-key", "--partner", "Cadastra", "--label", "x", "--cidr", "192.0.2.1/24", "--cidr", "nowhere")
    assert refused.exit_code == 1
    assert "/allowed_cidrs/0" in refused.stderr
    assert "/allowed_cidrs/1" in refused.stderr
    assert run("revoke-key", "nothing1").exit_code == 1


def test_wrong_peppers_stop_serve_and_create_key(run: Run, tmp_path: Path) -> None:
    run("migrate")
    create = ("create-key", "--partner", "Cadastra", "--label", "x")
    assert run(*create).exit_code == 0
    (tmp_path / "peppers").write_text(f"1:{bytes(range(1, 33)).hex()}")
    for arguments in (("serve",), create):
        refused = run(*arguments)
        assert refused.exit_code == 1
        assert "restore the peppers" in refused.stderr


def test_reset_password_can_remove_the_second_factor(
    run: Run, tmp_path: Path, open_world: Callable[..., World]
) -> None:
    run("migrate")
    access = AdminAccess(
        open_world(f"sqlite:///{tmp_path}/keys.sqlite", clock=system_clock, peppers=Peppers.parse(PEPPERS))
    )
    owner = access.owner()
    account.confirm_totp(access.access_control, owner, pyotp.TOTP(access.begin_totp(owner).secret).now())
    password = "a remembered password"
    assert run("reset-password", OWNER, "--password-stdin", input=f"{password}\n").exit_code == 0
    with pytest.raises(TotpRequired):
        access.sign_in(OWNER, password)
    assert run("reset-password", OWNER, "--remove-totp", "--password-stdin", input=f"{password}\n").exit_code == 0
    assert not access.signed_in(OWNER, password).admin.has_totp


def test_serve_refuses_a_schema_that_is_not_current(run: Run) -> None:
    refused = run("serve")
    assert refused.exit_code == 1
    assert "keys migrate" in refused.stderr


def test_a_wrong_setting_is_named_and_not_repeated(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KEYS_PEPPERS_FILE")
    monkeypatch.setenv("KEYS_PEPPERS", "hunter2")
    refused = run("serve")
    assert refused.exit_code == 2
    assert "KEYS_PEPPERS" in refused.stderr
    assert "hunter2" not in refused.stderr


def test_serve_listens_until_sigterm(run: Run) -> None:
    run("migrate")
    process = subprocess.Popen(
        [sys.executable, "-c", "from keys.cli import main; main()", "serve"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    with process:
        try:
            lines = iter(process.stderr.readline, "")
            messages = list(
                takewhile(lambda text: text != "listening", (json.loads(line)["message"] for line in lines))
            )
            assert [message.startswith("no bill is issued") for message in messages] == [True, False]
            assert "setup token" in messages[1]
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def test_the_latest_setup_token_creates_the_first_owner_whose_password_can_be_reset(
    run: Run, tmp_path: Path, open_world: Callable[..., World]
) -> None:
    run("migrate")
    first, latest = (json.loads(run("setup-token").stdout)["setup_token"] for _ in range(2))
    world = open_world(f"sqlite:///{tmp_path}/keys.sqlite", clock=system_clock)
    access = AdminAccess(world)
    with pytest.raises(InvalidSetupToken):
        access.complete_setup(first, "ann@example.org", "a forgotten password", "192.0.2.1")
    access.complete_setup(latest, "ann@example.org", "a forgotten password", "192.0.2.1")
    closed = run("setup-token")
    assert (closed.exit_code, closed.stdout) == (1, "")

    changed = run("reset-password", "Ann@example.org", "--password-stdin", input="a remembered password\n")
    assert changed.exit_code == 0, changed.stderr
    assert access.signed_in("ann@example.org", "a remembered password").admin.email == "ann@example.org"
    with pytest.raises(InvalidCredentials):
        access.sign_in("ann@example.org", "a forgotten password")
    longest = "x" * 1_024
    assert run("reset-password", "ann@example.org", "--password-stdin", input=f"{longest}\r\n").exit_code == 0
    assert access.signed_in("ann@example.org", longest).admin.email == "ann@example.org"
    for email, password in (("bob@example.org", "a remembered password\n"), ("ann@example.org", "short\n")):
        refused = run("reset-password", email, "--password-stdin", input=password)
        assert refused.exit_code == 1
        assert password.strip() not in refused.stderr


def test_a_partner_is_erased_by_its_id_after_a_confirmation(run: Run) -> None:
    run("migrate")
    key_id = json.loads(run("create-key", "--partner", "Cadastra", "--label", "Jeanne").stdout)["key_id"]
    partner_id = json.loads(run("list-keys").stdout)["partner_id"]
    assert run("erase-partner", "Cadastra", "--yes").exit_code == 1, "a name is no id"
    assert run("erase-partner", partner_id, input="n\n").exit_code == 1
    assert "Jeanne" in run("list-keys").stdout
    erased = run("erase-partner", partner_id, "--yes")
    assert json.loads(erased.stdout) == {"partner_id": partner_id, "key_ids": [key_id]}
    listed = json.loads(run("list-keys").stdout)
    assert (listed["partner"], listed["label"], listed["status"]) == (f"erased-{partner_id}", "erased", "revoked")


def test_the_only_owner_is_not_erased(run: Run, tmp_path: Path, open_world: Callable[..., World]) -> None:
    run("migrate")
    world = open_world(f"sqlite:///{tmp_path}/keys.sqlite")
    with world.change() as change:
        owner = administrators.create_admin(change, "ann@example.org", "hash", Role.OWNER)
    refused = run("erase-admin", "ann@example.org", "--yes")
    assert refused.exit_code == 1
    assert "last active owner" in refused.stderr
    with world.change() as change:
        administrators.create_admin(change, "bob@example.org", "hash", Role.OWNER)
    assert json.loads(run("erase-admin", "ann@example.org", "--yes").stdout) == {"admin_id": owner.id}
    assert run("erase-admin", "ann@example.org", "--yes").exit_code == 1, "nobody has this address now"


def test_only_an_issued_bill_is_corrected(run: Run) -> None:
    run("migrate")
    arguments = ("correct-bill", "2026-000001", "--reason-fr", "panne", "--reason-en", "outage")
    assert run(*arguments, "--amount", "much").exit_code == 2
    assert "There is no such bill" in run(*arguments, "--amount", "-1").stderr
