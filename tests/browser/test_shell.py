"""The frame that all pages share, the home page, and the page for unknown addresses."""

import pytest
from playwright.sync_api import Page, expect

from browsing import Visitor, assert_prints, look

pytestmark = pytest.mark.browser


def test_the_home_page_leads_to_the_others_and_draws_an_answer_without_a_key(visit: Visitor) -> None:
    page = visit("/")
    expect(page).to_have_title("Land for partners")
    expect(page.get_by_role("img", name="Plan of the parcel, its buildings and 2 proposed lots")).to_be_visible()
    expect(page.get_by_text("Everything works")).to_be_visible()
    look(page, "home")
    assert_prints(page, "the home page")
    doors = page.get_by_role("navigation", name="Where to go").get_by_role("link")
    assert [door.get_attribute("href") for door in doors.all()] == ["/terrain", "/api/docs/public"]
    expect(page.get_by_role("link", name="Administration")).to_have_attribute("href", "/admin")
    page.get_by_role("button", name="Get a key").click()
    label = page.get_by_role("link", name="Study land with this key").locator("span").last
    assert label.evaluate("label => label.scrollWidth <= label.clientWidth"), "the label is whole"
    label.click()
    expect(page.get_by_role("button", name="I have a key")).to_be_visible()
    page.go_back()
    doors.first.click()
    expect(page).to_have_title("A piece of land · Land for partners")


def test_an_unknown_address_shows_a_page_that_leads_home(visit: Visitor) -> None:
    page = visit("/nowhere", locale="fr-FR")
    expect(page).to_have_title("Cette page n’existe pas · Foncier partenaires")
    look(page, "not-found")
    page.get_by_role("link", name="Aller à l’accueil").click()
    expect(page.get_by_role("heading", level=1, name="Les données d’un terrain")).to_be_visible()


def test_language_and_appearance_default_to_the_browser_and_are_stored(visit: Visitor) -> None:
    page = visit("/playground", locale="fr-FR", scheme="dark")
    _expect_root(page, "fr", "dark")
    page.get_by_role("button", name="English").click()
    page.get_by_role("button", name="Appearance, As the system").click()
    _expect_root(page, "en", "light")
    page.reload()
    expect(page.get_by_role("button", name="Appearance, Light")).to_be_visible()
    _expect_root(page, "en", "light")


def test_the_first_tab_stop_skips_the_header(visit: Visitor) -> None:
    page = visit("/playground")
    expect(page.get_by_role("main")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


def _expect_root(page: Page, language: str, scheme: str) -> None:
    expect(page.locator(f"html[lang={language}][data-mantine-color-scheme={scheme}]")).to_be_attached()
