"""The life cycle of a key on the admin page."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from admin_page import AdminPage, wait_until_counted
from browsing import Visitor, look
from playground_page import PlaygroundPage

pytestmark = pytest.mark.browser

PARTNER, LABEL, PLAN = "Étude Martin & associés", "production", "Standard"


def test_a_key_lives_from_its_creation_to_its_revocation(
    admin: AdminPage, admin_api: httpx.Client, visit: Visitor
) -> None:
    page = admin.page
    admin.go("Plans")
    expect(page).to_have_title("Plans · Administration · Land for partners")
    look(page, "admin-plans-empty")
    page.get_by_role("button", name="New plan").first.click()
    dialog = page.get_by_role("dialog", name="New plan")
    dialog.get_by_label("Name").fill(PLAN)
    dialog.get_by_label("Monthly fee").fill("49,00")
    dialog.get_by_label("Units included").fill("1")
    dialog.get_by_label("price of a unit").fill("0.05")
    look(page, "admin-plan-form")
    dialog.get_by_role("button", name="Create").click()
    expect(admin.row(PLAN, "Plans")).to_contain_text("€49.00")
    look(page, "admin-plans")

    admin.go("Keys")
    secret = admin.create_key(PARTNER, LABEL, PLAN)
    look(page, "admin-secret")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Try this key in the playground").click()
    visit.watch.follow(opened.value)
    expect(opened.value.get_by_label("API key")).to_have_value(secret)
    opened.value.close()
    assert admin.keep_secret() == secret
    key_id = secret.removeprefix("lp_live_")[:8]
    row = admin.row(key_id)
    for text in (PARTNER, LABEL, "Active", secret[-4:], "0 units", PLAN, "Unlimited", "Rules", "Never"):
        expect(row).to_contain_text(text)
    assert secret not in page.content()
    look(page, "admin-keys")

    playground = PlaygroundPage.open(visit, secret)
    playground.page.route("**/api/v1/tiles/**", lambda route: route.fulfill(body=""))  # requests of a map count too
    for _ in range(3):
        playground.send()
    address = playground.body()
    playground.write('{"label": ""}')
    playground.send(400)
    playground.write(address)
    wait_until_counted(admin_api, key_id, 4)

    admin.do(key_id, "See its usage")
    resolve = admin.row("addresses.resolve", "By endpoint").get_by_role("cell")
    expect(resolve).to_have_text(["addresses.resolve", "4", "1", re.compile("ms$"), "3", "100%"])
    expect(page.get_by_role("img", name="requests, 1 of them errors")).to_be_visible()  # the map's tiles count too
    expect(admin.row(LABEL, "Top keys")).to_contain_text("€49.10")
    look(page, "admin-usage")
    page.get_by_role("tab", name="Bills").click()
    page.locator("summary", has_text=PARTNER).click()
    expect(page.get_by_role("row", name=re.compile(f"{LABEL}.*{key_id}.*€49.10"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Units 2 to 3.*€0.10"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Gross.*€58.92"))).to_be_visible()
    look(page, "admin-billing")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
        page.get_by_role("menuitem", name="Totals by key").click()
    assert "58.92" in download.value.path().read_text(encoding="utf-8")

    admin.go("Keys")
    page.get_by_role("button", name=f"Revoke key {key_id}").click()
    look(page, "admin-revoke")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    admin.revoke(key_id)
    expect(admin.row(key_id)).to_contain_text("Revoked")
    playground.send(401)
    playground.expect_problem("revoked_key")

    admin.go("Audit log")
    expect(admin.row(key_id, "Audit log").filter(has_text="Key revoked")).to_have_count(1)
    look(page, "admin-audit")
