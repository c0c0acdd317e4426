"""An admin's own account: password and second factor; and the access policy."""

import time

import httpx
import pyotp
import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from admin_page import PASSWORD, Account, AdminPage
from browsing import Visitor, assert_prints, look, photograph

pytestmark = pytest.mark.browser

NEW_PASSWORD = "another long enough password"
SESSION = "**/api/v1/admin/session"
STEP_S = 30
"""Lifetime of a one-time code (RFC 6238)."""


def open_account(page: Page, item: str) -> None:
    page.get_by_role("button", name="Account,").click()
    page.get_by_role("menuitem", name=item).click()


def enrol(page: Page, code_offset: int = 0) -> str:
    """Enrols a second factor in the open dialog. Returns its secret. `code_offset` is the step of the code to enter."""
    dialog = page.get_by_role("dialog", name="Enrol a second factor")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Continue").click()
    secret = dialog.get_by_test_id("totp-secret").inner_text()
    link = dialog.get_by_role("link", name="Open in an app on this device").get_attribute("href")
    assert link is not None
    assert link.startswith("otpauth://totp/")
    assert secret in link
    look(page, "admin-totp-secret")
    dialog.get_by_label("One-time code").fill("000000")
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The one-time code is wrong")
    seconds = time.time() % STEP_S
    if code_offset < 0 and seconds > STEP_S / 2:  # a slow machine needs a code that stays valid long enough
        time.sleep(STEP_S - seconds)
    dialog.get_by_label("One-time code").fill(pyotp.TOTP(secret).at(int(time.time()), counter_offset=code_offset))
    dialog.get_by_role("button", name="Confirm").click()
    expect(dialog).to_be_hidden()
    return secret


def new_admin(admin_api: httpx.Client, email: str, role: str = "operator") -> str:
    """Creates an admin. Returns the id."""
    body = {"email": email, "password": PASSWORD, "role": role}
    admin_account: dict[str, str] = admin_api.post("/admins", json=body).raise_for_status().json()
    return admin_account["id"]


def test_an_admin_changes_the_password(visit: Visitor, owner: Account, admin_api: httpx.Client) -> None:
    email = "petra@example.org"
    new_admin(admin_api, email)
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(email)
    expect(admin.table()).to_be_visible()
    open_account(page, "Change password")
    dialog = page.get_by_role("dialog", name="Change password")
    dialog.get_by_label("Current password").fill("not the password")
    dialog.get_by_label("New password", exact=True).fill(NEW_PASSWORD)
    dialog.get_by_label("New password again").fill(NEW_PASSWORD)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("alert")).to_contain_text("is wrong")
    look(page, "admin-password-refused")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog).to_be_hidden()
    admin.sign_out()
    admin.sign_in(email, NEW_PASSWORD)
    expect(admin.table()).to_be_visible()


def test_a_second_factor_is_enrolled_required_and_removed(
    visit: Visitor, owner: Account, admin_api: httpx.Client
) -> None:
    email = "otto@example.org"
    new_admin(admin_api, email)
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(email)
    expect(admin.table()).to_be_visible()
    open_account(page, "Enrol a second factor")
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        """The page reads its session after the enrolment, and gets the answer after the sign-out."""
        if route.request.method == "GET":
            held.append((route, route.fetch()))
        else:
            route.fallback()

    page.route(SESSION, hold)
    codes = pyotp.TOTP(enrol(page, code_offset=-1))  # a code is accepted once: the next ones are for later
    while not held:
        page.wait_for_timeout(50)
    admin.sign_out()
    for route, answer in held:
        route.fulfill(response=answer)
    page.unroute(SESSION)
    page.wait_for_timeout(1000)  # an answer that the page believes would end in the dialog of an ended session
    expect(page.get_by_role("dialog")).to_have_count(0)

    admin.sign_in(email)
    code = page.get_by_label("One-time code")
    expect(code).to_be_focused()
    look(page, "admin-sign-in-code")
    code.fill("000000")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("The one-time code is wrong")
    code.fill(codes.now())
    page.get_by_role("button", name="Sign in").click()
    expect(admin.table()).to_be_visible()

    open_account(page, "Remove the second factor")
    dialog = page.get_by_role("dialog", name="Remove the second factor")
    look(page, "admin-totp-remove")
    dialog.get_by_label("Current password").fill(PASSWORD)
    dialog.get_by_label("One-time code").fill(codes.at(int(time.time()), counter_offset=1))
    dialog.get_by_role("button", name="Remove").click()
    expect(dialog).to_be_hidden()
    admin.sign_out()
    admin.sign_in(email)
    expect(admin.table()).to_be_visible()


