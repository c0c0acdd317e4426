"""Keys on the admin page: search, validation errors, changes, rotation."""

import re
from typing import Any

import httpx
import pytest
from many_keys import write_keys
from playwright.sync_api import expect

import stacks
from admin_page import AdminPage, wait_until_counted
from browsing import assert_prints, copied, look, show

pytestmark = pytest.mark.browser

MANY = 10_000
SLOW_TYPING_MS = 400
"""Longer than the pause after which the search begins."""


@pytest.fixture(scope="module")
def many_keys(service: stacks.Embedded) -> None:
    """Ten thousand keys of a hundred partners, written directly into the database."""
    write_keys(service.folder, MANY)


def test_search_sort_and_paging_work_with_ten_thousand_keys(
    admin: AdminPage, admin_api: httpx.Client, many_keys: None
) -> None:
    page = admin.page
    revoked = admin_api.post("/api-keys", json={"partner": "Partner 000", "label": "bulk revoked"}).json()["key"]["id"]
    admin_api.post(f"/api-keys/{revoked}/revoke").raise_for_status()
    page.reload()
    search = page.get_by_label("Search")
    search.press_sequentially("bulk 0", delay=SLOW_TYPING_MS)
    expect(admin.row("bulk 09999")).to_be_visible()
    expect(search).to_have_value("bulk 0")
    expect(admin.table().get_by_role("row")).to_have_count(51)
    page.get_by_role("button", name="Label", exact=True).click()
    expect(admin.table().get_by_role("row").nth(1)).to_contain_text("bulk 00000")
    page.get_by_role("button", name="Next").click()
    expect(admin.table().get_by_role("row").nth(1)).to_contain_text("bulk 00050")
    look(page, "admin-keys-many")
    expect(page.get_by_role("status").filter(has_text="10,000 keys")).to_be_visible()
    assert_all_columns_in_sight(admin)
    page.get_by_role("button", name="Previous").click()
    expect(admin.table().get_by_role("row").nth(1)).to_contain_text("bulk 00000")
    expect(page.get_by_role("columnheader", name="Label")).to_have_attribute("aria-sort", "ascending")

    search.fill("bulk 07777")
    expect(admin.table().get_by_role("row")).to_have_count(2)
    search.fill("bulk")
    admin.choose(page.get_by_role("combobox", name="Status"), "Revoked")
    expect(admin.table().get_by_role("row")).to_have_count(2)
    expect(admin.row("bulk revoked")).to_contain_text("Revoked")
    search.fill("nothing like it")
    expect(page.get_by_text("No key matches")).to_be_visible()
    look(page, "admin-keys-no-match")
    page.get_by_role("button", name="Clear the filters").click()
    expect(admin.table().get_by_role("row")).to_have_count(51)


def assert_all_columns_in_sight(admin: AdminPage) -> None:
    """Checks that each cell is inside the window with its whole text, in rows of 44 px, or in low cards."""
    page, rows = admin.page, admin.table().get_by_role("row")
    for width in (390, 1100, 1280):
        show(page, width)
        cells: list[Any] = rows.nth(1).get_by_role("cell").evaluate_all(_CELLS)
        assert len(cells) == 11
        sections = page.get_by_role("navigation", name="Sections").get_by_role("link").evaluate_all(_CELLS)
        assert len(sections) == 8
        for cell in cells + sections:
            assert 0 <= cell["left"] < cell["right"] <= width, cell
            assert cell["height"] > 0, cell
            assert not cell["isCut"], cell
        if width >= 1100:
            assert rows.nth(1).evaluate("row => row.getBoundingClientRect().height") == 44
            page.evaluate("() => scrollTo(0, 1500)")
            assert page.get_by_role("columnheader", name="Last use").evaluate(_IS_ON_TOP)
        else:
            assert page.evaluate("() => document.documentElement.scrollHeight") < 9_000
    page.evaluate("() => scrollTo(0, 0)")


