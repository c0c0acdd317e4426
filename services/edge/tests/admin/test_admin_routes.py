"""The admin routes with a fake AdminService: their requests and their answers."""

from typing import Any

import pytest
from answer_schemas import checked
from fakes import Refusal
from running_edge import Edge

from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.errors import Violation

BEARER = {"authorization": "Bearer lpa_secret"}
KEYS = "/api/v1/admin/api-keys"
VIEWER = admin_pb2.ADMIN_ROLE_VIEWER
OPERATOR = admin_pb2.ADMIN_ROLE_OPERATOR
OWNER = admin_pb2.ADMIN_ROLE_OWNER


def a_key() -> admin_pb2.Key:
    return admin_pb2.Key(
        id="k1",
        partner=admin_pb2.Partner(id="p1", name="Notaires", status=admin_pb2.PARTNER_STATUS_ACTIVE),
        label="production",
        mode=keys_pb2.KEY_MODE_LIVE,
        status=admin_pb2.KEY_STATUS_ACTIVE,
        masked="lp_live_abcd1234…wxyz",
        pricing=admin_pb2.Pricing(
            plan="pro",
            currency="EUR",
            monthly_fee="49.00",
            tiers=[admin_pb2.PriceTier(unit_price="0.05")],
            vat_rate="0.20",
        ),
        quota=keys_pb2.Quota(monthly_units=1000, per_minute=60, burst=10, hard=True),
        month_usage=admin_pb2.MonthUsage(month="2026-11", requests=5, units=7),
        created_at="2026-11-01T00:00:00Z",
    )


async def test_keys_are_listed_with_the_columns_of_the_contract(edge: Edge) -> None:
    edge.admin.answers["ListKeys"] = admin_pb2.ListKeysResponse(keys=[a_key()], next_page_token="next", total_count=51)
    query = "?partner=p1&status=active&q=prod&sort=-month_units&limit=10&cursor=c"
    response = await edge.client.get(KEYS + query, headers=BEARER)
    page = checked("KeyPage", response.content)
    assert (page["next_cursor"], page["total"]) == ("next", 51)
    assert page["items"][0]["masked"] == "lp_live_abcd1234…wxyz"
    assert page["items"][0]["quota"]["monthly_units"] == 1000
    request = edge.admin.request("ListKeys")
    assert (request.partner_id, request.status, request.search) == ("p1", admin_pb2.KEY_STATUS_ACTIVE, "prod")
    assert (request.page_size, request.page_token, request.order_by) == (10, "c", "-month_units")
    assert request.caller.bearer_token == "lpa_secret"
    wrong = await edge.client.get(KEYS + "?status=lost&limit=x", headers=BEARER)
    assert {fault["pointer"] for fault in wrong.json()["errors"]} == {"/status", "/limit"}


async def test_violations_of_keys_point_to_the_members_of_the_request(edge: Edge) -> None:
    fault = Violation("/page_token", "malformed", "is no token")
    edge.admin.failures["ListKeys"] = Refusal("invalid_payload", violations=[fault])
    response = await edge.client.get(f"{KEYS}?cursor=x", headers=BEARER)
    assert response.status_code == 400
    assert response.json()["errors"] == [{"pointer": "/cursor", "code": "malformed", "detail": "is no token"}]


async def test_a_key_is_created_with_all_its_terms(edge: Edge) -> None:
    edge.admin.answers["CreateKey"] = admin_pb2.CreateKeyResponse(key=a_key(), secret="shown once")
    body = {
        "partner": "Notaires",
        "label": "production",
        "mode": "test",
        "pricing": {"monthly_fee": "49.00", "tiers": [{"up_to": 100, "unit_price": "0.10"}, {"unit_price": "0.05"}]},
        "quota": {"monthly_units": None, "per_minute": 60, "hard": False, "spend_cap": "100.00"},
        "assistant_policy": {"mode": "rules", "monthly_calls": 5},
        "scopes": ["addresses.resolve"],
        "allowed_cidrs": ["203.0.113.0/24"],
        "expires_at": "2027-01-01T00:00:00Z",
        "metadata": {"crm": "42"},
    }
    response = await edge.client.post(KEYS, json=body, headers={**BEARER, "idempotency-key": "once"})
    assert response.status_code == 201
    assert checked("NewKey", response.content)["secret"] == "shown once"
    request = edge.admin.request("CreateKey")
    assert (request.partner, request.mode, request.idempotency_key) == ("Notaires", keys_pb2.KEY_MODE_TEST, "once")
    assert not request.quota.HasField("monthly_units")
    assert (request.quota.hard, request.quota.spend_cap) == (False, "100.00")
    assert [tier.HasField("up_to") for tier in request.pricing.tiers] == [True, False]
    assert (request.assistant_policy.mode, request.assistant_policy.monthly_calls) == (2, 5)
    assert dict(request.metadata) == {"crm": "42"}


