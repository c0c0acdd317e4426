"""The built pages: no inline code, no files from other hosts, and a maximum size."""

import gzip
import os
import re
from pathlib import Path

import pytest

from edge.pages.routes import PAGES

DIST = Path(__file__).parents[2] / "web" / "dist"
MAX_PAGE_BYTES = 1_500_000
_ASSET = re.compile(r"[\w.-]+-[\w-]{8}\.\w+")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    if not DIST.is_dir():
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail("the pages are not built: make pages")
        pytest.skip("the pages are not built here")
    return {path: (DIST / file).read_text() for path, file in PAGES.values()}


def test_no_page_has_inline_code_or_files_from_other_hosts(pages: dict[str, str]) -> None:
    for html in pages.values():
        assert not re.search(r"<script(?![^>]*\bsrc=)", html), "an inline script"
        assert not re.search(r"<style|\sstyle=|\son\w+=", html), "inline style or handler"
        addresses = re.findall(r'(?:src|href)="([^"]+)"', html)
        assert any(address.endswith(".js") for address in addresses)
        for address in addresses:
            assert address.startswith(("/assets/", "/api/", "data:,")), address


def test_no_page_exceeds_the_size_limit_with_all_its_assets(pages: dict[str, str]) -> None:
    sizes = {path: sum(map(_compressed_bytes, _assets_of(html))) for path, html in pages.items()}
    assert max(sizes.values()) <= MAX_PAGE_BYTES, sizes
    assert min(sizes.values()) > 0


def _assets_of(html: str) -> set[str]:
    """Names of the assets of a page, including those that its assets load."""
    known = {path.name for path in (DIST / "assets").iterdir()}
    found: set[str] = set()
    texts = [html]
    while texts:
        new = set(_ASSET.findall(texts.pop())) & known - found
        found |= new
        texts += [(DIST / "assets" / name).read_text(errors="replace") for name in new]
    return found


def _compressed_bytes(name: str) -> int:
    return len(gzip.compress((DIST / "assets" / name).read_bytes()))
