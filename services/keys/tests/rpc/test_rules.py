"""Every rule of a request of AdminService, at its limit: just inside and just outside."""

from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from keys.rpc import rules
from keys.rpc.validation import MAX_VIOLATIONS, Masked
from landpartner.keys.v1 import admin_pb2
from servicekit.errors import InvalidPayload
from servicekit.languages import Text, language

SERVICE = admin_pb2.DESCRIPTOR.services_by_name["AdminService"]
KEY = {"partner": "Cadastra", "label": "Production"}
ADMIN = {"email": "ann@example.org", "password": "x" * 12, "role": "ADMIN_ROLE_VIEWER"}
TOKEN = {"label": "ci", "role": "ADMIN_ROLE_VIEWER"}
SETUP = {"setup_token": "t", "email": "ann@example.org", "password": "x" * 12}
OPEN_TIER = {"unit_price": "0.5"}
FREE_FIELDS = {"caller", "client_address", "id", "key_id", "token_id", "invitation_id", "update_mask"}
"""Credentials, addresses and ids: they are compared with records, and not checked for a form."""


def violations(method: str, members: dict[str, Any]) -> list[tuple[str, str]]:
    request = getattr(admin_pb2, f"{method}Request")()
    ParseDict(members, request)
    try:
        rules.check(request)
    except InvalidPayload as error:
        return [(violation.pointer, violation.code) for violation in error.violations]
    return []


def masked(method: str, record: str, paths: str, **members: Any) -> tuple[str, dict[str, Any]]:
    return method, {record: members, "update_mask": paths}


def key(**members: Any) -> tuple[str, dict[str, Any]]:
    return "CreateKey", {**KEY, **members}


def pricing(**members: Any) -> tuple[str, dict[str, Any]]:
    return key(pricing=members)


def update_key(paths: str, **members: Any) -> tuple[str, dict[str, Any]]:
    """Paths of a mask in JSON are in lower camel case."""
    return masked("UpdateKey", "key", paths, **members)


def tiers(*ends: int | None) -> list[dict[str, Any]]:
    return [{"unit_price": "1"} if end is None else {"unit_price": "1", "up_to": end} for end in ends]


