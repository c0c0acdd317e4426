"""The dossier of a land unit: one sheet of A4 made from answers in memory."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import Visitor, assert_prints, look, print_pages
from playground_page import SOFTWARE_GRAPHICS

pytestmark = pytest.mark.browser

ANSWERS = re.compile("/api/v1/(land-units|assistant)/")


def test_a_dossier_is_one_sheet_made_from_the_answers_in_memory(visit: Visitor, key: str) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/playground#geojson", locale="fr-FR")
    page.get_by_label("Clé d’API").fill(key)
    page.keyboard.press("Control+Enter")
    requested_urls: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url) if ANSWERS.search(request.url) else None)
    expect(page.get_by_test_id("status")).to_have_text("200")
    assert_prints(page, "the answer about land")
    requested_urls.clear()
    page.get_by_role("link", name="Pour tous").click()
    page.get_by_role("link", name="Dossier à imprimer").click()
    sheet = page.get_by_role("article")
    expect(page.get_by_role("img", name="Plan du terrain")).to_have_attribute("data-surroundings", "shown")
    expect(sheet.get_by_role("heading", level=1)).to_have_text("Parcelle AA 1")
    expect(sheet).to_contain_text("Exempleville-sur-Fiction (code INSEE 00001)")
    expect(_fact(page, "Contenance")).to_contain_text("900 m²")
    expect(_fact(page, "Présents")).to_contain_text("inconnu (bloc non demandé)")
    expect(sheet.get_by_role("row", name=re.compile("PC 00000121A0001"))).to_contain_text("terminé")
    expect(sheet.get_by_role("row", name=re.compile("3 févr. 2021"))).to_contain_text("212 500 €")
    assert not requested_urls, "an answer in memory costs nothing more"
    expect(page.get_by_text("Il manque : Risques.")).to_be_visible()
    expect(page.get_by_role("button", name="Demander tous les blocs · 2 unités")).to_be_visible()
    page.get_by_role("button", name=re.compile("Demander l’analyse · \\d+ unités")).click()
    expect(sheet).to_contain_text("maison conservée")
    expect(page.get_by_text("Il manque")).to_be_hidden()  # its context has all blocks
    expect(_fact(page, "Présents")).to_contain_text("argiles")
    assert len(requested_urls) == 1
    look(page, "dossier-fr")
    assert print_pages(page, "dossier-fr") == 1
    page.emulate_media(media="print")
    for button in page.get_by_role("button").all():
        expect(button).to_be_hidden()
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(sheet).to_contain_text("ni bornage, ni certificat d’urbanisme")
    page.emulate_media(media="screen")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_text("Some sentences are in the language of the request")).to_be_visible()
    expect(_fact(page, "Cadastral area")).to_contain_text("900 m²")
    assert print_pages(page, "dossier-en") == 1
    page.get_by_role("link", name="Back to the answer").click()
    expect(page.get_by_test_id("answer")).to_be_visible()
    page.reload()
    page.goto("/terrain#dossier")
    expect(page.get_by_text("No answer in memory")).to_be_visible()


def _fact(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))
