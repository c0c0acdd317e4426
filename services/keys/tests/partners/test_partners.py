"""Partners as customers: their data, their default plan, lists with amounts, and their last bills."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from keys_world import World, statements
from sqlalchemy import update

from keys.partners import changes as partner_changes
from keys.partners import overviews as partner_overviews
from keys.plans import changes as plan_changes
from keys.store import audit_log as audit
from keys.store import audit_subjects, key_pages, partner_records
from keys.store.change import Transaction
from keys.store.event_records import owner_of
from keys.store.event_tables import webhooks
from keys.store.key_pages import KeyFilter, KeySort
from keys.store.paging import Order, PageRequest
from keys.store.partner_pages import PartnerSort
from keys.store.tables import partners
from keys.values.errors import Conflict, NotFound, RoleDenied
from keys.values.pricing import PlanChoice, Terms, Tier
from keys.values.records import Contact, Customer, PartnerRecord, PlanName, PostalAddress, Role
from keys.values.secret import KeyMode
from servicekit.errors import InvalidPayload

TERMS = Terms(monthly_fee=Decimal(10), included_units=0, tiers=(Tier(None, Decimal("0.5")),), vat_rate=Decimal("0.2"))
CUSTOMER = Customer(
    legal_name="Cadastra SAS",
    contact=Contact("Jeanne Martin", "jeanne@cadastra.example", "+33 1 23 45 67 89"),
    billing_address=PostalAddress(
        lines=("12 rue des Bornes", "Bâtiment B"), postcode="69000", city="Lyon", country="FR"
    ),
    siren="732829320",
    vat_number="FR44732829320",
)


def make_plan(world: World, name: str = "Étude") -> PlanName:
    with world.change() as change:
        return PlanName(plan_changes.create_plan(change, name, TERMS, None).id, name)


def archive(world: World, plan: PlanName) -> None:
    with world.change() as change:
        plan_changes.update_plan(change, plan.id, name=None, is_archived=True, terms=None, from_month=None)


def found(world: World, partner_id: str) -> PartnerRecord | None:
    with world.database.reading() as connection:
        return partner_records.find_record(connection, partner_id)


def listed(world: World, by: PartnerSort, is_descending: bool, search: str = "", size: int = 100) -> list[str]:
    """Returns the names of all pages."""
    order, names, after = Order(by, is_descending), list[str](), None
    while True:
        with world.database.reading() as connection:
            requested = PageRequest(order, after, size)
            page = partner_overviews.page(Transaction(connection, world.clock()), search, requested)
        names += [record.partner.name for record in page.records]
        after = page.end
        if after is None:
            assert page.total_count == len(names)
            return names


def use(world: World, secret: str, times: int = 1) -> None:
    for _ in range(times):
        world.record([world.outcome(world.ask(secret))])


def test_a_partner_keeps_its_data_as_a_customer(world: World) -> None:
    plan = make_plan(world)
    partner = world.partner("Cadastra", customer=CUSTOMER, default_plan="Étude", metadata={"note": "x"})
    assert (partner.customer, partner.default_plan) == (CUSTOMER, plan)
    assert found(world, partner.partner.id) == partner
    changed = world.change_partner(partner.partner.id, role=Role.OPERATOR, customer=Customer(siren="732829320"))
    assert found(world, partner.partner.id) == changed
    assert (changed.customer, changed.default_plan) == (Customer(siren="732829320"), plan)
    assert world.change_partner(partner.partner.id, default_plan="").default_plan is None
    of_key = world.key(partner="Without data").record.partner
    assert found(world, of_key.id) == PartnerRecord(of_key)


@pytest.mark.parametrize(
    ("ended", "remaining", "noted"),
    [
        ({"watch_id": "w1"}, 1, {"watch": "w1"}),
        ({"webhook_id": "w2"}, 1, {"webhook": "w2"}),
        ({}, 0, {}),
    ],
)
def test_only_the_end_of_all_events_deletes_every_endpoint(
    world: World, ended: dict[str, str], remaining: int, noted: dict[str, str]
) -> None:
    partner_id = world.partner("Cadastra").partner.id
    owner = owner_of(partner_id, KeyMode.TEST)
    with world.change() as change:
        webhooks.create(change.connection, b"key", owner, "https://partner.example")
    with world.change() as change:
        partner_changes.end_events(change, partner_id, **ended)
    with world.database.reading() as connection:
        assert len(webhooks.of_owner(connection, owner)) == remaining
        [entry, *_] = audit.entries(connection, audit.Filter([partner_id]), None, 5)
    assert (entry.action, entry.changes) == ("partner.end_events", noted)


def test_only_owners_choose_a_default_plan_that_is_in_force(world: World) -> None:
    plan, partner_id = make_plan(world), world.partner("Cadastra").partner.id
    for chosen in (plan.id, "", "unknown"):
        with pytest.raises(RoleDenied):
            world.change_partner(partner_id, role=Role.OPERATOR, default_plan=chosen)
    archive(world, plan)
    for chosen in (plan.id, "unknown"):
        with pytest.raises(InvalidPayload) as caught:
            world.change_partner(partner_id, default_plan=chosen)
        assert [(violation.pointer, violation.code) for violation in caught.value.violations] == [
            ("/default_plan", "unknown_value")
        ]
    with pytest.raises(NotFound):
        world.change_partner("unknown", name="x")


def test_a_live_key_without_a_price_gets_the_default_plan(world: World) -> None:
    plan, other = make_plan(world), make_plan(world, "Other")
    world.partner("Cadastra", default_plan=plan.name)
    priced = world.key(partner="Cadastra").record
    assert priced.terms is not None
    assert (priced.terms.plan, priced.terms_from) == ("Étude", "2026-03")
    with world.database.reading() as connection:
        [entry] = audit.entries(connection, audit.Filter([priced.id]), None, 5)
    assert entry.changes["pricing.plan"] == "Étude"
    chosen = world.key(partner="Cadastra", pricing=PlanChoice(other.id)).record
    assert chosen.terms is not None
    assert chosen.terms.plan == "Other"
    assert world.key(partner="Cadastra", mode=KeyMode.TEST).record.terms is None
    assert world.key(partner="Bornage").record.terms is None
    archive(world, plan)
    with pytest.raises(Conflict):
        world.key(partner="Cadastra")


@pytest.mark.parametrize("by", list(PartnerSort))
@pytest.mark.parametrize("is_descending", [False, True])
def test_pages_of_every_order_contain_each_partner_once(world: World, by: PartnerSort, is_descending: bool) -> None:
    for number in range(5):
        partner_id = world.partner(f"Partner {number % 3} {number}").partner.id
        world.clock.advance(seconds=number % 2)
        if number % 3:
            use(world, world.key(partner=partner_id, pricing=TERMS).secret.text, number)
    assert listed(world, by, is_descending, size=2) == listed(world, by, is_descending)
    assert len(listed(world, by, is_descending)) == 5


def test_partners_are_sorted_by_keys_usage_and_amount_and_found_by_name_and_number(world: World) -> None:
    world.partner("Zénith", customer=CUSTOMER)
    busy, dear = world.key(partner="busy"), world.key(partner="dear", pricing=TERMS)
    world.revoke(world.key(partner="Zénith").record.id)
    use(world, busy.secret.text, 3)
    use(world, dear.secret.text)
    assert listed(world, PartnerSort.NAME, False) == ["busy", "dear", "Zénith"]
    assert listed(world, PartnerSort.KEYS, True)[-1] == "Zénith"
    assert listed(world, PartnerSort.REQUESTS, True) == ["busy", "dear", "Zénith"]
    assert listed(world, PartnerSort.UNITS, False) == ["Zénith", "dear", "busy"]
    assert listed(world, PartnerSort.NET, True)[0] == "dear"
    for search in ("zén", "Cadastra sas", "732829", "732 829 320"):
        assert listed(world, PartnerSort.NET, True, search) == ["Zénith"], search
    assert listed(world, PartnerSort.NAME, True, "%") == []


def test_overviews_count_keys_and_usage_and_preview_the_bill_in_few_statements(world: World) -> None:
    first = world.key(partner="Cadastra", pricing=TERMS)
    test = world.key(partner="Cadastra", mode=KeyMode.TEST, pricing=TERMS)
    world.revoke(world.key(partner="Cadastra", pricing=TERMS).record.id)
    use(world, first.secret.text, 2)
    use(world, test.secret.text)
    other = world.key(partner="Bornage").record.partner.id
    ids = [first.record.partner.id, other]
    with world.database.reading() as connection:
        transaction = Transaction(connection, world.clock())
        with statements(world) as seen_for_one:
            partner_overviews.overviews(transaction, ids[:1], has_seller=True)
        with statements(world) as seen_for_two:
            overviews = partner_overviews.overviews(transaction, ids, has_seller=True)
    assert len(seen_for_two) == len(seen_for_one)
    overview = overviews[ids[0]]
    assert (overview.keys, overview.active_keys, overview.requests, overview.units) == (3, 2, 3, 3)
    assert (overview.month, overview.net) == ("2026-03", Decimal("21.00"))  # two fees and two units
    assert (overviews[other].keys, overviews[other].net) == (1, Decimal("0.00"))


def test_the_last_bills_are_those_of_the_partner_newest_first(world: World) -> None:
    issued = world.key(partner="Cadastra", pricing=TERMS)
    world.key(partner="Bornage", pricing=TERMS)
    use(world, issued.secret.text, 2)
    world.clock.now = datetime(2027, 6, 2, tzinfo=UTC)
    partner_id = issued.record.partner.id
    with world.database.reading() as connection:
        transaction = Transaction(connection, world.clock())
        bills = partner_overviews.last_bills(transaction, partner_id, has_seller=True)
        assert [bill.month for bill in bills] == [f"2027-0{n}" for n in range(6, 0, -1)] + [
            f"2026-{n:02}" for n in range(12, 6, -1)
        ]
        world.clock.now = datetime(2026, 4, 2, tzinfo=UTC)
        bills = partner_overviews.last_bills(Transaction(connection, world.clock()), partner_id, has_seller=True)
        with pytest.raises(NotFound):
            partner_overviews.last_bills(transaction, "unknown", has_seller=True)
    assert [(bill.month, bill.units, bill.net, bill.gross) for bill in bills] == [
        ("2026-04", 0, Decimal("10.00"), Decimal("12.00")),
        ("2026-03", 2, Decimal("11.00"), Decimal("13.20")),
    ]
    assert all(bill.is_provisional for bill in bills)


SAME_NAMES = ("etude d'oeuvre", "ÉTUDE  D’ŒUVRE", "E\u0301tude d`œuvre")


@pytest.mark.parametrize("same", SAME_NAMES)
def test_names_differ_by_more_than_accents_case_ligatures_and_apostrophes(world: World, same: str) -> None:
    partner_id = world.partner("Étude d’Œuvre").partner.id
    other_id = world.partner("Géomètres").partner.id
    assert world.key(partner=same).record.partner.id == partner_id
    with pytest.raises(Conflict):
        world.partner(same)
    with pytest.raises(Conflict):
        world.change_partner(other_id, name=same)
    assert listed(world, PartnerSort.NAME, False, same) == ["Étude d’Œuvre"]
    world.key(partner=partner_id, label="Œuvre d’essai")
    with world.database.reading() as connection:
        assert partner_id in audit_subjects.ids_named(connection, same)
        requested = PageRequest(Order(KeySort.LABEL, False), None, 9)
        page = key_pages.page(connection, KeyFilter(search="oeuvre d'ESSAI"), requested, world.clock())
    assert [key.label for key in page.records] == ["Œuvre d’essai"]


def test_plans_have_different_names(world: World) -> None:
    make_plan(world, "Étude")
    with pytest.raises(Conflict):
        make_plan(world, "etude")


def test_a_name_of_accents_alone_is_no_other_partner(world: World) -> None:
    partner_id = world.partner("Géomètres").partner.id
    with world.database.writing() as connection:  # as the program before wrote it
        connection.execute(update(partners).where(partners.c.id == partner_id).values(folded_name=""))
    assert world.key(partner="\u0301").record.partner.id != partner_id
    assert listed(world, PartnerSort.NAME, False, "   ") == []