ACCEPTED = [
    ("CompleteSetup", {**SETUP, "setup_token": "x" * 200}),
    ("CompleteSetup", {**SETUP, "email": f" ann@{'x' * 246}.org "}),
    ("CompleteSetup", {**SETUP, "password": "é" * 512}),
    ("SignIn", {"email": "x" * 254, "password": "x" * 1_024, "totp": "1" * 20}),
    ("SignIn", {"email": "x", "password": "y"}),
    ("ChangePassword", {"current_password": "x", "new_password": "x" * 12}),
    ("BeginTotpEnrolment", {"password": "x" * 1_024}),
    ("ConfirmTotpEnrolment", {"code": "1" * 20}),
    ("RemoveTotp", {"password": "x", "code": "1"}),
    ("UpdateAccessPolicy", {"policy": {}}),
    ("CreateToken", {**TOKEN, "label": f" {'x' * 200} ", "expires_at": "2030-01-01T00:00:00.000000+01:00"}),
    ("CreateAdmin", ADMIN),
    key(partner=" x ", label="👩🏽\u200d🌾 Étude\u00a0: שירותי"),
    key(mode="KEY_MODE_TEST", idempotency_key="x" * 200),
    key(scopes=["usage"] * 100, allowed_cidrs=["192.0.2.0/24"] * 100),
    key(allowed_cidrs=["2001:db8::/32", "192.0.2.7"]),
    key(metadata={f"{number:060}": "x" * 500 for number in range(40)}),
    key(expires_at="2199-12-31T23:59:59Z"),
    key(quota={"monthly_units": 10**15, "per_minute": 10**6, "burst": 10**6, "spend_cap": "9" * 12 + ".12345678"}),
    key(quota={"monthly_units": 0, "per_minute": 1, "burst": 1, "spend_cap": "0"}),
    key(assistant_policy={"mode": "ASSISTANT_MODE_MODEL", "monthly_calls": 0, "monthly_tokens": 10**15}),
    pricing(plan="x" * 200),
    pricing(currency="EUR", monthly_fee="1000000", included_units=10**15, vat_rate="0.206", effective_from="2026-03"),
    pricing(monthly_fee="0.00000001", vat_rate="0.20", effective_from="2026-03-01", charged_per="CHARGED_PER_PARTNER"),
    pricing(tiers=tiers(*range(1, 50), None)),
    pricing(tiers=tiers(10**15, None)),
    ("CorrectIssuedBill", {"bill_id": "b", "amount": "-12.50", "reason_fr": "x", "reason_en": "y"}),
    ("CorrectIssuedBill", {"bill_id": "b", "amount": "0.01", "reason_fr": "x", "reason_en": "y", "vat_rate": "0.20"}),
    ("TrySending", {"channel": "webhooks"}),
    ("ListIssuedBills", {"number": "2" * 20}),
    ("RotateKey", {"grace_days": 90}),
    ("RotateKey", {}),
    ("CreatePartner", {"name": "x" * 200}),
    ("CreatePartner", {"name": "x", "legal_name": "y" * 200, "siren": "732 829 320", "vat_number": "FR44 732829320"}),
    ("CreatePartner", {"name": "x", "contact": {"name": "y", "email": "y@example.org", "phone": "+33 1 23 45 67 89"}}),
    ("CreatePartner", {"name": "x", "billing_address": {"lines": ["y"] * 6, "postcode": "69000", "country": "FR"}}),
    masked("UpdatePartner", "partner", "contact,billingAddress,siren,vatNumber,legalName,defaultPlan,contact.email"),
    ("CreatePlan", {"name": "x", "pricing": {}}),
    update_key("label", label="x"),
    update_key("expiresAt,metadata,scopes,quota"),
    update_key("quota.monthlyUnits,quota.hard,assistantPolicy.monthlyCalls"),
    masked("UpdatePartner", "partner", "status", status="PARTNER_STATUS_ACTIVE"),
    masked("UpdatePlan", "plan", "isArchived,name", name="x"),
    masked("UpdateAdmin", "admin", "role,isActive", role="ADMIN_ROLE_OWNER"),
    ("ListKeys", {"page_size": 1, "page_token": "x" * 2_000, "search": "x" * 200, "partner_id": "x" * 200}),
    ("ListKeys", {"page_size": 200, "status": "KEY_STATUS_EXPIRED", "order_by": "-month_units"}),
    ("ListKeys", {}),
    ("ListPartners", {"page_size": 200, "search": "%_\\", "order_by": "-net", "include": "overview"}),
    ("ListAuditEntries", {"page_size": 200, "subject": "x" * 200}),
    ("GetUsageReport", {"from": "2026-03-01", "to": "2026-03-29T00:00:00+01:00", "bucket": "USAGE_BUCKET_MONTH"}),
    ("GetUsageReport", {"from": "2000-01-02", "to": "2199-12-31", "billing_month": "2199-12", "key_id": "x" * 100}),
    ("GetUsageReport", {}),
]

