"""Refusals in the audit log, whose number stays bounded. On SQLite and PostgreSQL."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from admin_access import KNOWN_ADDRESS, OTHER_ADDRESS, OWNER, AdminAccess

from keys.admins import account
from keys.store import audit_log as audit
from keys.store import retention
from keys.store.audit_log import AuditEntry
from keys.store.refused_access import AT_ONCE
from keys.values.errors import (
    CsrfFailed,
    InvalidCredentials,
    InvalidSetupToken,
    InvalidTotp,
    RoleDenied,
    SignInThrottled,
)
from keys.values.records import Json, Role
from servicekit.languages import Text


def refused(access: AdminAccess) -> list[AuditEntry]:
    """The newest first."""
    with access.world.database.reading() as connection:
        entries = audit.entries(connection, audit.Filter(), None, 1_000)
    return [entry for entry in entries if entry.action.startswith("refused.")]


def reasons(access: AdminAccess) -> list[tuple[str, str, Json]]:
    """Each reason in English."""
    reasons = []
    for entry in refused(access):
        reason = entry.changes["reason"]
        assert isinstance(reason, dict)
        reasons.append((entry.action, entry.actor, reason["en"]))
    return reasons


def noted(access: AdminAccess) -> list[tuple[str, str, str, object]]:
    return [(entry.action, entry.actor, entry.client_address, entry.changes["count"]) for entry in refused(access)]


def guess(access: AdminAccess, address: str, email: str = OWNER) -> None:
    with pytest.raises((InvalidCredentials, SignInThrottled)):
        access.sign_in(email, "not the password", address)


def test_failed_and_throttled_sign_ins_are_in_the_audit_log(access: AdminAccess) -> None:
    owner_id = access.admin_of(access.owner()).id
    for _ in range(8):
        guess(access, OTHER_ADDRESS)
    guess(access, KNOWN_ADDRESS, "nobody@example.org")
    access.refusals.flush()
    assert noted(access) == [
        ("refused.throttled", "nobody", OTHER_ADDRESS, 2),
        ("refused.sign_in", "nobody", OTHER_ADDRESS, 4),
        ("refused.sign_in", "nobody", KNOWN_ADDRESS, 1),
        ("refused.throttled", "nobody", OTHER_ADDRESS, 1),
        ("refused.sign_in", "nobody", OTHER_ADDRESS, 1),
    ]
    assert {entry.subject for entry in refused(access)} == {owner_id, ""}
    assert "nobody@example.org" not in access.world.dump()  # people may type passwords as addresses


def test_wrong_setup_tokens_are_in_the_audit_log(access: AdminAccess) -> None:
    access.setup_token()
    with pytest.raises(InvalidSetupToken):
        access.complete_setup("nonsense", OWNER, "a long password", OTHER_ADDRESS)
    assert noted(access) == [("refused.setup", "nobody", OTHER_ADDRESS, 1)]


def test_denied_roles_and_missing_csrf_tokens_are_in_the_audit_log(access: AdminAccess) -> None:
    access.owner()
    access.add("bob@example.org", Role.VIEWER)
    bob = access.sign_in("bob@example.org")
    with pytest.raises(RoleDenied):
        access.may_change(bob)
    with pytest.raises(RoleDenied):
        access.may(bob, Role.OWNER)
    with pytest.raises(CsrfFailed):
        access.may_change(replace(bob, csrf_token=""), Role.VIEWER)
    with pytest.raises(RoleDenied), access.access_control.changing(bob, Role.VIEWER) as change:
        change.require(Role.OWNER, Text("Fixer un prix", "Setting a price"))
    assert reasons(access) == [
        ("refused.role", "admin bob@example.org", "Setting a price needs the role owner."),
        ("refused.csrf", "admin bob@example.org", "The CSRF token is missing or wrong."),
        ("refused.role", "admin bob@example.org", "This needs the role owner."),
    ]


def test_wrong_passwords_and_codes_in_a_session_are_in_the_audit_log(access: AdminAccess) -> None:
    owner = access.owner()
    access.begin_totp(owner)
    with pytest.raises(InvalidTotp):
        account.confirm_totp(access.access_control, owner, "no code")
    for _ in range(5):
        with pytest.raises(InvalidCredentials):
            access.change_password(owner, "not the password", "another long password")
    with pytest.raises(SignInThrottled):
        access.change_password(owner, "not the password", "another long password")
    assert reasons(access) == [
        ("refused.throttled", f"admin {OWNER}", "Too many attempts failed."),
        ("refused.sign_in", f"admin {OWNER}", "The password is wrong."),
        ("refused.sign_in", f"admin {OWNER}", "The one-time code is wrong, or was used before."),
    ]


def test_a_flood_from_many_addresses_makes_a_bounded_number_of_entries(access: AdminAccess) -> None:
    access.owner()
    for number in range(100):
        guess(access, f"198.51.100.{number}", f"admin{number}@example.org")
    assert len(refused(access)) == AT_ONCE
    access.refusals.flush()
    assert noted(access)[0] == ("refused.sign_in", "several", "", 100 - AT_ONCE)
    assert len(refused(access)) == AT_ONCE + 1
    access.refusals.flush()
    assert len(refused(access)) == AT_ONCE + 1
    guess(access, "198.51.100.200")
    assert len(refused(access)) == AT_ONCE + 2


def test_refusals_are_deleted_after_the_days_of_raw_data_and_changes_stay(access: AdminAccess) -> None:
    access.owner()
    guess(access, OTHER_ADDRESS)
    apply = partial(retention.apply, access.world.database, access.world.clock, raw_days=40, address_days=30)
    access.world.clock.advance(days=39)
    apply()
    assert len(refused(access)) == 1
    access.world.clock.now += timedelta(days=2)
    apply()
    assert refused(access) == []
    with access.world.database.reading() as connection:
        assert [entry.action for entry in audit.entries(connection, audit.Filter(), None, 9)][-1] == "setup.token"
