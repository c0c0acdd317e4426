"""The pages while files and answers arrive late or not at all."""

import pytest
from playwright.sync_api import Route, expect

from browsing import Visitor
from playground_page import Open

pytestmark = pytest.mark.browser

FILES = "**/assets/*"
MAP = "**/assets/LandMap-*.js"
PAGES = ("/", "/terrain", "/playground", "/api/docs/public", "/api/docs", "/admin", "/nowhere")


def test_each_page_has_a_placeholder_until_its_files_arrive(visit: Visitor) -> None:
    page = visit("/api/v1/health")
    for path in PAGES:
        page.route(FILES, lambda route: None)  # held until unroute
        page.goto(path, wait_until="commit")
        expect(page.get_by_text("Chargement… · Loading…")).to_be_visible()
        page.unroute(FILES)
        expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_the_answer_can_be_used_before_the_map_and_a_failed_map_is_loaded_again(
    playground: Open, visit: Visitor
) -> None:
    visit.watch.allow("net::ERR_INTERNET_DISCONNECTED", "Failed to fetch dynamically imported module")
    playground_page = playground("geojson")
    page = playground_page.page
    held_routes: list[Route] = []

    def hold(route: Route) -> None:
        held_routes.append(route)

    page.route(MAP, hold)
    playground_page.send()
    playground_page.show_to_people()
    expect(page.get_by_text("Loading the map…")).to_be_visible()
    expect(page.get_by_role("region", name="Sales (DVF)")).to_contain_text("€212,500")
    page.route(MAP, lambda route: route.abort("internetdisconnected"))
    for route in held_routes:
        route.abort("internetdisconnected")
    again = page.get_by_role("alert").filter(has_text="A part of the page could not be loaded")
    expect(again).to_be_visible()
    page.unroute(MAP)
    again.get_by_role("button", name="Try again").click()
    playground_page.expect_on_map("unit")


def test_a_page_says_that_it_is_offline_and_keeps_the_input(playground: Open, visit: Visitor) -> None:
    visit.watch.allow("net::ERR_INTERNET_DISCONNECTED")
    playground_page = playground()
    page = playground_page.page
    field = page.get_by_label("label", exact=True)
    page.context.set_offline(True)
    expect(page.get_by_text("This device is offline.")).to_be_visible()
    field.fill("1 rue du 8 mai 1945 exempleville")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The service does not answer")).to_be_visible()
    expect(field).to_have_value("1 rue du 8 mai 1945 exempleville")
    page.context.set_offline(False)
    expect(page.get_by_text("This device is offline.")).to_be_hidden()
    playground_page.send()
    expect(page.get_by_role("region", name="Response")).to_contain_text("00001000AA0001")
