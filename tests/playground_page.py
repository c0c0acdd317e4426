"""Page object of the playground: the developer's view, and the page for people that shows the same requests."""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from browsing import Visitor, look

TILES = "https://data.geopf.fr/**"
TILE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="
)
"""An image of one pixel."""
SOFTWARE_GRAPHICS = "GL Driver Message"
"""Chromium's console message if it renders the map without a graphics card."""


@dataclass
class PlaygroundPage:
    page: Page

    @classmethod
    def open(cls, visit: Visitor, secret: str, endpoint: str = "resolve") -> "PlaygroundPage":
        """Opens it in English, with the key filled in."""
        visit.watch.allow(SOFTWARE_GRAPHICS)
        page = visit(f"/playground#{endpoint}")
        page.get_by_label("API key").fill(secret)
        return cls(page)

    def body(self) -> str:
        return self.page.get_by_label("Request body").input_value()

    def write(self, body: str) -> None:
        self.page.get_by_label("Request body").fill(body)

    def choose(self, request: str) -> None:
        """Changes to another request, and waits until the page shows it: what is written before goes to the old one."""
        link = self.page.get_by_role("link", name=request)
        link.click()
        expect(link).to_have_attribute("aria-current", "true")

    def send(self, status: int = 200) -> None:
        """Sends the request and waits for an answer with this status."""
        self.page.get_by_role("button", name="Send").click()
        expect(self.page.get_by_role("button", name="Cancel")).to_be_hidden()
        expect(self.page.get_by_test_id("status")).to_have_text(str(status))

    def show_to_people(self) -> None:
        """Changes to the page for people."""
        self.page.get_by_role("link", name="For everyone").click()

    def expect_problem(self, code: str) -> None:
        expect(self.page.get_by_role("alert")).to_contain_text(code)

    def expect_on_map(self, kind: str) -> None:
        """Checks the map's own list of visible features."""
        expect(self.page.get_by_test_id("map")).to_have_attribute("data-shows", re.compile(rf"\b{kind}\b"))

    def look(self, name: str) -> None:
        self.page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
        look(self.page, f"playground-{name}")


Open = Callable[..., PlaygroundPage]
"""Opens the playground at an endpoint."""
