"""The map of the playground: the cadastre behind the land, backgrounds, and parcels that a click selects."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Position, Route, expect

from browsing import Visitor
from playground_page import TILE, TILES, Open

pytestmark = pytest.mark.browser


def test_the_background_comes_from_ign_alone_and_is_optional(playground: Open, visit: Visitor) -> None:
    visit.watch.allow("data.geopf.fr")
    playground_page = playground()
    page = playground_page.page
    hosts: list[str] = []

    def refuse(route: Route) -> None:
        hosts.append(urlsplit(route.request.url).netloc)
        route.abort()

    page.route(TILES, refuse)
    playground_page.send()
    playground_page.show_to_people()
    playground_page.expect_on_map("address")
    assert not hosts, "a fictional commune has no background"
    page.get_by_text("Aerial", exact=True).click()
    expect(page.get_by_text("A part of IGN's background did not answer.")).to_be_visible()
    assert set(hosts) == {"data.geopf.fr"}
    playground_page.expect_on_map("address")
    page.unroute(TILES)
    answered: list[str] = []

    def refuse_the_first(route: Route) -> None:
        answered.append(route.request.url)
        if len(answered) == 1:
            route.fulfill(status=429)
        else:
            route.fulfill(content_type="image/png", body=TILE)

    page.route(TILES, refuse_the_first)
    page.get_by_text("Map", exact=True).click()
    expect(page.get_by_text("A part of IGN's background did not answer.")).to_be_visible()
    expect(page.get_by_role("radio", name="Map")).to_be_checked()
    expect(page.get_by_text("A part of IGN's background did not answer.")).to_be_hidden()
    assert answered.count(answered[0]) == 2, "the tile is requested again"
    with page.expect_response(TILES):
        page.get_by_role("button", name="Zoom out").click()


def test_the_cadastre_is_behind_the_land_and_a_click_selects_a_parcel(playground: Open) -> None:
    playground_page = playground("geojson")
    page = playground_page.page
    playground_page.send()
    playground_page.show_to_people()
    for layer in ("unit", "parcels", "communes"):
        playground_page.expect_on_map(layer)
    playground_page.look("cadastre")
    box = page.get_by_test_id("map").bounding_box()
    assert box is not None
    beside: Position = {"x": box["width"] / 2 + 120, "y": box["height"] / 2}
    for change in ("added to", "removed from", "added to"):
        page.get_by_test_id("map").click(position=beside)
        note = page.get_by_text(re.compile(rf"^Parcel \w+ {change} the request\.$"))
        expect(note).to_be_visible()
    neighbour = note.inner_text().split()[1]
    for chosen in ("00001000AA0001", neighbour):
        expect(page.get_by_role("button", name=f"Remove parcel {chosen}")).to_be_visible()
    page.get_by_role("button", name="Show this land").click()
    expect(page.get_by_role("region", name=re.compile("Exempleville")).first).to_contain_text(neighbour)


def test_zones_sales_and_risks_are_layers_that_the_keyboard_switches(playground: Open) -> None:
    playground_page = playground("geojson")
    page = playground_page.page
    playground_page.send()
    playground_page.show_to_people()
    playground_page.expect_on_map("parcels")
    map_element = page.get_by_test_id("map")
    expect(map_element).not_to_have_attribute("data-shows", re.compile("zones|sales|risks"))
    for layer, shown in (("Zones", "zones"), ("Sales", "sales")):
        page.get_by_role("checkbox", name=layer).focus()
        page.keyboard.press("Space")
        playground_page.expect_on_map(shown)
    page.get_by_text("Risk plans", exact=True).click()
    for _ in range(2):
        page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_text("No zone of a risk plan is loaded in this place.")).to_be_visible()
    for _ in range(5):
        page.get_by_role("button", name="Zoom out").click()
    playground_page.expect_on_map("risks")
    credit = page.locator(".maplibregl-ctrl-attrib")
    expect(credit).to_contain_text("Demo commune, fictional")
    expect(credit).not_to_contain_text(re.compile("DGFiP|Géo"))
    legend = page.get_by_role("figure")
    expect(legend).to_contain_text("Risk plan: no building")
    page.get_by_text("Risk plans", exact=True).click()
    page.get_by_role("button", name="Recentre").click()
    for text in ("U, urban", "Sale; a click describes it", "In no parcel: roads, public land, water"):
        expect(legend).to_contain_text(text)
    expect(map_element).to_have_attribute("data-prices", re.compile(r"\b212500\b"))
    expect(map_element).not_to_have_attribute("data-prices", re.compile(r"\b171000\b"))  # an older sale of this place
    playground_page.look("layers")
    page.get_by_text("None", exact=True).click()
    playground_page.expect_on_map("zones")
    expect(legend).not_to_contain_text("In no parcel")
    box = map_element.bounding_box()
    assert box is not None
    middle: Position = {"x": box["width"] / 2, "y": box["height"] / 2}
    map_element.click(position=middle)
    expect(page.get_by_text("Sale: house, 3 Feb 2021, €212,500, ")).to_be_visible()
    page.get_by_role("button", name="Français").click()
    expect(page.get_by_role("button", name="Recentrer")).to_be_visible()
    playground_page.expect_on_map("zones")
    expect(page.get_by_role("checkbox", name="Zones")).to_be_checked()
