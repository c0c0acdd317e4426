"""The page for people: a place, its map, what is known, a question, the answer first."""

import json
import re

import pytest
from playwright.sync_api import Page, Position, expect

from browsing import Visitor, assert_typeset, look
from playground_page import SOFTWARE_GRAPHICS

pytestmark = pytest.mark.browser

SIZES = ((1280, 800), (390, 844))
ADDRESS = "1 Rue du 8 Mai 1945 00100 Exempleville-sur-Fiction"
QUESTION = "Puis-je détacher 2 lots dont un de 400 m² ?"
DIVIDE = "**/api/v1/assistant/divide-land"
SEARCH = "**/api/v1/parcels/search"
_FOREIGN = re.compile(r"\d\.\d|\b[a-z]+_[a-z_]+\b|\b(per|the|of|clay|radius)\b|FAIBLE")
_TEXTS = """() => {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) if (!texts.currentNode.parentElement.closest('code')) found.push(texts.currentNode.data);
  return [...found, ...[...document.querySelectorAll('main input:not([type=number])')].map((field) => field.value)];
}"""
_KEPT = "() => localStorage.getItem('landpartner.visitor-key')"
_SPOIL = """kept => localStorage.setItem('landpartner.visitor-key',
  JSON.stringify({ ...JSON.parse(kept), api_key: 'lp_test_' + 'x'.repeat(57) }))"""
TECHNICAL = re.compile(r"\b(GET|POST|JSON|HTTP)\b|/api/v1|application/|X-Request-Id", re.I)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_person_comes_from_a_field_to_an_answer_and_its_dossier(
    visit: Visitor, key: str, width: int, height: int
) -> None:
    page = _opened(visit, key, width, height)
    _find(page, ADDRESS)
    known = page.get_by_role("region", name=ADDRESS.replace(" 00100", ", 00100"))
    expect(known).to_contain_text("00001000AA0001")
    _expect_on_map(page, "unit")
    page.get_by_label("Your question or your project").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_test_id("answer")
    expect(answer.get_by_role("heading").first).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    _expect_on_map(page, "lot")
    page.evaluate("() => scrollTo(0, 0)")
    for part in (
        page.get_by_label("Address, parcel or commune"),
        page.get_by_label("Your question or your project"),
        page.get_by_test_id("map"),
        answer.locator("strong").first,  # the verdict
    ):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, "above the fold"
    assert TECHNICAL.findall(page.locator("main").inner_text()) == []
    look(page, f"terrain-answer-{width}")
    page.get_by_label("Number of lots").fill("3")
    with page.expect_request(DIVIDE) as asked:
        page.get_by_role("button", name="Ask again with these values").click()
    body = json.loads(asked.value.post_data or "")
    assert body["question"] == QUESTION
    assert body["project"]["lot_count"] == 3
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("button", name="GeoPackage of all proposals").click()
    assert download.value.suggested_filename == "division-00001000AA0001.gpkg"
    page.get_by_role("link", name="Dossier to print").click()
    expect(page.get_by_role("article").get_by_role("heading", level=1)).to_contain_text("Rue du 8 Mai 1945")
    page.get_by_role("link", name="Back to the answer").click()
    expect(answer).to_be_visible()
    page.get_by_role("link", name="Developer").click()
    expect(page.get_by_test_id("status")).to_have_text("200")
    expect(page.get_by_label("API key")).to_have_value(key)
    page.get_by_role("link", name="For everyone").click()
    expect(answer).to_be_visible()


