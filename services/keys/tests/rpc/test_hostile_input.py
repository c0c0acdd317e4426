"""keys answers or refuses any parameters of an admin, and never fails. On SQLite and PostgreSQL."""

import asyncio
import base64
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from contract.endpoints import RESOLVE
from keys.admins import changes as administrators
from keys.server import KeysServer
from keys.settings import KeysSettings
from keys.store.audit_log import COMMAND_LINE
from keys.store.change import changing
from keys.store.partner_pages import PartnerSort
from keys.values import secret
from keys.values.clock import system_clock
from keys.values.records import Role
from keys.values.secret import KeyMode
from landpartner.keys.v1 import admin_pb2, admin_pb2_grpc, keys_pb2, keys_pb2_grpc
from servicekit.callers import entry
from servicekit.rpc_client import Outgoing

CALL = Outgoing("token")
Ask = Callable[..., str]
"""Calls a method with members. Returns the name of the status."""

many = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

INSTANTS = (
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "0001-01-01",
    "9999-12-31",
    "1999-12-31",
    "2200-01-02",
    "2026-03-29T02:30:00",
    "2026-03-01T00:00:00Z",
    "2026-03-01",
    "20260301T00",
    "2026-W10-1",
    "",
    "\0",
)
MONTHS = ("9999-12", "0001-01", "0000-00", "2026-13", "2026-1", "2026-01-01", "2199-12", "2200-01", "٢٠٢٦-٠١", "2026")
CURSORS: tuple[Any, ...] = (
    ["created_at", 1, "9999-12-31T23:59:59-23:59", "a"],
    ["created_at", 1, "2026-03-01T00:00:00", "a"],
    ["created_at", 1, "2026-03-01T00:00:00Z", None],
    ["created_at", 1, "2026-03-01T00:00:00Z", "\0"],
    ["label", 0, "\ud800", "a"],
    ["label", 0, ["a"], "a"],
    ["month_units", 1, 2**63, "a"],
    ["month_units", 1, 1e300, "a"],
    ["month_units", 1, None, "a"],
    ["2026-03-01T00:00:00", "a"],
    ["0001-01-01T00:00:00+23:59", "a"],
    [2**64],
    [-(2**70)],
    [None],
    [{"a": 1}],
    {"a": 1},
    None,
    [[[[]]]],
)

instants = st.one_of(st.sampled_from(INSTANTS), st.datetimes().map(str), st.text(max_size=40))
months = st.one_of(st.sampled_from(MONTHS), st.from_regex(r"[0-9]{4}-[0-9]{2}", fullmatch=True), st.text(max_size=10))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), instants)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner)),
    max_leaves=6,
)
partner_orders = st.sampled_from([f"{minus}{by}" for by in PartnerSort for minus in ("", "-")])
orders = st.sampled_from(["", "created_at", "label", "-partner", "last_used_at", "-month_units", "secret"])


