"""AdminService over a real loopback connection, on SQLite."""

from __future__ import annotations  # the asynchronous stub exists for the type checker only

import asyncio
import json
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc
import pytest
from admin_client import CALL, EMAIL, PASSWORD, owner, refusal, running
from bills_world import SELLER
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

from keys.admins.hashing_queue import MAX_WAITING_OF_ONE
from keys.admins.passwords import Passwords
from keys.settings import KeysSettings
from keys.store import issued_bills, mails
from keys.store.audit_log import BACKUP, COMMAND_LINE
from keys.store.change import changing
from keys.store.database import Database
from keys.store.paging import write_token
from keys.values.clock import system_clock
from landpartner.keys.v1 import admin_pb2, keys_pb2


async def test_setup_sign_in_and_sign_out(tmp_path: Path) -> None:
    async with running(tmp_path) as client:
        assert (await client("GetSetup")).is_open
        wrong = await refusal(client, "CompleteSetup", setup_token="nonsense", email=EMAIL, password=PASSWORD)
        assert (wrong.code, wrong.status) == ("invalid_token", grpc.StatusCode.UNAUTHENTICATED)
        members = {"setup_token": client.setup_token, "email": EMAIL, "password": PASSWORD}
        assert (await client("CompleteSetup", **members)).admin.role == admin_pb2.ADMIN_ROLE_OWNER
        assert (await refusal(client, "CompleteSetup", **members)).code == "setup_closed"
        assert not (await client("GetSetup")).is_open

        assert (await refusal(client, "SignIn", email=EMAIL, password="wrong")).code == "invalid_credentials"
        assert (await refusal(client, "GetSession")).code == "sign_in_required"
        await client.sign_in()
        session = await client("GetSession")
        assert (session.admin.email, session.csrf_token) == (EMAIL, client.caller.csrf_token)
        await client("SignOut")
        assert (await refusal(client, "GetSession")).code == "sign_in_required"


