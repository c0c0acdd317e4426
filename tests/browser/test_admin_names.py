"""Names that users typed are displayed as plain text."""

import httpx
import pytest
from playwright.sync_api import expect

from admin_page import AdminPage
from browsing import assert_prints, look

pytestmark = pytest.mark.browser

HTML = '<img src=x onerror="document.title=1"><b>bold</b>'
NAMES = (HTML, "🏡 Géomètres 👩🏽‍🌾 réunis 🇫🇷", "שירותי קרקע בע״מ (تجربة)", "Notaires " + "x" * 191)


def test_html_emoji_right_to_left_and_long_names_are_shown_as_text(admin: AdminPage, admin_api: httpx.Client) -> None:
    for name in NAMES:
        admin_api.post("/api-keys", json={"partner": name, "label": name}).raise_for_status()
    page = admin.page
    page.reload()
    for name in NAMES:
        row = admin.row(name)
        expect(row.get_by_title(name)).to_have_count(1)  # the partner, which may be cut
        is_cut = row.locator("td[data-column=label]").evaluate("cell => cell.scrollHeight > cell.clientHeight")
        assert not is_cut, name
        assert row.locator("img, b").count() == 0
    look(page, "admin-keys-names")
    assert_prints(page, "the keys")
    admin.row(HTML).get_by_role("link", name=HTML).click()
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name=HTML)).to_be_visible()
    expect(main.get_by_title(HTML)).to_have_count(1)  # the partner
    expect(main.get_by_role("region", name="Audit log").get_by_role("link", name=HTML)).to_have_count(1)
    assert main.locator("img, b").count() == 0
    look(page, "admin-key-details")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_role("dialog").get_by_label("Label")).to_have_value(HTML)
    page.keyboard.press("Escape")

    admin.go("Partners")
    for name in NAMES:
        expect(admin.row(name, "Partners")).to_be_visible()
    look(page, "admin-partners")
    assert page.title() == "Partners · Administration · Land for partners"
