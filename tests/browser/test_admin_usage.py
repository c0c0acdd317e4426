"""Usage and bills: the page shows the selected range, buckets and month."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import expect

import stacks
from admin_page import AdminPage, wait_until_counted
from browsing import assert_prints, look

pytestmark = pytest.mark.browser

PARIS = ZoneInfo("Europe/Paris")


def test_usage_follows_range_bucket_partner_and_month(
    admin: AdminPage, admin_api: httpx.Client, service: stacks.Embedded
) -> None:
    tiers = [{"up_to": None, "unit_price": "0.10"}]
    body = {
        "partner": "Usage & co",
        "label": "counted",
        "pricing": {"monthly_fee": "5", "tiers": tiers, "vat_rate": "0.20"},
    }
    created_key = admin_api.post("/api-keys", json=body).raise_for_status().json()
    partner_path = f"/partners/{created_key['key']['partner']['id']}"
    customer = {"legal_name": "Example & Cie", "siren": "732829320", "metadata": {"note": "pays late"}}
    admin_api.patch(partner_path, json=customer).raise_for_status()
    address = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
    for json in (address, address, {}):
        httpx.post(
            f"{service.url}/api/v1/addresses/resolve",
            json=json,
            headers={"x-api-key": created_key["secret"]},
            timeout=60,
        )
    wait_until_counted(admin_api, created_key["key"]["id"], 3)

    page = admin.page
    admin.go("Usage")
    page.get_by_role("combobox", name="Partner").fill("Usage")
    page.get_by_role("option", name="Usage & co").click()
    tile = page.get_by_text("Requests", exact=True).locator("xpath=following-sibling::dd[1]")
    expect(tile).to_have_text("3")
    httpx.post(
        f"{service.url}/api/v1/addresses/resolve", json={}, headers={"x-api-key": created_key["secret"]}, timeout=60
    )
    wait_until_counted(admin_api, created_key["key"]["id"], 4)
    page.get_by_role("button", name="Refresh").click()
    expect(tile).to_have_text("4")
    show_numbers = page.get_by_text("Show the numbers")
    show_numbers.click()
    timeline = admin.table("Timeline").get_by_role("row")
    expect(timeline).to_have_count(datetime.now(PARIS).day + 1)

    admin.choose(page.get_by_role("combobox", name="Range"), "Today")
    expect(page.get_by_role("combobox", name="By", exact=True)).to_have_value("Hour")
    expect(tile).to_have_text("4")
    admin.choose(page.get_by_role("combobox", name="Range"), "Last 12 months")
    expect(timeline).to_have_count(13)
    expect(tile).to_have_text("4")
    admin.choose(page.get_by_role("combobox", name="Range"), "From… to…")
    day_before = (datetime.now(PARIS) - timedelta(days=1)).date().isoformat()
    page.get_by_label("From", exact=True).fill((datetime.now(PARIS) - timedelta(days=10)).date().isoformat())
    page.get_by_label("To", exact=True).fill(day_before)
    expect(page.get_by_text("No usage in this range")).to_be_visible()
    look(page, "admin-usage-none")
    page.get_by_label("To", exact=True).fill(datetime.now(PARIS).date().isoformat())
    admin.choose(page.get_by_role("combobox", name="By", exact=True), "Day")
    show_numbers.click()
    expect(timeline).to_have_count(12)
    today = admin.table("Timeline").get_by_role("button").first
    today.click()
    expect(page.get_by_role("combobox", name="By", exact=True)).to_have_value("Hour")
    expect(tile).to_have_text("4")
    endpoint = admin.row("addresses.resolve", "By endpoint").get_by_role("cell")
    expect(endpoint).to_have_text(
        ["addresses.resolve", "4", "200 2400 2", re.compile("ms$"), re.compile("ms$"), "2", "100%"]
    )

    page.get_by_role("group", name="By status").get_by_role("button", name="400 2").click()
    expect(endpoint.nth(2)).to_have_text("400 2")
    expect(admin.row("invalid_payload", "Errors by code").get_by_role("cell").nth(2)).to_have_text("2")
    look(page, "admin-usage-outcomes")
    assert_prints(page, "the usage")

    page.get_by_role("tab", name="Bills").click()
    expect(page.get_by_text("€6.24 Gross").first).to_be_visible()  # (5.00 + 2 x 0.10) with 20 % VAT
    page.locator("summary", has_text="Usage & co").click()
    expect(page.get_by_role("row", name="VAT 20%")).to_contain_text("€1.04")
    expect(page.get_by_role("link", name="Issued bills and credit notes")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
        page.get_by_role("menuitem", name="Totals by key").click()
    assert download.value.suggested_filename.startswith("bill-totals-")

    first_of_month = datetime.now(UTC).astimezone(PARIS).date().replace(day=1)
    before = (first_of_month - timedelta(days=1)).strftime("%B %Y")
    admin.choose(page.get_by_role("combobox", name="Month"), before)
    expect(page.get_by_text("Nothing to bill for this month")).to_be_visible()


def test_a_plan_is_paid_once_for_each_key_or_once_for_a_partner(
    admin: AdminPage, admin_api: httpx.Client, service: stacks.Embedded
) -> None:
    terms = {"monthly_fee": "49", "included_units": 1, "tiers": [{"up_to": None, "unit_price": "0.10"}]}
    plan = {"name": "Three keys", "pricing": {**terms, "vat_rate": "0.20"}}
    admin_api.post("/plans", json=plan).raise_for_status()

    def key(label: str, plan: str) -> str:
        body = {"partner": "Payers", "label": label, "pricing": {"plan": plan}}
        created_key = admin_api.post("/api-keys", json=body).raise_for_status().json()
        return str(created_key["secret"])

    for label in ("one", "two", "three"):
        key(label, "Three keys")

    page = admin.page
    admin.go("Plans")
    page.get_by_role("button", name="New plan").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Name").fill("Shared")
    form.get_by_label("Monthly fee").fill("20")
    form.get_by_label("Per partner").check()
    look(page, "admin-plan-per-partner")
    price = form.get_by_label("Tier 1: price")
    price.fill(" ")
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_text("Tier 1 is incomplete")).to_be_visible()
    price.fill("0,05")
    form.get_by_role("button", name="Create").click()
    expect(form).to_be_hidden()
    expect(admin.row("Shared", "Plans")).to_contain_text("Per partner")
    secret = key("production", "Shared")
    key("staging", "Shared")
    json = {"label": "1 rue du 8 mai 1945, 00100 Exempleville-sur-Fiction"}
    httpx.post(f"{service.url}/api/v1/addresses/resolve", json=json, headers={"x-api-key": secret}, timeout=60)
    wait_until_counted(admin_api, secret.split("_")[2][:8], 1)

    admin.go("Keys")
    form = admin.open_new_key()
    form.get_by_label("Partner").fill("Payers")
    admin.choose(form.get_by_label("Pricing"), "A named plan")
    admin.choose(form.get_by_label("Plan", exact=True), "Shared")
    expect(form).to_contain_text("each unit counts at the plan's highest price")
    admin.choose(form.get_by_label("Plan", exact=True), "Three keys")
    expect(form).to_contain_text("the key owes the fee of the whole month: €49.00 net, not pro rata")
    expect(form).to_contain_text("This partner would pay the plan “Three keys” 4 times (once for each key).")
    look(page, "admin-key-repeated-plan")
    form.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Discard").click()

    admin.go("Usage")
    page.get_by_role("tab", name="Bills").click()
    bill = page.locator("details").filter(has_text="Payers")
    bill.locator("summary").click()
    expect(bill).to_contain_text("€200.46 Gross")  # (3 x 49 + 20 + 0.05) with 20 % VAT
    expect(bill.get_by_role("row", name="Plan “Shared”, paid once")).to_contain_text("€20.05")
    expect(bill.get_by_role("row", name="production")).to_contain_text("1")
    look(page, "admin-bills-of-plans")
    expect(bill).to_contain_text("This partner pays the plan “Three keys” 3 times (once for each key).")
    bill.get_by_role("link", name="See the plan").click()
    expect(page.get_by_role("dialog", name="Edit Three keys").get_by_label("Per key")).to_be_checked()
