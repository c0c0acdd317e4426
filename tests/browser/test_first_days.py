"""The first days of an admin, a developer, a surveyor and an operator. Each step uses only what the screen before it
shows: a click, and what a person types.
"""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

import stacks
from admin_page import EMAIL, PASSWORD, Account, AdminPage, wait_until_counted
from browsing import Visitor, assert_prints, copied, look
from playground_page import SOFTWARE_GRAPHICS, PlaygroundPage
from samples import run_sample

pytestmark = pytest.mark.browser

ONE_LINE_PX = 60
PARTNER, LABEL, PLAN = "Étude Martin & associés", "production", "Standard"


def test_an_admin_sets_up_creates_a_key_and_revokes_it(
    admin: AdminPage, admin_api: httpx.Client, visit: Visitor
) -> None:
    page = admin.page
    admin.go("Plans")
    expect(page).to_have_title("Plans · Administration · Land for partners")
    look(page, "admin-plans-empty")
    page.get_by_role("button", name="New plan").first.click()
    dialog = page.get_by_role("dialog", name="New plan")
    dialog.get_by_label("Name").fill(PLAN)
    dialog.get_by_label("Monthly fee").fill("49,00")
    dialog.get_by_label("Units included").fill("1")
    dialog.get_by_label("price of a unit").fill("0.05")
    look(page, "admin-plan-form")
    dialog.get_by_role("button", name="Create").click()
    expect(admin.row(PLAN, "Plans")).to_contain_text("€49.00")
    look(page, "admin-plans")
    assert_prints(page, "the plans")

    admin.go("Keys")
    secret = admin.create_key(PARTNER, LABEL, PLAN)
    expect(page.get_by_role("dialog").locator("pre")).to_contain_text("Exempleville-sur-Fiction")
    look(page, "admin-secret")
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Try this key in the playground").click()
    visit.watch.allow(SOFTWARE_GRAPHICS)
    playground = PlaygroundPage(opened.value)
    expect(playground.page.get_by_label("API key")).to_have_value(secret)
    assert admin.keep_secret() == secret
    key_id = secret.removeprefix("lp_live_")[:8]
    row = admin.row(key_id)
    for text in (PARTNER, LABEL, "Active", secret[-4:], "0 units", PLAN, "Unlimited", "Rules", "Never"):
        expect(row).to_contain_text(text)
    assert secret not in page.content()
    look(page, "admin-keys")

    playground.page.route("**/api/v1/tiles/**", lambda route: route.fulfill(body=""))  # requests of a map count too
    for _ in range(3):
        playground.send()
    address = playground.body()
    playground.write('{"label": ""}')
    playground.send(400)
    playground.write(address)
    wait_until_counted(admin_api, key_id, 4)

    admin.do(key_id, "See its usage")
    resolve = admin.row("addresses.resolve", "By endpoint").get_by_role("cell")
    lasted = re.compile("ms$")
    expect(resolve).to_have_text(["addresses.resolve", "4", re.compile("200.?3.*400.?1"), lasted, lasted, "3", "100%"])
    expect(page.get_by_role("img", name="requests, 1 of them errors")).to_be_visible()  # the map's tiles count too
    expect(admin.row(LABEL, "Top keys")).to_contain_text("€49.10")
    look(page, "admin-usage")
    page.get_by_role("tab", name="Bills").click()
    page.locator("summary", has_text=PARTNER).click()
    expect(page.get_by_role("row", name=re.compile(f"{LABEL}.*{key_id}.*€49.10"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Units 2 to 3.*€0.10"))).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Gross.*€58.92"))).to_be_visible()
    look(page, "admin-billing")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
        page.get_by_role("menuitem", name="Totals by key").click()
    assert "58.92" in download.value.path().read_text(encoding="utf-8")

    admin.go("Keys")
    admin.do(key_id, "Revoke")
    look(page, "admin-revoke")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    admin.revoke(key_id)
    expect(admin.row(key_id)).to_contain_text("Revoked")
    playground.send(401)
    playground.expect_problem("revoked_key")

    admin.go("Audit log")
    expect(admin.row(key_id, "Audit log").filter(has_text="revoked the key")).to_have_count(1)
    look(page, "admin-audit")


