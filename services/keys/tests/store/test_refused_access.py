"""Refusals in the audit log, and that a flood of them fills nothing. On SQLite and on PostgreSQL."""

from dataclasses import replace
from datetime import timedelta

import pytest
from access_world import AFAR, HERE, OWNER, Doors

from keys.access.roles import Role
from keys.errors import CsrfFailed, InvalidCredentials, InvalidSetupToken, InvalidTotp, RoleDenied, SignInThrottled
from keys.store import audit
from keys.store.audit import AuditEntry
from keys.store.refused_access import AT_ONCE
from keys.store.retention import Retention


def refused(doors: Doors) -> list[AuditEntry]:
    """The newest first."""
    with doors.world.database.reading() as connection:
        entries = audit.entries(connection, "", None, 1_000)
    return [entry for entry in entries if entry.action.startswith("refused.")]


def noted(doors: Doors) -> list[tuple[str, str, str, object]]:
    return [(entry.action, entry.actor, entry.client_address, entry.changes["count"]) for entry in refused(doors)]


def guess(doors: Doors, address: str, email: str = OWNER) -> None:
    with pytest.raises((InvalidCredentials, SignInThrottled)):
        doors.sign_in(email, "not the password", address)


def test_failed_and_throttled_sign_ins_are_noted(doors: Doors) -> None:
    owner_id = doors.gate.session(doors.owner()).admin.id
    for _ in range(8):
        guess(doors, AFAR)
    guess(doors, HERE, "nobody@example.org")
    doors.refusals.flush()
    assert noted(doors) == [
        ("refused.throttled", "nobody", AFAR, 2),
        ("refused.sign_in", "nobody", AFAR, 4),
        ("refused.sign_in", "nobody", HERE, 1),
        ("refused.throttled", "nobody", AFAR, 1),
        ("refused.sign_in", "nobody", AFAR, 1),
    ]
    assert {entry.subject for entry in refused(doors)} == {owner_id, ""}
    assert "nobody@example.org" not in doors.world.dump()  # people type passwords there


def test_wrong_setup_tokens_are_noted(doors: Doors) -> None:
    doors.setup_token()
    with pytest.raises(InvalidSetupToken):
        doors.complete_setup("nonsense", OWNER, "a long password", AFAR)
    assert noted(doors) == [("refused.setup", "nobody", AFAR, 1)]


def test_denied_roles_and_missing_csrf_tokens_are_noted(doors: Doors) -> None:
    doors.owner()
    doors.add("bob@example.org", Role.VIEWER)
    bob = doors.sign_in("bob@example.org")
    with pytest.raises(RoleDenied):
        doors.may_change(bob)
    with pytest.raises(RoleDenied):
        doors.may(bob, Role.OWNER)
    with pytest.raises(CsrfFailed):
        doors.may_change(replace(bob, csrf_token=""), Role.VIEWER)
    with pytest.raises(RoleDenied), doors.gate.changing(bob, Role.VIEWER) as change:
        change.require(Role.OWNER, "Setting a price")
    assert [(entry.action, entry.actor, entry.changes["reason"]) for entry in refused(doors)] == [
        ("refused.role", "admin bob@example.org", "Setting a price needs the role owner."),
        ("refused.csrf", "admin bob@example.org", "The CSRF token is missing or wrong."),
        ("refused.role", "admin bob@example.org", "This needs the role owner."),
    ]


def test_wrong_passwords_and_codes_in_a_session_are_noted(doors: Doors) -> None:
    owner = doors.owner()
    doors.begin_totp(owner)
    with pytest.raises(InvalidTotp):
        doors.account.confirm_totp(owner, "no code")
    for _ in range(5):
        with pytest.raises(InvalidCredentials):
            doors.change_password(owner, "not the password", "another long password")
    with pytest.raises(SignInThrottled):
        doors.change_password(owner, "not the password", "another long password")
    assert [(entry.action, entry.actor, entry.changes["reason"]) for entry in refused(doors)] == [
        ("refused.throttled", f"admin {OWNER}", "Too many attempts failed."),
        ("refused.sign_in", f"admin {OWNER}", "The password is wrong."),
        ("refused.sign_in", f"admin {OWNER}", "The one-time code is wrong, or was used before."),
    ]


def test_a_flood_from_many_addresses_makes_a_bounded_number_of_entries(doors: Doors) -> None:
    doors.owner()
    for number in range(100):
        guess(doors, f"198.51.100.{number}", f"admin{number}@example.org")
    assert len(refused(doors)) == AT_ONCE
    doors.refusals.flush()
    assert noted(doors)[0] == ("refused.sign_in", "several", "", 100 - AT_ONCE)
    assert len(refused(doors)) == AT_ONCE + 1
    doors.refusals.flush()
    assert len(refused(doors)) == AT_ONCE + 1
    guess(doors, "198.51.100.200")
    assert len(refused(doors)) == AT_ONCE + 2


def test_refusals_are_deleted_after_the_days_of_raw_data_and_changes_stay(doors: Doors) -> None:
    doors.owner()
    guess(doors, AFAR)
    retention = Retention(doors.world.database, doors.world.clock, raw_days=40, address_days=30)
    doors.world.clock.advance(days=39)
    retention.apply()
    assert len(refused(doors)) == 1
    doors.world.clock.now += timedelta(days=2)
    retention.apply()
    assert refused(doors) == []
    with doors.world.database.reading() as connection:
        assert [entry.action for entry in audit.entries(connection, "", None, 9)][-1] == "setup.token"
