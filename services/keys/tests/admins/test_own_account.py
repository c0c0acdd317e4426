"""An admin's own account: password and second factor, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pyotp
import pytest
from admin_access import FAST_PASSWORDS, KNOWN_ADDRESS, OTHER_ADDRESS, OWNER, PASSWORD, AdminAccess

from keys.admins import account
from keys.admins import changes as administrators
from keys.admins.access_control import Credentials
from keys.admins.totp import matching_step
from keys.rpc import rules
from keys.store import audit_log as audit
from keys.values.errors import (
    Conflict,
    CsrfFailed,
    InvalidCredentials,
    InvalidTotp,
    RoleDenied,
    SignInRequired,
    SignInThrottled,
    TotpEnrolmentRequired,
    TotpRequired,
)
from keys.values.records import Role
from landpartner.keys.v1 import admin_pb2
from servicekit.errors import InvalidPayload

NEW = "another long password"


class AuthenticatorApp:
    """The authenticator app of an admin."""

    def __init__(self, access: AdminAccess, secret: str) -> None:
        self._doors = access
        self.secret = secret

    def code(self, steps: int = 0) -> str:
        return pyotp.TOTP(self.secret).at(self._doors.world.clock(), counter_offset=steps)


def enrol(access: AdminAccess, who: Credentials) -> AuthenticatorApp:
    """Enrols a second factor, and sets the clock to a step with an unused code."""
    app = AuthenticatorApp(access, access.begin_totp(who).secret)
    account.confirm_totp(access.access_control, who, app.code())
    access.world.clock.advance(seconds=30)
    return app


def require_totp(access: AdminAccess, is_required: bool = True) -> None:
    with access.world.change() as change:
        administrators.require_totp(change, is_required=is_required)


def actions(access: AdminAccess) -> list[str]:
    with access.world.database.reading() as connection:
        return [entry.action for entry in audit.entries(connection, audit.Filter(), None, 50)]


def test_a_password_is_changed_with_the_current_one_and_ends_the_other_sessions(access: AdminAccess) -> None:
    owner, other = access.owner(), access.sign_in(OWNER)
    with pytest.raises(InvalidCredentials):
        access.change_password(owner, "not the password", NEW)
    access.may(other)
    access.change_password(owner, PASSWORD, NEW)
    access.may(owner)
    with pytest.raises(SignInRequired):
        access.may(other)
    with pytest.raises(InvalidCredentials):
        access.sign_in(OWNER, PASSWORD)
    access.may(access.sign_in(OWNER, NEW))
    assert "admin.change_password" in actions(access)


def test_an_invalid_new_password_is_refused_and_counts_no_attempt(access: AdminAccess) -> None:
    owner = access.owner()
    request = admin_pb2.ChangePasswordRequest(current_password=PASSWORD, new_password="short")
    for _ in range(10):
        with pytest.raises(InvalidPayload) as caught:
            account.begin(access.access_control, replace(owner, check_payload=partial(rules.check, request)))
        assert [violation.pointer for violation in caught.value.violations] == ["/new_password"]
    access.change_password(owner, PASSWORD, NEW)


def test_guessing_the_password_in_a_session_is_slowed_down(access: AdminAccess) -> None:
    owner = access.owner()
    for _ in range(5):
        with pytest.raises(InvalidCredentials):
            access.change_password(owner, "not the password", NEW)
    with pytest.raises(SignInThrottled):
        access.change_password(owner, PASSWORD, NEW)


def test_an_attempt_with_a_replaced_password_changes_nothing(access: AdminAccess) -> None:
    owner = access.owner()
    attempt = account.begin(access.access_control, owner)
    with access.world.change() as change:
        administrators.reset_password(change, OWNER, "somebody else's hash")
    with pytest.raises(SignInRequired):
        account.change_password(access.access_control, owner, attempt, "hash")


@pytest.mark.parametrize("change", ["password", "totp"])
def test_an_account_needs_a_session_with_its_csrf_token(access: AdminAccess, change: str) -> None:
    owner = access.owner()
    with access.world.change() as by_owner:
        robot = Credentials(bearer_token=administrators.create_token(by_owner, "ci", Role.OWNER, None)[1])
    for who, error in (
        (robot, SignInRequired),
        (replace(owner, csrf_token=""), CsrfFailed),
        (Credentials(), SignInRequired),
    ):
        with pytest.raises(error):
            if change == "password":
                account.begin(access.access_control, who)
            else:
                account.confirm_totp(access.access_control, who, "000000")


def test_a_second_factor_is_required_once_it_is_confirmed(access: AdminAccess) -> None:
    owner, other = access.owner(), access.sign_in(OWNER)
    app = AuthenticatorApp(access, access.begin_totp(owner).secret)
    access.may(access.sign_in(OWNER))  # not confirmed yet
    with pytest.raises(InvalidTotp):
        account.confirm_totp(access.access_control, owner, "000000" if app.code() != "000000" else "111111")
    account.confirm_totp(access.access_control, owner, app.code())
    with pytest.raises(SignInRequired):
        access.may(other)
    access.may(owner)
    access.world.clock.advance(seconds=30)
    with pytest.raises(TotpRequired):
        access.sign_in(OWNER)
    with pytest.raises(InvalidCredentials):
        access.sign_in(OWNER, "not the password", code=app.code())
    access.may(access.sign_in(OWNER, code=f" {app.code()[:3]} {app.code()[3:]} "))


def test_a_code_is_valid_once_even_in_parallel(access: AdminAccess) -> None:
    app = enrol(access, access.owner())
    code = app.code()

    def try_it(number: int) -> bool:
        try:
            access.sign_in(OWNER, address=f"192.0.2.{number}", code=code)
        except InvalidTotp:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(try_it, range(4))) == 1
    with pytest.raises(InvalidTotp):
        access.sign_in(OWNER, code=app.code(-1))  # an earlier one than the last used


@pytest.mark.parametrize(("steps", "is_taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_code_is_valid_one_step_before_and_after_its_time(access: AdminAccess, steps: int, is_taken: bool) -> None:
    now = access.world.clock()
    secret = pyotp.random_base32()
    code = pyotp.TOTP(secret).at(now, counter_offset=steps)
    assert (matching_step(secret, code, now) is not None) is is_taken


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "٠٠٠٠٠٠", "0x1234", "\0" * 6, "1" * 5_000])
def test_malformed_codes_match_no_step(access: AdminAccess, code: str) -> None:
    assert matching_step(pyotp.random_base32(), code, access.world.clock()) is None


def test_a_missing_code_is_no_failure_and_removes_none(access: AdminAccess) -> None:
    app = enrol(access, access.owner())
    for _ in range(30):
        with pytest.raises(TotpRequired):
            access.sign_in(OWNER, address=OTHER_ADDRESS)
    for number in range(5):
        with pytest.raises(InvalidCredentials):
            access.sign_in(OWNER, "not the password", OTHER_ADDRESS)
        if number < 4:
            with pytest.raises(TotpRequired):
                access.sign_in(OWNER, address=OTHER_ADDRESS)
    with pytest.raises(SignInThrottled):
        access.sign_in(OWNER, address=OTHER_ADDRESS, code=app.code())


def test_all_networks_together_may_guess_ten_codes(access: AdminAccess) -> None:
    app = enrol(access, access.owner())
    wrong = "000000" if "000000" not in {app.code(step) for step in (-1, 0, 1)} else "111111"
    outcomes = []
    for number in range(12):
        try:
            access.sign_in(OWNER, address=f"198.51.100.{number}", code=wrong)
        except (InvalidTotp, SignInThrottled) as error:
            outcomes.append(type(error))
    assert outcomes == [InvalidTotp] * 10 + [SignInThrottled] * 2
    with pytest.raises(SignInThrottled):
        access.sign_in(OWNER, code=app.code())
    access.world.clock.advance(seconds=1)
    access.may(access.sign_in(OWNER, code=app.code()))


def test_a_second_factor_is_removed_with_password_and_code(access: AdminAccess) -> None:
    owner = access.owner()
    with pytest.raises(Conflict):
        access.remove_totp(owner, "000000")
    app = enrol(access, owner)
    with pytest.raises(Conflict):
        access.begin_totp(owner)
    with pytest.raises(InvalidCredentials):
        access.remove_totp(owner, app.code(), "not the password")
    with pytest.raises(InvalidTotp):
        access.remove_totp(owner, app.code(5))
    access.remove_totp(owner, app.code())
    access.may(access.sign_in(OWNER))
    assert [action for action in actions(access) if "totp" in action] == ["admin.remove_totp", "admin.add_totp"]


def test_an_admin_without_a_required_second_factor_may_only_enrol(access: AdminAccess) -> None:
    owner = access.owner()
    access.add("bob@example.org", Role.OPERATOR)
    bob = access.sign_in("bob@example.org")
    with pytest.raises(Conflict):
        require_totp(access)  # nobody has one
    app = enrol(access, owner)
    require_totp(access)
    access.may_change(owner)
    with pytest.raises(Conflict):
        access.remove_totp(owner, app.code())
    with access.world.change() as change:
        robot = Credentials(bearer_token=administrators.create_token(change, "ci", Role.OPERATOR, None)[1])
    access.may_change(robot, Role.OPERATOR)

    for session in (bob, access.sign_in("bob@example.org")):
        for closed in (access.may, lambda who: access.may_change(who, Role.VIEWER)):
            with pytest.raises(TotpEnrolmentRequired):
                closed(session)
        assert access.access_control.session(session).is_totp_required
        assert access.access_control.verify(session).must_enrol
    newest = access.sign_in("bob@example.org")
    enrol(access, newest)
    access.may_change(newest, Role.OPERATOR)
    with pytest.raises(RoleDenied):
        access.may_change(newest)


def test_an_operator_recovers_an_admin_who_lost_the_second_factor(access: AdminAccess) -> None:
    enrol(access, access.owner())
    with access.world.change() as change:
        administrators.reset_password(change, OWNER, "hash")
    with access.world.database.reading() as connection:
        assert "admin.remove_totp" not in [entry.action for entry in audit.entries(connection, audit.Filter(), None, 9)]
    with access.world.change() as change:
        administrators.reset_password(change, OWNER, FAST_PASSWORDS.hash(NEW), remove_totp=True)
    access.may(access.sign_in(OWNER, NEW))
    assert "admin.remove_totp" in actions(access)


def test_no_secret_of_a_second_factor_is_in_any_table_or_representation(access: AdminAccess) -> None:
    owner = access.owner()
    enrolment = access.begin_totp(owner)
    account.confirm_totp(access.access_control, owner, AuthenticatorApp(access, enrolment.secret).code())
    assert enrolment.secret not in access.world.dump() + repr(enrolment)
    assert len(enrolment.secret) == 32
    assert KNOWN_ADDRESS in access.world.dump()