def test_a_developer_comes_from_the_home_page_to_a_division(
    service: stacks.Embedded, visit: Visitor, tmp_path: Path
) -> None:
    key = stacks.create_key(service, "first ten minutes", "--monthly-units", "1000")["secret"]
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/")
    page.get_by_role("link", name="Integrate it").click()
    first = page.get_by_role("region", name="A key, a first call")
    call = first.get_by_role("figure").filter(has=page.get_by_role("radiogroup"))
    sample = copied(call.get_by_role("button", name="Copy"))
    assert sample == call.locator("pre").inner_text()
    assert "00001000AA0001" in run_sample("curl", sample, tmp_path, key).stdout

    page.get_by_role("link", name="Try it in the playground").click()
    page.route("**/api/v1/tiles/**", lambda route: route.fulfill(body=""))
    playground = PlaygroundPage(page)
    page.get_by_label("API key").fill(key)
    playground.send()
    page.get_by_role("button", name="Describe this land").click()
    expect(page.get_by_role("region", name="Response")).to_contain_text("valeur_fonciere")
    page.get_by_role("link", name="Resolve an address").click()
    page.get_by_role("button", name="Study its division").click()
    expect(page.get_by_text("Events (")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
    playground.show_to_people()
    lots = page.get_by_role("region", name="Proposal 1")
    expect(lots.get_by_role("row", name=re.compile(r"^B\b"))).to_be_visible()
    page.get_by_role("link", name="Documentation").click()
    page.get_by_role("link", name="Reference", exact=True).click()
    page.get_by_role("link", name="See your own usage").first.click()
    expect(page.get_by_label("API key")).to_have_value(key)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Response")).to_contain_text('"units": 14')


def test_a_surveyor_answers_ten_questions_by_mouse_only(visit: Visitor) -> None:
    visit.watch.allow(SOFTWARE_GRAPHICS)
    page = visit("/", locale="fr-FR")
    page.keyboard.type = page.keyboard.press = _no_key  # type: ignore[method-assign]
    page.get_by_role("navigation", name="Où aller").get_by_role("link", name="Étudier").click()
    plan = page.get_by_test_id("map")
    expect(plan).to_have_attribute("data-shows", re.compile("parcels"))
    box = plan.bounding_box()
    assert box is not None
    plan.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    known = page.get_by_role("region", name="Exempleville-sur-Fiction").first
    expect(known).to_contain_text("00001000AA0001")  # 1. which parcel
    expect(known).to_contain_text("900")  # 2. how large
    page.get_by_text("Zones", exact=True).first.click()
    expect(page.get_by_role("figure").get_by_text("U, urbaine")).to_be_visible()  # 3. in which zone
    page.get_by_text("Servitudes", exact=True).first.click()
    expect(page.get_by_role("figure").get_by_text("Prescription du plan ou servitude publique")).to_be_visible()
    rules = page.get_by_role("region", name="Règle", exact=True)
    expect(rules.get_by_role("link").first).to_have_attribute("href", re.compile("#page=|[.]pdf"))  # 4. by which rule
    easements = page.get_by_role("region", name="Servitudes d’utilité publique")
    expect(easements).to_contain_text("AC1")  # 5. under which easement
    expect(page.get_by_role("region", name="Risques", exact=True)).to_contain_text("argiles")  # 6. with which risks
    expect(page.get_by_role("region", name="Ventes (DVF)").first).to_contain_text("€")  # 7. sold for how much
    page.get_by_role("button", name="Demander", exact=True).click()
    expect(page.get_by_test_id("answer")).to_contain_text("division", ignore_case=True)  # 8. can it be divided
    expect(page.get_by_role("button", name="Annuler")).to_be_hidden()
    lots = page.get_by_role("region", name="Découpage 1")
    expect(lots.get_by_role("row", name=re.compile(r"^A\b.*m²"))).to_be_visible()
    page.get_by_text("Longueur des côtés").click()
    expect(page.get_by_text(re.compile(r"\d,\d\d m sur la voie")).first).to_be_visible()  # 9. with which sides
    with page.expect_download() as download:
        page.get_by_role("button", name="DXF du découpage 1").click()
    drawing = download.value.path().read_text(encoding="utf-8", errors="replace")
    assert "PROJET DE DÉCOUPAGE" in drawing  # 10. as a file
    assert "SERVITUDES" in drawing
    page.get_by_role("link", name="Dossier à imprimer").click()
    sheet = page.get_by_role("article")
    expect(sheet).to_contain_text("Échelle 1/")
    expect(sheet.get_by_role("heading", name="Lots du découpage 1")).to_be_visible()


def test_an_operator_sees_what_is_set_what_that_means_and_who_did_what(visit: Visitor, owner: Account) -> None:
    page = visit("/")
    expect(page.get_by_role("region", name="State of the service")).to_contain_text("Everything works")
    page.get_by_role("link", name="Documentation", exact=True).click()
    page.get_by_role("link", name="State", exact=True).click()
    expect(page.get_by_role("heading", name="Availability over 90 days")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("cadastre-parcels"))).to_be_visible()
    page.get_by_role("link", name="Land for partners").click()
    page.get_by_role("link", name="Administration").click()
    admin = AdminPage(page)
    admin.sign_in(owner.email, PASSWORD)
    admin.go("Settings")
    expect(admin.row("Seller", "Settings")).to_contain_text("Without a seller, no bill is issued")
    expect(admin.row("Last backup", "Settings")).to_contain_text("make backup never ended here")
    expect(admin.row("Visitors' keys", "Settings")).to_contain_text("at most 1000 a day")
    expect(admin.row("Versions", "Settings")).to_contain_text("keys 1.")
    admin.row("Mail", "Settings").get_by_role("button", name="Send me a test").click()
    expect(page.get_by_text("Requested. The state follows within seconds.")).to_be_visible()
    look(page, "admin-settings")
    admin.go("Bills")
    expect(page.get_by_text("No documents")).to_be_visible()
    admin.go("Audit log")
    page.get_by_role("combobox", name="About").click()
    page.get_by_role("option", name="Sign-ins").click()
    expect(page).to_have_url(re.compile("action=session"))
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    entry = admin.row(EMAIL, "Audit log").first
    expect(entry).to_be_visible()
    box = entry.bounding_box()
    assert box is not None
    assert box["height"] < ONE_LINE_PX, "an entry is one line"
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
        page.get_by_role("menuitem", name="The last 1,000 entries").click()
    table = download.value.path().read_text(encoding="utf-8-sig")
    assert EMAIL in table


def _no_key(*_: object, **__: object) -> None:
    raise AssertionError("a key was pressed")
