"""The frame that all pages share."""

import pytest
from playwright.sync_api import Page, expect

from browsing import Visitor

pytestmark = pytest.mark.browser


def test_language_and_appearance_default_to_the_browser_and_are_stored(visit: Visitor) -> None:
    page = visit("/playground", locale="fr-FR", scheme="dark")
    assert _root(page) == ("fr", "dark")
    page.get_by_role("button", name="Langue").click()
    page.get_by_role("menuitem", name="English").click()
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("menuitem", name="Light").click()
    assert _root(page) == ("en", "light")
    page.reload()
    expect(page.get_by_role("button", name="Appearance")).to_be_visible()
    assert _root(page) == ("en", "light")


def test_the_first_tab_stop_skips_the_header(visit: Visitor) -> None:
    page = visit("/playground")
    expect(page.get_by_role("main")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def _root(page: Page) -> tuple[str, str]:
    root = page.locator("html[data-mantine-color-scheme]")
    return str(root.get_attribute("lang")), str(root.get_attribute("data-mantine-color-scheme"))
