"""What a restored database brings back, with the real database as it was and as it is."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from admin_access import OWNER, AdminAccess
from click.testing import CliRunner
from keys_world import World

from keys.admins import changes as administrators
from keys.api_keys import changes as key_changes
from keys.cli import main
from keys.store import key_records, pepper_checks
from keys.store.access_state import State, access_state
from keys.upkeep import restoring
from keys.values.errors import InvalidCredentials
from keys.values.records import KeyStatus, Role


def state(world: World) -> State:
    with world.database.reading() as connection:
        return json.loads(json.dumps(access_state(connection, world.clock())))  # type: ignore[no-any-return]


def test_a_state_holds_no_secret(world: World, access: AdminAccess) -> None:
    issued = world.key()
    access.owner()
    text = json.dumps(state(world))
    assert issued.secret.text not in text
    assert "argon2" not in text


def test_what_was_withdrawn_since_is_listed(world: World, access: AdminAccess) -> None:
    access.owner()
    revoked, rotated, used = world.key(label="revoked"), world.key(label="rotated"), world.key(label="used")
    suspended = world.key(label="suspended")
    with world.change() as change:
        token, _ = administrators.create_token(change, "script", Role.VIEWER, None)
    before = state(world)
    assert not any(restoring.differences(before, state(world)).values())

    with world.change() as change:
        key_changes.suspend(change, suspended.record.id)
    world.revoke(revoked.record.id)
    world.rotate(rotated.record.id, timedelta())
    world.record([world.outcome(world.ask(used.secret.text))])
    created = world.key(label="created")
    with world.change() as change:
        administrators.revoke_token(change, token.id)
        administrators.reset_password(change, OWNER, "another hash")
    differences = restoring.differences(before, state(world))
    assert [key["label"] for key in differences["revoked_keys"]] == ["revoked"]
    assert [key["label"] for key in differences["suspended_keys"]] == ["suspended"]
    assert [key["label"] for key in differences["rotated_keys"]] == ["rotated"]
    assert [key["key_id"] for key in differences["unknown_keys"]] == [created.record.id]
    assert differences["revoked_tokens"] == [token.id]
    assert differences["admins"] == [{"email": OWNER, "changed": ["password"]}]
    assert differences["lost_usage"] == [{"key_id": used.record.id, "month": "2026-03", "requests": 1, "units": 1}]
    assert [change["action"] for change in differences["lost_changes"]] == [
        "key.suspend", "key.revoke", "key.rotate", "key.create", "token.revoke", "admin.reset_password",
    ]  # fmt: skip


def test_it_is_withdrawn_again(
    tmp_path: Path, migrated_sqlite: str, open_world: Callable[..., World], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = open_world(migrated_sqlite)
    access = AdminAccess(world)
    access.owner()
    key = world.key()
    with world.change() as change:
        token, _ = administrators.create_token(change, "script", Role.VIEWER, None)
    with world.database.writing() as connection:
        pepper_checks.check(connection, world.peppers)  # as at the start of keys
    with closing(sqlite3.connect(tmp_path / "keys.sqlite")) as file:
        file.execute("VACUUM INTO ?", [str(tmp_path / "backup.sqlite")])
    world.revoke(key.record.id)
    with world.change() as change:
        administrators.revoke_token(change, token.id)
        administrators.reset_password(change, OWNER, "another hash")
    replaced = json.dumps(state(world))

    monkeypatch.setenv("KEYS_DATABASE_URL", f"sqlite:///{tmp_path}/backup.sqlite")
    monkeypatch.setenv("KEYS_SERVICE_TOKEN", "token")
    monkeypatch.setenv("KEYS_PEPPERS", f"1:{bytes(32).hex()}")
    refused = CliRunner().invoke(main, ["check-restored"], input=replaced)
    assert refused.exit_code == 1
    assert "restore the peppers" in refused.stderr
    monkeypatch.setenv("KEYS_PEPPERS", f"1:{world.peppers._by_version[1].hex()}")
    checked = CliRunner().invoke(main, ["check-restored", "--withdraw"], input=replaced)
    assert checked.exit_code == 0, checked.stderr
    assert [revoked_key["key_id"] for revoked_key in json.loads(checked.stdout)["revoked_keys"]] == [key.record.id]

    restored = open_world(f"sqlite:///{tmp_path}/backup.sqlite", peppers=world.peppers)
    with restored.database.reading() as connection:
        record = key_records.find(connection, key.record.id, world.clock())
    assert record is not None
    assert record.status(world.clock()) is KeyStatus.REVOKED
    with pytest.raises(InvalidCredentials):
        AdminAccess(restored).sign_in(OWNER)
    remaining = restoring.differences(state(restored), json.loads(replaced))
    assert not remaining["revoked_keys"]
    assert not remaining["revoked_tokens"]
