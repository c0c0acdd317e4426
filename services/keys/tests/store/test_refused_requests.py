"""Refused requests on a real database, each test on SQLite and PostgreSQL."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import psycopg
import pytest
from keys_world import World, statements

from keys.errors import Unavailable
from keys.issuing import secret
from keys.issuing.secret import KeyMode
from keys.pricing import Terms, Tier
from keys.leases.rules import Denial
from keys.quota.policy import AssistantMode, AssistantPolicy
from keys.records import IssuedKey
from keys.store import driver, refused_requests
from keys.store.decisions import Query
from keys.store.refused_requests import RefusedRequest, RefusedRequests
from keys.store.rollups import RollupKey
from keys.store.tables import reservations, usage_days, usage_hours
from servicekit.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE

TERMS = Terms(Decimal("10"), 0, (Tier(None, Decimal("0.50")),), Decimal("0.20"))


def revoked(world: World) -> IssuedKey:
    issued = world.key()
    world.revoke(issued.record.id)
    return issued


def rate_limited(world: World) -> IssuedKey:
    issued = world.key(quota={"per_minute": 1, "burst": 1})
    world.ask(issued.secret.text)
    return issued


def expired(world: World) -> IssuedKey:
    issued = world.key(expires_at=world.clock() + timedelta(seconds=1))
    world.clock.advance(seconds=1)
    return issued


REFUSED: dict[str, Callable[[World], IssuedKey]] = {
    "revoked_key": revoked,
    "expired_key": expired,
    "scope_denied": lambda world: world.key(scopes=(GEOJSON,)),
    "ip_denied": lambda world: world.key(allowed_cidrs=("198.51.100.0/24",)),
    "rate_limited": rate_limited,
    "quota_exhausted": lambda world: world.key(quota={"monthly_units": 0}),
    "spend_cap_reached": lambda world: world.key(quota={"spend_cap": Decimal(5)}, pricing=TERMS),
    "assistant_denied": lambda world: world.key(assistant=AssistantPolicy(AssistantMode.DISABLED)),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_batch_that_is_refused_as_a_whole_writes_nothing_and_locks_no_key_that_was_refused_before(
    world: World, code: str
) -> None:
    issued = REFUSED[code](world)
    endpoint = DIVIDE_LAND if code == "assistant_denied" else RESOLVE
    initial = world.dump()
    for text in (issued.secret.text, secret.generate(KeyMode.LIVE, "unknown1").text):
        world.ask(text, endpoint)
    assert world.dump() == initial
    wrong = secret.generate(KeyMode.LIVE, issued.record.id)
    texts = [issued.secret.text, wrong.text, secret.generate(KeyMode.LIVE, "unknown1").text] * 5
    before = world.dump()
    with statements(world) as statement_texts:
        answers = world.authorizer.authorize(
            [Query(secrets.token_bytes(16), text, endpoint, "192.0.2.7") for text in texts]
        )
    assert [answer.decision.code for answer in answers if isinstance(answer.decision, Denial)] == [
        code,
        "invalid_key",
        "invalid_key",
    ] * 5
    assert {statement.split()[0] for statement in statement_texts} - {"BEGIN"} == {"SELECT"}
    assert not [statement for statement in statement_texts if "FOR " in statement]
    assert world.dump() == before


def test_refused_requests_are_counted_when_they_are_flushed(world: World) -> None:
    issued = world.key(scopes=(RESOLVE,))
    for _ in range(3):
        world.ask(issued.secret.text, GEOJSON)
    assert world.refusals.flush() == 3
    assert world.refusals.flush() == 0
    world.ask(issued.secret.text, GEOJSON)
    assert world.month(issued.record.id) == {"requests": 4, "errors": 4}
    with world.database.reading() as connection:
        for table in (usage_hours, usage_days):
            row = connection.execute(table.select()).mappings().one()
            assert (row["endpoint"], row["requests"], row["errors"], row["units"]) == (GEOJSON, 4, 4, 0)


def test_a_batch_with_both_reserves_what_is_granted_and_counts_what_is_refused(world: World) -> None:
    issued = world.key(quota={"monthly_units": 2})
    answers = world.authorizer.authorize(
        [Query(secrets.token_bytes(16), issued.secret.text, RESOLVE, "") for _ in range(5)]
    )
    assert [isinstance(answer.decision, Denial) for answer in answers] == [False] * 2 + [True] * 3
    assert world.month(issued.record.id) == {"requests": 3, "errors": 3, "reserved_units": 2}
    with world.database.reading() as connection:
        assert len(connection.execute(reservations.select()).all()) == 2


def test_a_retried_grant_keeps_its_answer_even_if_its_key_is_refused_now(world: World) -> None:
    issued = world.key()
    granted = world.ask(issued.secret.text)
    world.revoke(issued.record.id)
    assert world.ask(issued.secret.text, reservation=granted.reservation_id).decision == granted.decision


def test_counts_that_a_database_failure_delays_are_written_later(world: World) -> None:
    issued = revoked(world)
    world.ask(issued.secret.text)
    with world.database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE usage_days RENAME TO away")
    with pytest.raises((Unavailable, psycopg.ProgrammingError)):  # as SQLite and as PostgreSQL say it
        world.refusals.flush()
    with world.database.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE away RENAME TO usage_days")
    assert world.month(issued.record.id) == {"requests": 1, "errors": 1}


def test_counts_in_memory_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_requests, "MAX_COUNTS", 2)
    counted = RefusedRequests(world.database)
    places = [RefusedRequest("2026-03", RollupKey(1, f"key{number}", RESOLVE), "rate_limited") for number in range(3)]
    for _ in range(2):
        counted.count(places)
    assert counted.flush() == 4


def test_a_decision_whose_commit_fails_is_not_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    issued = world.key(quota={"monthly_units": 1})

    def fail(_: object) -> None:
        raise Unavailable("The database does not answer.")

    queries = [Query(secrets.token_bytes(16), issued.secret.text, RESOLVE, "") for _ in range(2)]
    with monkeypatch.context() as patched, pytest.raises(Unavailable):
        patched.setattr(driver, "_commit", fail)
        world.authorizer.authorize(queries)
    assert world.refusals.flush() == 0
    assert world.month(issued.record.id) == {}