async def test_the_life_cycle_of_a_key(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        metadata = Struct()
        metadata.update({"contract": "C-17", "seats": "3"})
        created = await client(
            "CreateKey",
            partner="Cadastra",
            label="Production",
            quota=keys_pb2.Quota(monthly_units=10, hard=True),
            pricing=admin_pb2.Pricing(
                monthly_fee="49",
                included_units=5,
                tiers=[admin_pb2.PriceTier(unit_price="0.0155")],
                vat_rate="0.20",
            ),
            metadata=metadata,
        )
        key = created.key
        assert created.secret.startswith(f"lp_live_{key.id}")
        assert key.status == admin_pb2.KEY_STATUS_ACTIVE
        assert (key.quota.per_minute, key.quota.burst, key.quota.monthly_units) == (600, 100, 10)
        assert (key.pricing.currency, key.pricing.monthly_fee, key.pricing.tiers[0].unit_price) == (
            "EUR",
            "49",
            "0.0155",
        )
        assert MessageToDict(key.metadata) == {"contract": "C-17", "seats": "3"}
        assert (await client.lease(created.secret)).grant.terms.key_id == key.id

        changes = admin_pb2.Key(id=key.id, label="Renamed", expires_at="2199-01-01T00:00:00Z")
        paths = ["label", "quota.monthly_units", "expires_at", "metadata"]
        updated = (await client("UpdateKey", key=changes, update_mask=FieldMask(paths=paths))).key
        assert (updated.label, updated.expires_at) == ("Renamed", "2199-01-01T00:00:00Z")
        assert not updated.quota.HasField("monthly_units")
        assert (updated.quota.per_minute, updated.quota.hard) == (600, True)
        assert MessageToDict(updated.metadata) == {}
        assert updated.pricing == key.pricing

        rotated = await client("RotateKey", key_id=key.id, grace_days=0)
        assert (await client.lease(created.secret)).denial.code == "invalid_key"
        assert (await client.lease(rotated.secret)).grant.terms.key_id == key.id

        suspended = (await client("SuspendKey", key_id=key.id)).key
        assert suspended.status == admin_pb2.KEY_STATUS_SUSPENDED
        assert (await client.lease(rotated.secret)).denial.code == "suspended_key"
        assert (await client("ListKeys", status=admin_pb2.KEY_STATUS_SUSPENDED)).keys[0].id == key.id
        assert not (await client("ListKeys", status=admin_pb2.KEY_STATUS_ACTIVE)).keys
        resumed = (await client("ResumeKey", key_id=key.id)).key
        assert (resumed.status, resumed.suspended_at) == (admin_pb2.KEY_STATUS_ACTIVE, "")
        assert (await client.lease(rotated.secret)).grant.terms.key_id == key.id

        revoked = (await client("RevokeKey", key_id=key.id)).key
        assert revoked.status == admin_pb2.KEY_STATUS_REVOKED
        assert (await client.lease(rotated.secret)).denial.code == "revoked_key"
        assert (await client("GetKey", key_id=key.id)).key == (await client("ListKeys")).keys[0]
        for method in ("RotateKey", "SuspendKey", "ResumeKey"):
            assert (await refusal(client, method, key_id=key.id)).code == "conflict"
        assert (await refusal(client, "GetKey", key_id="nothing1")).code == "not_found"

        audited = (await client("ListAuditEntries", subject=key.id)).entries
        assert [entry.action for entry in audited] == [
            "key.revoke",
            "key.resume",
            "key.suspend",
            "key.rotate",
            "key.update",
            "key.create",
        ]
        assert {entry.actor for entry in audited} == {f"admin {EMAIL}"}


@pytest.mark.parametrize(
    ("method", "members", "pointer"),
    [
        ("ListKeys", {"page_token": "nonsense"}, "/page_token"),
        ("ListKeys", {"page_token": write_token("label", 0, "a", "b")}, "/page_token"),  # of another order
        ("ListAuditEntries", {"page_token": "AAAA"}, "/page_token"),
        ("RotateKey", {"key_id": "x", "grace_days": -1}, "/grace_days"),
        ("GetUsageReport", {"from": "2026-03-02", "to": "2026-03-01"}, "/to"),
        ("GetUsageReport", {"from": "2020-01-01", "to": "2026-01-01"}, "/bucket"),
    ],
)
async def test_malformed_requests_are_refused_with_a_pointer(
    tmp_path: Path, method: str, members: dict[str, Any], pointer: str
) -> None:
    async with owner(tmp_path) as client:
        error = await refusal(client, method, **members)
        assert (error.code, error.status) == ("invalid_payload", grpc.StatusCode.INVALID_ARGUMENT)
        assert [violation.pointer for violation in error.violations] == [pointer]


@pytest.mark.parametrize("path", ["id", "mode", "masked", "nonsense", "quota.nonsense", "label.nonsense"])
async def test_read_only_members_cannot_be_changed(tmp_path: Path, path: str) -> None:
    async with owner(tmp_path) as client:
        key = (await client("CreateKey", partner="A", label="B")).key
        error = await refusal(client, "UpdateKey", key=key, update_mask=FieldMask(paths=[path]))
        assert error.code == "invalid_payload"
        assert (await client("GetKey", key_id=key.id)).key == key


async def test_bills_are_found_by_number_and_corrected_by_owners(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        partner = (await client("CreatePartner", name="Topo")).partner
        line = {"description": {"fr": "x", "en": "x"}, "amount": "10.00", "vat_rate": "0.20"}
        amounts = issued_bills._amounts([line], {Decimal("0.20"): Decimal("2.00")})
        content = {"kind": "bill", "seller": SELLER.model_dump(mode="json", exclude={"logo"}), "buyer": {}, **amounts}
        with Database(f"sqlite:///{tmp_path}/keys.sqlite").writing() as connection:
            issued_at = datetime(2026, 4, 4, tzinfo=UTC)
            for _ in range(2):
                bill_id = issued_bills._add(connection, partner.id, "2026-03", content, issued_at)
        (bill,) = (await client("ListIssuedBills", number="0002")).bills
        assert (bill.id, bill.number) == (bill_id, "2026-000002")
        assert not (await client("ListIssuedBills")).bills  # of this month
        correction = {"bill_id": bill_id, "amount": "-4.00", "reason_fr": "panne", "reason_en": "outage"}
        credit = (await client("CorrectIssuedBill", **correction)).bill
        assert (credit.kind, credit.gross, credit.corrected_number) == (2, "4.80", bill.number)
        too_much = await refusal(client, "CorrectIssuedBill", **{**correction, "amount": "-6.01"})
        assert [fault.pointer for fault in too_much.violations] == ["/amount"]
        operator = await client("CreateToken", label="operator", role=admin_pb2.ADMIN_ROLE_OPERATOR)
        client.caller = admin_pb2.Caller(bearer_token=operator.secret)
        assert (await refusal(client, "CorrectIssuedBill", **correction)).code == "role_denied"


async def test_operators_see_what_is_set_and_try_to_send(tmp_path: Path) -> None:
    async with owner(tmp_path, seller=SELLER.model_dump_json()) as client:
        state = await client("GetInstallation")
        assert (state.seller, state.single_sign_on, state.has_webhook_key) == (SELLER.legal_name, "", False)
        assert (state.waiting_mails, state.mails_wait_since, state.last_backup_at) == (0, "", "")
        await client("TrySending", channel="mail")
        await client("TrySending", channel="webhooks")
        state = await client("GetInstallation")
        assert (state.waiting_mails, bool(state.mails_wait_since)) == (1, True)
        with changing(Database(f"sqlite:///{tmp_path}/keys.sqlite"), system_clock, COMMAND_LINE) as change:
            mail = mails.take(change.connection, change.now)
            change.audit(BACKUP, "setup")
        assert mail is not None
        assert (mail.kind, mail.recipient) == ("test", EMAIL)
        assert (await client("GetInstallation")).last_backup_at
        token = await client("CreateToken", label="operator", role=admin_pb2.ADMIN_ROLE_OPERATOR)
        client.caller = admin_pb2.Caller(bearer_token=token.secret)
        assert (await client("GetInstallation")).seller
        assert (await refusal(client, "TrySending", channel="mail")).code == "not_found"  # a token has no address


OPEN_CALLS = {"GetSetup", "CompleteSetup", "SignIn", "GetInvitation", "AcceptInvitation"}
OPEN_CALLS |= {"BeginSingleSignOn", "CompleteSingleSignOn"}


async def test_every_call_needs_a_credential_and_every_change_its_csrf_token(tmp_path: Path) -> None:
    reads = {
        "GetSession",
        "VerifyCaller",
        "GetKey",
        "GetPartner",
        "GetUsageReport",
        "GetAccessPolicy",
        "GetIssuedBillPdf",
        "GetInstallation",
    }
    methods = set(admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods_by_name)
    async with owner(tmp_path) as client:
        signed_in = client.caller
        for method in sorted(methods - OPEN_CALLS):
            client.caller = admin_pb2.Caller()
            assert (await refusal(client, method)).code == "sign_in_required", method
            client.caller = admin_pb2.Caller(bearer_token="lpa_nonsense", session_token=signed_in.session_token)
            assert (await refusal(client, method)).code == "sign_in_required", method
            if method in reads or method.startswith("List"):
                continue
            client.caller = admin_pb2.Caller(session_token=signed_in.session_token)
            assert (await refusal(client, method)).code == "csrf_failed", method


async def test_a_viewer_reads_and_changes_nothing(tmp_path: Path) -> None:
    reads = {"ListKeys", "GetKey", "ListKeyCalls", "ListPlans", "GetUsageReport"}
    reads |= {"ListPartners", "GetPartner", "ListPartnerBills", "ListIssuedBills"}
    of_owners = {"ListTokens", "ListAdmins", "ListAuditEntries"}
    methods = set(admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods_by_name)
    unlimited = OPEN_CALLS | {"SignOut", "GetSession", "VerifyCaller", "GetIssuedBillPdf"}
    own_account = {"ChangePassword", "BeginTotpEnrolment", "ConfirmTotpEnrolment", "RemoveTotp"}
    async with owner(tmp_path) as client:
        viewer = await client("CreateToken", label="viewer", role=admin_pb2.ADMIN_ROLE_VIEWER)
        key = (await client("CreateKey", partner="A", label="B")).key
        client.caller = admin_pb2.Caller(bearer_token=viewer.secret)
        of_key, of_partner = {"key_id": key.id}, {"partner_id": key.partner.id}
        needed = {
            **dict.fromkeys(("GetKey", "ListKeyCalls"), of_key),
            **dict.fromkeys(("GetPartner", "ListPartnerBills"), of_partner),
        }
        for method in sorted(reads):
            await client(method, **needed.get(method, {}))
        for method in sorted((methods - reads - unlimited - own_account) | of_owners):
            error = await refusal(client, method)
            assert (error.code, error.status) == ("role_denied", grpc.StatusCode.PERMISSION_DENIED), method
        for method in sorted(own_account):  # a token has no account
            assert (await refusal(client, method)).code == "sign_in_required", method


async def test_admins_partners_plans_and_tokens_are_managed(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        bob = (
            await client("CreateAdmin", email="bob@example.org", password=PASSWORD, role=admin_pb2.ADMIN_ROLE_OPERATOR)
        ).admin
        bob.role = admin_pb2.ADMIN_ROLE_VIEWER
        changed = await client("UpdateAdmin", admin=bob, update_mask=FieldMask(paths=["role"]))
        assert changed.admin.role == admin_pb2.ADMIN_ROLE_VIEWER
        assert [admin.email for admin in (await client("ListAdmins")).admins] == [EMAIL, "bob@example.org"]

        partner = (await client("CreatePartner", name="Cadastra")).partner
        partner.status = admin_pb2.PARTNER_STATUS_DISABLED
        disabled = await client("UpdatePartner", partner=partner, update_mask=FieldMask(paths=["status"]))
        assert disabled.partner.status == admin_pb2.PARTNER_STATUS_DISABLED
        for number in range(3):
            await client("CreatePartner", name=f"Étude {number}")
        first = await client("ListPartners", page_size=3)
        second = await client("ListPartners", page_size=3, page_token=first.next_page_token)
        assert len({partner.id for partner in (*first.partners, *second.partners)}) == 4
        assert second.next_page_token == ""

        pricing = admin_pb2.Pricing(monthly_fee="10", vat_rate="0.2", tiers=[admin_pb2.PriceTier(unit_price="0.5")])
        plan = (await client("CreatePlan", name="Étude", pricing=pricing)).plan
        created = await client("CreateKey", partner="A", label="B", pricing=admin_pb2.Pricing(plan="Étude"))
        assert (created.key.pricing.plan, created.key.pricing.monthly_fee) == ("Étude", "10")
        plan.is_archived = True
        await client("UpdatePlan", plan=plan, update_mask=FieldMask(paths=["is_archived"]))
        assert [plan.is_archived for plan in (await client("ListPlans")).plans] == [True]

        token = await client("CreateToken", label="nightly", role=admin_pb2.ADMIN_ROLE_OPERATOR)
        assert [token.label for token in (await client("ListTokens")).tokens] == ["nightly"]
        session, client.caller = client.caller, admin_pb2.Caller(bearer_token=token.secret)
        assert len((await client("ListKeys")).keys) == 1
        client.caller = session
        assert (await client("RevokeToken", token_id=token.token.id)).token.HasField("revoked_at")


async def test_the_usage_report_counts_and_bills(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        pricing = admin_pb2.Pricing(monthly_fee="10", vat_rate="0.2", tiers=[admin_pb2.PriceTier(unit_price="0.5")])
        created = await client("CreateKey", partner="Cadastra", label="B", pricing=pricing)
        grant = (await client.lease(created.secret)).grant
        outcome = keys_pb2.Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=secrets.token_bytes(16),
            key_id=created.key.id,
            endpoint="addresses.resolve",
            status=200,
            latency_us=4_000,
            request_id="request-1",
            leased_at=grant.leased_at,
            occurred_at=grant.leased_at,
            units=1,
        )
        await client.keys.Settle(keys_pb2.SettleRequest(outcomes=[outcome]), **CALL(60.0))
        report = await client("GetUsageReport", bucket=admin_pb2.USAGE_BUCKET_MONTH)
        assert report.summary == admin_pb2.UsageSummary(
            requests=1, errors=0, average_latency_ms=4.0, active_keys=1, units=1, p95_latency_ms=4.362
        )
        assert [(count.status, count.requests) for count in report.statuses] == [(200, 1)]
        assert report.endpoints[0].statuses == report.statuses
        (call,) = (await client("ListKeyCalls", key_id=created.key.id)).calls
        assert (call.request_id, call.status, call.code, call.units, call.latency_ms) == ("request-1", 200, "", 1, 4.0)
        assert (await refusal(client, "ListKeyCalls", key_id="nothing1")).code == "not_found"
        (usage,) = report.top_keys
        assert (usage.masked, usage.partner.name, usage.estimated_cost) == (created.key.masked, "Cadastra", "10.50")
        (bill,) = report.billing_preview.bills
        assert (bill.net, bill.vat, bill.gross, bill.currency) == ("10.50", "2.10", "12.60", "EUR")
        assert [(line.kind, line.amount) for line in bill.lines] == [("monthly_fee", "10.00"), ("tier", "0.50")]
        assert report.billing_preview.is_provisional
        assert len(report.timeline) == 1
        (listed,) = (await client("ListKeys")).keys
        assert listed.month_usage.units == 1
        assert listed.daily_requests == [0] * 29 + [1]


async def test_a_plan_that_is_charged_per_partner_has_one_bill_for_its_keys(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        shared = admin_pb2.Pricing(monthly_fee="10", vat_rate="0.2", charged_per=admin_pb2.CHARGED_PER_PARTNER)
        plan = (await client("CreatePlan", name="Groupe", pricing=shared)).plan
        assert plan.pricing.charged_per == admin_pb2.CHARGED_PER_PARTNER
        on_plan = admin_pb2.Pricing(plan="Groupe")
        keys = [(await client("CreateKey", partner="A", label=label, pricing=on_plan)).key for label in "xy"]
        again = await client("UpdateKey", key=keys[0], update_mask=FieldMask(paths=["pricing"]))
        assert again.key.pricing.charged_per == admin_pb2.CHARGED_PER_PARTNER
        (bill,) = (await client("GetUsageReport")).billing_preview.bills
        assert (bill.key_id, bill.label, bill.net, bill.plan, bill.plan_id) == ("", "", "10.00", "Groupe", plan.id)
        assert bill.charged_per == admin_pb2.CHARGED_PER_PARTNER
        labels = {key.id: key.label for key in keys}
        assert {key.key_id: (key.label, key.units) for key in bill.keys} == {
            key_id: (label, 0) for key_id, label in labels.items()
        }
        error = await refusal(client, "CreateKey", partner="A", label="z", pricing=shared)
        assert [violation.pointer for violation in error.violations] == ["/pricing/charged_per"]


async def test_no_log_contains_a_credential(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with owner(tmp_path) as client:
        created = await client("CreateKey", partner="A", label="B", idempotency_key="order-17")
        again = await client("CreateKey", partner="A", label="B", idempotency_key="order-17")
        assert again == created
        error = await refusal(client, "CreateKey", partner="A", label="C", idempotency_key="order-17")
        assert error.code == "idempotency_mismatch"
        token = await client("CreateToken", label="nightly", role=admin_pb2.ADMIN_ROLE_VIEWER)
        await client.lease(created.secret)
        audited = MessageToDict(await client("ListAuditEntries"))
        logged = json.dumps([vars(record) for record in caplog.records], default=repr) + json.dumps(audited)
        for secret in (PASSWORD, client.setup_token, client.caller.session_token, created.secret, token.secret):
            assert secret not in logged


@pytest.fixture
def hashing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of concurrent verifications at the start of each. Each is slow."""
    at_once: list[int] = []
    running_now = 0
    guard = threading.Lock()

    def verify(_: Passwords, password: str, password_hash: str | None) -> bool:
        nonlocal running_now
        with guard:
            running_now += 1
            at_once.append(running_now)
        time.sleep(0.02)
        with guard:
            running_now -= 1
        return password == PASSWORD and password_hash is not None

    monkeypatch.setattr(Passwords, "verify", verify)
    return at_once


async def test_a_hundred_sign_ins_hash_no_more_passwords_at_once_than_configured(
    tmp_path: Path, hashing: list[int]
) -> None:
    async with owner(tmp_path) as client:
        guesses = [
            refusal(client, "SignIn", email=EMAIL, password="wrong", client_address=f"192.0.2.{number}")
            for number in range(100)
        ]
        refused = Counter([error.code for error in await asyncio.gather(*guesses)])
    assert set(refused) <= {"invalid_credentials", "sign_in_throttled", "unavailable"}
    assert max(hashing) == KeysSettings.model_fields["password_workers"].default


@pytest.mark.parametrize(
    "attacker",
    [
        lambda number: {"email": EMAIL, "client_address": "198.51.100.9"},
        lambda number: {"email": f"admin{number}@example.org", "client_address": "198.51.100.9"},
        lambda number: {"email": EMAIL, "client_address": f"2001:db8::{number:x}"},
        lambda number: {"email": f"admin{number}@example.org", "client_address": f"2001:db8::{number:x}"},
    ],
)
async def test_a_hundred_sign_ins_at_once_from_one_attacker_do_not_lock_an_admin_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attacker: Callable[[int], dict[str, str]]
) -> None:
    admin_is_in = threading.Event()

    def verify(_: Passwords, password: str, password_hash: str | None) -> bool:
        """Verifies an attacker's password only after the admin has signed in."""
        return password == PASSWORD or not admin_is_in.wait(60.0)

    async with owner(tmp_path) as client:
        monkeypatch.setattr(Passwords, "verify", verify)
        guesses = [asyncio.create_task(refusal(client, "SignIn", password="wrong", **attacker(n))) for n in range(100)]
        try:
            pending = set(guesses)
            while len(pending) > MAX_WAITING_OF_ONE:
                _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for address in ("203.0.113.5", "203.0.113.6"):
                signed_in = await client("SignIn", email=EMAIL, password=PASSWORD, client_address=address)
                assert signed_in.session_token
        finally:
            admin_is_in.set()
        refused = Counter([error.code for error in await asyncio.gather(*guesses)])
    assert refused == {"sign_in_throttled": 100 - MAX_WAITING_OF_ONE, "invalid_credentials": MAX_WAITING_OF_ONE}