REFUSED: list[tuple[tuple[str, dict[str, Any]], str, str]] = [
    (("CompleteSetup", {**SETUP, "setup_token": "x" * 201}), "/setup_token", "too_long"),
    (("CompleteSetup", {**SETUP, "setup_token": ""}), "/setup_token", "required"),
    (("CompleteSetup", {**SETUP, "email": f"ann@{'x' * 247}.org"}), "/email", "too_long"),
    (("CompleteSetup", {**SETUP, "email": "ann"}), "/email", "malformed"),
    (("CompleteSetup", {**SETUP, "email": "ann@localhost"}), "/email", "malformed"),
    (("CompleteSetup", {**SETUP, "email": "ann@bob@example.org"}), "/email", "malformed"),
    (("CompleteSetup", {**SETUP, "email": "a b@example.org"}), "/email", "malformed"),
    (("CompleteSetup", {**SETUP, "email": "a\0b@example.org"}), "/email", "malformed"),
    (("CompleteSetup", {**SETUP, "password": "é" * 513}), "/password", "too_long"),
    (("CompleteSetup", {**SETUP, "password": "x" * 11}), "/password", "too_short"),
    (("CompleteSetup", {**SETUP, "password": ""}), "/password", "required"),
    (("SignIn", {"email": "x" * 255, "password": "y"}), "/email", "too_long"),
    (("SignIn", {"email": "", "password": "y"}), "/email", "required"),
    (("SignIn", {"email": "x", "password": "y" * 1_025}), "/password", "too_long"),
    (("SignIn", {"email": "x", "password": "y", "totp": "1" * 21}), "/totp", "too_long"),
    (("ChangePassword", {"new_password": "x" * 12}), "/current_password", "required"),
    (("ChangePassword", {"current_password": "x", "new_password": "x" * 11}), "/new_password", "too_short"),
    (("BeginTotpEnrolment", {"password": "x" * 1_025}), "/password", "too_long"),
    (("ConfirmTotpEnrolment", {}), "/code", "required"),
    (("ConfirmTotpEnrolment", {"code": "1" * 21}), "/code", "too_long"),
    (("RemoveTotp", {"password": "x", "code": "1" * 21}), "/code", "too_long"),
    (("UpdateAccessPolicy", {}), "/policy", "required"),
    (("CreateToken", {**TOKEN, "label": "x" * 201}), "/label", "too_long"),
    (("CreateToken", {**TOKEN, "label": ""}), "/label", "required"),
    (("CreateToken", {"label": "ci"}), "/role", "required"),
    (("CreateToken", {**TOKEN, "role": 9}), "/role", "unknown_value"),
    (("CreateToken", {**TOKEN, "expires_at": "2030-01-01T00:00:00"}), "/expires_at", "malformed"),
    (("CreateToken", {**TOKEN, "expires_at": "2030-01-01T00:00:00Z" + " " * 21}), "/expires_at", "too_long"),
    (("CreateAdmin", {**ADMIN, "email": ""}), "/email", "required"),
    (("CreateAdmin", {**ADMIN, "password": "x" * 11}), "/password", "too_short"),
    (("CreateAdmin", {**ADMIN, "role": 0}), "/role", "required"),
    (key(partner="  "), "/partner", "required"),
    (key(partner="x" * 201), "/partner", "too_long"),
    (key(label=""), "/label", "required"),
    (key(mode=9), "/mode", "unknown_value"),
    (key(idempotency_key="x" * 201), "/idempotency_key", "too_long"),
    (key(idempotency_key="é"), "/idempotency_key", "malformed"),
    (key(scopes=["usage", "everything"]), "/scopes/1", "unknown_value"),
    (key(scopes=["usage"] * 101), "/scopes", "too_many"),
    (key(allowed_cidrs=["192.0.2.0/24", "192.0.2.1/24"]), "/allowed_cidrs/1", "malformed"),
    (key(allowed_cidrs=["1" * 51]), "/allowed_cidrs/0", "too_long"),
    (key(allowed_cidrs=["192.0.2.0/24"] * 101), "/allowed_cidrs", "too_many"),
    (key(metadata={str(number): "" for number in range(41)}), "/metadata", "too_many"),
    (key(metadata={"x" * 61: ""}), "/metadata", "too_long"),
    (key(metadata={"a/b": "x" * 501}), "/metadata/a~1b", "too_long"),
    (key(metadata={"a": "\0"}), "/metadata/a", "malformed"),
    (key(metadata={"name": 3}), "/metadata/name", "malformed"),
    (key(metadata={"name": {"deep": "x"}}), "/metadata/name", "malformed"),
    (key(expires_at="2200-01-02T00:00:00Z"), "/expires_at", "malformed"),
    (key(expires_at="tomorrow"), "/expires_at", "malformed"),
    (key(quota={"monthly_units": -1}), "/quota/monthly_units", "out_of_range"),
    (key(quota={"monthly_units": 10**15 + 1}), "/quota/monthly_units", "out_of_range"),
    (key(quota={"per_minute": -1}), "/quota/per_minute", "out_of_range"),
    (key(quota={"per_minute": 10**6 + 1}), "/quota/per_minute", "out_of_range"),
    (key(quota={"burst": 10**6 + 1}), "/quota/burst", "out_of_range"),
    (key(quota={"spend_cap": "1" + "0" * 12}), "/quota/spend_cap", "malformed"),
    (key(quota={"spend_cap": ""}), "/quota/spend_cap", "malformed"),
    (key(quota={"spend_cap": "0.123456789"}), "/quota/spend_cap", "malformed"),
    (key(assistant_policy={}), "/assistant_policy/mode", "required"),
    (key(assistant_policy={"mode": 9}), "/assistant_policy/mode", "unknown_value"),
    (key(assistant_policy={"mode": 1, "monthly_calls": -1}), "/assistant_policy/monthly_calls", "out_of_range"),
    (
        key(assistant_policy={"mode": 1, "monthly_tokens": 10**15 + 1}),
        "/assistant_policy/monthly_tokens",
        "out_of_range",
    ),
    (pricing(plan="x" * 201), "/pricing/plan", "too_long"),
    (pricing(currency="USD"), "/pricing/currency", "unknown_value"),
    (pricing(monthly_fee="1000000.01"), "/pricing/monthly_fee", "out_of_range"),
    (pricing(included_units=-1), "/pricing/included_units", "out_of_range"),
    (pricing(included_units=10**15 + 1), "/pricing/included_units", "out_of_range"),
    (pricing(vat_rate="0.19"), "/pricing/vat_rate", "unknown_value"),
    (pricing(effective_from="2026-13"), "/pricing/effective_from", "malformed"),
    (pricing(effective_from="2026-03-15"), "/pricing/effective_from", "malformed"),
    (pricing(effective_from="2" * 41), "/pricing/effective_from", "too_long"),
    (pricing(charged_per=9), "/pricing/charged_per", "unknown_value"),
    (pricing(tiers=tiers(*range(1, 51), None)), "/pricing/tiers", "too_many"),
    (pricing(tiers=[{}]), "/pricing/tiers/0/unit_price", "required"),
    (pricing(tiers=[{"unit_price": "1e3"}]), "/pricing/tiers/0/unit_price", "malformed"),
    (pricing(tiers=[{"up_to": 0, "unit_price": "1"}, OPEN_TIER]), "/pricing/tiers/0/up_to", "out_of_range"),
    (pricing(tiers=[{"up_to": 10**15 + 1, "unit_price": "1"}, OPEN_TIER]), "/pricing/tiers/0/up_to", "out_of_range"),
    (pricing(tiers=tiers(5)), "/pricing/tiers", "malformed"),
    (pricing(tiers=tiers(None, None)), "/pricing/tiers", "malformed"),
    (pricing(tiers=tiers(5, 5, None)), "/pricing/tiers", "malformed"),
    (("TrySending", {"channel": "fax"}), "/channel", "unknown_value"),
    (("TrySending", {}), "/channel", "required"),
    (("CorrectIssuedBill", {"amount": "--1", "reason_fr": "x", "reason_en": "y"}), "/amount", "malformed"),
    (("CorrectIssuedBill", {"amount": "1", "reason_fr": "x"}), "/reason_en", "required"),
    (("RotateKey", {"grace_days": -1}), "/grace_days", "out_of_range"),
    (("RotateKey", {"grace_days": 91}), "/grace_days", "out_of_range"),
    (("CreatePartner", {}), "/name", "required"),
    (("CreatePartner", {"name": "x", "metadata": {"a": True}}), "/metadata/a", "malformed"),
    (("CreatePartner", {"name": "x", "legal_name": "y" * 201}), "/legal_name", "too_long"),
    (("CreatePartner", {"name": "x", "siren": "732829321"}), "/siren", "malformed"),
    (("CreatePartner", {"name": "x", "siren": "9" * 41}), "/siren", "too_long"),
    (("CreatePartner", {"name": "x", "vat_number": "FR45732829320"}), "/vat_number", "malformed"),
    (("CreatePartner", {"name": "x", "vat_number": "DE1"}), "/vat_number", "malformed"),
    (("CreatePartner", {"name": "x", "vat_number": "1"}), "/vat_number", "malformed"),
    (("CreatePartner", {"name": "x", "vat_number": "9" * 41}), "/vat_number", "too_long"),
    (("CreatePartner", {"name": "x", "contact": {"email": "y"}}), "/contact/email", "malformed"),
    (("CreatePartner", {"name": "x", "contact": {"phone": "none"}}), "/contact/phone", "malformed"),
    (("CreatePartner", {"name": "x", "contact": {"phone": "1" * 41}}), "/contact/phone", "too_long"),
    (("CreatePartner", {"name": "x", "billing_address": {"lines": ["y"] * 7}}), "/billing_address/lines", "too_many"),
    (("CreatePartner", {"name": "x", "billing_address": {"lines": [" "]}}), "/billing_address/lines/0", "required"),
    (("CreatePartner", {"name": "x", "billing_address": {"postcode": "?"}}), "/billing_address/postcode", "malformed"),
    (("CreatePartner", {"name": "x", "billing_address": {"country": "XX"}}), "/billing_address/country", "malformed"),
    (("CreatePlan", {"pricing": {}}), "/name", "required"),
    (("CreatePlan", {"name": "x"}), "/pricing", "required"),
    (("CreatePlan", {"name": "x", "pricing": {"monthly_fee": "-1"}}), "/pricing/monthly_fee", "malformed"),
    (update_key("label"), "/label", "required"),
    (update_key("pricing"), "/pricing", "required"),
    (update_key("pricing", pricing={"vat_rate": "2"}), "/pricing/vat_rate", "unknown_value"),
    (update_key("pricing.tiers", pricing={"tiers": tiers(5)}), "/pricing/tiers", "malformed"),
    (update_key("quota.burst", quota={"burst": -1}), "/quota/burst", "out_of_range"),
    (update_key("assistantPolicy.mode"), "/assistant_policy/mode", "required"),
    (update_key("mode"), "/mode", "unknown_member"),
    (update_key("quota.nonsense"), "/quota/nonsense", "unknown_member"),
    (update_key("label.nonsense"), "/label/nonsense", "unknown_member"),
    (update_key("metadata.fields"), "/metadata/fields", "unknown_member"),
    (update_key(",".join(f"x{number}" for number in range(101))), "/update_mask", "too_many"),
    (masked("UpdatePartner", "partner", "name"), "/name", "required"),
    (masked("UpdatePartner", "partner", "status"), "/status", "required"),
    (masked("UpdatePartner", "partner", "status", status=9), "/status", "unknown_value"),
    (masked("UpdatePartner", "partner", "id"), "/id", "unknown_member"),
    (masked("UpdatePartner", "partner", "overview"), "/overview", "unknown_member"),
    (masked("UpdatePartner", "partner", "contact.email", contact={"email": "y"}), "/contact/email", "malformed"),
    (masked("UpdatePlan", "plan", "pricing"), "/pricing", "required"),
    (masked("UpdatePlan", "plan", "name", name="a\nb"), "/name", "malformed"),
    (masked("UpdateAdmin", "admin", "role"), "/role", "required"),
    (masked("UpdateAdmin", "admin", "email"), "/email", "unknown_member"),
    (("ListKeys", {"page_size": -1}), "/page_size", "out_of_range"),
    (("ListKeys", {"page_size": 201}), "/page_size", "out_of_range"),
    (("ListKeys", {"page_token": "x" * 2_001}), "/page_token", "too_long"),
    (("ListKeys", {"search": "x" * 201}), "/search", "too_long"),
    (("ListKeys", {"search": "\0"}), "/search", "malformed"),
    (("ListKeys", {"partner_id": "x" * 201}), "/partner_id", "too_long"),
    (("ListKeys", {"status": 9}), "/status", "unknown_value"),
    (("ListKeys", {"order_by": "created_at asc"}), "/order_by", "unknown_value"),
    (("ListPartners", {"page_size": 201}), "/page_size", "out_of_range"),
    (("ListPartners", {"search": "x" * 201}), "/search", "too_long"),
    (("ListPartners", {"order_by": "label"}), "/order_by", "unknown_value"),
    (("ListPartners", {"include": "keys"}), "/include", "unknown_value"),
    (("GetPartner", {"partner_id": "\0"}), "/partner_id", "malformed"),
    (("ListPartnerBills", {"partner_id": "x" * 201}), "/partner_id", "too_long"),
    (("ListAuditEntries", {"subject": "x" * 201}), "/subject", "too_long"),
    (("ListAuditEntries", {"page_size": 201}), "/page_size", "out_of_range"),
    (("GetUsageReport", {"from": "long ago"}), "/from", "malformed"),
    (("GetUsageReport", {"from": "2026-02-30"}), "/from", "malformed"),
    (("GetUsageReport", {"from": "2026-W10-1"}), "/from", "malformed"),
    (("GetUsageReport", {"from": "2026-03-01T00:00:00"}), "/from", "malformed"),
    (("GetUsageReport", {"to": "0001-01-01"}), "/to", "malformed"),
    (("GetUsageReport", {"to": "2200-01-01"}), "/to", "malformed"),
    (("GetUsageReport", {"to": "2" * 41}), "/to", "too_long"),
    (("GetUsageReport", {"bucket": 9}), "/bucket", "unknown_value"),
    (("GetUsageReport", {"billing_month": "2026"}), "/billing_month", "malformed"),
    (("GetUsageReport", {"billing_month": "2026-13"}), "/billing_month", "malformed"),
    (("GetUsageReport", {"billing_month": "2026-03-01"}), "/billing_month", "malformed"),
    (("GetUsageReport", {"billing_month": "2200-01"}), "/billing_month", "malformed"),
    (("GetUsageReport", {"key_id": "x" * 101}), "/key_id", "too_long"),
    *((key(label=name), "/label", "malformed") for name in ("a\u202eb", "a\u2066b", "a\x00b", "a\nb", "a\u2028b")),
    *(
        (pricing(monthly_fee=amount), "/pricing/monthly_fee", "malformed")
        for amount in ("NaN", "1e999", "-1", "-0", "+1", "Infinity", "0x1", "1_000", "١٢", " 1", "1.", ".5", "1\n")
    ),
]


