"""The states of all pages. They are found on the pages: a new section, tab or dialog needs no change here.

Pages come from the edge's list. The pages themselves give the endpoints of the playground, the sections of the
administration, their tabs, and the dialogs and menus of their buttons. Their order is the same in all languages.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as Late

from edge.pages.routes import PAGES
from playground_page import SOFTWARE_GRAPHICS

SPECIAL = ("/playground", "/admin")
"""Pages with several states."""
MISSING = "/nowhere"
OPENS_WITHIN_MS = 1_500
OPENED = "[role=dialog]:visible, [role=alertdialog]:visible, [role=menu]:visible"
_FIRST_SECTION = "#/keys"
"""Only there are the buttons of the header tried."""
_PLACE = """each => {
  const row = each.closest('tr, li');
  if (row === null) return [...document.querySelectorAll('button')].indexOf(each);
  const parts = [...row.querySelectorAll('button')].filter(other => other.checkVisibility());
  const table = [...document.querySelectorAll('table, ul, ol')].indexOf(row.closest('table, ul, ol'));
  return `row of ${table} with ${parts.length}: ${parts.indexOf(each)}`;
}"""
"""Equal for buttons of different rows that do the same."""
_LOADING = re.compile(r"^(Loading|Chargement).*…$")


def settle(page: Page) -> None:
    """Waits until the page has its content."""
    page.wait_for_load_state("networkidle")
    expect(page.locator("main")).to_be_visible()
    expect(page.get_by_text(_LOADING)).to_have_count(0)
    expect(page.locator("[data-testid=map]:not([data-idle]), [aria-busy=true]")).to_have_count(0)


@dataclass
class Tour:
    """One language. `page` is signed in as an owner; `productive` has the buttons of the first language that change
    something."""

    page: Page
    key: str
    productive: dict[str, list[int]] = field(default_factory=dict)

    def states(self) -> Iterator[str]:
        """The name of each state while the page shows it."""
        for path, _ in PAGES.values():
            if path not in SPECIAL:
                yield from self._at(path, path)
        yield from self._at(MISSING, MISSING)
        yield from self._playground()
        yield from self._administration()

    def _at(self, path: str, name: str) -> Iterator[str]:
        self.page.goto("about:blank")  # an address that differs in its fragment alone would keep the page
        self.page.goto(path)
        settle(self.page)
        yield name

    def _playground(self) -> Iterator[str]:
        page = self.page
        page.goto("/playground")
        settle(page)
        for endpoint in _addresses(page.locator("main nav").last):
            yield from self._at(f"/playground{endpoint}", f"/playground{endpoint}")
            page.locator("main input[type=password]").first.fill(self.key)
            page.locator("main button[type=submit]").first.click()
            settle(page)
            yield f"/playground{endpoint} answer"
            self._unfold()
            yield f"/playground{endpoint} answer, unfolded"
            page.locator("main nav a").first.click()
            settle(page)
            yield f"/terrain of /playground{endpoint}"
            dossier = page.locator("main a[href='#dossier']")
            if dossier.count():
                dossier.first.click()
                settle(page)
                yield f"dossier of /playground{endpoint}"

    def _administration(self) -> Iterator[str]:
        page = self.page
        page.goto("/admin")
        settle(page)
        sections = _addresses(page.locator("header nav, nav").filter(has=page.locator("a[href^='#/']")).first)
        items = []
        for section in sections:
            page.goto(f"/admin{section}")
            settle(page)
            items += [address for address in _addresses(page.locator("main")) if address.count("/") > 1][:1]
        for section in dict.fromkeys([*sections, *items]):
            address = f"/admin{section}"
            name = re.sub(r"(?<=/)\w*\d\w*$", "ID", address)
            yield from self._at(address, name)
            yield from self._opened(address, name)
            for number in range(1, page.locator("main [role=tab]").count()):
                self._tab(address, number)
                yield f"{name} tab {number + 1}"
                if page.locator("main details:not([open])").count():
                    self._unfold()
                    yield f"{name} tab {number + 1}, unfolded"

    def _tab(self, address: str, number: int) -> None:
        next(self._at(address, ""))
        self.page.locator("main [role=tab]").nth(number).click()
        settle(self.page)

    def _unfold(self) -> None:
        self.page.evaluate("() => document.querySelectorAll('main details').forEach(each => { each.open = true })")
        settle(self.page)

    def _opened(self, address: str, name: str) -> Iterator[str]:
        """The dialogs and menus that the buttons of a section open, and the dialogs of the entries of menus."""
        numbers = self.productive.get(name)
        productive: list[int] = []
        for number in range(len(self._buttons())) if numbers is None else numbers:
            if not self._opens(self._buttons(), number):
                next(self._at(address, ""))
                continue
            productive.append(number)
            yield f"{name} button {number + 1}"
            for entry in range(self._entries(number)):
                next(self._at(address, ""))
                self._opens(self._buttons(), number)
                if self._opens(self.page.locator("[role=menu]:visible [role=menuitem]").all(), entry, "[role=dialog]"):
                    yield f"{name} button {number + 1}, entry {entry + 1}"
            next(self._at(address, ""))
        self.productive[name] = productive

    def _entries(self, number: int) -> int:
        """The number of entries to try of the open menu of this button.

        In the header, only those of the account, without the last one, which signs out: the others change the look.
        """
        entries = self.page.locator("[role=menu]:visible [role=menuitem]").count()
        in_header = self.page.locator("header button:visible").count() if self.page.url.endswith(_FIRST_SECTION) else 0
        return entries if number >= in_header else entries - 1 if number == in_header - 1 else 0

    def _buttons(self) -> list[Locator]:
        """The buttons of the page, and those of the first row of each table or list that has so many."""
        within = "header, main" if self.page.url.endswith(_FIRST_SECTION) else "main"
        controls: dict[str, Locator] = {}
        for button in self.page.locator(within).locator("button:visible:enabled:not([role], [data-look])").all():
            controls.setdefault(str(button.evaluate(_PLACE)), button)
        return list(controls.values())

    def _opens(self, buttons: list[Locator], number: int, what: str = OPENED) -> bool:
        if number >= len(buttons):
            return False
        buttons[number].click()
        try:
            self.page.locator(what).first.wait_for(timeout=OPENS_WITHIN_MS)
        except Late:
            return False
        settle(self.page)
        return True


def _addresses(within: Locator) -> list[str]:
    """The fragments that links lead to, each once."""
    anchors: list[str] = within.locator("a[href^='#']").evaluate_all(
        "links => links.map(each => each.getAttribute('href'))"
    )
    return list(dict.fromkeys(anchors))


PROVOKED = (SOFTWARE_GRAPHICS,)
"""Console messages that a state provokes."""