def written(place: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def of_order(order: str) -> st.SearchStrategy[object]:
    """Cursors whose first two members match the order."""
    order = order or "-created_at"
    return st.tuples(scalars, scalars).map(lambda place: [order.lstrip("-"), int(order.startswith("-")), *place])


cursors = st.one_of(
    st.sampled_from(CURSORS).map(written),
    json_values.map(written),
    orders.flatmap(of_order).map(written),
    st.just(base64.b64encode(b"[" * 1_200).decode()),
    st.text(max_size=30),
)


@pytest.fixture
def ask(database_url: str) -> Iterator[Ask]:
    """Starts a service and calls it with an owner's token."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def in_loop(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=60)

    async def start() -> tuple[Any, int]:
        peppers = f"1:{bytes(range(32)).hex()}"
        server = KeysServer(KeysSettings(callers=entry("edge", "token"), database_url=database_url, peppers=peppers))
        return server, await server.rpc.start()

    server, port = in_loop(start())
    with changing(server.database, system_clock, COMMAND_LINE) as change:
        token = administrators.create_token(change, "tests", Role.OWNER, None)[1]
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        admin: Any = admin_pb2_grpc.AdminServiceStub(channel)
        keys: Any = keys_pb2_grpc.KeysServiceStub(channel)

        def ask_(method: str, **members: Any) -> str:
            if method in ("Lease", "Settle"):
                stub, request = keys, getattr(keys_pb2, f"{method}Request")(**members)
            else:
                stub = admin
                request = getattr(admin_pb2, f"{method}Request")(**members)
                request.caller.bearer_token = token
            try:
                getattr(stub, method)(request, **CALL(60.0))
            except grpc.RpcError as error:
                return str(error.code().name)
            return "OK"

        yield ask_
    in_loop(server.rpc.stop())
    server.close()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@many
@example(start="", end="9999-12-31T23:59:59Z", month="", bucket=2)
@example(start="", end="", month="9999-12", bucket=2)
@example(start="", end="", month="0001-01", bucket=2)
@given(start=instants, end=instants, month=months, bucket=st.integers(0, 4))
def test_a_usage_report_of_any_range_and_month_is_answered_or_refused(
    ask: Ask, start: str, end: str, month: str, bucket: int
) -> None:
    try:
        members: dict[str, Any] = {"from": start, "to": end, "billing_month": month, "bucket": bucket}
        admin_pb2.GetUsageReportRequest(**members)
    except UnicodeEncodeError:
        return
    assert ask("GetUsageReport", **members) in ("OK", "INVALID_ARGUMENT")


@many
@given(cursor=cursors, order=orders, of_partners=partner_orders)
def test_any_cursor_is_answered_or_refused(ask: Ask, cursor: str, order: str, of_partners: str) -> None:
    try:
        cursor.encode()
    except UnicodeEncodeError:
        return
    partners = {"order_by": of_partners, "include": "overview"}
    for method, members in (("ListKeys", {"order_by": order}), ("ListPartners", partners), ("ListAuditEntries", {})):
        assert ask(method, page_token=cursor, **members) in ("OK", "INVALID_ARGUMENT"), method


def test_a_forged_cursor_is_refused(ask: Ask) -> None:
    for place in CURSORS:
        order = f"{'-' * int(place[1])}{place[0]}" if isinstance(place, list) and len(place) == 4 else ""
        for method, members in (("ListKeys", {"order_by": order}), ("ListPartners", {}), ("ListAuditEntries", {})):
            assert ask(method, page_token=written(place), **members) == "INVALID_ARGUMENT", (method, place)


@many
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40), size=st.integers(-(2**31), 2**31 - 1))
@example(text="\0", size=0)
@example(text="%_\\", size=2**31 - 1)
def test_any_search_is_answered_or_refused(ask: Ask, text: str, size: int) -> None:
    for method, members in (
        ("ListKeys", {"search": text}),
        ("ListKeys", {"partner_id": text}),
        ("ListPartners", {"search": text}),
        ("ListAuditEntries", {"subject": text}),
        ("GetUsageReport", {"key_id": text}),
        ("GetUsageReport", {"partner_id": text}),
    ):
        sized = {} if method == "GetUsageReport" else {"page_size": size}
        assert ask(method, **members, **sized) in ("OK", "INVALID_ARGUMENT"), method
    assert ask("GetPartner", partner_id=text) in ("OK", "INVALID_ARGUMENT", "NOT_FOUND")
    assert ask("ListPartnerBills", partner_id=text) in ("OK", "INVALID_ARGUMENT", "NOT_FOUND")
    customer = {"legal_name": text, "siren": text, "vat_number": f"FR{text}", "default_plan": text}
    address = admin_pb2.BillingAddress(lines=[text], postcode=text, city=text, country=text)
    contact = admin_pb2.PartnerContact(name=text, email=text, phone=text)
    refused_or_taken = ("OK", "INVALID_ARGUMENT", "ALREADY_EXISTS", "FAILED_PRECONDITION", "ABORTED")
    assert ask("CreatePartner", name=text, billing_address=address, contact=contact, **customer) in refused_or_taken
    assert ask("GetKey", key_id=text) in ("OK", "INVALID_ARGUMENT", "NOT_FOUND")


@many
@example(at="9999-12-31T23:59:59-23:59")
@given(at=instants)
def test_any_instant_of_expiry_is_accepted_or_refused(ask: Ask, at: str) -> None:
    try:
        at.encode()
    except UnicodeEncodeError:
        return
    assert ask("CreateKey", partner="A", label="B", expires_at=at) in ("OK", "INVALID_ARGUMENT")
    assert ask("CreateToken", label="B", role=admin_pb2.ADMIN_ROLE_VIEWER, expires_at=at) in ("OK", "INVALID_ARGUMENT")
    pricing = admin_pb2.Pricing(effective_from=at)
    assert ask("CreateKey", partner="A", label="B", pricing=pricing) in ("OK", "INVALID_ARGUMENT")


AMOUNTS = ("", "1e999", "1e-999", "1E+99999", "-0", "NaN", "Infinity", "0x1", "1_000", "١٢", "9" * 60, "0.123456789")
amounts = st.one_of(st.sampled_from(AMOUNTS), st.decimals().map(str), st.from_regex(r"[0-9]{1,13}(\.[0-9]{1,9})?"))
counts = st.one_of(st.just(0), st.just(-1), st.just(2**63 - 1), st.integers(-(2**63), 2**63 - 1))


@many
@example(amount="1e99999", count=2**63 - 1)
@given(amount=amounts, count=counts)
def test_any_amount_and_count_of_a_key_is_accepted_or_refused(ask: Ask, amount: str, count: int) -> None:
    quota = keys_pb2.Quota(monthly_units=count, spend_cap=amount, per_minute=count % 2**31, burst=1)
    policy = keys_pb2.AssistantPolicy(mode=keys_pb2.ASSISTANT_MODE_MODEL, monthly_calls=count, monthly_tokens=count)
    key = {"partner": "A", "label": "B", "quota": quota, "assistant_policy": policy}
    assert ask("CreateKey", **key) in ("OK", "INVALID_ARGUMENT")
    tiers = [admin_pb2.PriceTier(up_to=count, unit_price=amount), admin_pb2.PriceTier(unit_price=amount)]
    pricing = admin_pb2.Pricing(monthly_fee=amount, included_units=count, tiers=tiers, vat_rate=amount)
    assert ask("CreateKey", partner="A", label="B", pricing=pricing) in ("OK", "INVALID_ARGUMENT")
    assert ask("ListKeys") == "OK"


@many
@example(at="9999-12-31T23:59:59-23:59")
@given(at=instants)
def test_an_outcome_and_refusals_of_any_instant_are_counted(ask: Ask, at: str) -> None:
    try:
        at.encode()
    except UnicodeEncodeError:
        return
    outcome = keys_pb2.Outcome(
        event_id=b"\1" * 16,
        lease_id=b"\2" * 16,
        key_id="abcdefgh",
        endpoint=RESOLVE,
        status=200,
        occurred_at=at,
        leased_at=at,
    )
    refused = keys_pb2.RefusedRequests(
        key_id="abcdefgh", endpoint=RESOLVE, code="rate_limited", requests=1, occurred_at=at
    )
    assert ask("Settle", outcomes=[outcome], refused=[refused]) == "OK"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
numbers = st.one_of(st.sampled_from((0, -1, 2**63 - 1, -(2**63))), st.integers(-(2**63), 2**63 - 1))
ids = st.one_of(st.binary(max_size=20), st.binary(min_size=16, max_size=16))
counters = st.builds(
    keys_pb2.Counters,
    units=numbers,
    requests=numbers,
    suggestions=numbers,
    calls=numbers,
    tokens=numbers,
)
ends = st.builds(keys_pb2.LeaseEnd, lease_id=ids, key_id=texts, unused=counters)


@many
@given(
    id_=ids,
    holder=ids,
    text=texts,
    address=texts,
    key=st.booleans(),
    expected=counters,
    ended=st.lists(ends, max_size=3),
)
def test_any_lease_is_answered_or_refused(
    ask: Ask,
    id_: bytes,
    holder: bytes,
    text: str,
    address: str,
    key: bool,
    expected: keys_pb2.Counters,
    ended: list[keys_pb2.LeaseEnd],
) -> None:
    api_key = secret.generate(KeyMode.LIVE, "unknown1").text if key else text
    members = {"api_key": api_key, "endpoint": text, "client_address": address, "expected": expected, "ended": ended}
    is_valid = len(id_) == len(holder) == 16
    assert ask("Lease", lease_id=id_, holder=holder, **members) == ("OK" if is_valid else "INVALID_ARGUMENT")


@many
@given(
    ended=st.lists(ends, max_size=3),
    holders=st.lists(ids, max_size=3),
    key_id=texts,
    code=texts,
    requests=st.integers(-5, 2**31),
)
def test_any_settlement_is_answered(
    ask: Ask, ended: list[keys_pb2.LeaseEnd], holders: list[bytes], key_id: str, code: str, requests: int
) -> None:
    refused = keys_pb2.RefusedRequests(key_id=key_id, endpoint=code, code=code, requests=requests)
    outcome = keys_pb2.Outcome(
        event_id=bytes(16), lease_id=bytes(16), key_id=key_id, endpoint=code, code=code, request_id=key_id
    )
    assert ask("Settle", outcomes=[outcome], ended=ended, refused=[refused], dead_holders=holders) == "OK"
