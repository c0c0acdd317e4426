"""Invitations of admins, on SQLite and PostgreSQL."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from admin_access import FAST_PASSWORDS, KNOWN_ADDRESS, OTHER_ADDRESS, OWNER, PASSWORD, AdminAccess, caller

from keys.admins import changes as administrators
from keys.admins import inviting
from keys.admins.access_control import Credentials
from keys.rpc import rules
from keys.store import admins, invitations, second_factors
from keys.store import audit_log as audit
from keys.upkeep import erasure
from keys.values.errors import (
    Conflict,
    CsrfFailed,
    InvalidInvitation,
    NotFound,
    RoleDenied,
    SignInRequired,
    SignInThrottled,
    TotpEnrolmentRequired,
)
from keys.values.records import Invitation, Role
from landpartner.keys.v1 import admin_pb2
from servicekit.errors import InvalidPayload

NINA = "nina@example.org"
THREE_DAYS = timedelta(hours=72)


def invite(access: AdminAccess, email: str = NINA, role: Role = Role.OPERATOR) -> tuple[Invitation, str]:
    with access.world.change() as change:
        return inviting.invite(change, email, role, THREE_DAYS)


def expire(access: AdminAccess) -> int:
    with access.world.change() as change:
        return inviting.expire(change)


def listed(access: AdminAccess) -> list[str]:
    with access.world.database.reading() as connection:
        return [invitation.email for invitation in invitations.all_open(connection, access.world.clock())]


def noted(access: AdminAccess) -> list[tuple[str, str]]:
    """The actions about invitations, the newest first, with the address."""
    with access.world.database.reading() as connection:
        entries = audit.entries(connection, audit.Filter(), None, 50)
    return [(entry.action, str(entry.changes.get("email", ""))) for entry in entries if "invitation" in entry.action]


def test_an_invited_person_chooses_a_password_and_is_signed_in(access: AdminAccess) -> None:
    invitation, token = invite(access)
    assert inviting.read(access.access_control, token, OTHER_ADDRESS) == (invitation, False)
    signed_in = access.accept(token)
    assert (signed_in.admin.email, signed_in.admin.role) == (NINA, Role.OPERATOR)
    access.may_change(caller(signed_in, OTHER_ADDRESS), Role.OPERATOR)
    with pytest.raises(RoleDenied):
        access.may_change(caller(signed_in, OTHER_ADDRESS))
    access.may(access.sign_in(NINA, PASSWORD))
    assert listed(access) == []
    assert noted(access) == [("invitation.accept", NINA), ("invitation.create", NINA)]


def test_fifty_concurrent_acceptances_create_one_admin(access: AdminAccess) -> None:
    _, token = invite(access)
    password_hash = FAST_PASSWORDS.hash(PASSWORD)

    def attempt(number: int) -> bool:
        try:
            inviting.accept(access.access_control, token, password_hash, f"192.0.2.{number}")
        except InvalidInvitation:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(attempt, range(50))) == 1
    with access.world.database.reading() as connection:
        assert [admin.email for admin in admins.all_admins(connection)] == [NINA]


def test_concurrent_invitations_of_an_address_leave_one(access: AdminAccess) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = [token for _, token in pool.map(lambda _: invite(access), range(8))]
    assert listed(access) == [NINA]
    is_open = []
    for number, token in enumerate(tokens):
        try:
            access.accept(token, address=f"192.0.2.{number}")
        except InvalidInvitation:
            is_open.append(False)
        else:
            is_open.append(True)
    assert sum(is_open) == 1


def test_wrong_replaced_revoked_used_and_expired_tokens_are_refused_alike(access: AdminAccess) -> None:
    (_, replaced), (revoked, revoked_token) = invite(access), invite(access, "revoked@example.org")
    _, token = invite(access)
    with access.world.change() as change:
        inviting.revoke(change, revoked.id)
        with pytest.raises(NotFound):
            inviting.revoke(change, revoked.id)
    _, late = invite(access, "late@example.org")
    access.accept(token)
    wrong = ["", "nonsense", replaced, revoked_token, token, late[:12] + replaced[12:], f"{late} "]
    texts = set()
    for number, wrong_token in enumerate(wrong):
        with pytest.raises(InvalidInvitation) as caught:
            access.accept(wrong_token, address=f"198.51.100.{number}")
        texts.add(str(caught.value.detail))
    access.world.clock.advance(hours=72)
    with pytest.raises(InvalidInvitation):
        access.accept(late, address="198.51.100.99")
    assert len(texts) == 1
    assert listed(access) == []
    assert (expire(access), expire(access)) == (1, 0)
    with access.world.database.reading() as connection:
        assert invitations.count(connection) == 0
    assert ("invitation.expire", "late@example.org") in noted(access)
    assert noted(access).count(("invitation.revoke", NINA)) == 1
    assert ("refused.invitation", "") in noted(access)


def test_an_invitation_that_ends_while_the_password_is_hashed_creates_no_admin(access: AdminAccess) -> None:
    invitation, token = invite(access)
    inviting.read(access.access_control, token, OTHER_ADDRESS)
    with access.world.change() as change:
        inviting.revoke(change, invitation.id)
    with pytest.raises(InvalidInvitation):
        inviting.accept(access.access_control, token, "hash", OTHER_ADDRESS)
    _, token = invite(access)
    access.add(NINA, Role.VIEWER)
    with pytest.raises(Conflict):
        access.accept(token)
    with access.world.database.reading() as connection:
        assert [admin.role for admin in admins.all_admins(connection)] == [Role.VIEWER]


def test_wrong_tokens_slow_down_as_wrong_setup_tokens_do(access: AdminAccess) -> None:
    _, token = invite(access)
    for _ in range(30):
        inviting.read(access.access_control, token, OTHER_ADDRESS)  # a right one is no failure
    for number in range(5):
        with pytest.raises(InvalidInvitation):
            access.accept("nonsense")
        if number < 4:
            inviting.read(access.access_control, token, OTHER_ADDRESS)
    with pytest.raises(SignInThrottled) as caught:
        access.accept(token)
    assert caught.value.retry_after_s == 1
    inviting.read(access.access_control, token, KNOWN_ADDRESS)  # another network
    access.world.clock.advance(seconds=1)
    assert access.accept(token).admin.email == NINA


def test_only_owners_invite_by_session_with_its_csrf_token_or_by_token(access: AdminAccess) -> None:
    owner = access.owner()
    access.add("bob@example.org", Role.OPERATOR)
    bob = access.sign_in("bob@example.org")
    with access.world.change() as change:
        robots = {
            role: Credentials(bearer_token=administrators.create_token(change, "ci", role, None)[1]) for role in Role
        }
    denied = [
        (Credentials(), SignInRequired),
        (replace(owner, csrf_token=""), CsrfFailed),
        (bob, RoleDenied),
        (robots[Role.OPERATOR], RoleDenied),
    ]
    for who, error in denied:
        with pytest.raises(error):
            access.may_change(who)
    for who in (owner, robots[Role.OWNER]):
        with access.access_control.changing(who, Role.OWNER) as change:
            invitation, _ = inviting.invite(change, NINA, Role.OWNER, THREE_DAYS)
        assert invitation.created_by == change.actor.name


def test_an_address_with_an_account_is_not_invited_and_open_invitations_are_bounded(
    access: AdminAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    access.owner()
    with pytest.raises(Conflict):
        invite(access, OWNER)
    monkeypatch.setattr(inviting, "MAX_OPEN", 2)
    invite(access)
    invite(access, "second@example.org")
    with pytest.raises(Conflict):
        invite(access, "third@example.org")
    invite(access)  # replaces its own


def test_a_required_second_factor_is_enrolled_before_anything_else(access: AdminAccess) -> None:
    _, token = invite(access)
    with access.world.change() as change:
        second_factors.set_required(change.connection, is_required=True)
    _, is_totp_required = inviting.read(access.access_control, token, OTHER_ADDRESS)
    assert is_totp_required
    nina = caller(access.accept(token), OTHER_ADDRESS)
    with pytest.raises(TotpEnrolmentRequired):
        access.may(nina)
    assert access.begin_totp(nina).secret


@pytest.mark.parametrize(
    ("request_", "pointers"),
    [
        (
            admin_pb2.CreateInvitationRequest(email="no", role=admin_pb2.ADMIN_ROLE_OPERATOR, lifetime_hours=169),
            ["/email", "/lifetime_hours"],
        ),
        (admin_pb2.CreateInvitationRequest(), ["/email", "/role"]),
        (admin_pb2.AcceptInvitationRequest(password="short"), ["/token", "/password"]),
        (admin_pb2.GetInvitationRequest(token="x" * 201), ["/token"]),
    ],
)
def test_invalid_requests_have_pointers(request_: admin_pb2.GetInvitationRequest, pointers: list[str]) -> None:
    with pytest.raises(InvalidPayload) as caught:
        rules.check(request_)
    assert [violation.pointer for violation in caught.value.violations] == pointers


def test_no_token_is_stored_or_shown_and_an_invited_address_can_be_erased(access: AdminAccess) -> None:
    invitation, token = invite(access)
    invite(access, "other@example.org")
    assert token not in access.world.dump() + repr(invitation)
    assert token[12:] not in access.world.dump()
    with access.world.change() as change:
        erased = erasure.erase_admin(change, NINA)
        with pytest.raises(NotFound):
            erasure.erase_admin(change, NINA)
    assert NINA not in access.world.dump()
    assert listed(access) == ["other@example.org"]
    assert ("invitation.create", f"erased-{erased}") in noted(access)
    with access.world.change() as change:
        inviting.revoke_all(change)
    assert listed(access) == []
