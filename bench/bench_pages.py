"""Measures the pages in Chromium: a table of 10,000 keys, a map of 5,000 parcels, and each page on a slow network.

The service is embedded. The slow network has 400 kbit/s and 400 ms, and an empty cache. Times are those of one visit on
this machine: they are printed and nothing is compared with them.

    PYTHONPATH=deploy:tests python bench/bench_pages.py
"""

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from many_keys import write_keys
from measuring import Figures, parser
from playwright.sync_api import Browser, CDPSession, Page, Response, expect, sync_playwright

import stacks
from admin_page import AdminPage
from browsing import TIMEOUT_MS, Visitor, Watch
from landpartner.land.v1 import vector_tile_pb2
from playground_page import SOFTWARE_GRAPHICS, PlaygroundPage

KEYS, PARCELS = 10_000, 5_000
DEMO_ADDRESSES = 15_400
"""They give about 10,000 parcels."""
NEXT_PAGES = 20
BITS_PER_S, LATENCY_MS = 400_000, 400
PAGES = ("/", "/playground", "/api/docs/public", "/api/docs", "/admin", "/nowhere")
MS, MIB, KB = "ms", "MiB", "kB"
_FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_RECEIVED = """() => performance.getEntriesByType('resource').reduce((sum, each) => sum + each.transferSize, 0)
  + performance.getEntriesByType('navigation')[0].transferSize"""


class Tiles:
    """Our tiles that a page has received."""

    def __init__(self, page: Page) -> None:
        self.answers: list[Response] = []
        page.on("response", self._add)

    def _add(self, response: Response) -> None:
        if "/api/v1/tiles/" in response.url and response.status == 200:
            self.answers.append(response)

    def bytes(self) -> list[int]:
        """On the network: the edge compresses tiles."""
        return [answer.request.sizes()["responseBodySize"] for answer in self.answers]

    def parcels(self) -> int:
        ids: set[str] = set()
        for response in self.answers:
            for layer in vector_tile_pb2.Tile.FromString(response.body()).layers:
                if layer.name == "parcels":
                    key = list(layer.keys).index("id")
                    for feature in layer.features:
                        tags = dict(zip(feature.tags[::2], feature.tags[1::2], strict=True))
                        ids.add(layer.values[tags[key]].string_value)
        return len(ids)


@contextmanager
def chromium() -> Iterator[Browser]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def heap_mib(session: CDPSession) -> float:
    """What scripts keep after a collection."""
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize")) / 2**20


def since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def measure_keys(figures: Figures, service: stacks.Embedded, visit: Visitor) -> None:
    first = visit("/admin")
    AdminPage(first).set_up(service.record()["setup_token"])
    expect(first.get_by_role("heading", name="API keys")).to_be_visible()
    write_keys(service.folder, KEYS)
    page = visit("/playground", state=first.context.storage_state())
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    case, admin = f"{KEYS} keys", AdminPage(page)
    began = time.perf_counter()
    page.goto("/admin", wait_until="commit")
    expect(admin.row(f"bulk {KEYS - 1:05}")).to_be_visible()
    figures.add(case, "first row", {MS: [since(began)]})
    before = heap_mib(session)
    began = time.perf_counter()
    page.get_by_label("Search").fill("bulk 07777")
    expect(admin.table().get_by_role("row")).to_have_count(2)
    figures.add(case, "search", {MS: [since(began)]})
    page.get_by_label("Search").fill("bulk")
    took = []
    for number in range(1, NEXT_PAGES + 1):
        expect(admin.row(f"bulk {KEYS - 1 - 50 * (number - 1):05}")).to_be_visible()
        began = time.perf_counter()
        page.get_by_role("button", name="Next").click()
        expect(admin.row(f"bulk {KEYS - 1 - 50 * number:05}")).to_be_visible()
        took.append(since(began))
    figures.add(case, "next page", {MS: took})
    figures.add(case, "memory of scripts at first", {MIB: [before]})
    figures.add(case, f"memory of scripts after {NEXT_PAGES} pages", {MIB: [heap_mib(session)]})


