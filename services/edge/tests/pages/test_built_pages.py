"""The built pages: no inline code, no files from other hosts, and a maximum size."""

import gzip
import re
from functools import cache
from pathlib import Path

import pytest
from page_weights import files_of, files_of_map, weight_of

import needs
from edge.pages.routes import PAGES

DIST = Path(__file__).parents[2] / "web" / "dist"
MAX_PAGE_BYTES = 1_500_000
MAX_FIRST_BYTES = {"home": 150_000, "404": 150_000, "docs": 150_000, "terrain": 225_000, "playground": 225_000}
MAX_FIRST_BYTES_OF_ADMIN, MAX_BYTES_WITH_MAP = 275_000, 600_000
_ASSET = re.compile(r"[\w.-]+-[\w-]{8}\.\w+")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    if not DIST.is_dir():
        needs.missing("the built pages (make pages)")
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


@pytest.mark.parametrize("page", sorted({file for _, file in PAGES.values()} | {"404/index.html"}))
def test_a_page_is_complete_after_few_bytes(pages: dict[str, str], page: str) -> None:
    files = files_of(page)
    assert sum(path.suffix == ".js" for path in files) >= 3, "the page's own script, the frame and the library"
    assert weight_of(files).gzip <= MAX_FIRST_BYTES.get(page.partition("/")[0], MAX_FIRST_BYTES_OF_ADMIN)


@pytest.mark.parametrize("page_file", ["playground/index.html", "terrain/index.html"])
def test_the_map_adds_few_bytes(pages: dict[str, str], page_file: str) -> None:
    page = files_of(page_file)
    assert files_of_map() - page, "the map is loaded on demand"
    assert weight_of(page | files_of_map()).gzip <= MAX_BYTES_WITH_MAP


def _assets_of(html: str) -> set[str]:
    """Names of the assets of a page, including those that its assets load."""
    asset_names = {path.name for path in (DIST / "assets").iterdir()}
    loaded: set[str] = set()
    texts = [html]
    while texts:
        new = set(_ASSET.findall(texts.pop())) & asset_names - loaded
        loaded |= new
        texts += [(DIST / "assets" / name).read_text(errors="replace") for name in new]
    return loaded


@cache
def _compressed_bytes(name: str) -> int:
    return len(gzip.compress((DIST / "assets" / name).read_bytes()))