@pytest.mark.parametrize("name", ["", "x" * 201, b"a\tb"])
async def test_a_key_is_not_created_with_an_invalid_idempotency_key(edge: Edge, name: Any) -> None:
    body = {"partner": "Notaires", "label": "production"}
    response = await edge.client.post(KEYS, json=body, headers={**BEARER, "idempotency-key": name})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_payload")
    assert all(method != "CreateKey" for method, _ in edge.admin.calls)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"label": None}, "/label"),
        ({"label": 5}, "/label"),
        ({"mode": "both"}, "/mode"),
        ({"quota": {"monthly_unit": 5}}, "/quota/monthly_unit"),
        ({"quota": {"monthly_units": 1.5}}, "/quota/monthly_units"),
        ({"quota": {"monthly_units": True}}, "/quota/monthly_units"),
        ({"quota": {"monthly_units": 2**63}}, "/quota/monthly_units"),
        ({"quota": {"per_minute": 0}}, "/quota/per_minute"),
        ({"quota": {"hard": None}}, "/quota/hard"),
        ({"quota": {"spend_cap": 10.5}}, "/quota/spend_cap"),
        ({"quota": []}, "/quota"),
        ({"pricing": {"tiers": [{"up_to": 5}]}}, "/pricing/tiers/0/unit_price"),
        ({"pricing": {"tiers": {}}}, "/pricing/tiers"),
        ({"allowed_cidrs": ["203.0.113.0/24", 7]}, "/allowed_cidrs/1"),
        ({"metadata": ["x"]}, "/metadata"),
        ({"limit": 5}, "/limit"),
    ],
)
async def test_a_member_of_the_wrong_form_has_a_pointer(edge: Edge, change: dict[str, Any], pointer: str) -> None:
    body = {"partner": "p", "label": "l", **change}
    response = await edge.client.post(KEYS, json=body, headers=BEARER)
    assert [fault["pointer"] for fault in response.json()["errors"]] == [pointer]


async def test_only_the_members_sent_are_changed(edge: Edge) -> None:
    edge.admin.answers["UpdateKey"] = admin_pb2.UpdateKeyResponse(key=a_key())
    body = {"quota": {"monthly_units": 5}, "expires_at": None}
    response = await edge.client.patch(f"{KEYS}/k1", json=body, headers=BEARER)
    assert response.status_code == 200
    request = edge.admin.request("UpdateKey")
    assert sorted(request.update_mask.paths) == ["expires_at", "quota"]
    assert (request.key.id, request.key.quota.monthly_units) == ("k1", 5)
    assert not request.key.HasField("expires_at")


@pytest.mark.parametrize(("path", "member"), [("admins/a", "is_active"), ("plans/pl", "is_archived")])
async def test_null_for_a_switch_changes_nothing(edge: Edge, path: str, member: str) -> None:
    response = await edge.client.patch(f"/api/v1/admin/{path}", json={member: None}, headers=BEARER)
    assert [fault["pointer"] for fault in response.json()["errors"]] == [f"/{member}"]
    assert {name for name, _ in edge.admin.calls} == {"VerifyCaller"}


async def test_keys_are_read_and_rotated(edge: Edge) -> None:
    edge.admin.answers["GetKey"] = admin_pb2.GetKeyResponse(key=a_key())
    response = await edge.client.get(f"{KEYS}/k1", headers=BEARER)
    assert checked("Key", response.content)["id"] == "k1"
    edge.admin.answers["RotateKey"] = admin_pb2.RotateKeyResponse(key=a_key(), secret="new")
    assert (await edge.client.post(f"{KEYS}/k1/rotate", headers=BEARER)).json()["secret"] == "new"
    assert edge.admin.request("RotateKey").grace_days == 7
    edge.admin.calls.clear()
    await edge.client.post(f"{KEYS}/k1/rotate", json={"grace_days": 0}, headers=BEARER)
    assert edge.admin.request("RotateKey").grace_days == 0


