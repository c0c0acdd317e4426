"""Statements about more ids than a statement has parameters: 65,535 on PostgreSQL, and 32,766 or more on SQLite."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from keys_world import NOON, World
from sqlalchemy import Connection, String, cast, event, insert, literal, select, true

from keys.metering.reporting import report
from keys.plans import changes as plan_changes
from keys.store import audit_log as audit
from keys.store import key_records, partner_records, price_terms, rollups
from keys.store.audit_log import Filter
from keys.store.change import Transaction
from keys.store.lease_states import lock, lock_free
from keys.store.rollups import Scope
from keys.store.tables import key_secrets, key_terms, keys
from keys.upkeep import erasure
from keys.values.buckets import Bucket, Range
from keys.values.pricing import ChargedPer, PlanChoice, Terms, Tier
from keys.values.records import IssuedKey
from servicekit.database import is_sqlite

MANY = 10_000
"""More than the limit that `limit_parameters` sets."""
PERIOD = Range(NOON - timedelta(days=1), NOON)
TERMS = Terms(
    monthly_fee=Decimal(10),
    included_units=1,
    tiers=(Tier(None, Decimal("0.50")),),
    vat_rate=Decimal("0.20"),
    charged_per=ChargedPer.PARTNER,
)
READS: dict[str, Callable[[Connection, list[str]], object]] = {
    "free locks": lock_free,
    "terms": lambda connection, ids: price_terms.terms_of(connection, ids, "2026-03").keys(),
    "terms of plans": lambda connection, ids: price_terms.terms_of_plans(connection, ids, "2026-03"),
    "existing": lambda connection, ids: price_terms.days_of_existing(connection, ids, "2026-03").keys(),
    "is used": lambda connection, ids: price_terms.is_used(connection, ids, "2026-03"),
    "units": lambda connection, ids: rollups.units_by_key(connection, PERIOD, ids),
    "requests": lambda connection, ids: len(rollups.requests_by_day(connection, range(3), ids)),
    "named": lambda connection, ids: key_records.named(connection, ids).keys(),
    "partners": partner_records.find_all,
    "audit": lambda connection, ids: {entry.subject for entry in audit.entries(connection, Filter(ids), None, 9)},
}
FOUND = {"terms", "existing", "named", "audit"}


def key_of_plan(world: World) -> IssuedKey:
    """A key of a plan that the partner's keys share."""
    with world.change() as change:
        plan_changes.create_plan(change, "Pro", TERMS, None)
    return world.key(pricing=PlanChoice("Pro"))


@pytest.fixture
def key_id(world: World) -> str:
    return key_of_plan(world).record.id


def test_a_statement_takes_any_number_of_ids(world: World, key_id: str) -> None:
    count = 70_000
    if is_sqlite(world.database.engine):
        count = MANY
        limit_parameters(world)
    ids = [*(f"{number:08}" for number in range(count)), key_id]
    nothing = {"requests": count + 1, "is used": False}
    with world.database.writing() as connection:
        lock(connection, ids)
        for name, read in READS.items():
            result = read(connection, ids)
            assert result == ({key_id} if name in FOUND else nothing.get(name, result)), name
            assert name in FOUND or name in nothing or not result, name


def test_a_partner_has_any_number_of_keys(migrated_sqlite: str, open_world: Callable[..., World]) -> None:
    world = open_world(migrated_sqlite)
    limit_parameters(world)
    issued = key_of_plan(world).record
    with world.database.writing() as connection:
        copy_key(connection, issued.id, MANY)
        usage = report(Transaction(connection, NOON), PERIOD, Bucket.DAY, Scope(), "2026-03")
        (bill,) = usage.bills.bills
        assert len(bill.keys) == len(usage.keys) == MANY + 1
    with world.change() as change:
        plan_id = price_terms.terms_of(change.connection, [issued.id], "2026-03")[issued.id].plan_id
        dearer = replace(TERMS, monthly_fee=Decimal(20))
        plan_changes.update_plan(change, plan_id, name=None, is_archived=None, terms=dearer, from_month=None)
        assert len(erasure.erase_partner(change, issued.partner.id)) == MANY + 1


def limit_parameters(world: World) -> None:
    """Lowers the limit of SQLite: some builds allow 250,000 parameters, and fewer rows make a shorter test."""

    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 9_000)

    event.listen(world.database.engine, "checkout", limit)


def copy_key(connection: Connection, key_id: str, count: int) -> None:
    first = 10_000_000
    numbers = select(literal(first).label("id")).cte("numbers", recursive=True)
    numbers = numbers.union_all(select(numbers.c.id + 1).where(numbers.c.id < first + count - 1))
    for table, column in ((keys, keys.c.id), (key_secrets, key_secrets.c.key_id), (key_terms, key_terms.c.key_id)):
        other_columns = [other for other in table.c if other is not column]
        copies = (
            select(cast(numbers.c.id, String), *other_columns).join_from(table, numbers, true()).where(column == key_id)
        )
        connection.execute(insert(table).from_select([column, *other_columns], copies))
