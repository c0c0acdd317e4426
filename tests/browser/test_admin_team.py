"""Accounts, roles and tokens; and the page in French."""

import re

import httpx
import pytest
from playwright.sync_api import expect

import stacks
from admin_page import PASSWORD, Account, AdminPage
from browsing import NARROW, Visitor, look, photograph, show

pytestmark = pytest.mark.browser


def test_an_owner_changes_and_deactivates_admins_and_creates_tokens(
    admin: AdminPage, service: stacks.Embedded, admin_api: httpx.Client
) -> None:
    page = admin.page
    body = {"email": "oscar@example.org", "password": PASSWORD, "role": "operator"}
    admin_api.post("/admins", json=body).raise_for_status()
    admin.go("Team")
    expect(admin.row("oscar@example.org", "Accounts")).to_contain_text("Operator")

    page.get_by_role("button", name="Edit oscar@example.org").click()
    dialog = page.get_by_role("dialog", name="Edit oscar@example.org")
    dialog.get_by_label("May sign in").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(admin.row("oscar@example.org", "Accounts")).to_contain_text("Disabled")

    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog", name="New token")
    dialog.get_by_label("Label").fill("monitoring")
    dialog.get_by_role("button", name="Create").click()
    shown = page.get_by_role("dialog", name="Here is the token")
    token = shown.locator("code").inner_text()
    look(page, "admin-token")
    listed = httpx.get(f"{service.url}/api/v1/admin/api-keys", headers={"authorization": f"Bearer {token}"}, timeout=60)
    assert listed.status_code == 200
    shown.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Revoke the token monitoring").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(admin.row("monitoring", "Tokens for programs")).to_contain_text("Revoked")
    look(page, "admin-team")
    refused = httpx.get(
        f"{service.url}/api/v1/admin/api-keys", headers={"authorization": f"Bearer {token}"}, timeout=60
    )
    assert refused.status_code == 401


def test_the_settings_do_not_call_mail_set_that_nobody_may_send(admin: AdminPage) -> None:
    admin.go("Settings")
    mail = admin.row("make run does not start", "Settings")
    expect(mail).not_to_contain_text(re.compile(r"\bset\b"))
    mail.get_by_role("button", name="Send me a test").click()
    expect(mail).to_contain_text("check it")


def test_the_last_owner_cannot_be_demoted_and_the_page_gives_the_reason(admin: AdminPage, owner: Account) -> None:
    page = admin.page
    admin.go("Team")
    page.get_by_role("button", name=f"Edit {owner.email}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("May sign in").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The last active owner stays one.")


def test_every_section_works_in_french_and_on_a_phone(visit: Visitor, owner: Account) -> None:
    page = visit("/admin", locale="fr-FR", state=owner.state)
    sections = page.get_by_role("navigation", name="Rubriques")
    for name, title, file in (
        ("Clés", "Clés d’API", "keys"),
        ("Usage", "Usage et factures", "usage"),
        ("Factures", "Factures", "bills"),
        ("Partenaires", "Partenaires", "partners"),
        ("Tarifs", "Tarifs", "plans"),
        ("Journal", "Journal", "audit"),
        ("Équipe", "Équipe", "team"),
        ("Réglages", "Réglages", "settings"),
    ):
        show(page, NARROW)
        sections.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
        expect(page.get_by_text("Chargement…")).to_have_count(0)
        photograph(page, f"admin-fr-{file}")
