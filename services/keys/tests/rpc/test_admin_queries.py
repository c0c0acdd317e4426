"""Filters, languages and credentials of AdminService, over a real connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from admin_client import EMAIL, PASSWORD, Client, owner, refusal
from google.protobuf.field_mask_pb2 import FieldMask

from landpartner.keys.v1 import admin_pb2, keys_pb2
from servicekit.languages import language

FRENCH, ENGLISH = "fr", "en"
ROLES = (admin_pb2.ADMIN_ROLE_VIEWER, admin_pb2.ADMIN_ROLE_OPERATOR, admin_pb2.ADMIN_ROLE_OWNER)


async def labels(client: Client, **members: Any) -> set[str]:
    return {key.label for key in (await client("ListKeys", **members)).keys}


async def test_a_partner_filter_is_an_id_or_a_whole_name(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        for partner, label in (("Cadastra", "one"), ("Cadastra", "two"), ("Bornage", "other")):
            await client("CreateKey", partner=partner, label=label)
        partner_id = (await client("ListPartners", search="cadastra")).partners[0].id
        for named in (partner_id, "Cadastra", "CADASTRA"):
            assert await labels(client, partner_id=named) == {"one", "two"}
            await client("GetUsageReport", partner_id=named)
        for unknown in ("Cadast", "nobody"):
            for method in ("ListKeys", "GetUsageReport"):
                error = await refusal(client, method, partner_id=unknown)
                assert (error.code, *[(violation.pointer, violation.code) for violation in error.violations]) == (
                    "invalid_payload",
                    ("/partner_id", "unknown_value"),
                )


async def test_a_page_of_keys_counts_the_keys_on_all_pages_that_match_its_filters(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        for partner, label in (("Cadastra", "one"), ("Cadastra", "two"), ("Bornage", "other")):
            revoked = (await client("CreateKey", partner=partner, label=label)).key
        await client("RevokeKey", key_id=revoked.id)
        first = await client("ListKeys", page_size=1)
        second = await client("ListKeys", page_size=1, page_token=first.next_page_token)
        assert (first.total_count, second.total_count) == (3, 3)
        filters = ({"partner_id": "Cadastra"}, {"status": admin_pb2.KEY_STATUS_REVOKED}, {"search": "bornage"})
        counts = [(await client("ListKeys", **members)).total_count for members in (*filters, {"search": "nothing"})]
        assert counts == [2, 1, 1, 0]


async def test_usage_of_an_unknown_key_is_refused_and_that_of_an_unused_key_is_zero(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        key = (await client("CreateKey", partner="A", label="B")).key
        assert (await client("GetUsageReport", key_id=key.id)).summary.requests == 0
        error = await refusal(client, "GetUsageReport", key_id="nothing1")
        assert [(violation.pointer, violation.code) for violation in error.violations] == [("/key_id", "unknown_value")]


async def test_the_range_of_a_report_is_given_as_instants(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        report = await client("GetUsageReport", **{"from": "2026-03-28", "to": "2026-03-29"})
        assert (getattr(report, "from"), report.to) == ("2026-03-27T23:00:00Z", "2026-03-29T22:00:00Z")
        assert len(report.timeline) == 2


async def test_a_removed_quota_has_no_limits_and_stays_hard(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        limits = keys_pb2.Quota(monthly_units=5, per_minute=7, burst=3, hard=True, spend_cap="10")
        key = (await client("CreateKey", partner="A", label="B", quota=limits)).key
        changed = await client("UpdateKey", key=admin_pb2.Key(id=key.id), update_mask=FieldMask(paths=["quota"]))
        assert changed.key.quota == keys_pb2.Quota(per_minute=7, burst=3, hard=True)


async def test_an_unknown_subject_of_the_audit_log_has_no_entries(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        assert (await client("ListAuditEntries", subject="setup")).entries
        assert not (await client("ListAuditEntries", subject="nothing1")).entries


async def test_the_audit_log_of_a_partner_has_the_entries_of_its_keys_and_their_bills(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        key = (await client("CreateKey", partner="Cadastra", label="one")).key
        await client("CreateKey", partner="Bornage", label="other")
        await client("RevokeKey", key_id=key.id)
        for named in (key.partner.id, "Cadastra"):
            entries = (await client("ListAuditEntries", subject=named)).entries
            assert [(entry.action, entry.subject) for entry in entries] == [
                ("key.revoke", key.id),
                ("key.create", key.id),
            ]


async def in_language(call_language: Any, client: Client, method: str, **members: Any) -> tuple[str, list[str]]:
    """The detail of a refusal and of its violations."""
    token = language.set(call_language)
    try:
        error = await refusal(client, method, **members)
    finally:
        language.reset(token)
    return str(error.detail), [str(violation.detail) for violation in error.violations]


async def test_only_the_named_members_of_a_partner_are_changed(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        contact = admin_pb2.PartnerContact(email="jeanne@cadastra.example")
        created = (await client("CreatePartner", name="Cadastra", siren="732 829 320", contact=contact)).partner
        created.contact.phone, created.siren = "01 23 45 67 89", ""
        mask = FieldMask(paths=["contact.phone", "siren"])
        partner = (await client("UpdatePartner", partner=created, update_mask=mask)).partner
        assert (partner.siren, partner.contact.email, partner.contact.phone) == ("", contact.email, "01 23 45 67 89")
        assert (await client("GetPartner", partner_id=partner.id)).partner.overview.net == "0.00"


async def test_refusals_are_in_the_language_of_the_call(tmp_path: Path) -> None:
    plan = admin_pb2.Pricing(plan="nothing")
    cases: list[tuple[str, dict[str, Any]]] = [
        ("GetKey", {"key_id": "nothing1"}),
        ("CreatePartner", {"name": "Cadastra"}),
        ("CreatePartner", {"name": "A", "siren": "1", "vat_number": "FR1", "contact": {"phone": "1"}}),
        ("CreatePartner", {"name": "A", "default_plan": "nothing"}),
        ("CreatePartner", {"name": "A", "siren": "732829320", "vat_number": "FR83404833048"}),
        ("GetPartner", {"partner_id": "nothing1"}),
        ("ListPartners", {"page_token": "nonsense"}),
        ("CreateKey", {"partner": "A", "label": "B", "pricing": plan}),
        ("CreateKey", {"partner": "A", "label": "B", "expires_at": "2020-01-01T00:00:00Z"}),
        ("CreateKey", {"partner": "A", "label": "B", "pricing": admin_pb2.Pricing(effective_from="2020-01")}),
        ("ListKeys", {"page_token": "nonsense"}),
        ("ListKeys", {"partner_id": "nobody"}),
        ("GetUsageReport", {"key_id": "nothing1"}),
        ("GetUsageReport", {"from": "2026-03-02", "to": "2026-03-01"}),
        ("SignIn", {"email": EMAIL, "password": "wrong"}),
        ("ConfirmTotpEnrolment", {"code": "000000"}),
        ("RevokeToken", {"token_id": "nothing"}),
        ("CreateAdmin", {"email": EMAIL, "password": PASSWORD, "role": ROLES[0]}),
        ("UpdateAdmin", {"admin": admin_pb2.Admin(id="x", role=ROLES[0]), "update_mask": FieldMask(paths=["role"])}),
        ("CompleteSetup", {"setup_token": "x", "email": EMAIL, "password": PASSWORD}),
    ]
    async with owner(tmp_path) as client:
        await client("CreatePartner", name="Cadastra")
        for method, members in cases:
            french = await in_language(FRENCH, client, method, **members)
            english = await in_language(ENGLISH, client, method, **members)
            assert french[0] != english[0], method
            assert all(french_text != right for french_text, right in zip(french[1], english[1], strict=True)), method


async def test_reasons_of_the_audit_log_and_lines_of_bills_are_in_the_language_of_the_reader(tmp_path: Path) -> None:
    async with owner(tmp_path) as client:
        pricing = admin_pb2.Pricing(monthly_fee="10")
        await client("CreateKey", partner="A", label="B", pricing=pricing)
        await refusal(client, "SignIn", email=EMAIL, password="wrong")
        read: dict[str, tuple[str, str]] = {}
        for call_language in (FRENCH, ENGLISH):
            token = language.set(call_language)  # type: ignore[arg-type]
            entry = (await client("ListAuditEntries")).entries[0]
            (bill,) = (await client("GetUsageReport")).billing_preview.bills
            read[call_language] = (entry.changes["reason"], bill.lines[0].description)
            language.reset(token)
    assert read == {
        FRENCH: ("L’adresse électronique ou le mot de passe est incorrect.", "Abonnement mensuel"),
        ENGLISH: ("The email address or the password is wrong.", "Monthly fee"),
    }


@pytest.mark.parametrize("role", ROLES)
async def test_a_caller_is_verified_by_session_or_token(tmp_path: Path, role: Any) -> None:
    async with owner(tmp_path) as client:
        token = await client("CreateToken", label="ci", role=role)
        session = client.caller
        without_csrf = admin_pb2.Caller(session_token=session.session_token)
        for caller, expected in ((session, ROLES[2]), (without_csrf, ROLES[2]), (bearer(token.secret), role)):
            client.caller = caller
            verified = await client("VerifyCaller")
            assert (verified.role, verified.must_enrol_totp) == (expected, False)
        client.caller = session
        await client("RevokeToken", token_id=token.token.id)
        await client("SignOut")
        for ended in (session, bearer(token.secret), bearer("lpa_nonsense"), admin_pb2.Caller()):
            client.caller = ended
            assert (await refusal(client, "VerifyCaller")).code == "sign_in_required"


def bearer(token: str) -> admin_pb2.Caller:
    return admin_pb2.Caller(bearer_token=token)
