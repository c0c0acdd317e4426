"""Sign-in, the end of a session during an edit, and a service that does not answer."""

import os
import signal
import sqlite3

import httpx
import pytest
from identity_provider import IdentityProvider
from playwright.sync_api import expect

import stacks
from admin_page import PASSWORD, Account, AdminPage
from browsing import Visitor, Watch, look

pytestmark = pytest.mark.browser


def test_sign_in_needs_the_right_password_and_lasts_until_sign_out(visit: Visitor, owner: Account) -> None:
    page = visit("/admin")
    admin = AdminPage(page)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    look(page, "admin-sign-in")
    admin.sign_in(owner.email, "not the password")
    expect(page.get_by_role("alert")).to_contain_text("The email address or the password is wrong.")
    look(page, "admin-sign-in-refused")
    admin.sign_in(owner.email, owner.password)
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    admin.sign_out()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_an_admin_signs_in_at_the_identity_provider(
    visit: Visitor, owner: Account, service: stacks.Embedded, provider: IdentityProvider, watch: Watch
) -> None:
    watch.allow(provider.issuer)
    page = visit("/admin?code=stolen&state=guessed")
    expect(page.get_by_role("alert")).to_contain_text("The sign-in at the identity provider is not proven")
    provider.claims = {"email": "ella@example.org", "roles": ["staff"]}
    single_sign_on = page.get_by_role("button", name="Continue with the company account")
    single_sign_on.click()
    expect(page.get_by_role("alert")).to_contain_text("The identity provider gives this account no role here.")
    look(page, "admin-single-sign-on-denied")
    provider.claims["roles"] = ["land-viewer"]
    single_sign_on.click()
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    assert page.url == f"{service.url}/admin"
    page.get_by_role("button", name="Account").click()
    expect(page.get_by_role("menuitem", name="Sign out")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Change password")).to_have_count(0)
    admin = AdminPage(visit("/admin"))
    admin.sign_in(owner.email, owner.password)
    admin.go("Team")
    row = admin.page.get_by_role("row").filter(has_text="Company account")
    expect(row).to_contain_text("ella@example.org")
    look(admin.page, "admin-team-single-sign-on")


def test_a_viewer_sees_keys_and_usage_without_controls_to_change_them(
    visit: Visitor, owner: Account, admin_api: httpx.Client
) -> None:
    viewer = {"email": "vera@example.org", "password": PASSWORD, "role": "viewer"}
    admin_api.post("/admins", json=viewer).raise_for_status()
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(viewer["email"])
    expect(admin.table()).to_be_visible()
    for name in ("New key", "Revoke"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("link", name="Audit log")).to_have_count(0)
    expect(page.get_by_role("link", name="Team")).to_have_count(0)
    look(page, "admin-viewer")
    admin.go("Usage")
    expect(page.get_by_text("Active keys")).to_be_visible()


def test_an_edit_survives_the_end_of_the_session(
    visit: Visitor, owner: Account, admin_api: httpx.Client, service: stacks.Embedded
) -> None:
    key = admin_api.post("/api-keys", json={"partner": "Midway", "label": "before"}).raise_for_status().json()["key"]
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(owner.email, owner.password)
    admin.do(key["id"], "Edit")
    dialog = page.get_by_role("dialog", name=f"Edit key {key['id']}")
    dialog.get_by_label("Label").fill("after")
    dialog.get_by_label("Units per month").fill("1234")

    _let_newest_session_expire(service)
    dialog.get_by_role("button", name="Save").click()
    over = page.get_by_role("dialog", name="Your session is over")
    expect(over.get_by_label("Email address")).to_have_value(owner.email)
    look(page, "admin-session-over")
    over.get_by_label("Password", exact=True).fill(owner.password)
    over.get_by_role("button", name="Sign in").click()

    expect(over).to_be_hidden()
    expect(dialog).to_be_hidden()
    expect(admin.row(key["id"])).to_contain_text("after")
    saved = admin_api.get(f"/api-keys/{key['id']}").json()
    assert (saved["label"], saved["quota"]["monthly_units"]) == ("after", 1234)


def test_a_sign_in_in_another_tab_does_not_interrupt_this_one(visit: Visitor, owner: Account) -> None:
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(owner.email, owner.password)
    expect(admin.table()).to_be_visible()
    other = page.context.new_page()
    other.goto("/admin")
    AdminPage(other).sign_out()
    AdminPage(other).sign_in(owner.email, owner.password)
    expect(AdminPage(other).table()).to_be_visible()
    assert admin.create_key("Two tabs", "from the first").startswith("lp_live_")


def test_an_outage_is_shown_until_the_service_answers_again(
    admin: AdminPage, service: stacks.Embedded, watch: Watch
) -> None:
    watch.allow("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "504")
    page = admin.page
    keys = service.record()["pids"]["keys"]
    os.kill(keys, signal.SIGSTOP)
    try:
        page.get_by_role("link", name="Partners", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text(
            "Deadline exceeded", timeout=60_000
        )  # the page tries three times
        look(page, "admin-keys-service-down")
    finally:
        os.kill(keys, signal.SIGCONT)
    expect(page.get_by_role("alert")).to_be_hidden(timeout=30_000)

    page.context.set_offline(True)
    page.get_by_role("link", name="Plans").click()
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer", timeout=30_000)
    look(page, "admin-offline")
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_be_hidden(timeout=30_000)


def _let_newest_session_expire(service: stacks.Embedded) -> None:
    """Sets the last activity of the newest session to before its timeout."""
    connection = sqlite3.connect(service.folder / "keys.sqlite", timeout=10)
    with connection:
        connection.execute(
            "UPDATE sessions SET seen_at = '2020-01-01 00:00:00.000000'"
            " WHERE created_at = (SELECT max(created_at) FROM sessions)"
        )
    connection.close()
