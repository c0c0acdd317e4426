"""Visits to the pages, with the checks of every visit: the console, the network log, axe, and screenshots."""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, StorageState
from playwright.sync_api import Error as PlaywrightError

from stacks import REPOSITORY

WEB = REPOSITORY / "services" / "edge" / "web"
SCREENS = Path(os.environ.get("SCREENS_DIR") or REPOSITORY / "var" / "screens")
"""Folder of the screenshots; not in git."""
_IS_PHOTOGRAPHED = os.environ.get("SCREENS_DIR") != ""
"""CI sets an empty folder: nobody looks at its screenshots, which take a fifth of the browser tests' processor time."""

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",  # CI containers run as root
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
)

WIDE, NARROW = 1280, 360
Scheme = Literal["light", "dark"]
_CHECKED: tuple[tuple[int, Scheme], ...] = ((NARROW, "dark"), (WIDE, "light"))
"""Each theme once, each width once."""
_PHOTOGRAPHED: tuple[tuple[int, Scheme], ...] = ((NARROW, "light"), (NARROW, "dark"), (WIDE, "dark"), (WIDE, "light"))
_HEIGHT, _DIALOG_HEIGHT, _MAX_HEIGHT = 800, 1500, 2600
TIMEOUT_MS = 60_000
"""Timeout of an action and of an expectation, long enough for a busy machine."""
_SERIOUS = frozenset({"serious", "critical"})
_LOCAL_SCHEMES = frozenset({"data", "blob", "about"})
_REFUSED = re.compile(r"Failed to load resource: the server responded with a status of (4\d\d|50[34])\b")
"""The browser's console message about an error answer that the page handles. A busy service answers some reads with
503 or 504, which pages repeat.
"""
_NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
"""The browser drops new connections while Docker makes or removes a network."""
_SENDS_AGAIN = """(() => {
  const once = window.fetch;
  window.fetch = (...request) => once(...request).catch(error => {
    if (error instanceof TypeError) return once(...request);
    throw error;
  });
})()"""
"""Repeats once a request that got no answer because the browser dropped its connection. Pages do not repeat a
change: it may have been made. An outage that a test provokes also meets the second request.
"""
_API = "/api/"
_BREAKING_SPACES = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const isFrench = parentElement.closest('[lang]').lang === 'fr' && !parentElement.closest('code, pre, textarea');
    if (isFrench && / [;!?%€»](?!\\w)| :(?![\\w:/-])|« |\\d\\.\\d+\\s(m²?|€|%)(?!\\w)/.test(data)) found.push(data);
  }
  return found;
}"""
"""French texts with a space that may break a line before `: ; ! ? % €` or inside guillemets, or a decimal point."""
PAPER = {"auto": 680, "wide": 1031, "statement": 657}
"""Width of A4 within the margins of each named page of the style sheets, in pixels of CSS."""
_ON_PAPER = """() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const name = (each) => each.outerHTML.slice(0, 200);
  const canvas = document.createElement('div');
  canvas.style.background = 'var(--mantine-color-body)';
  document.body.append(canvas);
  const ground = getComputedStyle(canvas).backgroundColor;
  canvas.remove();
  return {
    controls: shown('nav, [role=banner], [role=tab], button').filter((each) => !each.closest('table')).map(name),
    cut: shown('main :is(h1, p, table, th, td, pre, svg, li)')
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map(name),
    ink: getComputedStyle(document.querySelector('main h1, main h2')).color,
    ground,
  };
}"""
_IS_TAKEN_OVER = "() => document.getElementById('static') === null"
"""A script has replaced the text that the service sent with a document."""
_IS_AT_REST = """() => !document.querySelector('[aria-busy=true]') && document.getAnimations().every(
  each => each.playState !== 'running' || each.effect.getComputedTiming().iterations === Infinity
)"""
"""Nothing moves, and no table waits for other rows: it would be pale."""


def chromium_path() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")


@dataclass
class Watch:
    """Records the console messages and requests of a test's pages. `allow` names those that the test provokes."""

    host: str
    log: list[str] = field(default_factory=list)
    """All console messages and failed requests."""
    messages: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.messages.append(f"uncaught: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", lambda request: self.log.append(f"{request.method} {request.url}: {request.failure}"))

    def allow(self, *parts: str) -> None:
        """Expects console messages and addresses that contain one of these texts."""
        self.allowed += parts

    def forget(self, part: str) -> bool:
        """Whether a console message contains this text. Drops those that do."""
        count = len(self.messages)
        self.messages = [text for text in self.messages if part not in text]
        return len(self.messages) < count

    def check(self) -> None:
        """Raises AssertionError with the console messages and requests to other hosts that no test expects."""
        assert self.unexpected() == []

    def unexpected(self) -> list[str]:
        """Console messages and requests to other hosts that no test expects."""
        return [text for text in (*self.messages, *self.foreign) if not any(part in text for part in self.allowed)]

    def _console(self, message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        self.log.append(f"{message.type}: {message.text} ({url})")
        is_repeated = message.text.endswith(_NETWORK_CHANGED) and urlsplit(url).path.startswith(_API)
        if message.type in ("error", "warning") and not is_repeated and not _REFUSED.match(message.text):
            self.messages.append(f"{message.type}: {message.text} ({url})")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in _LOCAL_SCHEMES and address.netloc != self.host:
            self.foreign.append(request.url)


@dataclass
class Visitor:
    """Opens pages of the service, each in a new browser profile, and records all of them."""

    browser: Browser
    url: str
    watch: Watch
    contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        path: str,
        *,
        width: int = WIDE,
        scheme: Scheme = "light",
        locale: str = "en-GB",
        state: StorageState | None = None,
    ) -> Page:
        """Opens `path` in a new profile. `state` is the storage state of a signed-in profile (see `owner`)."""
        context = self.browser.new_context(
            base_url=self.url,
            viewport={"width": width, "height": _HEIGHT},
            color_scheme=scheme,
            locale=locale,
            timezone_id="Europe/Paris",
            storage_state=state,
            permissions=["clipboard-read", "clipboard-write"],
            reduced_motion="reduce",
        )
        context.set_default_timeout(TIMEOUT_MS)
        context.add_init_script(_SENDS_AGAIN)
        self.contexts.append(context)
        context.on("page", self._prepare)
        page = context.new_page()
        page.goto(path)
        page.wait_for_function(_IS_TAKEN_OVER)
        while self.watch.forget(_NETWORK_CHANGED):
            page.reload()
        return page

    def _prepare(self, page: Page) -> None:
        """Runs for each page of a profile, also one that another page opens."""
        self.watch.follow(page)
        for method in ("goto", "reload"):
            setattr(page, method, _repeated_once(getattr(page, method)))


