"""Partners as customers: the list, the page of one, and their default plan."""

import httpx
import pytest
from playwright.sync_api import expect

import stacks
from admin_page import AdminPage, wait_until_counted
from browsing import Visitor, look, photograph

pytestmark = pytest.mark.browser

TERMS = {"monthly_fee": "49", "tiers": [{"up_to": None, "unit_price": "0.10"}], "vat_rate": "0.20"}
ADDRESS = {"lines": ["12 rue des Bornes", "Bâtiment B"], "postcode": "69000", "city": "Lyon", "country": "FR"}


@pytest.fixture(scope="module")
def partner_id(admin_api: httpx.Client, service: stacks.Embedded) -> str:
    """A partner with a default plan, and a key that was used."""
    admin_api.post("/plans", json={"name": "Cabinet", "pricing": TERMS}).raise_for_status()
    contact = {"name": "Jeanne Martin", "email": "jeanne@topo.example", "phone": "+33 1 23 45 67 89"}
    body = {"name": "Topo Rhône", "legal_name": "Topo Rhône SELARL", "contact": contact, "billing_address": ADDRESS}
    partner = admin_api.post("/partners", json={**body, "default_plan": "Cabinet"}).raise_for_status().json()
    key = admin_api.post("/api-keys", json={"partner": partner["id"], "label": "topo live"}).raise_for_status().json()
    assert key["key"]["pricing"]["plan"] == "Cabinet"
    headers = {"x-api-key": key["secret"]}
    httpx.post(f"{service.url}/api/v1/addresses/resolve", json={}, headers=headers, timeout=60)
    wait_until_counted(admin_api, key["key"]["id"], 1)
    return str(partner["id"])


def test_partners_are_listed_with_keys_usage_and_amount(admin: AdminPage, partner_id: str) -> None:
    page = admin.page
    admin.go("Partners")
    page.get_by_label("Search").fill("topo rhône selarl")
    expect(page.get_by_role("status")).to_have_text("1 partner")  # the list of all has this partner too
    row = admin.row("Topo Rhône", "Partners")
    expect(row.get_by_role("cell")).to_contain_text(["Topo Rhône", "1 of 1", "1", "0", "€49.00", "Active"])
    page.get_by_role("button", name="Amount, net").click()
    expect(page.get_by_role("columnheader", name="Amount, net")).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_role("combobox", name="Sort by")).to_have_value("Amount this month")
    expect(row).to_be_visible()
    look(page, "admin-partners-found")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1, name="Topo Rhône")).to_be_visible()


def test_the_page_of_a_partner_shows_and_changes_the_customer(
    admin: AdminPage, visit: Visitor, partner_id: str
) -> None:
    page = admin.page
    page.goto(f"/admin#/partners/{partner_id}")
    expect(page.get_by_role("heading", level=1, name="Topo Rhône")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Billing address12 rue des BornesBâtiment B69000 Lyon")
    expect(admin.row("topo live", "Keys")).to_contain_text("Cabinet")
    bill = admin.row("Preview", "Bills").first
    expect(bill.get_by_role("cell")).to_contain_text(["", "Preview", "0", "€49.00", "€9.80", "€58.80"])
    expect(admin.row("created the partner", "Audit log")).to_be_visible()
    expect(page.get_by_role("img", name="1 requests")).to_be_visible()

    page.get_by_role("button", name="Edit").click()
    form = page.get_by_role("dialog")
    form.get_by_label("SIREN").fill("732 829 321")
    form.get_by_label("VAT number").fill("FR45 732829320")
    look(page, "admin-partner-form")
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text("the last one a check digit")
    form.get_by_label("SIREN").fill("732 829 320")
    form.get_by_label("VAT number").fill("fr 44 732 829 320")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keep editing").click()
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    expect(page.get_by_role("main")).to_contain_text("SIREN732\u00a0829\u00a0320VAT numberFR\u00a044\u00a0732829320")
    look(page, "admin-partner")

    page.get_by_role("button", name="New key").click()
    key_form = page.get_by_role("dialog", name="New key")
    expect(key_form.get_by_label("Partner", exact=True)).to_have_value("Topo Rhône")
    expect(key_form.get_by_label("Pricing")).to_have_value("Default plan of the partner: Cabinet")
    key_form.get_by_label("Test").check()
    expect(key_form.get_by_label("Pricing")).to_have_value("None: nothing is billed")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Discard").click()


def test_an_admin_ends_one_watch_of_a_partner_or_all(
    admin: AdminPage, admin_api: httpx.Client, service: stacks.Embedded, partner_id: str
) -> None:
    key = admin_api.post("/api-keys", json={"partner": partner_id, "label": "watching"}).raise_for_status().json()
    with httpx.Client(base_url=f"{service.url}/api/v1", headers={"x-api-key": key["secret"]}, timeout=60) as client:
        for number in range(1, 4):
            watch = {"name": f"Jardin {number}", "parcel_ids": [f"00001000AA000{number}"]}
            client.post("/watches", json=watch).raise_for_status()

        def names() -> list[str]:
            return sorted(watch["name"] for watch in client.get("/watches").raise_for_status().json()["watches"])

        page = admin.page
        page.goto(f"/admin#/partners/{partner_id}")
        watches = page.get_by_role("listitem").filter(has_text="Jardin")
        expect(watches).to_have_count(3)
        watches.filter(has_text="Jardin 2").get_by_role("button", name="End", exact=True).click()
        expect(watches).to_have_count(2)
        assert names() == ["Jardin 1", "Jardin 3"]
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="End all").click()
        assert len(names()) == 2
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="End all").click()
        expect(page.get_by_text("No watches and no endpoints.")).to_be_visible()
        assert names() == []


def test_the_page_of_a_partner_in_french(admin: AdminPage, visit: Visitor, partner_id: str) -> None:
    page = visit(f"/admin#/partners/{partner_id}", locale="fr-FR", state=admin.page.context.storage_state())
    expect(page.get_by_role("heading", name="Ce mois-ci")).to_be_visible()
    expect(page.get_by_role("table", name="Factures")).to_be_visible()
    photograph(page, "admin-partner-fr")
    page.get_by_role("link", name="Partenaires", exact=True).first.click()
    expect(page.get_by_role("table", name="Partenaires")).to_be_visible()
    photograph(page, "admin-partners-fr")