_CELLS = """cells => cells.map(cell => {
  const { left, right, height } = cell.getBoundingClientRect();
  const isCut = [cell, ...cell.querySelectorAll('[title]')].some(each => each.scrollWidth > each.clientWidth + 1);
  return { text: cell.textContent, left, right, height, isCut };
})"""
_IS_ON_TOP = """header => {
  const { x, y, width, height } = header.getBoundingClientRect();
  return header.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def test_the_page_of_a_key_has_its_usage_terms_log_and_actions(
    admin: AdminPage, admin_api: httpx.Client, service: stacks.Embedded
) -> None:
    pricing = {"monthly_fee": "49", "tiers": [{"up_to": None, "unit_price": "0.05"}], "vat_rate": "0.20"}
    body = {"partner": "Cadastra", "label": "of its own page", "pricing": pricing}
    created_key = admin_api.post("/api-keys", json=body).raise_for_status().json()
    key_id, headers = created_key["key"]["id"], {"x-api-key": created_key["secret"]}
    failed = httpx.post(f"{service.url}/api/v1/addresses/resolve", json={}, headers=headers, timeout=60)
    wait_until_counted(admin_api, key_id, 1)
    page = admin.page
    page.reload()
    row = admin.row(key_id)
    expect(row.get_by_role("img", name="Requests of the last 30 days: 1")).to_be_attached()
    row.get_by_role("link", name="of its own page").click()
    expect(page.get_by_role("heading", level=1, name="of its own page")).to_be_visible()
    assert page.url.endswith(f"#/keys/{key_id}")
    expect(page.get_by_role("img", name=re.compile("^1 requests?, 1 of them"))).to_be_visible()
    endpoint = admin.row("addresses.resolve", "By endpoint").get_by_role("cell")
    expect(endpoint).to_have_text(["addresses.resolve", "1", "400 1", re.compile("ms$"), re.compile("ms$"), "0", "–"])
    code = admin.row("invalid_payload", "Errors by code")
    expect(code.get_by_role("link")).to_have_attribute("href", "/api/docs/codes#code-invalid_payload")
    call = admin.row("invalid_payload", "Last 50 calls")
    request_id = failed.json()["request_id"]
    assert copied(call.get_by_role("button", name=f"Copy the request id {request_id}")) == request_id
    expect(call.get_by_text("Copied")).to_be_attached()
    expect(page.get_by_text("the rest: €0.05")).to_be_visible()
    expect(admin.row("created the key", "Audit log")).to_have_count(1)
    look(page, "admin-key-page")
    assert_prints(page, "the page of a key")
    page.get_by_role("button", name="Rotate the secret").click()
    page.get_by_role("button", name="Rotate", exact=True).click()
    admin.keep_secret()
    expect(admin.row("rotated the key", "Audit log")).to_have_count(1)
    page.get_by_role("button", name="Revoke").click()
    dialog = page.get_by_role("dialog", name="Revoke this key?")
    dialog.get_by_label(f"Type {key_id} to confirm").fill(key_id)
    dialog.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Revoked", exact=True)).to_have_count(2)  # in the header and in the terms
    expect(page.get_by_role("button", name="Rotate the secret")).to_be_hidden()
    page.goto("/admin#/keys/nothing1")
    expect(page.get_by_role("alert")).to_contain_text("There is no such key")


def test_violations_are_shown_at_their_fields_and_input_is_kept(admin: AdminPage) -> None:
    page = admin.page
    dialog = admin.open_new_key()
    look(page, "admin-key-form")
    dialog.get_by_role("button", name="Create the key").click()
    expect(dialog.get_by_label("Partner")).to_be_focused()
    expect(dialog.get_by_label("Partner")).to_have_attribute("aria-invalid", "true")

    dialog.get_by_label("Partner").fill("Cadastra")
    dialog.get_by_label("Label").fill("staging")
    dialog.get_by_label("Expires at").fill("2020-01-01T00:00")
    dialog.get_by_role("button", name="Create the key").click()
    expect(dialog.get_by_text("This instant is past.")).to_be_visible()
    expect(dialog.get_by_label("Expires at")).to_be_focused()

    dialog.get_by_label("Expires at").fill("")
    dialog.get_by_label("Allowed addresses").fill("192.0.2.0/24\nnowhere")
    admin.choose(dialog.get_by_label("Pricing"), "Own terms")
    dialog.get_by_label("price of a unit").fill("cheap")
    dialog.get_by_role("button", name="Create the key").click()
    expect(dialog.get_by_label("Allowed addresses")).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_label("price of a unit")).to_have_attribute("aria-invalid", "true")
    look(page, "admin-key-form-refused")

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keep editing").click()
    expect(dialog.get_by_label("Label")).to_have_value("staging")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()


def test_every_member_of_a_key_can_be_set_and_changed(admin: AdminPage, admin_api: httpx.Client) -> None:
    page = admin.page
    dialog = admin.open_new_key()
    dialog.get_by_label("Partner").fill("Cadastra")
    dialog.get_by_label("Label").fill("everything")
    dialog.get_by_label("Test: the demo commune only").check()
    dialog.get_by_label("Expires at").fill("2099-12-31T23:59")
    admin.choose(dialog.get_by_label("Pricing"), "Own terms")
    dialog.get_by_label("Monthly fee").fill("10")
    dialog.get_by_label("VAT").fill("5,5")
    dialog.get_by_role("button", name="Add a tier").click()
    dialog.get_by_label("Tier 1: up to unit").fill("1000")
    dialog.get_by_label("Tier 1: price").fill("0,10")
    dialog.get_by_label("Tier 2: price").fill("0.08")
    dialog.get_by_label("Units per month").fill("5000")
    dialog.get_by_label("Spend cap").fill("99.5")
    dialog.get_by_label("Requests per minute").fill("120")
    dialog.get_by_label("Burst").fill("20")
    dialog.get_by_label("Refuse what is over the quota").uncheck()
    admin.choose(dialog.get_by_label("Answers"), "By a language model")
    dialog.get_by_label("Calls per month").fill("30")
    dialog.get_by_label("Tokens per month").fill("40000")
    dialog.get_by_label("addresses.resolve", exact=True).check()
    dialog.get_by_label("Allowed addresses").fill("192.0.2.0/24\n2001:db8::1")
    dialog.get_by_label("Internal notes").fill("contract = 2026-17")
    dialog.get_by_role("button", name="Create the key").click()
    secret = page.get_by_test_id("secret").inner_text()
    assert secret.startswith("lp_test_")
    page.keyboard.press("Escape")
    expect(page.get_by_text("The key was not copied.")).to_be_visible()
    page.get_by_label("I have kept the key").check()
    page.get_by_role("button", name="Done").click()

    key_id = secret.removeprefix("lp_test_")[:8]
    key_view = admin_api.get(f"/api-keys/{key_id}").json()
    assert key_view["mode"] == "test"
    assert key_view["expires_at"].startswith("2099-12-31T22:59")
    assert (key_view["pricing"]["monthly_fee"], key_view["pricing"]["vat_rate"]) == ("10", "0.055")
    assert key_view["pricing"]["tiers"] == [
        {"up_to": 1000, "unit_price": "0.10"},
        {"up_to": None, "unit_price": "0.08"},
    ]
    quota = {"monthly_units": 5000, "per_minute": 120, "burst": 20, "hard": False, "spend_cap": "99.5"}
    assert key_view["quota"] == quota
    assert key_view["assistant_policy"] == {"mode": "model", "monthly_calls": 30, "monthly_tokens": 40000}
    assert key_view["scopes"] == ["addresses.resolve"]
    assert key_view["allowed_cidrs"] == ["192.0.2.0/24", "2001:db8::1"]
    assert key_view["metadata"] == {"contract": "2026-17"}

    admin.do(key_id, "Edit")
    dialog = page.get_by_role("dialog", name=f"Edit key {key_id}")
    look(page, "admin-key-edit")
    dialog.get_by_label("Units per month").fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    changed = admin_api.get(f"/api-keys/{key_id}").json()
    assert changed == {**key_view, "quota": {**quota, "monthly_units": None}}


def test_a_rotated_key_shows_its_new_secret_and_the_expiry_of_the_old_one(
    admin: AdminPage, admin_api: httpx.Client
) -> None:
    created_key = (
        admin_api.post("/api-keys", json={"partner": "Cadastra", "label": "to rotate"}).raise_for_status().json()
    )
    page, key_id = admin.page, created_key["key"]["id"]
    page.reload()
    admin.do(key_id, "Rotate the secret")
    page.get_by_label("Days of grace").fill("3")
    look(page, "admin-rotate")
    page.get_by_role("button", name="Rotate", exact=True).click()
    secret = page.get_by_test_id("secret").inner_text()
    assert secret[:16] == created_key["secret"][:16]
    assert secret != created_key["secret"]
    assert admin.keep_secret() == secret
    admin.row(key_id).get_by_role("link", name="to rotate").click()
    expect(page.get_by_role("main")).to_contain_text(re.compile(r"Old secret taken until\d+ \w+ \d{4}"))


def test_a_key_is_created_with_the_keyboard_alone(admin: AdminPage) -> None:
    page = admin.page
    page.get_by_role("button", name="New key").focus()
    page.keyboard.press("Enter")
    partner = page.get_by_role("dialog").get_by_role("combobox", name="Partner")
    expect(partner).to_be_focused()
    page.keyboard.type("Demo")
    expect(page.get_by_role("option", name="Demo")).to_be_visible()
    page.keyboard.press("Escape")  # closes the list of partners, not the form
    expect(page.get_by_role("option", name="Demo")).to_be_hidden()
    page.keyboard.type(" & fils")
    page.keyboard.press("Tab")
    page.keyboard.type("typed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Here is the key")).to_be_visible()
    page.get_by_role("button", name="Copy the key").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("I have kept the key")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(admin.row("Demo & fils")).to_contain_text("typed")
    expect(page.get_by_role("button", name="New key")).to_be_focused()

    more = page.get_by_role("button", name="More actions on key").first
    more.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="See its usage")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(more).to_be_focused()