@pytest.mark.parametrize(("method", "members"), ACCEPTED)
def test_a_value_at_its_limit_is_accepted(method: str, members: dict[str, Any]) -> None:
    assert violations(method, members) == []


@pytest.mark.parametrize(("request_", "pointer", "code"), REFUSED)
def test_a_value_beyond_its_limit_is_refused(request_: tuple[str, dict[str, Any]], pointer: str, code: str) -> None:
    assert violations(*request_) == [(pointer, code)]


def test_each_request_has_rules_and_each_field_a_rule() -> None:
    assert {cls.DESCRIPTOR for cls in rules.RULES} == {method.input_type for method in SERVICE.methods}
    for cls, field_rules in rules.RULES.items():
        records = {name for name, rule in field_rules.items() if isinstance(rule, Masked)}
        fields = set(cls.DESCRIPTOR.fields_by_name)
        assert fields - FREE_FIELDS == set(field_rules) - FREE_FIELDS, cls.DESCRIPTOR.name
        assert not records or "update_mask" in fields


def test_all_violations_are_reported_at_once() -> None:
    wrong = {
        "partner": "",
        "allowed_cidrs": ["a", "192.0.2.0/24", "b"],
        "quota": {"burst": -1},
        "pricing": {"plan": "\n"},
    }
    assert [pointer for pointer, _ in violations("CreateKey", wrong)] == [
        "/partner",
        "/label",
        "/quota/burst",
        "/allowed_cidrs/0",
        "/allowed_cidrs/2",
        "/pricing/plan",
    ]


