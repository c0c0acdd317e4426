"""Visits every page and state in four widths, both appearances and both languages. Writes pictures, a contact sheet and
the faults. Needs Chromium and the built pages.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect, sync_playwright

import stacks
from admin_page import AdminPage
from browsing import CHROMIUM_ARGUMENTS, SCREENS, TIMEOUT_MS, Scheme, Visitor, Watch, chromium_path, show, take
from playground_page import TILE, TILES
from screens.checks import faults
from screens.seed import seed
from screens.sheet import Shot, contact_sheet, findings
from screens.tour import PROVOKED, Tour, settle

WIDTHS = (390, 1100, 1280, 1440)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LOCALES = {"en": "en-GB", "fr": "fr-FR"}


class Matrix:
    """The shots of all states."""

    def __init__(self, browser: Browser, url: str, options: argparse.Namespace) -> None:
        self.shots: list[Shot] = []
        self._options = options
        self._watch = Watch(urlsplit(url).netloc)
        self._watch.allow(*PROVOKED, "https://data.geopf.fr/")
        self._visitor = Visitor(browser, url, self._watch)

    def shoot_all(self, setup_token: str) -> None:
        for language in self._options.languages:
            page = self._visitor("/admin", locale=LOCALES[language])
            settle(page)
            self._shoot(page, "/admin set up", language)
            page.context.close()
        page = self._visitor("/admin")
        AdminPage(page).set_up(setup_token)
        expect(page.get_by_role("heading", name="API keys")).to_be_visible()
        state = page.context.storage_state()
        page.context.close()
        key = seed(self._visitor.url)
        durations: dict[str, list[int]] = {}
        for language in self._options.languages:
            page = self._visitor("/admin", locale=LOCALES[language])
            settle(page)
            self._shoot(page, "/admin sign in", language)
            page.context.close()
            page = self._visitor("/", locale=LOCALES[language], state=state)
            page.route(TILES, lambda route: route.fulfill(content_type="image/png", body=TILE))
            tour = Tour(page, key, durations)
            for name in tour.states():
                self._shoot(page, name, language)
            page.context.close()

    def _shoot(self, page: Page, state: str, language: str) -> None:
        if not re.search(self._options.only, state):
            return
        for number, (width, scheme) in enumerate(self._looks()):
            show(page, width, scheme)
            page.evaluate("() => scrollTo(0, 0)")
            name = re.sub(r"\W+", "-", state).strip("-") or "home"
            file = f"{name}-{language}-{width}-{scheme}.png"
            shot_faults = list(faults(page))
            if number == 0:
                shot_faults += self._watch.unexpected()
                self._watch.messages.clear()
                self._watch.foreign.clear()
            take(page, self._options.folder / file)
            self.shots.append(Shot(state, language, width, scheme, file, tuple(shot_faults)))
        show(page, 1280)
        shown = self.shots[-number - 1 :]
        sys.stdout.write("\n  ".join([f"{language} {state}", *findings(shown)]) + "\n")
        sys.stdout.flush()

    def _looks(self) -> Iterator[tuple[int, Scheme]]:
        return ((width, scheme) for scheme in self._options.schemes for width in self._options.widths)


def main() -> int:
    """Returns 1 if there are faults."""
    command = argparse.ArgumentParser(description=__doc__)
    command.add_argument("--only", default="", help="expression for the names of states, such as /admin")
    command.add_argument("--languages", nargs="+", choices=LOCALES, default=list(LOCALES))
    command.add_argument("--widths", nargs="+", type=int, default=WIDTHS)
    command.add_argument("--schemes", nargs="+", choices=SCHEMES, default=SCHEMES)
    command.add_argument("--folder", type=Path, default=SCREENS / "matrix")
    options = command.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=TIMEOUT_MS)
    with (
        tempfile.TemporaryDirectory(prefix="screens-") as folder,
        stacks.embedded(Path(folder), stacks.PATIENT) as service,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_ARGUMENTS)
        matrix = Matrix(browser, service.url, options)
        try:
            matrix.shoot_all(service.record()["setup_token"])
        finally:
            (options.folder / "index.html").write_text(contact_sheet(matrix.shots), encoding="utf-8")
            browser.close()
    shot_findings = findings(matrix.shots)
    sys.stdout.write(f"{len(matrix.shots)} screens, {len(shot_findings)} faults: {options.folder}/index.html\n")
    return 1 if shot_findings else 0


if __name__ == "__main__":
    sys.exit(main())
