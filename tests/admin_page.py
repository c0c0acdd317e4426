"""Page object of the admin page. It finds elements by their visible text, never by their structure."""

import re
import time
from dataclasses import dataclass

import httpx
from playwright.sync_api import Locator, Page, StorageState, expect

from browsing import copied

EMAIL, PASSWORD = "olive@example.org", "a long enough password"


@dataclass(frozen=True)
class Account:
    """An admin, and the storage state of a browser with the admin signed in."""

    email: str
    password: str
    state: StorageState


@dataclass(frozen=True)
class AdminPage:
    """The page in English."""

    page: Page

    def set_up(self, token: str, email: str = EMAIL, password: str = PASSWORD) -> None:
        page = self.page
        page.get_by_label("Setup token").fill(token)
        page.get_by_label("Email address").fill(email)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_label("Password again").fill(password)
        page.get_by_role("button", name="Create the account").click()

    def sign_in(self, email: str = EMAIL, password: str = PASSWORD) -> None:
        self.page.get_by_label("Email address").fill(email)
        self.page.get_by_label("Password", exact=True).fill(password)
        self.page.get_by_role("button", name="Sign in").click()

    def sign_out(self) -> None:
        self.page.get_by_role("button", name="Account").click()
        self.page.get_by_role("menuitem", name="Sign out").click()
        expect(self.page.get_by_role("heading", name="Sign in")).to_be_visible()

    def go(self, section: str) -> None:
        self.page.get_by_role("navigation", name="Sections").get_by_role("link", name=section).click()
        title = re.compile(section.partition(" ")[0], re.IGNORECASE)
        expect(self.page.get_by_role("heading", level=1, name=title)).to_be_visible()

    def table(self, name: str = "API keys") -> Locator:
        return self.page.get_by_role("table", name=name)

    def row(self, text: str, table: str = "API keys") -> Locator:
        return self.table(table).get_by_role("row").filter(has_text=text)

    def open_new_key(self) -> Locator:
        self.page.get_by_role("button", name="New key").first.click()
        return self.page.get_by_role("dialog", name="New key")

    def create_key(self, partner: str, label: str, plan: str | None = None) -> str:
        """Creates a key. Returns its secret, which the page shows once."""
        dialog = self.open_new_key()
        dialog.get_by_label("Partner").fill(partner)
        dialog.get_by_label("Label").fill(label)
        if plan is not None:
            self.choose(dialog.get_by_label("Pricing"), "A named plan")
            self.choose(dialog.get_by_label("Plan", exact=True), plan)
        dialog.get_by_role("button", name="Create the key").click()
        shown = self.page.get_by_role("dialog", name="Here is the key")
        return shown.get_by_test_id("secret").inner_text()

    def keep_secret(self) -> str:
        """Copies the visible secret and closes the dialog. Returns the content of the clipboard."""
        shown = self.page.get_by_role("dialog", name="Here is the key")
        secret = copied(shown.get_by_role("button", name="Copy the key"))
        expect(shown.get_by_role("button", name="Copied")).to_be_visible()
        shown.get_by_role("button", name="Done").click()
        expect(shown).to_be_hidden()
        return secret

    def choose(self, field: Locator, option: str) -> None:
        field.click()
        self.page.get_by_role("option", name=option).click()

    def do(self, key_id: str, action: str) -> None:
        """Selects an action in a key's menu."""
        self.page.get_by_role("button", name=f"More actions on key {key_id}").click()
        self.page.get_by_role("menuitem", name=action).click()

    def revoke(self, key_id: str) -> None:
        self.do(key_id, "Revoke")
        dialog = self.page.get_by_role("dialog", name="Revoke this key?")
        dialog.get_by_label(f"Type {key_id} to confirm").fill(key_id)
        dialog.get_by_role("button", name="Revoke").click()
        expect(dialog).to_be_hidden()


def wait_until_counted(admin_api: httpx.Client, key_id: str, requests: int) -> None:
    """Waits until keys has counted `requests` requests besides tiles, since outcomes arrive with a delay."""
    for _ in range(600):
        report = admin_api.get("/usage", params={"key_id": key_id}).raise_for_status().json()
        counted = sum(endpoint["requests"] for endpoint in report["endpoints"] if endpoint["endpoint"] != "tiles")
        if counted >= requests:
            return
        time.sleep(0.1)
    raise AssertionError(f"{counted} of {requests} requests are counted")