def test_the_violations_of_a_large_request_are_bounded() -> None:
    assert len(violations("CreateKey", {**KEY, "allowed_cidrs": ["x"] * 100})) == MAX_VIOLATIONS
    request = admin_pb2.CreateKeyRequest(partner="x" * 10**6, label="y" * 10**6, allowed_cidrs=["x"] * 200_000)
    request.metadata.update({str(number): "x" for number in range(50_000)})
    with pytest.raises(InvalidPayload) as caught:
        rules.check(request)
    assert [violation.code for violation in caught.value.violations] == ["too_long"] * 2 + ["too_many"] * 2


@pytest.mark.parametrize(("request_", "pointer", "code"), REFUSED)
def test_every_fault_is_described_in_both_languages(
    request_: tuple[str, dict[str, Any]], pointer: str, code: str
) -> None:
    request = getattr(admin_pb2, f"{request_[0]}Request")()
    ParseDict(request_[1], request)
    with pytest.raises(InvalidPayload) as caught:
        rules.check(request)
    (violation,) = caught.value.violations
    for text in (caught.value.detail, violation.detail):
        assert isinstance(text, Text)
        assert text.fr != text.en
        assert "{" not in text.fr + text.en


@pytest.mark.parametrize("call_language", ["fr", "en"])
def test_no_password_token_or_code_is_repeated_in_an_error(call_language: Any) -> None:
    secret = "hunter2" * 300
    secrets = {"setup_token", "password", "totp", "current_password", "new_password", "code", "page_token"}
    token = language.set(call_language)
    try:
        for cls in rules.RULES:
            named = {field.name for field in cls.DESCRIPTOR.fields} & secrets
            if not named:
                continue
            with pytest.raises(InvalidPayload) as caught:
                rules.check(cls(**dict.fromkeys(named, secret)))
            shown = [caught.value.detail, *(violation.detail for violation in caught.value.violations)]
            assert not any("hunter2" in str(text) for text in shown)
            assert {f"/{name}" for name in named - {"page_token"}} <= {
                violation.pointer for violation in caught.value.violations
            }
    finally:
        language.reset(token)
