"""An owner invites an admin by a link that works once."""

import pytest
from playwright.sync_api import expect

from admin_page import EMAIL, PASSWORD, Account, AdminPage
from browsing import Visitor, copied, look, photograph

pytestmark = pytest.mark.browser

NINA = "nina@example.org"


def invite(admin: AdminPage, email: str = NINA) -> str:
    """Returns the link."""
    page = admin.page
    page.get_by_role("button", name="Invite", exact=True).click()
    dialog = page.get_by_role("dialog", name="Invite")
    dialog.get_by_label("Email address").fill(email)
    admin.choose(dialog.get_by_label("Role"), "Viewer")
    look(page, "admin-invite")
    dialog.get_by_role("button", name="Create the link").click()
    return read_link(admin)


def read_link(admin: AdminPage) -> str:
    shown = admin.page.get_by_role("dialog", name="Here is the invitation's link")
    link = shown.get_by_test_id("invitation-link").inner_text()
    look(admin.page, "admin-invitation-link")
    assert copied(shown.get_by_role("button", name="Copy the link")) == link
    shown.get_by_role("button", name="Close").click()
    return link


def test_an_invited_person_chooses_a_password_and_is_signed_in(admin: AdminPage, visit: Visitor) -> None:
    page = admin.page
    admin.go("Team")
    replaced = invite(admin)
    admin.row(NINA, "Open invitations").get_by_role("button", name="New link").click()
    page.get_by_role("dialog").get_by_role("button", name="Create the link").click()
    link = read_link(admin)
    assert link != replaced
    look(page, "admin-invitations")

    late = visit(replaced)
    expect(late.get_by_role("heading", name="This link is not valid")).to_be_visible()
    look(late, "invitation-invalid")
    guest = visit(link)
    expect(guest.get_by_label("Email address")).to_have_value(NINA)
    expect(guest.get_by_label("Role")).to_have_value("Viewer")
    guest.get_by_label("Password", exact=True).fill(PASSWORD)
    guest.get_by_label("Password again").fill("something else")
    guest.get_by_role("button", name="Create my account").click()
    expect(guest.get_by_text("The two passwords differ.")).to_be_visible()
    look(guest, "invitation")
    guest.get_by_label("Password again").fill(PASSWORD)
    guest.get_by_role("button", name="Create my account").click()
    expect(AdminPage(guest).table()).to_be_visible()
    assert "invitation" not in guest.url
    again = visit(link)
    expect(again.get_by_role("heading", name="This link is not valid")).to_be_visible()
    again.get_by_role("link", name="Go to the sign-in").click()
    AdminPage(again).sign_in(NINA)
    expect(AdminPage(again).table()).to_be_visible()


def test_an_owner_revokes_an_invitation_and_a_session_ends_by_another_account(
    admin: AdminPage, visit: Visitor, owner: Account
) -> None:
    page = admin.page
    admin.go("Team")
    open_invitation, revoked = invite(admin, "pia@example.org"), invite(admin, "quentin@example.org")
    page.get_by_role("button", name="Revoke the invitation of quentin@example.org").click()
    dialog = page.get_by_role("dialog", name="Revoke this invitation?")
    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog).to_be_hidden()
    expect(admin.row("quentin@example.org", "Open invitations")).to_have_count(0)
    guest = visit(revoked, locale="fr-FR")
    expect(guest.get_by_role("heading", name="Ce lien n’est pas valable")).to_be_visible()
    photograph(guest, "invitation-fr-invalid")
    other = visit(open_invitation, locale="fr-FR")
    expect(other.get_by_role("heading", name="Bienvenue")).to_be_visible()
    photograph(other, "invitation-fr")
    invited_page = visit("/admin")
    AdminPage(invited_page).sign_in()  # a session of its own: accepting ends it
    expect(AdminPage(invited_page).table()).to_be_visible()
    invited_page.goto(open_invitation)
    expect(invited_page.get_by_text(f"You are signed in as {EMAIL}")).to_be_visible()
    look(invited_page, "invitation-signed-in")
    invited_page.get_by_label("Password", exact=True).fill(PASSWORD)
    invited_page.get_by_label("Password again").fill(PASSWORD)
    invited_page.get_by_role("button", name="Create my account").click()
    expect(invited_page.get_by_role("button", name="Account, pia@example.org")).to_be_visible()
