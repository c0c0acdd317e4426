"""What admins change of their own account: password and second factor, on SQLite and on PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pyotp
import pytest
from access_world import AFAR, CHEAP, HERE, OWNER, PASSWORD, Doors

from keys.access import administrators
from keys.access.gate import Caller
from keys.access.roles import Role
from keys.access.totp import matching_step
from keys.errors import (
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
from keys.store import audit
from servicekit.errors import InvalidPayload

NEW = "another long password"


class Authenticator:
    """The app on an admin's phone."""

    def __init__(self, doors: Doors, secret: str) -> None:
        self._doors = doors
        self.secret = secret

    def code(self, steps: int = 0) -> str:
        return pyotp.TOTP(self.secret).at(self._doors.world.clock(), counter_offset=steps)


def enrol(doors: Doors, who: Caller) -> Authenticator:
    """Enrols a second factor, with the clock at a step whose code is not used yet."""
    app = Authenticator(doors, doors.begin_totp(who).secret)
    doors.account.confirm_totp(who, app.code())
    doors.world.clock.advance(seconds=30)
    return app


def require_totp(doors: Doors, is_required: bool = True) -> None:
    with doors.world.change() as change:
        administrators.require_totp(change, is_required=is_required)


def actions(doors: Doors) -> list[str]:
    with doors.world.database.reading() as connection:
        return [entry.action for entry in audit.entries(connection, "", None, 50)]


def test_a_password_is_changed_with_the_current_one_and_ends_the_other_sessions(doors: Doors) -> None:
    owner, other = doors.owner(), doors.sign_in(OWNER)
    with pytest.raises(InvalidCredentials):
        doors.change_password(owner, "not the password", NEW)
    doors.may(other)
    doors.change_password(owner, PASSWORD, NEW)
    doors.may(owner)
    with pytest.raises(SignInRequired):
        doors.may(other)
    with pytest.raises(InvalidCredentials):
        doors.sign_in(OWNER, PASSWORD)
    doors.may(doors.sign_in(OWNER, NEW))
    assert "admin.change_password" in actions(doors)


def test_a_new_password_that_cannot_be_taken_is_pointed_at_and_no_attempt_is_counted(doors: Doors) -> None:
    owner = doors.owner()
    for _ in range(10):
        with pytest.raises(InvalidPayload) as caught:
            doors.change_password(owner, PASSWORD, "short")
        assert [violation.pointer for violation in caught.value.violations] == ["/new_password"]
    doors.change_password(owner, PASSWORD, NEW)


def test_guessing_the_password_in_a_session_is_slowed_down(doors: Doors) -> None:
    owner = doors.owner()
    for _ in range(5):
        with pytest.raises(InvalidCredentials):
            doors.change_password(owner, "not the password", NEW)
    with pytest.raises(SignInThrottled):
        doors.change_password(owner, PASSWORD, NEW)


def test_a_password_that_was_changed_in_the_meantime_changes_nothing(doors: Doors) -> None:
    owner = doors.owner()
    attempt = doors.account.begin(owner, NEW)
    with doors.world.change() as change:
        administrators.reset_password(change, OWNER, "somebody else's hash")
    with pytest.raises(SignInRequired):
        doors.account.change_password(owner, attempt, "hash")


@pytest.mark.parametrize("change", ["password", "totp"])
def test_an_account_needs_a_session_with_its_csrf_token(doors: Doors, change: str) -> None:
    owner = doors.owner()
    with doors.world.change() as by_owner:
        robot = Caller(bearer_token=administrators.create_token(by_owner, "ci", Role.OWNER, None)[1])
    for who, error in (
        (robot, SignInRequired),
        (replace(owner, csrf_token=""), CsrfFailed),
        (Caller(), SignInRequired),
    ):
        with pytest.raises(error):
            doors.account.begin(who) if change == "password" else doors.account.confirm_totp(who, "000000")


def test_a_second_factor_is_asked_for_once_it_is_confirmed(doors: Doors) -> None:
    owner, other = doors.owner(), doors.sign_in(OWNER)
    app = Authenticator(doors, doors.begin_totp(owner).secret)
    doors.may(doors.sign_in(OWNER))  # not confirmed yet
    with pytest.raises(InvalidTotp):
        doors.account.confirm_totp(owner, "000000" if app.code() != "000000" else "111111")
    doors.account.confirm_totp(owner, app.code())
    with pytest.raises(SignInRequired):
        doors.may(other)
    doors.may(owner)
    doors.world.clock.advance(seconds=30)
    with pytest.raises(TotpRequired):
        doors.sign_in(OWNER)
    with pytest.raises(InvalidCredentials):
        doors.sign_in(OWNER, "not the password", code=app.code())
    doors.may(doors.sign_in(OWNER, code=f" {app.code()[:3]} {app.code()[3:]} "))


def test_a_code_is_taken_once_even_at_once(doors: Doors) -> None:
    app = enrol(doors, doors.owner())
    code = app.code()

    def try_it(number: int) -> bool:
        try:
            doors.sign_in(OWNER, address=f"192.0.2.{number}", code=code)
        except InvalidTotp:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(try_it, range(4))) == 1
    with pytest.raises(InvalidTotp):
        doors.sign_in(OWNER, code=app.code(-1))  # an earlier one than the last used


