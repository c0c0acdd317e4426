"""The built pages: no inline code, no files from other hosts, and a maximum size."""

import gzip
import os
import re
from pathlib import Path

import pytest

from edge.pages.routes import PAGES

DIST = Path(__file__).parents[2] / "web" / "dist"
MAX_PAGE_BYTES = 1_500_000
MAX_BYTES_WITH_THE_MAP, MAX_BYTES = 800_000, 300_000
"""Of the pages for work, as a browser loads them."""
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


def test_pages_for_work_are_light(pages: dict[str, str]) -> None:
    playground = _assets_of(pages["/playground"])
    of_the_map = {name for name in playground if re.match("LandMap-|maplibre-", name)}
    assert of_the_map
    assert sum(map(_compressed_bytes, playground)) <= MAX_BYTES_WITH_THE_MAP
    assert sum(map(_compressed_bytes, playground - of_the_map)) <= MAX_BYTES
    assert sum(map(_compressed_bytes, _assets_of(pages["/admin"]))) <= MAX_BYTES


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
    """The size in Brotli, which the build writes for longer texts, or in gzip."""
    asset = DIST / "assets" / name
    brotli = asset.with_name(f"{name}.br")
    return brotli.stat().st_size if brotli.is_file() else len(gzip.compress(asset.read_bytes()))
