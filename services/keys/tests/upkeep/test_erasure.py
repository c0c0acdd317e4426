"""Erases the personal data of partners and admins, and checks the remaining rows."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from keys_world import DRAFT, World
from sqlalchemy import insert, select

from keys.admins import changes as administrators
from keys.api_keys import changes as key_changes
from keys.store import admins, sessions
from keys.store import audit_log as audit
from keys.store.audit_log import Actor
from keys.store.change import changing
from keys.store.event_tables import webhooks
from keys.store.key_records import Creation
from keys.store.tables import held_bills, idempotent_creations, keys, month_bills
from keys.upkeep import erasure
from keys.values.errors import Conflict, NotFound
from keys.values.lease_rules import Denial
from keys.values.records import Contact, Customer, PostalAddress, Role

PERSONAL = ("Cadastra", "Jeanne", "203.0.113.0", "jeanne@cadastra.example", "+33 1 23", "rue des Bornes", "732829320")
CUSTOMER = Customer(
    legal_name="Cadastra SAS",
    contact=Contact("Jeanne", PERSONAL[3], "+33 1 23 45 67 89"),
    billing_address=PostalAddress(lines=("12 rue des Bornes",), postcode="69000", city="Lyon", country="FR"),
    siren="732829320",
    vat_number="FR44732829320",
)
BILL = {
    "charged_per": "key",
    "month": "2026-02", "units": 5, "included_units": 0, "lines": [], "currency": "EUR", "net": 1, "vat": 0, "gross": 1,
}  # fmt: skip
ANN, BOB = "ann@example.org", "bob@example.org"
OTHERS = (BOB, f"jo{ANN}", f"jo.{ANN}", f"{ANN}.uk", f"{ANN}-b.fr")
"""Addresses of other people, most of which contain Ann's."""
TRACES = (ANN, "hash-of-ann", "203.0.113.9")


def with_partner(world: World) -> tuple[str, str, str]:
    """Creates a partner with personal data in its records. Returns partner id, key id and secret."""
    issued = world.key(
        label="Jeanne's key", allowed_cidrs=("203.0.113.0/24", "192.0.2.0/24"), metadata={"mail": PERSONAL[3]}
    )
    key_id = issued.record.id
    world.change_partner(issued.record.partner.id, customer=Customer("Cadastra", Contact("Jeanne's office")))
    world.change_partner(issued.record.partner.id, customer=CUSTOMER)
    with world.change() as change:
        key_changes.update(change, key_id, lambda record: replace(DRAFT, label="Jeanne's second label"))
        change.connection.execute(insert(month_bills).values(**BILL, key_id=key_id))
        held = {"lines": [{"payer": "Jeanne's key", "amount": "1.00"}]}
        row = {"month": "2026-02", "partner_id": issued.record.partner.id, "content": held}
        change.connection.execute(insert(held_bills).values(row))
        address = f"https://cadastra.example/{PERSONAL[3]}"
        webhooks.create(change.connection, b"key", f"live {issued.record.partner.id}", address)
    return issued.record.partner.id, key_id, issued.secret.text


def test_erasing_a_partner_keeps_only_its_counts_and_bills(world: World) -> None:
    partner_id, key_id, secret = with_partner(world)
    other = world.key(partner="Other", label="other label")
    answer = world.ask(secret)
    world.record([world.outcome(answer, request_id=PERSONAL[0])])
    before = world.month(key_id)
    assert all(text in world.dump() for text in PERSONAL[:2])
    with world.change() as change:
        assert erasure.erase_partner(change, partner_id) == [key_id]
    dump = world.dump()
    assert not [text for text in PERSONAL if text in dump]
    assert "other label" in dump
    assert world.month(key_id) == before != {}
    with world.database.reading() as connection:
        assert connection.execute(select(month_bills.c.key_id)).scalars().all() == [key_id]
        [entry] = [
            entry_
            for entry_ in audit.entries(connection, audit.Filter([partner_id]), None, 10)
            if entry_.action == "partner.erase"
        ]
    assert entry.changes == {"keys": [key_id]}
    assert isinstance(world.ask(secret).decision, Denial)
    assert not isinstance(world.ask(other.secret.text).decision, Denial)


def test_erasing_twice_changes_nothing_and_a_name_is_not_an_id(world: World) -> None:
    partner_id, key_id, _ = with_partner(world)
    with world.change() as change, pytest.raises(NotFound):
        erasure.erase_partner(change, "Cadastra")
    for _ in range(2):
        with world.change() as change:
            assert erasure.erase_partner(change, partner_id) == [key_id]
        with world.database.reading() as connection:
            revoked_at = connection.scalar(select(keys.c.revoked_at).where(keys.c.id == key_id))
        assert revoked_at == world.clock()


def add_admins(world: World) -> tuple[str, str]:
    """Returns the ids of two owners: Ann, whose address is in many tables, and Bob."""
    with world.change() as change:
        ann = administrators.create_admin(change, ANN, "hash-of-ann", Role.OWNER)
        bob = administrators.create_admin(change, BOB, "hash-of-bob", Role.OWNER)
        sessions.start(change.connection, b"digest", ann.id, "203.0.113.9", change.now)
    with changing(world.database, world.clock, Actor(f"admin {ANN}", "203.0.113.9")) as change:
        administrators.create_token(change, "a token", Role.OPERATOR, datetime(2027, 1, 1, tzinfo=UTC))
        change.audit("note", "somewhere", {"old": {"owners": [ANN, BOB]}, "new": {"owners": [f"{ANN}.", *OTHERS]}})
        change.audit("sign_in.failed", ANN)
        creation = Creation(
            actor=change.actor.name,
            idempotency_key="once",
            request_digest=b"d",
            key_id="k",
            pepper_version=1,
            salt=b"s",
        )
        change.connection.execute(insert(idempotent_creations).values(**vars(creation), created_at=change.now))
    return ann.id, bob.id


def test_erasing_an_admin_removes_the_address_and_keeps_the_audit_log_readable(world: World) -> None:
    ann, _ = add_admins(world)
    assert all(text in world.dump() for text in TRACES)
    with changing(world.database, world.clock, Actor("command line")) as change:
        assert erasure.erase_admin(change, " ANN@Example.org ") == ann
    dump = world.dump().replace("admin:ann@example.org", "")  # the actor of the changes that the tests make
    for other in OTHERS:
        assert other in dump
        dump = dump.replace(other, "")
    assert not [text for text in TRACES if text in dump]
    with world.database.reading() as connection:
        log = {entry.action: entry for entry in audit.entries(connection, audit.Filter(), None, 20)}
        admin = admins.find(connection, ann)
    assert log["note"].changes == {
        "old": {"owners": [f"erased-{ann}", BOB]},
        "new": {"owners": [f"erased-{ann}.", *OTHERS]},
    }
    assert log["note"].actor == f"admin erased-{ann}"
    assert log["sign_in.failed"].subject == f"erased-{ann}"
    assert "admin.erase" in log
    assert admin is not None
    assert not admin.is_active


def test_the_last_owner_and_an_unknown_address_are_refused(world: World) -> None:
    _, bob = add_admins(world)
    with world.change() as change, pytest.raises(NotFound):
        erasure.erase_admin(change, "nobody@example.org")
    with world.change() as change:
        erasure.erase_admin(change, ANN)
    with world.change() as change, pytest.raises(Conflict):
        erasure.erase_admin(change, BOB)
    with world.database.reading() as connection:
        admin = admins.find(connection, bob)
    assert admin is not None
    assert (admin.email, admin.is_active) == (BOB, True)