def measure_map(figures: Figures, secret: str, visit: Visitor) -> None:
    playground = PlaygroundPage.open(visit, secret, "geojson")
    page = playground.page
    page.set_viewport_size({"width": 2560, "height": 1440})
    map_element = page.get_by_test_id("map")
    tiles = Tiles(page)
    playground.send()
    playground.expect_on_map("parcels")
    map_element.evaluate("map => { map.style.height = '1200px' }")  # a large window has room for 5,000 parcels
    idle = page.locator("[data-testid=map][data-idle]")
    while tiles.parcels() < PARCELS:
        tiles.answers.clear()
        began = time.perf_counter()
        page.get_by_role("button", name="Zoom out").click()
        page.wait_for_timeout(100)
        expect(idle).to_be_visible()
        took = since(began)
        if not tiles.answers:
            raise RuntimeError(f"the map never shows {PARCELS} parcels")
    case = f"{tiles.parcels()} parcels in the tiles"
    sizes = tiles.bytes()
    figures.add(case, "zoom out until idle", {MS: [took]})
    figures.add(case, "tiles", {"tiles": [len(sizes)]})
    figures.add(case, "all tiles", {KB: [sum(sizes) / 1000]})
    figures.add(case, "largest tile", {KB: [max(sizes) / 1000]})
    page.get_by_role("region", name="Map").focus()
    began = time.perf_counter()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(100)
    expect(idle).to_be_visible()
    figures.add(case, "pan until idle", {MS: [since(began)]})
    box = map_element.bounding_box()
    assert box is not None
    before = playground.body()
    began = time.perf_counter()
    map_element.click(position={"x": box["width"] / 2 + 100, "y": box["height"] / 2})
    expect(page.get_by_text(re.compile("(added to|removed from) the request"))).to_be_visible()
    figures.add(case, "click until selected", {MS: [since(began)]})
    if playground.body() == before:
        raise RuntimeError("a click has not changed the request")


def slow(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    speed = {"downloadThroughput": BITS_PER_S / 8, "uploadThroughput": BITS_PER_S / 8}
    session.send("Network.emulateNetworkConditions", {"offline": False, "latency": LATENCY_MS, **speed})


def measure_slow(figures: Figures, secret: str, visit: Visitor) -> None:
    for path in PAGES:
        page = visit("/api/v1/health")
        slow(page)
        began = time.perf_counter()
        page.goto(path, wait_until="commit")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        heading = since(began)
        case = f"{path}, 400 kbit/s"
        figures.add(case, "placeholder painted", {MS: [page.evaluate(_FIRST_PAINT)]})
        figures.add(case, "heading", {MS: [heading]})
        figures.add(case, "received", {KB: [page.evaluate(_RECEIVED) / 1000]})
        page.context.close()
    visit.contexts.clear()
    playground = PlaygroundPage.open(visit, secret, "geojson")
    page, sent = playground.page, list[str]()
    slow(page)
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    began = time.perf_counter()
    for _ in range(3):
        page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Sales (DVF)")).to_be_visible()
    figures.add("geojson, 400 kbit/s", "answer in words", {MS: [since(began)]})
    if not page.get_by_text("Loading the map…").is_visible():
        raise RuntimeError("the map was there before the answer")
    playground.expect_on_map("parcels")
    figures.add("geojson, 400 kbit/s", "answer on the map", {MS: [since(began)]})
    if len(sent) != 1:
        raise RuntimeError(f"the request was sent {len(sent)} times")


def main() -> int:
    options = parser(__doc__).parse_args()
    figures = Figures.of(options)
    with tempfile.TemporaryDirectory() as folder, stacks.embedded(Path(folder), stacks.PATIENT) as service:
        service.command("land", "demo", "--addresses", str(DEMO_ADDRESSES))
        secret = stacks.create_key(service, "pages")["secret"]
        watch = Watch(urlsplit(service.url).netloc)
        watch.allow(SOFTWARE_GRAPHICS)
        with chromium() as browser:
            visit = Visitor(browser, service.url, watch)
            measure_keys(figures, service, visit)
            measure_map(figures, secret, visit)
            measure_slow(figures, secret, visit)
        watch.check()
    return figures.status


if __name__ == "__main__":
    sys.exit(main())