async def test_partners_plans_admins_tokens_and_audit(edge: Edge) -> None:
    answers = edge.admin.answers
    answers["ListPartners"] = admin_pb2.ListPartnersResponse(partners=[admin_pb2.Partner(id="p1", name="N")])
    answers["ListPlans"] = admin_pb2.ListPlansResponse(plans=[admin_pb2.Plan(id="pl", name="pro")])
    answers["ListAdmins"] = admin_pb2.ListAdminsResponse(admins=[admin_pb2.Admin(id="a", role=VIEWER)])
    answers["ListTokens"] = admin_pb2.ListTokensResponse(tokens=[admin_pb2.AdminToken(id="t", role=OPERATOR)])
    entry = admin_pb2.AuditEntry(id=1)
    entry.changes.update({"quota": {"burst": 100, "ratio": 0.5}, "scopes": ["usage"]})
    answers["ListAuditEntries"] = admin_pb2.ListAuditEntriesResponse(entries=[entry])
    answers["CreateToken"] = admin_pb2.CreateTokenResponse(
        token=admin_pb2.AdminToken(id="t", role=OWNER), secret="lpa_x"
    )
    answers["CreateAdmin"] = admin_pb2.CreateAdminResponse(admin=admin_pb2.Admin(id="a", role=OWNER))
    pages = {
        "partners": "PartnerPage",
        "plans": "PlanPage",
        "admins": "AdminPage",
        "tokens": "TokenPage",
        "audit": "AuditPage",
    }
    for path, schema in pages.items():
        response = await edge.client.get(f"/api/v1/admin/{path}", headers=BEARER)
        checked(schema, response.content)
    assert response.json()["items"][0]["changes"] == {"quota": {"burst": 100, "ratio": 0.5}, "scopes": ["usage"]}
    assert b'"burst":100,' in response.content or b'"burst":100}' in response.content
    token = await edge.client.post("/api/v1/admin/tokens", json={"label": "ci", "role": "owner"}, headers=BEARER)
    assert (token.status_code, token.json()["token"]) == (201, "lpa_x")
    assert (await edge.client.delete("/api/v1/admin/tokens/t", headers=BEARER)).status_code == 204
    body = {"email": "b@b.fr", "password": "a long password", "role": "viewer"}
    assert (await edge.client.post("/api/v1/admin/admins", json=body, headers=BEARER)).status_code == 201
    await edge.client.patch("/api/v1/admin/admins/a", json={"is_active": False}, headers=BEARER)
    assert list(edge.admin.request("UpdateAdmin").update_mask.paths) == ["is_active"]
    await edge.client.post("/api/v1/admin/partners", json={"name": "N"}, headers=BEARER)
    await edge.client.patch("/api/v1/admin/partners/p1", json={"status": "disabled"}, headers=BEARER)
    assert edge.admin.request("UpdatePartner").partner.status == admin_pb2.PARTNER_STATUS_DISABLED
    plan = {"name": "pro", "pricing": {"monthly_fee": "10.00"}}
    assert (await edge.client.post("/api/v1/admin/plans", json=plan, headers=BEARER)).status_code == 201
    await edge.client.patch("/api/v1/admin/plans/pl", json={"is_archived": True}, headers=BEARER)
    assert edge.admin.request("UpdatePlan").plan.is_archived


def a_report() -> admin_pb2.GetUsageReportResponse:
    partner = admin_pb2.Partner(id="p1", name='=HYPERLINK("x")')
    report = admin_pb2.GetUsageReportResponse(
        to="2026-12-01",
        bucket=admin_pb2.USAGE_BUCKET_HOUR,
        summary=admin_pb2.UsageSummary(requests=3, errors=1, average_latency_ms=4.5, active_keys=1, units=4),
        top_keys=[
            admin_pb2.KeyUsage(
                key_id="k1", masked="lp_live_a…z", label="+1", partner=partner, estimated_cost="0.40", currency="EUR"
            )
        ],
        billing_preview=admin_pb2.BillingPreview(
            month="2026-11",
            bills=[
                admin_pb2.Bill(
                    key_id="k1",
                    partner=partner,
                    currency="EUR",
                    net="0.40",
                    lines=[admin_pb2.BillLine(kind="adjustment", description="@x", amount="-0.10")],
                )
            ],
        ),
    )
    setattr(report, "from", "2026-11-01")
    report.timeline.add(requests=3)
    setattr(report.timeline[0], "from", "2026-11-01T00:00:00Z")
    return report