def test_a_required_second_factor_is_enrolled_before_anything_else(
    visit: Visitor, owner: Account, admin_api: httpx.Client
) -> None:
    chief, email = "olga@example.org", "paul@example.org"
    chief_id = new_admin(admin_api, chief, "owner")
    new_admin(admin_api, email)
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(chief)
    admin.go("Team")
    switch = page.get_by_label("Require a second factor of every account")
    switch.click()
    expect(page.get_by_role("alert")).to_contain_text("Enrol yours first")
    open_account(page, "Enrol a second factor")
    enrol(page)
    expect(admin.row(chief, "Accounts")).to_contain_text("Enrolled")
    switch.click()
    expect(switch).to_be_checked()
    look(page, "admin-team-second-factor")
    try:
        other = visit("/admin")
        AdminPage(other).sign_in(email)
        expect(other.get_by_role("heading", name="Second factor required")).to_be_visible()
        look(other, "admin-enrol-first")
        other.get_by_role("button", name="Enrol a second factor").click()
        enrol(other)
        expect(AdminPage(other).table()).to_be_visible()

        body = {"email": "rita@example.org", "role": "viewer"}
        token = admin_api.post("/invitations", json=body).raise_for_status().json()["token"]
        invited = visit(f"/admin#/invitation/{token}")
        invited.get_by_label("Password", exact=True).fill(PASSWORD)
        invited.get_by_label("Password again").fill(PASSWORD)
        invited.get_by_role("button", name="Create my account").click()
        secret = invited.get_by_test_id("totp-secret").inner_text()
        look(invited, "invitation-second-factor")
        invited.get_by_label("One-time code").fill(pyotp.TOTP(secret).now())
        invited.get_by_role("button", name="Confirm").click()
        expect(AdminPage(invited).table()).to_be_visible()
    finally:
        admin_api.patch("/access-policy", json={"totp_required": False}).raise_for_status()
        admin_api.patch(
            f"/admins/{chief_id}", json={"is_active": False}
        ).raise_for_status()  # other tests need exactly one owner


def test_an_operator_sees_no_price_fields_and_who_may_raise_a_limit(
    visit: Visitor, owner: Account, admin_api: httpx.Client
) -> None:
    email = "oona@example.org"
    new_admin(admin_api, email)
    body = {"partner": "Limits", "label": "capped", "quota": {"monthly_units": 10, "hard": True}}
    key = admin_api.post("/api-keys", json=body).raise_for_status().json()["key"]
    page = visit("/admin")
    admin = AdminPage(page)
    admin.sign_in(email)
    admin.do(key["id"], "Edit")
    dialog = page.get_by_role("dialog", name=f"Edit key {key['id']}")
    expect(dialog.get_by_label("Pricing")).to_have_count(0)
    dialog.get_by_label("Units per month").fill("11")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Only owners set prices and lift the limits of a key.")
    look(page, "admin-limit-denied")
    dialog.get_by_label("Units per month").fill("9")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    admin.go("Audit log")
    expect(page.get_by_text(f"{email} does not have the required role").first).to_be_visible()
    changed = page.get_by_role("row").filter(
        has_text=f"{email} changed the key “capped” (lp_live_{key['id']}) of Limits"
    )
    expect(changed).to_contain_text("Monthly quota: 10 units → 9 units")
    look(page, "admin-audit")
    assert_prints(page, "the audit log")
    changed.get_by_role("link").click()
    expect(page.get_by_label("Subject")).to_have_value(key["id"])
    expect(page.get_by_role("row")).to_have_count(3)
    admin.choose(page.get_by_role("combobox", name="About"), "Refusals")
    expect(page.get_by_text("No entries")).to_be_visible()
    page.get_by_label("Subject").fill("")
    page.get_by_label("Author").fill(email)
    expect(page.get_by_role("row").filter(has_text=email)).not_to_have_count(0)
    page.get_by_role("button", name="Français").click()
    expect(page.get_by_text(f"{email} n’a pas le rôle requis").first).to_be_visible()
    photograph(page, "admin-audit-fr")
