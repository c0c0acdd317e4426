"""The playground: the developer's view of a request, and the page for people that shows its answer."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Request, Route, expect

import needs
import stacks
from browsing import NARROW, SCREENS, Visitor, assert_fits, assert_prints, copied
from playground_page import SOFTWARE_GRAPHICS, TILE, TILES, Open
from samples import LANGUAGES, run_sample
from scripted_server import scripted_server

pytestmark = pytest.mark.browser

DIVIDE = "**/api/v1/assistant/divide-land"
RESOLVE = "**/api/v1/addresses/resolve"
REAL_LAND = (
    ("ban", "ban/adresses-75.csv.gz"),
    ("cadastre-parcels", "cadastre/cadastre-75118-parcelles.json.gz"),
)
HOSTILE = '<img src=x onerror="document.title=1"> 🏡 \u202eבית\u202c'


def test_a_resolved_address_leads_to_its_land_on_the_map(playground: Open) -> None:
    playground_page = playground()
    page = playground_page.page
    playground_page.look("first")
    playground_page.send()
    expect(page.get_by_role("region", name="Response")).to_contain_text('"parcel_id": "00001000AA0001"')
    playground_page.look("resolve")
    assert_prints(page, "a resolved address")
    page.get_by_role("button", name="Describe this land").click()
    expect(page).to_have_url(re.compile("#geojson$"))
    expect(page.get_by_role("region", name="Response")).to_contain_text('"valeur_fonciere": 212500')
    playground_page.look("geojson")
    playground_page.show_to_people()
    expect(page.get_by_role("region", name="Sales (DVF)")).to_contain_text("€212,500")
    expect(page.get_by_role("region", name="Urban authorizations")).to_contain_text("00000121A0001")
    expect(page.get_by_role("figure")).to_contain_text("Land 00001000AA0001: 899.8 m²")
    playground_page.expect_on_map("unit")


def test_a_division_streams_its_answer_and_draws_its_lots(playground: Open) -> None:
    playground_page = playground("divide")
    page = playground_page.page
    playground_page.write('{"parcel_ids": ["00001000AA0009"]}')  # a corner parcel, with two possible divisions
    playground_page.send()
    page.get_by_text("Events (").click()
    for name in ("quick_assessment", "context", "answer.delta", "answer", "prompt", "done"):
        expect(page.get_by_role("cell", name=name, exact=True).first).to_be_visible()
    playground_page.look("divide")
    playground_page.show_to_people()
    expect(page.get_by_test_id("answer").get_by_role("listitem").first).to_be_visible()
    playground_page.expect_on_map("lot")
    lots = page.get_by_role("region", name="Proposal 1")
    for letter in ("A", "B"):
        expect(lots.get_by_role("row", name=re.compile(rf"^{letter}\b"))).to_be_visible()
    expect(page.get_by_role("heading", name="To settle or to check")).to_be_visible()
    page.get_by_text("Lengths of the sides").click()
    expect(page.get_by_role("definition").filter(has_text="m on the way").first).to_be_visible()
    playground_page.expect_on_map("envelope")
    page.get_by_text("Proposal 2", exact=True).click()
    expect(page.get_by_role("region", name="Proposal 2")).to_be_visible()
    for button, name in (("DXF of proposal 2", "-proposition-2.dxf"), ("GeoPackage of all proposals", ".gpkg")):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert download.value.suggested_filename == f"division-00001000AA0009{name}"
        expect(page.get_by_text("computed again, and charged")).to_be_hidden()


@pytest.mark.parametrize("question", ["Par où passer pour desservir le lot du fond ?", "Puis-je diviser ce terrain ?"])
def test_the_text_of_an_answer_is_whole_and_stands_above_the_checks(playground: Open, question: str) -> None:
    playground_page = playground("divide")
    page = playground_page.page
    playground_page.write(json.dumps({"parcel_ids": ["00001000AA0009"], "question": question}))
    bodies: list[str] = []

    def pass_on(route: Route) -> None:
        """The page ends a stream at its last event, after which the browser may keep nothing of it."""
        response = route.fetch()
        bodies.append(response.text())
        route.fulfill(response=response)

    page.route(DIVIDE, pass_on)
    with page.expect_response(DIVIDE):
        playground_page.send()
    playground_page.show_to_people()
    events = dict(re.findall(r"^event: (.+)\ndata: (.+)$", bodies[0], re.M))
    text = json.loads(events["answer"])["text"]
    written = page.get_by_test_id("answer")
    assert text
    assert written.inner_text().split() == _without_marks(text).split()
    bottom = written.evaluate("text => text.getBoundingClientRect().bottom")
    open_title = page.get_by_role("heading", name=re.compile("^To settle or to check"))
    for heading in (page.get_by_role("heading", name="Verdict", exact=True), open_title):
        assert heading.evaluate("part => part.getBoundingClientRect().top") >= bottom
    checks = json.loads(events["quick_assessment"])["checks"]
    open_checks = page.locator("section", has=open_title).last.get_by_role("listitem")
    passed_or_stated = [check for check in checks if check["status"] == "pass" or check["detail"].rstrip(".") in text]
    expect(open_checks).to_have_count(len(checks) - len(passed_or_stated))
    expect(page.get_by_text(f"Points established, or stated in the answer ({len(passed_or_stated)})")).to_be_visible()


@pytest.mark.samples
def test_real_land_is_resolved_drawn_and_divided(playground: Open, service: stacks.Embedded, visit: Visitor) -> None:
    for source, file in REAL_LAND:
        service.command("land", "import", source, str(needs.sample_data(file)), "--commune", "75118")
    visit.watch.allow("https://data.geopf.fr/")
    playground_page = playground()
    page = playground_page.page
    page.route(TILES, lambda route: route.fulfill(content_type="image/png", body=TILE))
    playground_page.write('{"label": "5 avenue junot paris"}')
    playground_page.send()
    expect(page.get_by_role("region", name="Response")).to_contain_text("5 Avenue Junot, 75018 Paris")
    page.get_by_role("button", name="Study its division").click()
    expect(page.get_by_text("Events (")).to_be_visible()
    playground_page.show_to_people()
    expect(page.get_by_role("figure")).to_contain_text("Land 75118000AU0086")
    expect(page.get_by_role("region", name="Proposal 1").get_by_role("row", name=re.compile("^B"))).to_be_visible()
    playground_page.expect_on_map("lot")
    expect(page.get_by_role("radio", name="Map")).to_be_checked()
    playground_page.expect_on_map("parcels")
    page.screenshot(path=SCREENS / "playground-paris.png", full_page=True)


def test_an_answer_has_its_limits_and_its_json_and_a_search_its_filters(playground: Open) -> None:
    playground_page = playground("search")
    page = playground_page.page
    page.get_by_text("filters: A parcel must pass").click()
    page.get_by_role("spinbutton", name="min_area_m2").fill("100")
    page.get_by_role("switch", name="unbuilt").check()
    playground_page.look("search")
    filters = {"min_area_m2": 100, "unbuilt": True}
    playground_page.send()
    page.get_by_text("Headers", exact=True).click()
    expect(page.get_by_text("Per minute:")).to_be_visible()
    response = page.get_by_role("region", name="Response")
    assert "features" in json.loads(copied(response.get_by_role("button", name="Copy")))
    playground_page.look("json")
    assert json.loads(playground_page.body()) == {"neighbours_of": "00001000AA0001", "filters": filters}


def test_fields_and_body_stay_synchronized(playground: Open) -> None:
    playground_page = playground("geojson")
    page = playground_page.page
    page.get_by_label("Example").select_option("several_parcels")
    body = json.loads(playground_page.body())
    assert body["parcel_ids"] == ["00001000AA0017", "00001000AA0018", "00001000AA0019"]
    page.get_by_text("address: ").click()
    page.get_by_label("label", exact=True).fill("1 Rue du 8 Mai 1945 00100")
    assert json.loads(playground_page.body()) == {**body, "address": {"label": "1 Rue du 8 Mai 1945 00100"}}
    playground_page.write('{\n  "parcel_ids": [\n    "00001000AA0001"\n  ]\n  "include": []\n}')
    expect(page.get_by_text("This is not JSON.")).to_contain_text("(line 5 column 3)")
    expect(page.get_by_text("The fields wait until the body is a JSON object.")).to_be_visible()
    playground_page.send(400)
    playground_page.expect_problem("invalid_json")
    playground_page.write('{"parcel_ids": ["00001000AA0001", "nonsense"], "include": ["gardens"]}')
    playground_page.send(400)
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("cell", name="/parcel_ids/1")).to_be_visible()
    expect(alert.get_by_role("cell", name="/include/0")).to_be_visible()
    playground_page.look("problem")


def test_a_wrong_key_shows_a_readable_error_and_a_missing_one_a_warning(playground: Open) -> None:
    playground_page = playground()
    page = playground_page.page
    page.get_by_label("API key").fill("")
    expect(page.get_by_text("Without a key the service will answer 401.")).to_be_visible()
    playground_page.send(401)
    playground_page.expect_problem("missing_key")
    page.get_by_label("API key").fill("secret")
    expect(page.get_by_text("A key begins with lp_live_ or lp_test_.")).to_be_visible()
    page.get_by_label("API key").fill("lp_live_" + "0" * 57)
    playground_page.send(401)
    playground_page.expect_problem("invalid_key")
    page.get_by_role("alert").get_by_role("link", name="invalid_key").click()
    expect(page).to_have_title("Errors · Documentation · Land for partners")
    expect(page.locator("#code-invalid_key")).to_be_in_viewport()
    page.go_back()
    playground_page.expect_problem("invalid_key")


def test_a_request_is_cancelled_and_can_be_sent_again(playground: Open) -> None:
    playground_page = playground()
    page = playground_page.page
    sent: list[Request] = []

    def hold(route: Route) -> None:
        sent.append(route.request)

    page.route(RESOLVE, hold)  # never answered
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Waiting for the answer…")).to_be_visible()
    page.keyboard.press("Control+Enter")
    playground_page.look("sending")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The request was cancelled.")).to_be_visible()
    assert len(sent) == 1
    page.unroute(RESOLVE)
    playground_page.send()


def test_an_outage_of_the_service_is_shown(playground: Open, visit: Visitor) -> None:
    visit.watch.allow("net::ERR_CONNECTION_REFUSED")
    playground_page = playground()
    page = playground_page.page
    page.route(RESOLVE, lambda route: route.abort("connectionrefused"))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("The service does not answer")).to_be_visible()


def test_the_key_is_neither_stored_nor_shown_except_in_code_on_request(playground: Open, key: str) -> None:
    playground_page = playground("divide")
    page = playground_page.page
    code = page.get_by_role("region", name="This request as code")
    snippet = code.locator("pre")
    for language, sign in (
        ("curl", "$LP_KEY"),
        ("Python", 'os.environ["LP_KEY"]'),
        ("JavaScript", "process.env.LP_KEY"),
        ("PHP", "getenv('LP_KEY')"),
    ):
        page.get_by_text(language, exact=True).click()
        expect(snippet).to_contain_text(sign)
    page.get_by_text("My key", exact=True).click()
    expect(snippet).not_to_contain_text(key)
    expect(snippet).to_contain_text(key[:12])
    assert key in copied(code.get_by_role("button", name="Copy"))
    page.get_by_role("link", name="Documentation").click()
    expect(page.get_by_role("heading", level=1, name="Start here")).to_be_visible()
    expect(page.get_by_role("link", name="Administration")).to_have_count(0)
    page.get_by_role("link", name="Playground", exact=True).click()
    expect(page.get_by_label("API key")).to_have_value(key)
    stored_values = page.evaluate(
        "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert key not in stored_values
    page.reload()
    expect(page.get_by_label("API key")).to_have_value("")
    expect(page.get_by_text("Without a key the service will answer 401.")).to_be_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_sends_exactly_the_same_request(playground: Open, key: str, language: str, tmp_path: Path) -> None:
    playground_page = playground("geojson")
    page = playground_page.page
    hard = "Diviser le terrain, l'été \"$HOME\" `id` \\n \\' 🏡 </script> ?>"
    values: list[object] = [True, None, 1.5, [], {}, {"0": "a"}]
    page.get_by_text(language, exact=True).click()
    page.get_by_text("My key", exact=True).click()
    for link, question in ("Describe land", {}), ("Divide land", {"question": hard}):
        playground_page.choose(link)
        body = json.dumps({"parcel_ids": ["00001000AA0009"], "warnings": [hard, *values], **question})
        playground_page.write(body)
        snippet = page.get_by_role("region", name="This request as code")
        code = copied(snippet.get_by_role("button", name="Copy"))
        assert key in code
        ended = run_sample(language, code, tmp_path, "")
        assert ended.returncode == 0, ended.stderr
        assert "00001000AA0009" in ended.stdout
    assert ended.stdout.splitlines()[-1 if language != "curl" else -4].startswith(("done {}", "event: done"))
    assert json.dumps(hard, ensure_ascii=False)[1:-1] in ended.stdout
    with scripted_server() as server:
        run_sample(language, code.replace(page.url.partition("/playground")[0], server.url), tmp_path, "")
        [request] = server.received
    assert json.loads(request.body) == json.loads(body)
    assert request.headers["x-api-key"] == key
    assert request.headers["content-type"] == "application/json"


def test_the_whole_answer_replaces_the_streamed_text(playground: Open, visit: Visitor) -> None:
    playground_page = playground("divide")
    page = playground_page.page
    answer = {
        "format": "markdown",
        "text": f"**Yes** {HOSTILE} [site](javascript:alert(1))",
        "grounded_on": [],
        "answered": [],
        "unanswered": [],
    }
    events = [
        ("answer.delta", {"text": "What the rules began "}),
        ("something.new", {"text": "to come"}),
        ("answer", answer),
        ("done", {}),
    ]
    stream = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    page.route(DIVIDE, partial(_answer, stream=stream))
    playground_page.send()
    playground_page.show_to_people()
    shown = page.get_by_test_id("answer")
    expect(shown).to_contain_text(HOSTILE)
    expect(shown).not_to_contain_text("What the rules began")
    expect(shown.locator("strong")).to_have_text("Yes")
    assert shown.locator("img, a").count() == 0


def test_any_label_is_shown_as_text_and_fits_a_phone(playground: Open) -> None:
    playground_page = playground()
    page = playground_page.page
    label = HOSTILE + "x" * (200 - len(HOSTILE))
    address = dict.fromkeys(("latitude", "longitude", "id", "city_code"), None) | {"label": label, "score": 1}
    parts: dict[str, list[str]] = {"parcel_ids": [], "parcels": [], "alternatives": [], "sources": [], "warnings": []}
    page.route(RESOLVE, lambda route: route.fulfill(json={"address": address | {"type": "housenumber"}, **parts}))
    playground_page.send()
    page.set_viewport_size({"width": NARROW, "height": 800})
    assert_fits(page, "a long label in JSON")
    playground_page.show_to_people()
    expect(page.get_by_role("main")).to_contain_text(label)
    assert_fits(page, "a long label")


def test_an_answer_of_unknown_shape_is_shown(playground: Open) -> None:
    playground_page = playground()
    playground_page.page.route(
        RESOLVE, lambda route: route.fulfill(json={"address": None, "tomorrow": "another shape"})
    )
    playground_page.send()
    expect(playground_page.page.get_by_text('"another shape"')).to_be_visible()


def test_an_incomplete_or_failed_stream_is_shown_as_such(playground: Open) -> None:
    playground_page = playground("divide")
    page = playground_page.page
    begun = 'event: answer.delta\ndata: {"text": "Half a"}\n\n'
    problem = {"title": "An internal service failed", "status": 502, "detail": "It broke.", "code": "upstream_failed"}
    for stream_end, message in (
        ("", "stopped before its end"),
        (f"event: error\ndata: {json.dumps(problem)}\n\n", "It broke."),
    ):
        page.route(DIVIDE, partial(_answer, stream=begun + stream_end))
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text(message).first).to_be_visible()
        playground_page.show_to_people()
        expect(page.get_by_text(message).first).to_be_visible()
        expect(page.get_by_test_id("answer")).to_contain_text("Half a")
        page.get_by_role("link", name="Developer").click()
        page.unroute(DIVIDE)


def test_the_playground_works_with_the_keyboard_on_a_phone(visit: Visitor, key: str) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/playground#geojson", width=NARROW, locale="fr-FR")
    page.get_by_role("link", name="Résoudre une adresse").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Résoudre une adresse")).to_have_attribute("aria-current", "true")
    page.get_by_label("Clé d’API").focus()
    page.keyboard.type(key)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_test_id("status")).to_have_text("200")
    expect(page.get_by_test_id("status")).to_be_in_viewport()
    page.get_by_role("button", name="Étudier sa division").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Événements (")).to_be_visible()
    page.get_by_role("link", name="Pour tous").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("answer")).to_be_visible()
    page.get_by_role("region", name="Carte").focus()
    page.keyboard.press("ArrowLeft")
    assert_prints(page, "a division in French")


def _without_marks(markdown: str) -> str:
    """The words of Markdown, as the page shows them."""
    return re.sub(r"^ *(#+|[-*+]|\d+[.)]) +|[*`]", "", markdown, flags=re.M)


def _answer(route: Route, stream: str) -> None:
    route.fulfill(content_type="text/event-stream", body=stream)
