"""Setup, sign-in, sessions, roles and tokens on a real database, each test on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from admin_access import FAST_PASSWORDS, KNOWN_ADDRESS, OTHER_ADDRESS, OWNER, PASSWORD, AdminAccess, caller

from keys.admins import authenticator, credentials
from keys.admins import changes as administrators
from keys.admins.access_control import Credentials
from keys.admins.passwords import Passwords
from keys.store import admins, setup
from keys.store import audit_log as audit
from keys.values.errors import (
    Conflict,
    CsrfFailed,
    InvalidCredentials,
    InvalidSetupToken,
    RoleDenied,
    SetupClosed,
    SignInRequired,
    SignInThrottled,
)
from keys.values.records import Role


def test_setup_creates_the_first_owner_once(access: AdminAccess) -> None:
    token = access.setup_token()
    assert authenticator.is_setup_open(access.access_control)
    owner = access.complete_setup(token, " Ann@Example.org ", PASSWORD, KNOWN_ADDRESS)
    assert (owner.email, owner.role) == (OWNER, Role.OWNER)
    assert not authenticator.is_setup_open(access.access_control)
    with pytest.raises(SetupClosed):
        access.complete_setup(token, "eve@example.org", PASSWORD, KNOWN_ADDRESS)
    with access.world.change() as change:
        assert administrators.setup_token(change) is None
        assert administrators.setup_token(change, setup.put_first_token) is None


def test_fifty_concurrent_setups_create_one_owner(access: AdminAccess, monkeypatch: pytest.MonkeyPatch) -> None:
    token = access.setup_token()

    def attempt(number: int) -> bool:
        try:
            access.complete_setup(token, f"admin{number}@example.org", PASSWORD, f"192.0.2.{number}")
        except SetupClosed:
            return False
        return True

    with ThreadPoolExecutor(50) as pool:
        assert sum(pool.map(attempt, range(50))) == 1
    with access.world.database.reading() as connection:
        assert len(admins.all_admins(connection)) == 1


def test_wrong_old_and_replaced_setup_tokens_are_refused(access: AdminAccess) -> None:
    with access.world.change() as change:
        assert administrators.setup_token(change, setup.put_first_token) is not None
        assert administrators.setup_token(change, setup.put_first_token) is None
    replaced, token = access.setup_token(), access.setup_token()
    for wrong in ("", "nonsense", replaced):
        with pytest.raises(InvalidSetupToken):
            access.complete_setup(wrong, OWNER, PASSWORD, KNOWN_ADDRESS)
    access.world.clock.advance(minutes=30)
    with pytest.raises(InvalidSetupToken):
        access.complete_setup(token, OWNER, PASSWORD, KNOWN_ADDRESS)
    assert authenticator.is_setup_open(access.access_control)


def test_wrong_setup_tokens_slow_down_and_never_lock_out(access: AdminAccess) -> None:
    token = access.setup_token()
    with pytest.raises(SignInThrottled) as caught:
        for _ in range(10):
            with pytest.raises(InvalidSetupToken):
                access.complete_setup("nonsense", OWNER, PASSWORD, KNOWN_ADDRESS)
    assert caught.value.retry_after_s == 1
    access.world.clock.advance(seconds=1)
    assert access.complete_setup(token, OWNER, PASSWORD, KNOWN_ADDRESS).email == OWNER


def test_a_session_is_valid_until_it_ends(access: AdminAccess) -> None:
    owner = access.owner()
    access.may_change(owner)
    assert access.admin_of(owner).email == OWNER
    assert access.access_control.session(owner).expires_at == access.world.clock() + timedelta(hours=12)
    authenticator.sign_out(access.access_control, owner)
    for closed in (access.may, access.may_change):
        with pytest.raises(SignInRequired):
            closed(owner)


def test_an_idle_session_ends_after_half_an_hour_and_any_after_twelve(access: AdminAccess) -> None:
    owner = access.owner()
    for _ in range(24):
        access.world.clock.advance(minutes=29, seconds=59)
        access.may(owner)
    access.world.clock.advance(minutes=1)
    with pytest.raises(SignInRequired):
        access.may(owner)
    again = access.sign_in(OWNER)
    access.world.clock.advance(minutes=30)
    with pytest.raises(SignInRequired):
        access.may_change(again)


def test_a_change_by_session_needs_its_csrf_token(access: AdminAccess) -> None:
    owner, other = access.owner(), access.sign_in(OWNER)
    for wrong in ("", "nonsense", other.csrf_token):
        with pytest.raises(CsrfFailed):
            access.may_change(replace(owner, csrf_token=wrong))
    with pytest.raises(CsrfFailed):
        authenticator.sign_out(access.access_control, replace(owner, csrf_token=""))
    access.may(replace(owner, csrf_token=""))


@pytest.mark.parametrize("role", Role)
def test_a_role_includes_the_rights_of_lower_roles(access: AdminAccess, role: Role) -> None:
    access.owner()
    access.add("bob@example.org", role)
    bob = access.sign_in("bob@example.org")
    for needed_role in Role:
        if needed_role <= role:
            access.may_change(bob, needed_role)
        else:
            with pytest.raises(RoleDenied):
                access.may_change(bob, needed_role)


def test_a_changed_role_ends_the_sessions(access: AdminAccess) -> None:
    access.owner()
    bob_id = access.add("bob@example.org", Role.OPERATOR)
    bob = access.sign_in("bob@example.org")
    with access.world.change() as change:
        assert administrators.update_admin(change, bob_id, Role.VIEWER, None).role is Role.VIEWER
    with pytest.raises(SignInRequired):
        access.may(bob)
    with access.world.change() as change:
        administrators.update_admin(change, bob_id, None, False)
    with pytest.raises(InvalidCredentials):
        access.sign_in("bob@example.org")


def test_the_last_active_owner_cannot_be_changed(access: AdminAccess) -> None:
    owner = access.admin_of(access.owner())
    for role, is_active in ((Role.OPERATOR, None), (None, False)):
        with pytest.raises(Conflict), access.world.change() as change:
            administrators.update_admin(change, owner.id, role, is_active)
    access.add("bob@example.org", Role.OWNER)
    with access.world.change() as change:
        administrators.update_admin(change, owner.id, Role.VIEWER, None)


def test_an_unknown_account_gets_the_error_and_the_work_of_a_wrong_password(
    access: AdminAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    access.owner()
    verified: list[str] = []
    real = FAST_PASSWORDS._hasher.verify
    monkeypatch.setattr(FAST_PASSWORDS, "_hasher", FAST_PASSWORDS._hasher)

    def verify(_: object, stored: str, attempted: str) -> bool:
        verified.append(stored[:15])
        return real(stored, attempted)

    monkeypatch.setattr(type(FAST_PASSWORDS._hasher), "verify", verify)
    told = set()
    for email in (OWNER, "nobody@example.org", "no address"):
        with pytest.raises(InvalidCredentials) as caught:
            access.sign_in(email, "wrong password")
        told.add(str(caught.value))
    assert len(told) == 1
    assert len(verified) == 3
    assert len(set(verified)) == 1


def test_guessing_is_throttled_and_the_victim_is_not_locked_out(access: AdminAccess) -> None:
    access.owner()
    refused = 0
    for _ in range(100):
        try:
            access.sign_in(OWNER, "wrong password", OTHER_ADDRESS)
        except SignInThrottled:
            refused += 1
        except InvalidCredentials:
            pass
    assert refused == 95
    access.may(access.sign_in(OWNER))


def test_guesses_from_many_networks_do_not_slow_known_networks_down(access: AdminAccess) -> None:
    access.owner()
    outcomes = []
    for number in range(60):
        try:
            access.sign_in(OWNER, "wrong password", f"198.51.100.{number}")
        except (InvalidCredentials, SignInThrottled) as error:
            outcomes.append(type(error))
    assert outcomes == [InvalidCredentials] * 50 + [SignInThrottled] * 10
    access.may(access.sign_in(OWNER))


def test_parallel_guesses_are_limited(access: AdminAccess) -> None:
    access.owner()

    def guess(_: int) -> type:
        try:
            access.sign_in(OWNER, "wrong password", OTHER_ADDRESS)
        except (InvalidCredentials, SignInThrottled) as error:
            return type(error)
        return Credentials

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(guess, range(40)))
    assert outcomes.count(InvalidCredentials) == 5
    assert outcomes.count(SignInThrottled) == 35


def test_an_attempt_after_retry_after_is_accepted(access: AdminAccess) -> None:
    access.owner()
    for wait in (0, 0, 0, 0, 0, 1, 2, 4):
        access.world.clock.advance(seconds=wait)
        with pytest.raises(InvalidCredentials):
            access.sign_in(OWNER, "wrong password", OTHER_ADDRESS)
    with pytest.raises(SignInThrottled) as caught:
        access.sign_in(OWNER, PASSWORD, OTHER_ADDRESS)
    assert caught.value.retry_after_s == 8
    access.world.clock.advance(seconds=8)
    access.may(access.sign_in(OWNER, PASSWORD, OTHER_ADDRESS))


def test_a_token_is_valid_with_its_role_until_it_ends(access: AdminAccess) -> None:
    now = access.world.clock()
    with access.world.change() as change:
        token, text = administrators.create_token(change, "nightly", Role.OPERATOR, now + timedelta(hours=1))
        longer, longer_text = administrators.create_token(change, "longer", Role.VIEWER, None)
    assert text.startswith("lpa_")
    robot = Credentials(bearer_token=text)
    access.may_change(robot, Role.OPERATOR)
    with pytest.raises(RoleDenied):
        access.may_change(robot, Role.OWNER)
    with pytest.raises(SignInRequired):
        access.access_control.session(robot)
    with access.world.database.reading() as connection:
        used = {token.label: token.last_used_at for token in admins.all_tokens(connection)}
    assert used == {"nightly": now, "longer": None}
    access.world.clock.advance(hours=1)
    with pytest.raises(SignInRequired):
        access.may(robot)
    access.may(Credentials(bearer_token=longer_text))
    with access.world.change() as change:
        administrators.revoke_token(change, longer.id)
    with pytest.raises(SignInRequired):
        access.may(Credentials(bearer_token=longer_text))
    assert token.id != longer.id


def test_a_new_password_ends_the_sessions(access: AdminAccess) -> None:
    owner = access.owner()
    with access.world.change() as change:
        administrators.reset_password(change, OWNER, FAST_PASSWORDS.hash("another long password"))
    with pytest.raises(SignInRequired):
        access.may(owner)
    with pytest.raises(InvalidCredentials):
        access.sign_in(OWNER)
    access.may(access.sign_in(OWNER, "another long password"))


def test_no_table_or_representation_contains_a_credential(access: AdminAccess) -> None:
    setup_token = access.setup_token()
    access.complete_setup(setup_token, OWNER, PASSWORD, KNOWN_ADDRESS)
    signed_in = access.signed_in(OWNER)
    with access.world.change() as change:
        bearer = administrators.create_token(change, "nightly", Role.VIEWER, None)[1]
    dump = access.world.dump() + repr(signed_in) + repr(caller(signed_in))
    assert OWNER in dump
    for secret in (setup_token, PASSWORD, signed_in.session_token, signed_in.csrf_token, bearer):
        assert secret not in dump


def test_every_change_writes_an_audit_entry(access: AdminAccess) -> None:
    access.owner()
    with access.world.database.reading() as connection:
        lines = [
            (entry.action, entry.actor, entry.client_address)
            for entry in audit.entries(connection, audit.Filter(), None, 10)
        ]
    assert lines == [
        ("session.start", f"admin {OWNER}", KNOWN_ADDRESS),
        ("admin.create", "setup", KNOWN_ADDRESS),
        ("setup.token", "admin:ann@example.org", KNOWN_ADDRESS),
    ]


def test_a_csrf_token_does_not_reveal_the_session() -> None:
    session = credentials.new_token()
    assert credentials.csrf_token(session) == credentials.csrf_token(session) != session


def test_a_password_is_hashed_with_argon2id_and_the_documented_memory() -> None:
    assert Passwords().hash(PASSWORD).startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def test_parallel_changes_by_one_caller_do_not_deadlock(access: AdminAccess) -> None:
    owner = access.owner()
    with access.world.change() as change:
        robot = Credentials(bearer_token=administrators.create_token(change, "nightly", Role.OWNER, None)[1])
    together = Barrier(6)

    def change_something(number: int) -> None:
        together.wait()
        with access.access_control.changing((owner, robot)[number % 2], Role.OWNER) as change:
            change.audit("test", str(number))

    with ThreadPoolExecutor(6) as pool:
        for _ in range(10):
            access.world.clock.advance(minutes=5)  # so that each call updates the session's last use
            list(pool.map(change_something, range(6)))
    with access.world.database.reading() as connection:
        assert (
            len([entry for entry in audit.entries(connection, audit.Filter(), None, 100) if entry.action == "test"])
            == 60
        )