async def test_usage_is_reported_as_json_and_as_csv_without_formulas(edge: Edge) -> None:
    edge.admin.answers["GetUsageReport"] = a_report()
    path = "/api/v1/admin/usage?from=2026-11-01&to=2026-12-01&bucket=hour&key_id=k1&partner=p1&month=2026-11"
    response = await edge.client.get(path, headers=BEARER)
    report = checked("UsageReport", response.content)
    assert (report["range"]["from"], report["summary"]["requests"]) == ("2026-11-01", 3)
    request = edge.admin.request("GetUsageReport")
    assert (getattr(request, "from"), request.bucket) == ("2026-11-01", admin_pb2.USAGE_BUCKET_HOUR)
    assert (request.key_id, request.partner_id, request.billing_month) == ("k1", "p1", "2026-11")
    csv_headers = {**BEARER, "accept": "text/csv"}
    keys = await edge.client.get(path, headers=csv_headers)
    assert keys.headers["content-type"].startswith("text/csv")
    assert "'=HYPERLINK" in keys.text
    assert ";'+1;" not in keys.text  # a number is not a formula
    bills = await edge.client.get(f"{path}&table=bills", headers=csv_headers)
    assert "'@x" in bills.text
    assert ";-0,10;" in bills.text
    english = await edge.client.get(f"{path}&table=totals", headers={**csv_headers, "accept-language": "en"})
    assert english.text.startswith("Month,State of the month,Partner,")
    timeline = await edge.client.get(f"{path}&table=timeline", headers=csv_headers)
    assert timeline.content.decode("utf-8-sig").splitlines()[1].startswith("01/11/2026 01:00;UTC+01:00;3;")


async def test_the_settings_of_the_installation_have_those_of_keys_and_of_the_edge(edge: Edge) -> None:
    state = admin_pb2.GetInstallationResponse(version="1.0.0", seller="Foncier SAS", waiting_mails=2)
    edge.admin.answers["GetInstallation"] = state
    response = await edge.client.get("/api/v1/admin/installation", headers=BEARER)
    settings = checked("Installation", response.content)
    assert (settings["public_url"], settings["visitor_keys_per_day"], settings["disabled"]) == (None, 0, [])
    keys = settings["keys"]
    assert (keys["seller"], keys["single_sign_on"], keys["waiting_mails"]) == ("Foncier SAS", None, 2)
    edge.admin.answers["TrySending"] = admin_pb2.TrySendingResponse()
    path = "/api/v1/admin/installation/tries"
    assert (await edge.client.post(path, json={"channel": "mail"}, headers=BEARER)).status_code == 204
    assert edge.admin.request("TrySending").channel == "mail"
    edge.admin.failures["GetInstallation"] = Refusal("role_denied")
    assert (await edge.client.get("/api/v1/admin/installation", headers=BEARER)).status_code == 403


async def test_the_audit_log_is_a_table_without_pages_for_a_spreadsheet(edge: Edge) -> None:
    details = [admin_pb2.AuditDetail(name="n", label="Nom", old="A", new="=B")]
    entry = admin_pb2.AuditEntry(
        occurred_at="2026-11-01T10:00:00Z", actor_name="=ann", action="key.update", summary="s", details=details
    )
    edge.admin.answers["ListAuditEntries"] = admin_pb2.ListAuditEntriesResponse(entries=[entry], next_page_token="t")
    table = await edge.client.get("/api/v1/admin/audit?action=key", headers={**BEARER, "accept": "text/csv"})
    lines = table.content.decode("utf-8-sig").splitlines()
    assert lines[:2] == [
        "Quand (heure de Paris);Auteur;Action;Quoi;Détail;Adresse IP",
        "01/11/2026 11:00;'=ann;key.update;s;Nom: A → =B;",
    ]
    assert len(lines) == 6  # five pages at most
    request = edge.admin.request("ListAuditEntries")
    assert (request.page_size, request.action) == (200, "key")


