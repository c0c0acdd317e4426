"""The documentation pages: the guide, the reference over the two descriptions, the dictionary and the documents."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

import stacks
from browsing import NARROW, Visitor, assert_fits, assert_prints, assert_typeset, look, show
from edge.pages.routes import PAGES
from samples import LANGUAGES, run_sample
from scripted_server import Answer, problem, scripted_server, stream

pytestmark = pytest.mark.browser

REPOSITORY = stacks.REPOSITORY

PUBLIC = "/api/docs/public"
DICTIONARY = "/api/docs/dictionary"
CODES = "/api/docs/codes"
DESCRIPTION = "**/api/v1/openapi-public.json"


CHAPTERS = {
    "A key, a first call": "00001000AA0001",
    "From the address to the land": "urban_authorizations",
    "The division, at once or as a stream": "quick_assessment",
    "Retry without paying twice": "quick_assessment",
}
"""The chapters with a sample, and a part of its output."""


def test_the_guide_explains_every_problem(visit: Visitor, service: stacks.Embedded) -> None:
    page = visit(PUBLIC)
    expect(page.get_by_role("heading", level=1)).to_have_text("Start here")
    description = httpx.get(service.url + "/api/v1/openapi-public.json").json()
    errors = page.get_by_role("region", name="Errors")
    for code in sorted(_problem_codes(description)):
        row = errors.get_by_role("row").filter(has=page.get_by_role("cell", name=code, exact=True))
        expect(row.get_by_role("cell").last).not_to_have_text("–")
    for publication in ("Base Adresse Nationale", "Géorisques", "RGE ALTI"):
        expect(
            page.get_by_role("region", name="Data and licences").get_by_role("link", name=publication)
        ).to_be_visible()
    look(page, "guide")
    assert_prints(page, "the guide")
    show(page, NARROW)
    assert errors.locator("[data-stacked]").evaluate("table => table.scrollWidth <= table.clientWidth")


@pytest.fixture(scope="module")
def key(service: stacks.Embedded) -> str:
    return stacks.create_key(service, "guide")["secret"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sample_of_the_guide_runs_as_shown(visit: Visitor, key: str, language: str, tmp_path: Path) -> None:
    page = visit(PUBLIC)
    samples = _samples(page, language)
    if language == "curl":
        guide = _guide(page)
        assert all(f"```sh\n{sample}\n```" in guide for sample in samples.values())
    for chapter, expected in CHAPTERS.items():
        ended = run_sample(language, samples[chapter], tmp_path, key)
        assert ended.returncode == 0, f"{chapter}: {ended.stderr}"
        assert expected in ended.stdout, chapter


@pytest.mark.parametrize("language", LANGUAGES)
def test_samples_retry_and_report_errors(
    visit: Visitor, service: stacks.Embedded, language: str, tmp_path: Path
) -> None:
    samples, retry = _samples(visit(PUBLIC), language), "Retry without paying twice"
    with scripted_server() as server:

        def run(chapter: str, *answers: Answer) -> tuple[int, str]:
            server.answers, server.received[:] = answers, ()
            code = samples[chapter].replace(service.url, server.url)
            ended = run_sample(language, code, tmp_path, "lp_test_key")
            return ended.returncode, ended.stdout

        passing = [Answer(closes_at_once=True), problem(503, "commune_loading", Retry_After="1")]
        if language != "curl":  # it does not retry a 409
            passing.append(problem(409, "idempotency_in_progress", Retry_After="1"))
        status, output = run(retry, *passing, Answer(body=b'{"parcel_ids": ["P"]}'))
        assert (status, len(server.received)) == (0, len(passing) + 1)
        assert "P" in output
        assert len({(request.body, request.headers["idempotency-key"]) for request in server.received}) == 1
        run(retry, problem(429, "quota_exhausted", Retry_After="86400"))
        assert len(server.received) == 1, "nobody waits for the next month"
        run(retry, problem(422, "idempotency_mismatch"))
        assert len(server.received) == 1, "only a correction helps"
        if language == "curl":
            return  # it prints what arrives
        assert run("A key, a first call", problem(401, "invalid_key"))[0] != 0
        assert run("The division, at once or as a stream", stream(("answer", {"text": "Half"})))[0] != 0


def test_the_chosen_language_is_remembered_by_all_samples(visit: Visitor) -> None:
    page = visit(PUBLIC)
    _samples(page, "PHP")
    page.reload()
    expect(page.get_by_role("radio", name="PHP", checked=True)).to_have_count(len(CHAPTERS))
    page.goto("/playground")
    expect(page.locator("figure pre")).to_contain_text("<?php")
    page.evaluate("() => localStorage.setItem('landpartner.sampleLanguage', 'COBOL')")
    page.reload()
    expect(page.locator("figure pre")).to_contain_text("curl")


def test_the_guide_is_available_in_french_and_its_links_work(visit: Visitor) -> None:
    page = visit(f"{PUBLIC}#billing", locale="fr-FR")
    _expect_below_header(page.get_by_role("heading", name="Unités facturées"))
    stream = page.get_by_role("region", name="La division, d’un bloc ou au fil de l’eau")
    stream.get_by_text("Python", exact=True).click()
    expect(stream.locator("pre")).to_contain_text("les données sont du JSON")
    assert_typeset(page)
    page.get_by_role("link", name="Essayer dans le bac à sable").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bac à sable")
    assert_typeset(page)


def test_the_reference_sends_a_request_with_the_key_in_memory(visit: Visitor, key: str, tmp_path: Path) -> None:
    page = visit(f"{PUBLIC}#/consumer/resolveAddress")
    expect(page.get_by_role("heading", level=2)).to_have_text("Resolve an address")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Send · 1 unit").click()
    received = page.get_by_role("region", name="Response")
    expect(received.get_by_test_id("status")).to_have_text("200")
    expect(received).to_contain_text("00001000AA0001")
    assert key not in page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
    sample = page.get_by_role("figure").filter(has_text="JavaScript").locator("pre").inner_text()
    assert "00001000AA0001" in run_sample("curl", sample, tmp_path, key).stdout
    page.get_by_text("Fields of Address", exact=True).first.click()
    page.locator("a[href$='#Address.city_code']").click()
    expect(_entry(page, "Address.city_code")).to_be_in_viewport()
    page.go_back()
    page.get_by_role("region", name="Errors").get_by_role("link", name="address_not_found").click()
    _expect_below_header(_entry(page, "code-address_not_found").get_by_role("heading"))


def test_the_reference_has_a_page_for_each_operation(visit: Visitor, service: stacks.Embedded) -> None:
    page = visit(f"{PUBLIC}#/", locale="fr-FR")
    operations = page.get_by_role("navigation", name="Opérations").get_by_role("link")
    described = httpx.get(service.url + "/api/v1/openapi-public.json", headers={"accept-language": "fr"}).json()
    titles = [operation["summary"] for methods in described["paths"].values() for operation in methods.values()]
    expect(operations).to_have_count(len(titles))
    assert sorted(operations.all_inner_texts()) == sorted(titles)
    look(page, "reference")
    operations.filter(has_text="Demander comment diviser").click()
    expect(page.get_by_role("heading", name="Demander comment diviser un terrain")).to_be_focused()
    page.get_by_label("Accept").select_option("text/event-stream")
    expect(page.get_by_role("figure").filter(has_text="JavaScript")).to_contain_text("--no-buffer")
    for inner in page.locator("summary").all():
        if not inner.evaluate("summary => summary.parentElement.open"):  # a click would hide what is within
            inner.click()
    look(page, "reference-operation")
    assert_prints(page, "the reference")
    page.goto(f"{PUBLIC}#/consumer/nothing")
    expect(page.get_by_text("Cette opération n’existe pas")).to_be_visible()
    page.goto(f"{PUBLIC}{operations.last.get_attribute('href')}")  # the navigation hides it at first
    expect(operations.last).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_the_full_reference_includes_the_admin_operations(visit: Visitor) -> None:
    page = visit("/api/docs")
    expect(page.get_by_role("heading", level=1, name="Full API reference")).to_be_visible()
    page.get_by_role("navigation", name="Operations").get_by_role("link", name="List keys").click()
    page.get_by_label("Administration token").fill("lpa_wrong")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_test_id("status")).to_have_text("401")
    expect(page.get_by_role("alert")).to_contain_text("sign_in_required")
    look(page, "reference-full")


def test_the_dictionary_finds_fields_values_and_parameters(visit: Visitor) -> None:
    page = visit(f"{DICTIONARY}#DvfSale.valeur_fonciere")
    price = _entry(page, "DvfSale.valeur_fonciere")
    _expect_below_header(price)
    expect(price).to_have_attribute("aria-current", "true")
    expect(price.get_by_role("cell")).to_have_text([re.compile("number"), re.compile("Price"), "EUR", "dvf"])
    objects = page.get_by_role("navigation", name="Objects and lists of values").get_by_role("link")
    expect(objects.first).to_have_text("Address")  # those of the administration follow
    counts = page.get_by_role("status")
    expect(counts).to_have_text(re.compile(r"^[4-9]\d\d fields, [2-9]\d\d values, [1-9]\d\d parameters$"))
    page.keyboard.press("/")
    page.keyboard.type("DVFSALE batie")
    expect(page.get_by_role("searchbox")).to_have_value("DVFSALE batie")
    expect(counts).to_have_text("1 field, 0 values, 0 parameters")
    expect(_entry(page, "DvfSale.surface_reelle_bati").get_by_role("cell", name="m²", exact=True)).to_be_visible()
    page.get_by_role("searchbox").fill("zzzz")
    expect(page.get_by_text("No results")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_text("Parameters", exact=True).click()
    expect(counts).to_have_text(re.compile(r"^\d+ parameters$"))
    page.goto(f"{DICTIONARY}#problem.rate_limited")  # the filter hides it
    _expect_below_header(_entry(page, "problem.rate_limited"))
    expect(_entry(page, "problem.rate_limited").get_by_role("cell").last).to_have_text("429")
    page.goto(f"{DICTIONARY}#100%")  # not a valid escape
    expect(counts).to_be_visible()
    show(page, NARROW)
    assert_fits(page, "the whole dictionary")
    page.get_by_role("searchbox").fill("DvfSale")  # axe takes a minute for all entries; they are alike
    look(page, "dictionary")
    assert_prints(page, "the dictionary")


def test_the_dictionary_is_available_in_french(visit: Visitor) -> None:
    page = visit(DICTIONARY, locale="fr-FR")
    page.get_by_role("searchbox", name="Rechercher").fill("DvfSale réelle batie")
    expect(page.get_by_role("status")).to_have_text("1 champ, 0 valeur, 0 paramètre")
    expect(_entry(page, "DvfSale.surface_reelle_bati")).to_contain_text("Surface réelle bâtie")


def test_a_code_of_the_guide_leads_to_its_cause_and_remedy(visit: Visitor, service: stacks.Embedded) -> None:
    page = visit(PUBLIC, locale="fr-FR")
    page.get_by_role("region", name="Erreurs").get_by_role("link", name="rate_limited").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Erreurs et avertissements")
    entry = _entry(page, "code-rate_limited")
    _expect_below_header(entry.get_by_role("heading"))
    expect(entry.get_by_role("definition")).to_have_text(
        ["HTTP 429", re.compile("trop vite"), re.compile("Retry-After")]
    )
    expect(page.locator("#other").locator(_entry(page, "code-invalid_totp"))).to_be_attached()
    expect(page.locator("#problem").locator(_entry(page, "code-invalid_totp"))).to_have_count(0)
    expect(_entry(page, "code-parcel_retired").get_by_role("definition")).to_have_count(6)  # an error and a warning
    dictionary = httpx.get(service.url + "/api/v1/dictionary").json()["values"]
    codes = {entry["name"] for entry in dictionary if entry["group"] in ("problem", "error", "warning")}
    shown = page.locator("[id^='code-']:not([id$='-title'])").evaluate_all("all => all.map((one) => one.id)")
    assert set(shown) == {f"code-{code}" for code in codes}
    look(page, "codes")
    assert_prints(page, "the codes")


def test_codes_are_listed_only_with_the_description_that_tells_their_kinds(visit: Visitor) -> None:
    visit.watch.allow("net::ERR_CONNECTION_REFUSED")
    page = visit(PUBLIC)
    page.route(DESCRIPTION, lambda route: route.abort("connectionrefused"))
    page.goto(CODES)
    failed = page.get_by_role("alert").filter(has_text="The service does not answer")
    expect(failed).to_be_visible()
    expect(_entry(page, "code-rate_limited")).to_have_count(0)
    page.unroute(DESCRIPTION)
    failed.get_by_role("button", name="Try again").click()
    expect(page.locator("#problem").locator(_entry(page, "code-rate_limited"))).to_be_visible()


def test_the_description_can_be_downloaded_and_imported_by_address(visit: Visitor) -> None:
    page = visit(PUBLIC)
    versions = page.get_by_role("region", name="Versions")
    with page.expect_download() as download:
        versions.get_by_role("link", name="OpenAPI 3.1").click()
    description = json.loads(download.value.path().read_text(encoding="utf-8"))
    expect(versions).to_contain_text("In Postman, choose Import and paste the address of this description: http")
    address = versions.locator("code").filter(has_text="openapi-public").inner_text()
    assert page.request.get(address).json() == description


def test_both_clients_are_installed_by_the_commands_of_the_guide(visit: Visitor) -> None:
    """tests/clients/test_served.py runs the commands."""
    page = visit(PUBLIC + "#/")
    guide = _guide(page)
    for program in ("pip", "npm"):
        assert f"```sh\n{page.get_by_text(f'{program} install http').inner_text().strip()}\n```" in guide


@pytest.mark.parametrize(
    ("name", "title", "chapter", "absent"),
    [
        ("land-units", "Comment un terrain est calculé", "Les bâtiments", "data.md"),
        ("addresses", "Recherche d’une adresse", "Le score", ".md"),
        ("parcels", "Les parcelles d’un lieu", "Les filtres", ".md"),
        ("events", "Surveillances et événements", "Webhooks", ".md"),
        ("verdicts", "Comment un avis est rendu", "Comment le lire", ".md"),
        ("changes", "Nouveautés", "26 novembre 2026", ".md"),
    ],
)
def test_documents_for_partners_are_pages(visit: Visitor, name: str, title: str, chapter: str, absent: str) -> None:
    page = visit(f"/api/docs/{name}", locale="fr-FR")
    article = page.get_by_role("article")
    expect(article.get_by_role("heading", level=1)).to_have_text(title)
    page.get_by_role("navigation", name="Sommaire").get_by_role("link", name=chapter, exact=True).click()
    _expect_below_header(article.get_by_role("heading", name=chapter, exact=True))
    show(page, NARROW)
    tabs = page.get_by_role("navigation", name="Parties de la documentation")
    expect(tabs.locator("[aria-current]").last).to_be_in_viewport(ratio=1)
    assert absent not in article.inner_html()
    for address in article.get_by_role("link").evaluate_all("links => links.map((link) => link.getAttribute('href'))"):
        assert address.startswith(("#", "/api/docs/", "https://")), address
        assert not address.startswith("/") or page.request.get(address).ok, address
    look(page, name)


def test_every_address_that_a_page_links_answers(visit: Visitor, service: stacks.Embedded) -> None:
    """The links of all pages without a key, with and without scripts, and those of the README."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    links = dict.fromkeys(re.findall(r"`(/[\w/.-]+)`", readme), "README.md")
    for path, _ in PAGES.values():
        page = visit(path)
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        hrefs = page.get_by_role("link").evaluate_all("links => links.map(({ href }) => href)")
        hrefs += re.findall(r'href="(/[^"]*)"', httpx.get(service.url + path).text)
        links |= {urljoin(service.url, href).removeprefix(service.url): path for href in hrefs}
        page.context.close()
    own = {link.partition("#")[0]: page for link, page in links.items() if link.startswith("/")}
    assert len(own) > len(PAGES)
    assert {"/api/docs/changes", "/terrain", "/admin"} <= set(own)
    answers = {link: httpx.get(service.url + link, follow_redirects=True, timeout=60).status_code for link in own}
    assert {link: (status, own[link]) for link, status in answers.items() if status != 200} == {}