def test_a_click_chooses_a_parcel_and_a_drawn_area_searches(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _expect_on_map(page, "parcels")
    box = page.get_by_test_id("map").bounding_box()
    assert box is not None
    middle: Position = {"x": box["width"] / 2, "y": box["height"] / 2}
    page.get_by_test_id("map").click(position=middle)
    expect(page.get_by_role("link", name="Dossier to print")).to_be_visible()
    page.get_by_text("Search parcels", exact=True).click()
    page.get_by_role("button", name="Draw an area on the map").click()
    for x, y in ((-40, -40), (160, -40), (160, 60)):
        page.get_by_test_id("map").click(position={"x": middle["x"] + x, "y": middle["y"] + y})
    expect(page.get_by_text("Corners: 3.")).to_be_visible()
    page.get_by_role("button", name="Finish the area").click()
    page.get_by_label("At least, m²").fill("300")
    with page.expect_request(SEARCH) as asked:
        page.get_by_role("button", name="Search", exact=True).click()
    body = json.loads(asked.value.post_data or "")
    assert len(body["geometry"]["coordinates"][0]) == 4
    assert body["filters"] == {"min_area_m2": 300}
    results = page.get_by_role("region", name="Parcels found").first
    expect(results.get_by_role("button", name="00001000AA0001")).to_be_visible()
    look(page, "terrain-search")
    with page.expect_download() as download:
        page.get_by_role("button", name="Table (CSV)").click()
    table = download.value.path().read_text(encoding="utf-8-sig")
    assert table.splitlines()[0] == "parcel;area m²;measured area m²;edition"
    assert "00001000AA0001;900" in table
    results.get_by_role("button", name="00001000AA0001").click()
    expect(page.get_by_role("link", name="Dossier to print")).to_be_visible()


def test_the_chosen_parcels_are_those_that_a_question_is_about(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _find(page, "00001000AA0002")
    expect(page.get_by_role("link", name="Dossier to print")).to_be_visible()
    expect(page.locator("[data-testid=map][data-idle]")).to_have_attribute("data-shows", re.compile("unit"))
    box = page.get_by_test_id("map").bounding_box()
    assert box is not None
    page.get_by_test_id("map").click(position={"x": box["width"] / 2 + 140, "y": box["height"] / 2})
    chips = page.get_by_role("button", name=re.compile("^Remove parcel"))
    expect(chips).to_have_count(2)
    expect(page.get_by_role("link", name="Dossier to print")).to_be_hidden()
    chosen = [(chip.get_attribute("aria-label") or "").removeprefix("Remove parcel ") for chip in chips.all()]
    page.get_by_label("Your question or your project").fill(QUESTION)
    with page.expect_request(DIVIDE) as asked:
        page.get_by_role("button", name="Ask", exact=True).click()
    assert sorted(json.loads(asked.value.post_data or "")["parcel_ids"]) == sorted(chosen)
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    expect(page.get_by_label("Your question or your project")).to_have_value(QUESTION)
    expect(chips).to_have_count(0)
    page.get_by_role("link", name="Dossier to print").click()
    title = page.get_by_role("article").get_by_role("heading", level=1)
    for number in chosen:
        expect(title).to_contain_text(f"AA {int(number[-4:])}")


def test_a_visitor_begins_without_a_key_and_the_browser_keeps_the_one_it_got(visit: Visitor) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/terrain", width=390, locale="fr-FR")
    expect(page.get_by_text("Vous essayez le service sur une commune fictive")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 390
    expect(page.get_by_role("button", name="Voir", exact=True)).to_be_enabled()
    kept = page.evaluate(_KEPT)
    place = page.get_by_label("Adresse, parcelle ou commune")
    place.fill("00001000AA0001")
    page.get_by_label("Votre question ou votre projet").fill("Puis-je diviser en deux ?")
    page.get_by_role("button", name="Demander", exact=True).click()
    expect(page.get_by_test_id("answer")).to_be_visible()
    second = page.context.new_page()
    second.goto("/terrain")
    expect(second.get_by_role("button", name="J’ai une clé")).to_be_visible()
    assert second.evaluate(_KEPT) == kept
    second.evaluate(_SPOIL, kept)
    second.reload()
    expect(second.get_by_role("button", name="Voir", exact=True)).to_be_enabled()
    second.wait_for_function(f"() => !({_KEPT})().includes('xxxxxxxx')")


def test_only_where_no_key_can_be_had_one_is_asked_for(visit: Visitor, key: str) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/api/docs/codes", locale="fr-FR")
    page.route("**/api/v1/visitor-keys", lambda route: route.fulfill(status=404, json={"code": "not_found"}))
    page.goto("/terrain")
    expect(page.get_by_role("heading", name="Ce service répond à qui a une clé")).to_be_visible()
    page.get_by_label("Clé d’API").fill(key)
    page.get_by_role("button", name="Utiliser cette clé").click()
    expect(page.get_by_label("Adresse, parcelle ou commune")).to_be_visible()
    expect(page.get_by_text("Vous essayez le service")).to_be_hidden()


def test_a_question_about_another_place_finds_that_place_first(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _find(page, "00001000AA0001")
    expect(page.get_by_role("link", name="Dossier to print")).to_be_visible()
    page.get_by_label("Address, parcel or commune").fill("00001000AA0009")
    page.get_by_label("Your question or your project").fill(QUESTION)
    with page.expect_request(DIVIDE) as asked:
        page.get_by_role("button", name="Ask", exact=True).click()
    assert json.loads(asked.value.post_data or "")["parcel_ids"] == ["00001000AA0009"]


def test_what_was_understood_is_of_the_question_that_was_sent(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _find(page, "00001000AA0001")
    page.get_by_label("Your question or your project").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_label("Number of lots")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    page.get_by_role("link", name="Developer").click()
    page.get_by_label("Request body").fill('{"parcel_ids": ["00001000AA0001"], "question": "Another one"}')
    page.get_by_role("link", name="For everyone").click()
    expect(page.get_by_label("Your question or your project")).to_have_value(QUESTION)
    with page.expect_request(DIVIDE) as asked:
        page.get_by_role("button", name="Ask again with these values").click()
    assert json.loads(asked.value.post_data or "")["question"] == QUESTION


def test_the_dossier_has_the_chosen_proposal(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _find(page, "00001000AA0009")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("Proposal 2", exact=True).click()
    page.get_by_role("link", name="Dossier to print").click()
    expect(page.get_by_role("radio", name="Proposal 2")).to_be_checked()
    expect(page.get_by_role("article")).to_contain_text("proposal 2")


def test_values_are_in_the_language_of_the_page(visit: Visitor, key: str) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/terrain", locale="fr-FR")
    page.get_by_role("button", name="J’ai une clé").click()
    page.get_by_label("Clé d’API").fill(key)
    page.get_by_role("button", name="Utiliser cette clé").click()
    page.get_by_label("Adresse, parcelle ou commune").fill("00001000AA0001")
    page.get_by_role("button", name="Voir", exact=True).click()
    page.get_by_label("Votre question ou votre projet").fill("Un lot de 400,5 m², avec 19,99 m de façade ?")
    page.get_by_role("button", name="Demander", exact=True).click()
    expect(page.get_by_label("Lot 1, m²")).to_have_value("400.5")  # which browsers show in their own language
    expect(page.get_by_role("button", name="Annuler")).to_be_hidden()
    _expect_french(page)
    page.get_by_role("link", name="Dossier à imprimer").click()
    expect(page.get_by_role("article")).to_contain_text("longueurs × 0,999086")
    _expect_french(page)
    page.go_back()
    page.get_by_label("Adresse, parcelle ou commune").fill("00001000AA0012")
    page.get_by_role("button", name="Voir", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Ces risques ne sont pas connus")
    _expect_french(page)


def test_a_commune_in_french_searches_around_it_without_a_key(visit: Visitor) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/terrain", locale="fr-FR")
    page.get_by_label("Adresse, parcelle ou commune").fill("Exempleville-sur-Fiction")
    suggestions = page.get_by_role("listbox")
    expect(suggestions).to_be_visible()
    page.keyboard.press("Enter")
    expect(suggestions).to_be_hidden()
    expect(page.get_by_text("aucune parcelle à ce nom")).to_be_visible()
    page.get_by_text("Chercher des parcelles", exact=True).click()
    page.get_by_label("À moins de, m").fill("1000")
    page.get_by_label("Sans bâtiment").check()
    page.get_by_role("button", name="Chercher", exact=True).click()
    expect(page.get_by_role("region", name="Parcelles trouvées").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Tableau (CSV)").click()
    _, *rows = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert all(re.fullmatch(r"\w{14};[\d,]*;[\d,]*;.+", row) for row in rows), "as spreadsheets in France read it"
    assert_typeset(page)


def test_a_suggestion_chosen_with_enter_is_looked_up(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    place = page.get_by_label("Address, parcel or commune")
    place.fill("1 rue du 8 mai")
    suggestions = page.get_by_role("listbox").get_by_role("option")
    expect(suggestions.first).to_be_visible()
    suggested = suggestions.first.inner_text()
    place.press("ArrowDown")
    place.press("Enter")
    expect(place).to_have_value(suggested)
    expect(page.get_by_role("link", name="Dossier to print")).to_be_visible()


def test_what_was_understood_quotes_each_clause_once_and_whole(visit: Visitor, key: str) -> None:
    page = _opened(visit, key, *SIZES[0])
    _find(page, "00001000AA0009")
    asked = "I keep the house and the old cherry tree, my son gets a plot of 400 m² at the back, we keep the drive"
    page.get_by_label("Your question or your project").fill(asked)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    understood = page.get_by_role("region", name="Answer").get_by_role("list").filter(has=page.locator("q"))
    passages = understood.first.locator("q").all_inner_texts()
    assert all(passage in asked for passage in passages)
    assert all(sum(clause in passage for passage in passages) == 1 for clause in asked.split(", "))
    assert not re.search("field|`|project", understood.first.inner_text())
    look(page, "terrain-understood")


def _expect_french(page: Page) -> None:
    """No text outside of code has a decimal point, a code with underscores, or an English word."""
    texts = page.evaluate(_TEXTS)
    assert [text for text in texts if _FOREIGN.search(text)] == []
    assert_typeset(page)


def _opened(visit: Visitor, key: str, width: int, height: int) -> Page:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/terrain", width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.get_by_role("button", name="I have a key").click()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Use this key").click()
    return page


def _find(page: Page, text: str) -> None:
    page.get_by_label("Address, parcel or commune").fill(text)
    page.get_by_role("button", name="Show", exact=True).click()


def _expect_on_map(page: Page, kind: str) -> None:
    expect(page.get_by_test_id("map")).to_have_attribute("data-shows", re.compile(rf"\b{kind}\b"))