def _repeated_once(arrive: Callable[..., Any]) -> Callable[..., Any]:
    """Calls `arrive` again if the browser dropped its connection."""

    def repeated(*arguments: Any, **options: Any) -> Any:
        try:
            return arrive(*arguments, **options)
        except PlaywrightError as error:
            if _NETWORK_CHANGED not in error.message:
                raise
            return arrive(*arguments, **options)

    return repeated


def look(page: Page, name: str) -> None:
    """Checks the page in both themes and two widths, with axe too. Takes screenshots. Ends with a wide, light page."""
    for width, scheme in _each_look(page, name):
        if (width, scheme) in _CHECKED:
            assert_accessible(page, f"{name} at {width}, {scheme}")


def photograph(page: Page, name: str) -> None:
    """Looks like `look`, without axe, for a screen that axe has checked in another language."""
    for _ in _each_look(page, name):
        pass


def _each_look(page: Page, name: str) -> Iterator[tuple[int, Scheme]]:
    SCREENS.mkdir(parents=True, exist_ok=True)
    for width, scheme in _PHOTOGRAPHED if _IS_PHOTOGRAPHED else _CHECKED:
        show(page, width, scheme)
        page.evaluate("() => scrollTo(0, 0)")
        if _IS_PHOTOGRAPHED:
            take(page, SCREENS / f"{name}-{width}-{scheme}.png")
        assert_fits(page, f"{name} at {width}")
        yield width, scheme
    assert_typeset(page)


