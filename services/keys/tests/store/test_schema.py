from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from admin_access import OWNER
from alembic import command
from alembic.config import Config
from keys_world import NOON, World
from sqlalchemy import select

from keys.clock import hour_of
from keys.records import Contact, Customer, PostalAddress
from keys.store import admins as admin_records
from keys.store import partner_records, second_factors
from keys.store.access_tables import admin_tokens, admins
from keys.store.database import MIGRATIONS, Database
from keys.store.tables import metadata, partners, usage_days, usage_hours
from servicekit.migrations import differences

BEFORE_CUSTOMERS = "0012"


def test_the_migrations_match_the_tables(world: World) -> None:
    with world.database.reading() as connection:
        assert differences(connection, metadata) == []


def check_migration(url: str) -> None:
    database = Database(url)
    assert not database.is_accepted()
    database.migrate()
    database.migrate()
    assert database.is_accepted()
    database.close()


def test_a_new_file_is_current_once_it_is_migrated(tmp_path: Path) -> None:
    check_migration(f"sqlite:///{tmp_path}/folder/keys.sqlite")


@pytest.mark.docker
def test_a_new_database_is_current_once_it_is_migrated(fresh_postgres: str) -> None:
    check_migration(fresh_postgres)


NOTES = {
    "full": {
        "legal_name": "Cadastra SAS",
        "billing_address": "12 rue des Bornes\nBâtiment B\n69000 Lyon\nFrance",
        "siren": "732 829 320",
        "vat_number": "FR 44 732829320",
        "contact": "jeanne@cadastra.example",
        "note": "pays late",
    },
    "wrong": {"siren": "732829321", "vat_number": "FR44", "legal_name": "x" * 201, "contact": 5, "billing_address": ""},
    "other": {
        "siren": "732829320",
        "vat_number": "FR83404833048",
        "billing_address": "1 quai, 13002 Marseille",
    },
    "free": {"billing_address": "BP 12, Bruxelles", "contact": "Jeanne, 01 23 45 67 89"},
    "none": {"note": "x"},
}


def check_customers(url: str) -> None:
    database = Database(url)
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, BEFORE_CUSTOMERS)
        for name, notes in NOTES.items():
            row = {"id": name, "name": name, "is_active": True, "created_at": NOON, "metadata": notes}
            connection.execute(partners.insert(), row)
    database.migrate()
    with database.reading() as connection:
        found = {name: partner_records.find_record(connection, name) for name in NOTES}
    full, wrong, other, free, none = (record for record in found.values() if record)
    assert full.partner.metadata == {"note": "pays late"}
    address = PostalAddress(("12 rue des Bornes", "Bâtiment B"), "69000", "Lyon", "FR")
    contact = Contact(email="jeanne@cadastra.example")
    assert full.customer == Customer("Cadastra SAS", contact, address, "732829320", "FR44732829320")
    assert (wrong.customer, wrong.partner.metadata) == (Customer(), NOTES["wrong"])
    assert other.customer.billing_address == PostalAddress(("1 quai",), "13002", "Marseille")
    assert (other.customer.siren, other.partner.metadata) == ("732829320", {"vat_number": "FR83404833048"})
    assert free.customer.billing_address == PostalAddress(("BP 12, Bruxelles",))
    assert (free.customer.contact.name, free.partner.metadata) == ("Jeanne, 01 23 45 67 89", {})
    assert (none.customer, none.partner.metadata) == (Customer(), NOTES["none"])
    database.close()


def test_the_migration_moves_the_data_of_customers_out_of_notes(tmp_path: Path) -> None:
    check_customers(f"sqlite:///{tmp_path}/keys.sqlite")


@pytest.mark.docker
def test_the_migration_moves_the_data_of_customers_on_postgresql(fresh_postgres: str) -> None:
    check_customers(fresh_postgres)


def test_the_migration_computes_usage_by_day(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/keys.sqlite")
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        first = hour_of(datetime(2026, 3, 28, 22, tzinfo=UTC))  # the last hour of the 28th in Paris
        for hour in range(first, first + 25):  # the 29th has 23 hours
            row = {"hour": hour, "key_id": "abcdefgh", "endpoint": "usage", "requests": 1, "errors": 1}
            connection.execute(usage_hours.insert(), row)
    database.migrate()
    with database.reading() as connection:
        rows = connection.execute(select(usage_days.c.day, usage_days.c.requests).order_by(usage_days.c.day)).all()
    assert [(date.fromordinal(day).isoformat(), count) for day, count in rows] == [
        ("2026-03-28", 1),
        ("2026-03-29", 23),
        ("2026-03-30", 1),
    ]
    database.close()


def test_the_migration_keeps_admins_and_tokens(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/keys.sqlite")
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    admin = {"id": "a", "email": OWNER, "password_hash": "h", "role": "owner", "is_active": True, "created_at": now}
    token = {"id": "t", "digest": b"d", "label": "ci", "role": "viewer", "created_by": "admin", "created_at": now}
    with database.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        connection.execute(admins.insert(), admin)
        connection.execute(admin_tokens.insert(), token)
    database.migrate()
    with database.reading() as connection:
        assert [(one.email, one.has_totp) for one in admin_records.all_admins(connection)] == [(OWNER, False)]
        assert [one.expires_at for one in admin_records.all_tokens(connection)] == [None]
        assert not second_factors.is_required(connection)
    database.close()
