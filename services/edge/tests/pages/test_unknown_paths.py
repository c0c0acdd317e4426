"""Paths without a route: HTML for browsers outside the API, JSON for everyone else, and redirects of slashes."""

from pathlib import Path
from typing import Any

import pytest
from running_edge import Edge, StartEdge

from edge.pages.routes import PAGES
from edge.pages.unknown_paths import NOT_FOUND_FILE

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
HTML = "<!doctype html><title>404</title>"


@pytest.fixture
async def edge(start_edge: StartEdge, tmp_path: Path) -> Any:
    (tmp_path / "404").mkdir()
    (tmp_path / NOT_FOUND_FILE).write_text(HTML)
    async with start_edge(web_dir=tmp_path) as edge:
        yield edge


@pytest.mark.parametrize(
    ("path", "accept", "status", "is_html"),
    [
        ("/nothing", BROWSER, 404, True),
        ("/nothing/", BROWSER, 404, True),
        ("/api/docs/nothing", BROWSER, 404, True),
        ("/nothing", "*/*", 404, False),
        ("/nothing", "application/json, text/html;q=0.5", 404, False),
        ("/assets/nothing.js", BROWSER, 404, False),
        ("/api/nothing", BROWSER, 404, False),
        ("/api/v1/nothing", BROWSER, 401, False),
        ("/api/v1/health/", BROWSER, 401, False),
    ],
)
async def test_only_a_browser_outside_the_api_gets_html(
    edge: Edge, path: str, accept: str, status: int, is_html: bool
) -> None:
    response = await edge.client.get(path, headers={"accept": accept})
    assert response.status_code == status
    assert (response.text == HTML) is is_html
    assert is_html or response.json()["status"] == status
    assert ("accept," in response.headers["vary"]) is is_html
    assert "accept-language" in response.headers["vary"]
    assert "script-src 'self'" in response.headers["content-security-policy"]


@pytest.mark.parametrize("path", [path for path, _ in PAGES.values() if path != "/"])
async def test_the_slash_at_the_end_of_a_page_redirects(edge: Edge, path: str) -> None:
    response = await edge.client.get(f"{path}/?a=1")
    assert (response.status_code, response.headers["location"]) == (308, f"{path}?a=1")
    assert (await edge.client.post(f"{path}/")).status_code == 404


async def test_without_built_pages_a_browser_gets_json(start_edge: StartEdge) -> None:
    async with start_edge(web_dir=None) as edge:
        response = await edge.client.get("/nothing", headers={"accept": BROWSER})
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