@pytest.mark.parametrize(("steps", "is_taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_code_is_taken_a_step_before_and_after_its_time(doors: Doors, steps: int, is_taken: bool) -> None:
    now = doors.world.clock()
    secret = pyotp.random_base32()
    code = pyotp.TOTP(secret).at(now, counter_offset=steps)
    assert (matching_step(secret, code, now) is not None) is is_taken


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "٠٠٠٠٠٠", "0x1234", "\0" * 6, "1" * 5_000])
def test_what_is_no_code_matches_no_step(doors: Doors, code: str) -> None:
    assert matching_step(pyotp.random_base32(), code, doors.world.clock()) is None


def test_a_missing_code_counts_as_no_failure_and_forgets_none(doors: Doors) -> None:
    app = enrol(doors, doors.owner())
    for _ in range(30):
        with pytest.raises(TotpRequired):
            doors.sign_in(OWNER, address=AFAR)
    for number in range(5):
        with pytest.raises(InvalidCredentials):
            doors.sign_in(OWNER, "not the password", AFAR)
        if number < 4:
            with pytest.raises(TotpRequired):
                doors.sign_in(OWNER, address=AFAR)
    with pytest.raises(SignInThrottled):
        doors.sign_in(OWNER, address=AFAR, code=app.code())


def test_who_has_the_password_guesses_ten_codes_from_all_networks_together(doors: Doors) -> None:
    app = enrol(doors, doors.owner())
    wrong = "000000" if "000000" not in {app.code(step) for step in (-1, 0, 1)} else "111111"
    outcomes = []
    for number in range(12):
        try:
            doors.sign_in(OWNER, address=f"198.51.100.{number}", code=wrong)
        except (InvalidTotp, SignInThrottled) as error:
            outcomes.append(type(error))
    assert outcomes == [InvalidTotp] * 10 + [SignInThrottled] * 2
    with pytest.raises(SignInThrottled):
        doors.sign_in(OWNER, code=app.code())
    doors.world.clock.advance(seconds=1)
    doors.may(doors.sign_in(OWNER, code=app.code()))


def test_a_second_factor_is_removed_with_password_and_code(doors: Doors) -> None:
    owner = doors.owner()
    with pytest.raises(Conflict):
        doors.remove_totp(owner, "000000")
    app = enrol(doors, owner)
    with pytest.raises(Conflict):
        doors.begin_totp(owner)
    with pytest.raises(InvalidCredentials):
        doors.remove_totp(owner, app.code(), "not the password")
    with pytest.raises(InvalidTotp):
        doors.remove_totp(owner, app.code(5))
    doors.remove_totp(owner, app.code())
    doors.may(doors.sign_in(OWNER))
    assert [action for action in actions(doors) if "totp" in action] == ["admin.remove_totp", "admin.add_totp"]


def test_where_owners_require_it_who_has_none_may_only_enrol(doors: Doors) -> None:
    owner = doors.owner()
    doors.add("bob@example.org", Role.OPERATOR)
    bob = doors.sign_in("bob@example.org")
    with pytest.raises(Conflict):
        require_totp(doors)  # nobody has one
    app = enrol(doors, owner)
    require_totp(doors)
    doors.may_change(owner)
    with pytest.raises(Conflict):
        doors.remove_totp(owner, app.code())
    with doors.world.change() as change:
        robot = Caller(bearer_token=administrators.create_token(change, "ci", Role.OPERATOR, None)[1])
    doors.may_change(robot, Role.OPERATOR)

    for session in (bob, doors.sign_in("bob@example.org")):
        for closed in (doors.may, lambda who: doors.may_change(who, Role.VIEWER)):
            with pytest.raises(TotpEnrolmentRequired):
                closed(session)
        assert doors.gate.session(session).is_totp_required
    newest = doors.sign_in("bob@example.org")
    enrol(doors, newest)
    doors.may_change(newest, Role.OPERATOR)
    with pytest.raises(RoleDenied):
        doors.may_change(newest)


def test_an_operator_recovers_an_admin_who_lost_the_second_factor(doors: Doors) -> None:
    enrol(doors, doors.owner())
    with doors.world.change() as change:
        administrators.reset_password(change, OWNER, "hash")
    with doors.world.database.reading() as connection:
        assert "admin.remove_totp" not in [entry.action for entry in audit.entries(connection, "", None, 9)]
    with doors.world.change() as change:
        administrators.reset_password(change, OWNER, CHEAP.hash(NEW), remove_totp=True)
    doors.may(doors.sign_in(OWNER, NEW))
    assert "admin.remove_totp" in actions(doors)


def test_no_secret_of_a_second_factor_is_in_any_table_or_representation(doors: Doors) -> None:
    owner = doors.owner()
    enrolment = doors.begin_totp(owner)
    doors.account.confirm_totp(owner, Authenticator(doors, enrolment.secret).code())
    assert enrolment.secret not in doors.world.dump() + repr(enrolment)
    assert len(enrolment.secret) == 32
    assert HERE in doors.world.dump()
