"""The map of the playground: the cadastre behind the land, backgrounds, and parcels that a click selects."""

import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Position, Route, expect

from browsing import Visitor
from playground_page import TILE, TILES, Open

pytestmark = pytest.mark.browser


def test_the_background_comes_from_ign_alone_and_is_optional(playground: Open, visit: Visitor) -> None:
    visit.watch.allow("data.geopf.fr")
    asked = playground()
    page = asked.page
    hosts: list[str] = []

    def refuse(route: Route) -> None:
        hosts.append(urlsplit(route.request.url).netloc)
        route.abort()

    page.route(TILES, refuse)
    asked.send()
    asked.expect_on_map("address")
    assert not hosts, "a fictional commune has no background"
    page.get_by_text("Aerial", exact=True).click()
    expect(page.get_by_text("A part of IGN's background did not answer.")).to_be_visible()
    assert set(hosts) == {"data.geopf.fr"}
    asked.expect_on_map("address")
    page.unroute(TILES)
    page.route(TILES, lambda route: route.fulfill(content_type="image/png", body=TILE))
    with page.expect_response(TILES):
        page.get_by_text("Map", exact=True).click()


def test_the_cadastre_is_behind_the_land_and_a_click_selects_a_parcel(playground: Open) -> None:
    asked = playground("geojson")
    page = asked.page
    asked.send()
    for layer in ("unit", "parcels", "communes"):
        asked.expect_on_map(layer)
    asked.look("cadastre")
    box = page.get_by_test_id("map").bounding_box()
    assert box is not None
    middle: Position = {"x": box["width"] / 2, "y": box["height"] / 2}
    page.get_by_test_id("map").click(position=middle)
    expect(page.get_by_text("Parcel 00001000AA0001 removed from the request.")).to_be_visible()
    page.get_by_test_id("map").click(position=middle)
    expect(page.get_by_text("Parcel 00001000AA0001 added to the request.")).to_be_visible()
    assert json.loads(asked.body()) == {"parcel_ids": ["00001000AA0001"]}