def test_the_page_of_gis_shows_pictures_and_gives_a_project(visit: Visitor) -> None:
    article = visit("/api/docs/gis").get_by_role("article")
    for picture in article.get_by_role("img").all():
        assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") == 900
    with article.page.expect_download() as download:
        article.get_by_role("link", name="the project").click()
    assert download.value.suggested_filename == "landpartner.qgs"
    assert "<qgis" in download.value.path().read_text(encoding="utf-8")


def _guide(page: Page) -> str:
    """The guide as Markdown, with the address of the page in place of the service's public one."""
    text = page.request.get(f"{PUBLIC}.md", headers={"accept-language": "en"}).text()
    return text.replace("//localhost:", "//127.0.0.1:")


def _entry(page: Page, name: str) -> Locator:
    return page.locator(f"[id='{name}']")


def _expect_below_header(target: Locator) -> None:
    """The target is at the top of what the header, which stays, does not cover."""
    gap = "target.getBoundingClientRect().top - document.querySelector('header').getBoundingClientRect().bottom"
    target.page.wait_for_function(f"target => {gap} >= 0 && {gap} < 60", arg=target.element_handle())


def _samples(page: Page, language: str) -> dict[str, str]:
    """The samples of the guide by chapter, after the choice of this language in one of them."""
    page.get_by_role("region", name="Retry without paying twice").get_by_text(language, exact=True).click()
    expect(page.get_by_role("radio", name=language, checked=True)).to_have_count(len(CHAPTERS))
    figures = {name: page.get_by_role("region", name=name).get_by_role("figure") for name in CHAPTERS}
    return {
        name: figure.filter(has=page.get_by_role("radiogroup")).locator("pre").inner_text()
        for name, figure in figures.items()
    }


def _problem_codes(description: Any) -> set[str]:
    operations = [operation for path in description["paths"].values() for operation in path.values()]
    contents = [response.get("content", {}) for operation in operations for response in operation["responses"].values()]
    problems = [content["application/problem+json"] for content in contents if "application/problem+json" in content]
    return {example["value"]["code"] for problem in problems for example in problem["examples"].values()}
