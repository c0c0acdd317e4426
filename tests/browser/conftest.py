"""The pages in a real Chromium, with a separate service that the tests set up through the admin page."""

import contextlib
from collections.abc import Generator, Iterator
from functools import partial
from urllib.parse import urlsplit

import httpx
import pytest
from identity_provider import IdentityProvider, identity_provider
from playwright.sync_api import Browser, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

import stacks
from admin_page import EMAIL, PASSWORD, Account, AdminPage
from browsing import CHROMIUM_ARGUMENTS, TIMEOUT_MS, WEB, Visitor, Watch, chromium_path, look
from needs import missing
from playground_page import Open, PlaygroundPage


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what the pages show and what the console said to the report of a failed test."""
    report = yield
    visitor = getattr(item, "funcargs", {}).get("visit")
    if report.failed and isinstance(visitor, Visitor):
        report.sections.append(("console", "\n".join(visitor.watch.log)))
        for page in (page for context in visitor.contexts for page in context.pages):
            with contextlib.suppress(PlaywrightError):
                report.sections.append((page.url, page.locator("body").aria_snapshot(timeout=TIMEOUT_MS)))
    return report


@pytest.fixture(scope="session")
def provider() -> Iterator[IdentityProvider]:
    """The identity provider of the service."""
    with identity_provider(f"http://127.0.0.1:{stacks.free_port()}/admin") as provider:
        yield provider


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider) -> Iterator[stacks.Embedded]:
    """The service with its pages and the demo commune, only for the browser tests."""
    if not (WEB / "dist" / "admin" / "index.html").is_file():
        missing("the built pages (make pages)")
    slow_machine = {"EDGE_KEYS_DEADLINE_S": "6"}  # the browser and other tests use the same processors
    visitors = {"EDGE_VISITOR_KEYS_PER_DAY": "1000"}
    single_sign_on = {f"KEYS_{name.upper()}": value for name, value in provider.settings().items()}
    port = urlsplit(provider.redirect_uri).port
    with stacks.forked(tmp_path_factory.mktemp("browser"), slow_machine | visitors | single_sign_on, port) as stack:
        yield stack


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        missing("chromium (CHROMIUM=… names it)")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def watch(service: stacks.Embedded) -> Watch:
    return Watch(urlsplit(service.url).netloc)


@pytest.fixture
def visit(chromium: Browser, service: stacks.Embedded, watch: Watch) -> Iterator[Visitor]:
    """Opens pages. Afterwards checks that there was no console error and no request to another host."""
    visitor = Visitor(chromium, service.url, watch)
    yield visitor
    for context in visitor.contexts:
        context.close()
    watch.check()


@pytest.fixture(scope="session")
def owner(chromium: Browser, service: stacks.Embedded) -> Account:
    """The first owner, created with the setup token."""
    watch = Watch(urlsplit(service.url).netloc)
    visitor = Visitor(chromium, service.url, watch)
    page = visitor("/admin")
    expect(page.get_by_role("heading", name="First setup")).to_be_visible()
    look(page, "admin-setup")
    AdminPage(page).set_up(service.record()["setup_token"])
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    account = Account(EMAIL, PASSWORD, page.context.storage_state())
    page.context.close()
    watch.check()
    return account


@pytest.fixture
def admin(visit: Visitor, owner: Account) -> AdminPage:
    """The admin page with its owner signed in."""
    page = visit("/admin", state=owner.state)
    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    return AdminPage(page)


@pytest.fixture(scope="session")
def admin_api(service: stacks.Embedded, owner: Account) -> Iterator[httpx.Client]:
    """A client of the admin routes with an owner's bearer token, to prepare the data of a test."""
    base = f"{service.url}/api/v1/admin"
    with httpx.Client(base_url=base, timeout=60) as client:
        body = {"email": owner.email, "password": owner.password}
        csrf = client.post("/session", json=body).raise_for_status().json()["csrf_token"]
        token_response = client.post(
            "/tokens", json={"label": "browser tests", "role": "owner"}, headers={"x-csrf-token": csrf}
        )
        token = token_response.raise_for_status().json()["token"]
    with httpx.Client(base_url=base, headers={"authorization": f"Bearer {token}"}, timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def key(service: stacks.Embedded) -> str:
    return stacks.create_key(service, "playground")["secret"]


@pytest.fixture
def playground(visit: Visitor, key: str) -> Open:
    """Opens the playground at an endpoint."""
    return partial(PlaygroundPage.open, visit, key)