async def test_issued_bills_are_listed_booked_and_downloaded(edge: Edge) -> None:
    partner = admin_pb2.Partner(id="p1", name="=Topo", status=admin_pb2.PARTNER_STATUS_ACTIVE)
    sums = {"net": "49.37", "vat": "9.87", "gross": "59.24", "currency": "EUR"}
    dates = {"month": "2026-03", "issued_on": "2026-04-04", "due_on": "2026-05-04"}
    bill = admin_pb2.IssuedBill(
        id="b1", number="2026-000001", kind=admin_pb2.BILL_KIND_BILL, partner=partner, **dates, **sums
    )
    credit = admin_pb2.IssuedBill(
        id="b2", number="2026-000002", kind=admin_pb2.BILL_KIND_CREDIT_NOTE, partner=partner, **dates, **sums
    )
    edge.admin.answers["ListIssuedBills"] = admin_pb2.ListIssuedBillsResponse(bills=[bill, credit])
    path = "/api/v1/admin/bills?from=2026-04&to=2026-05&partner=p1&number=0001"
    page = checked("IssuedBillPage", (await edge.client.get(path, headers=BEARER)).content)
    assert [(item["kind"], item["gross"]) for item in page["items"]] == [("bill", "59.24"), ("credit_note", "59.24")]
    request = edge.admin.request("ListIssuedBills")
    assert (getattr(request, "from"), request.to, request.partner_id, request.number) == (
        "2026-04",
        "2026-05",
        "p1",
        "0001",
    )
    entries = await edge.client.get(path, headers={**BEARER, "accept": "text/csv"})
    assert entries.content.decode("utf-8-sig").splitlines() == [
        "Pièce;Date;Compte;Débit;Crédit;Partenaire;Échéance",
        "2026-000001;04/04/2026;411;59,24;;'=Topo;04/05/2026",
        "2026-000001;04/04/2026;706;;49,37;'=Topo;04/05/2026",
        "2026-000001;04/04/2026;44571;;9,87;'=Topo;04/05/2026",
        "2026-000002;04/04/2026;411;;59,24;'=Topo;04/05/2026",
        "2026-000002;04/04/2026;706;49,37;;'=Topo;04/05/2026",
        "2026-000002;04/04/2026;44571;9,87;;'=Topo;04/05/2026",
    ]
    edge.admin.answers["GetIssuedBillPdf"] = admin_pb2.GetIssuedBillPdfResponse(number="2026-000001", pdf=b"%PDF-1.7")
    pdf = await edge.client.get("/api/v1/admin/bills/b1.pdf", headers=BEARER)
    assert (pdf.content, pdf.headers["content-type"]) == (b"%PDF-1.7", "application/pdf")
    assert pdf.headers["content-disposition"] == 'attachment; filename="2026-000001.pdf"'
    assert edge.admin.request("GetIssuedBillPdf").bill_id == "b1"
    edge.admin.answers["CorrectIssuedBill"] = admin_pb2.CorrectIssuedBillResponse(bill=credit)
    correction = {"amount": "-49.37", "reason_fr": "panne", "reason_en": "outage"}
    issued = await edge.client.post("/api/v1/admin/bills/b1/corrections", json=correction, headers=BEARER)
    assert (issued.status_code, checked("IssuedBill", issued.content)["number"]) == (201, "2026-000002")
    sent = edge.admin.request("CorrectIssuedBill")
    assert (sent.bill_id, sent.amount, sent.reason_fr) == ("b1", "-49.37", "panne")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("role_denied", 403),
        ("csrf_failed", 403),
        ("totp_enrolment_required", 403),
        ("conflict", 409),
        ("not_found", 404),
    ],
)
async def test_refusals_of_keys_have_their_codes(edge: Edge, code: str, status: int) -> None:
    edge.admin.failures["RevokeKey"] = Refusal(code)
    response = await edge.client.post(f"{KEYS}/k1/revoke", headers=BEARER)
    assert (response.status_code, response.json()["code"]) == (status, code)