def take(page: Page, path: Path) -> None:
    """Takes the page up to a maximum height, or a dialog in a window of its height."""
    width = page.evaluate("() => innerWidth")
    if page.get_by_role("dialog").count():
        page.set_viewport_size({"width": width, "height": _DIALOG_HEIGHT})
        page.screenshot(path=path)
        return
    height = min(page.evaluate("() => document.documentElement.scrollHeight"), _MAX_HEIGHT)
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})


def assert_prints(page: Page, what: str) -> None:
    """Checks the page on paper, from a dark screen: black on white, no controls, and nothing wider than the paper."""
    show(page, PAPER["auto"], "dark")
    page.emulate_media(media="print")
    paper = page.evaluate("() => getComputedStyle(document.body).page")
    page.set_viewport_size({"width": PAPER[paper], "height": _HEIGHT})
    layout: dict[str, Any] = page.evaluate(_ON_PAPER)
    page.emulate_media(media="screen")
    show(page, WIDE)
    assert not layout["controls"], f"{what} prints controls: {layout['controls']}"
    assert not layout["cut"], f"{what} is wider than {PAPER[paper]} px: {layout['cut']}"
    assert (layout["ink"], layout["ground"]) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)"), what


def print_pages(page: Page, name: str) -> int:
    """Prints the page as its style sheets say, to a PDF beside the screenshots. Returns the number of its pages."""
    page.emulate_media(media="print")
    printed = page.pdf(prefer_css_page_size=True)
    page.emulate_media(media="screen")
    if _IS_PHOTOGRAPHED:
        SCREENS.mkdir(parents=True, exist_ok=True)
        (SCREENS / f"{name}.pdf").write_bytes(printed)
    return len(re.findall(rb"/Type\s*/Page\b", printed))


def show(page: Page, width: int, scheme: Scheme = "light") -> None:
    page.set_viewport_size({"width": width, "height": _HEIGHT})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_function(
        "scheme => document.documentElement.dataset.mantineColorScheme === scheme || !document.querySelector('#page')",
        arg=scheme,
    )
    page.wait_for_function(_IS_AT_REST)


def copied(button: Locator) -> str:
    """The text that a click of the button puts into the clipboard."""
    button.page.evaluate("() => navigator.clipboard.writeText('')")
    button.click()
    return str(button.page.wait_for_function("() => navigator.clipboard.readText()").json_value())


def assert_fits(page: Page, what: str) -> None:
    """Checks that the page does not scroll horizontally. A wide table scrolls inside its frame."""
    size = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert size[0] <= size[1], f"{what} is {size[0]} px wide on {size[1]}"


def assert_typeset(page: Page) -> None:
    assert (faults := untypeset(page)) == [], faults


def untypeset(page: Page) -> list[str]:
    """French texts of the page with a fault of typography, without code."""
    texts: list[str] = page.evaluate(_BREAKING_SPACES)
    return texts


def assert_accessible(page: Page, what: str) -> None:
    faults = violations(page)
    assert not faults, f"{what}: {json.dumps(faults, indent=1, ensure_ascii=False)}"


def violations(page: Page) -> list[dict[str, Any]]:
    """The rules of axe that the page violates seriously, with the elements."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate((WEB / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    report: dict[str, Any] = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
    return [
        {
            "rule": violation["id"],
            "nodes": [{"html": node["html"], "why": node["failureSummary"]} for node in violation["nodes"]],
        }
        for violation in report["violations"]
        if violation["impact"] in _SERIOUS
    ]
