"""Authorize on a real database, each test on SQLite and PostgreSQL."""

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from keys_world import NOON, Answer, Grant, World, statements
from sqlalchemy import insert, update

from keys.admin import key_changes
from keys.errors import Blocked, Unavailable
from keys.issuing import secret
from keys.issuing.secret import KeyMode
from keys.leases.rules import Denial, RateLimit
from keys.pricing import Terms, Tier
from keys.quota.policy import AssistantMode, AssistantPolicy
from keys.store.price_terms import write_terms
from keys.store.tables import key_terms, partners, usage_hours
from servicekit.context import deadline
from servicekit.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, USAGE
from servicekit.errors import InvalidPayload


def code(answer: Answer) -> str:
    return answer.decision.code if isinstance(answer.decision, Denial) else "granted"


def retry_after(answer: Answer) -> int | None:
    assert isinstance(answer.decision, Denial)
    return answer.decision.retry_after_s


def test_a_grant_reserves_the_weight_of_its_endpoint(world: World) -> None:
    issued = world.key()
    for endpoint, units in ((RESOLVE, 1), (GEOJSON, 2), (DIVIDE_LAND, 10), (USAGE, 0), ("other", 0)):
        answer = world.ask(issued.secret.text, endpoint)
        assert isinstance(answer.decision, Grant)
        assert answer.decision.units == units
        assert answer.key is not None
        assert (answer.key.key_id, answer.key.mode) == (issued.record.id, KeyMode.LIVE)
    assert world.month(issued.record.id) == {"reserved_units": 13, "reserved_calls": 1}


def test_a_partial_secret_identifies_no_key(world: World) -> None:
    issued = world.key()
    forged = secret.generate(KeyMode.LIVE, issued.record.id).text
    unknown = secret.generate(KeyMode.LIVE, secret.new_id()).text
    other_mode = issued.secret.text.replace("lp_live_", "lp_test_")
    for text in ("", "x" * 1_000_000, "clé", issued.secret.text[:-1], forged, unknown, other_mode):
        answer = world.ask(text)
        assert answer == Answer(answer.reservation_id, Denial("invalid_key"))
    assert world.month(issued.record.id) == {}


def test_a_wrong_secret_does_not_reveal_that_the_key_is_revoked(world: World) -> None:
    issued = world.key()
    world.revoke(issued.record.id)
    assert code(world.ask(secret.generate(KeyMode.LIVE, issued.record.id).text)) == "invalid_key"
    assert code(world.ask(issued.secret.text)) == "revoked_key"


def test_revoking_a_key_and_disabling_a_partner_apply_at_once(world: World) -> None:
    first, second = world.key(), world.key(partner="Bornage")
    assert code(world.ask(first.secret.text)) == code(world.ask(second.secret.text)) == "granted"
    world.revoke(first.record.id)
    with world.database.writing() as connection:
        connection.execute(update(partners).where(partners.c.name == "Bornage").values(is_active=False))
    assert code(world.ask(first.secret.text)) == code(world.ask(second.secret.text)) == "revoked_key"


def test_a_key_expires_at_its_instant(world: World) -> None:
    issued = world.key(expires_at=NOON + timedelta(hours=1))
    world.clock.advance(minutes=59, seconds=59)
    assert code(world.ask(issued.secret.text)) == "granted"
    world.clock.advance(seconds=1)
    assert code(world.ask(issued.secret.text)) == "expired_key"


def test_scopes_narrow_known_endpoints_only(world: World) -> None:
    issued = world.key(scopes=(RESOLVE,))
    assert code(world.ask(issued.secret.text, RESOLVE)) == "granted"
    assert code(world.ask(issued.secret.text, GEOJSON)) == "scope_denied"
    assert code(world.ask(issued.secret.text, "other")) == "granted"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.200", "granted"),
        ("::ffff:192.0.2.200", "granted"),
        ("2001:db8::1", "granted"),
        ("198.51.100.1", "ip_denied"),
        ("2001:db9::1", "ip_denied"),
        ("", "ip_denied"),
        ("unknown", "ip_denied"),
    ],
)
def test_a_key_with_networks_is_accepted_from_them_only(world: World, address: str, expected: str) -> None:
    issued = world.key(allowed_cidrs=("192.0.2.0/24", "2001:db8::/32"))
    assert code(world.ask(issued.secret.text, address=address)) == expected


def test_a_burst_is_limited_and_denied_with_retry_after(world: World) -> None:
    issued = world.key(quota={"per_minute": 60, "burst": 3})
    answers = [world.ask(issued.secret.text) for _ in range(4)]
    assert [code(answer) for answer in answers] == ["granted"] * 3 + ["rate_limited"]
    assert retry_after(answers[3]) == 1
    assert answers[2].limits[:2] == [RateLimit("burst", 3, 0, 3, 3), RateLimit("minute", 60, 57, 60, 60)]
    world.clock.advance(seconds=1)
    assert code(world.ask(issued.secret.text)) == "granted"


def test_a_minute_is_limited(world: World) -> None:
    issued = world.key(quota={"per_minute": 2, "burst": 100})
    assert [code(world.ask(issued.secret.text)) for _ in range(3)] == ["granted", "granted", "rate_limited"]
    world.clock.advance(seconds=60)
    assert code(world.ask(issued.secret.text)) == "granted"


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(days=130), timedelta(days=365)])
def test_a_key_that_was_used_by_a_clock_far_ahead_is_not_locked(world: World, jump: timedelta) -> None:
    issued = world.key(quota={"per_minute": 2, "burst": 2})
    world.clock.now += jump
    assert [code(world.ask(issued.secret.text)) for _ in range(3)] == ["granted", "granted", "rate_limited"]
    world.clock.now -= jump
    assert [code(world.ask(issued.secret.text)) for _ in range(3)] == ["granted", "granted", "rate_limited"]


def test_a_hard_quota_is_never_exceeded(world: World) -> None:
    issued = world.key(quota={"monthly_units": 4})
    answers = [world.ask(issued.secret.text, endpoint) for endpoint in (GEOJSON, RESOLVE, GEOJSON, RESOLVE, RESOLVE)]
    assert [code(answer) for answer in answers] == [
        "granted",
        "granted",
        "quota_exhausted",
        "granted",
        "quota_exhausted",
    ]
    until = datetime(2026, 3, 31, 22, 0, tzinfo=UTC) - NOON
    assert retry_after(answers[4]) == until.total_seconds() + 1
    limit = answers[4].limits[2]
    assert (limit.policy, limit.limit, limit.remaining) == ("month", 4, 0)
    assert code(world.ask(issued.secret.text, USAGE)) == "granted"


def test_the_quota_starts_again_at_midnight_in_paris(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    world.clock.now = datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC)
    assert [code(world.ask(issued.secret.text)) for _ in range(2)] == ["granted", "quota_exhausted"]
    world.clock.advance(seconds=1)
    assert code(world.ask(issued.secret.text)) == "granted"
    assert world.month(issued.record.id, "2026-04") == {"reserved_units": 1}


def test_a_soft_quota_counts_and_grants(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1, "hard": False})
    assert [code(world.ask(issued.secret.text)) for _ in range(3)] == ["granted"] * 3
    assert world.month(issued.record.id)["reserved_units"] == 3


def add_terms(world: World, key_id: str) -> None:
    terms = Terms(Decimal("10"), 2, (Tier(None, Decimal("0.50")),), Decimal("0.20"))
    with world.database.writing() as connection:
        connection.execute(insert(key_terms).values(key_id=key_id, from_month="2026-01", **write_terms(terms)))


def test_a_spend_cap_denies_the_unit_that_would_exceed_it(world: World) -> None:
    issued = world.key(quota={"spend_cap": Decimal("11.00")})
    add_terms(world, issued.record.id)
    assert [code(world.ask(issued.secret.text)) for _ in range(5)] == ["granted"] * 4 + ["spend_cap_reached"]


def test_a_test_key_has_no_spend(world: World) -> None:
    issued = world.key(mode=KeyMode.TEST, quota={"spend_cap": Decimal("0")})
    add_terms(world, issued.record.id)
    assert code(world.ask(issued.secret.text)) == "granted"


def test_a_disabled_assistant_is_denied(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.DISABLED))
    assert code(world.ask(issued.secret.text, DIVIDE_LAND)) == "assistant_denied"
    assert code(world.ask(issued.secret.text, GEOJSON)) == "granted"


def test_assistant_calls_are_an_allowance(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.RULES, monthly_calls=2))
    answers = [world.ask(issued.secret.text, DIVIDE_LAND) for _ in range(3)]
    assert [code(answer) for answer in answers] == ["granted", "granted", "assistant_allowance_exhausted"]
    assert answers[0].decision == Grant(10, AssistantMode.RULES)
    until = datetime(2026, 3, 31, 22, 0, tzinfo=UTC) - NOON
    assert retry_after(answers[2]) == until.total_seconds() + 1


def test_assistant_tokens_are_reserved_up_to_what_is_left(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=10_000))
    answers = [world.ask(issued.secret.text, DIVIDE_LAND) for _ in range(3)]
    assert answers[0].decision == Grant(10, AssistantMode.MODEL, 8_000)
    assert answers[1].decision == Grant(10, AssistantMode.MODEL, 2_000)
    assert code(answers[2]) == "assistant_allowance_exhausted"
    assert retry_after(answers[2]) is not None


def test_a_denied_request_of_an_identified_key_is_a_request_and_an_error(world: World) -> None:
    issued = world.key(scopes=(RESOLVE,))
    for _ in range(3):
        world.ask(issued.secret.text, GEOJSON)
    assert world.month(issued.record.id) == {"requests": 3, "errors": 3}
    with world.database.reading() as connection:
        row = connection.execute(usage_hours.select()).mappings().one()
    assert (row["endpoint"], row["requests"], row["errors"], row["timed_requests"]) == (GEOJSON, 3, 3, 0)


def test_a_granted_reservation_id_gets_its_first_answer_and_a_denied_one_a_new_decision(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1})
    granted, denied = secrets.token_bytes(16), secrets.token_bytes(16)
    first = world.ask(issued.secret.text, reservation=granted)
    refused = world.ask(issued.secret.text, reservation=denied)
    assert (code(first), code(refused)) == ("granted", "quota_exhausted")
    world.clock.advance(seconds=5)
    assert world.ask(issued.secret.text, reservation=granted).decision == first.decision
    assert code(world.ask(issued.secret.text, reservation=denied)) == "quota_exhausted"
    with world.change() as change:
        key_changes.update(
            change, issued.record.id, lambda key: replace(key.draft(), quota=replace(key.quota, monthly_units=2))
        )
    assert code(world.ask(issued.secret.text, reservation=denied)) == "granted"
    assert world.ask(issued.secret.text, reservation=granted).decision == first.decision
    assert world.month(issued.record.id) == {"requests": 2, "errors": 2, "reserved_units": 2}


def test_a_reservation_id_twice_in_a_batch_is_decided_once(world: World) -> None:
    issued = world.key()
    query = Query(secrets.token_bytes(16), issued.secret.text, RESOLVE, "")
    first, second = world.authorizer.authorize([query, query])
    assert first.decision == second.decision == Grant(1)
    assert world.month(issued.record.id) == {"reserved_units": 1}


def test_a_reservation_id_of_another_key_is_refused(world: World) -> None:
    reservation = secrets.token_bytes(16)
    world.ask(world.key().secret.text, reservation=reservation)
    with pytest.raises(InvalidPayload):
        world.ask(world.key().secret.text, reservation=reservation)


def test_a_malformed_batch_reserves_nothing(world: World) -> None:
    issued = world.key()
    good = Query(secrets.token_bytes(16), issued.secret.text, RESOLVE, "")
    with pytest.raises(InvalidPayload):
        world.authorizer.authorize([good, replace(good, reservation_id=b"short")])
    assert world.month(issued.record.id) == {}


def test_a_decision_after_the_deadline_reserves_nothing(world: World) -> None:
    issued = world.key()
    with deadline(0), pytest.raises(Unavailable):
        world.ask(issued.secret.text)
    assert world.month(issued.record.id) == {}


def test_answers_come_in_the_order_of_the_queries(world: World) -> None:
    issued = [world.key() for _ in range(5)]
    texts = [issued[index % 5].secret.text if index % 3 else "garbage" for index in range(40)]
    queries = [Query(secrets.token_bytes(16), text, RESOLVE, "") for text in texts]
    answers = world.authorizer.authorize(queries)
    assert [answer.reservation_id for answer in answers] == [query.reservation_id for query in queries]
    assert [code(answer) for answer in answers] == ["granted" if index % 3 else "invalid_key" for index in range(40)]


def test_a_batch_may_hold_both_secrets_of_a_key_and_wrong_ones(world: World) -> None:
    issued, other = world.key(), world.key()
    rotated = world.rotate(issued.record.id, timedelta(days=1))
    wrong = secret.generate(KeyMode.LIVE, issued.record.id)
    unknown = secret.generate(KeyMode.LIVE, "unknown1")
    keys = [wrong, issued.secret, other.secret, rotated.secret, unknown, issued.secret]
    queries = [Query(secrets.token_bytes(16), key.text, RESOLVE, "") for key in keys]
    codes = [code(answer) for answer in world.authorizer.authorize(queries)]
    assert codes == ["invalid_key", "granted", "granted", "granted", "invalid_key", "granted"]
    assert world.month(issued.record.id) == {"reserved_units": 3}
    world.clock.advance(days=1)
    codes = [code(world.ask(key.text)) for key in (issued.secret, rotated.secret)]
    assert codes == ["invalid_key", "granted"]


def test_the_statements_of_a_batch_do_not_grow_with_it(world: World) -> None:
    issued = [world.key(quota={"monthly_units": 3}) for _ in range(16)]
    for size in (1, 64):
        queries = [Query(secrets.token_bytes(16), issued[index % 16].secret.text, RESOLVE, "") for index in range(size)]
        with statements(world) as texts:
            answers = world.authorizer.authorize(queries)
        assert len(texts) <= 6
    assert sorted({code(answer) for answer in answers}) == ["granted", "quota_exhausted"]


def test_a_quota_is_exact_under_concurrency(world: World, open_world: Callable[..., World], database_url: str) -> None:
    issued = world.key(quota={"monthly_units": 100})
    replicas = [world, open_world(database_url, clock=world.clock, peppers=world.peppers)]

    def one_batch(number: int) -> int:
        queries = [Query(secrets.token_bytes(16), issued.secret.text, RESOLVE, "") for _ in range(8)]
        while True:
            try:
                answers = replicas[number % 2].authorizer.authorize(queries)
            except Blocked:  # the lock timed out; nothing was done
                continue
            return sum(code(answer) == "granted" for answer in answers)

    with ThreadPoolExecutor(50) as pool:
        granted = list(pool.map(one_batch, range(50)))
    assert sum(granted) == 100
    replicas[1].refusals.flush()
    assert world.month(issued.record.id) == {"requests": 300, "errors": 300, "reserved_units": 100}


def test_mixed_weights_never_exceed_the_quota(world: World) -> None:
    issued = world.key(quota={"monthly_units": 101})
    endpoints = [RESOLVE, GEOJSON, DIVIDE_LAND]

    def one(number: int) -> int:
        answer = world.ask(issued.secret.text, endpoints[number % 3])
        return answer.decision.units if isinstance(answer.decision, Grant) else 0

    with ThreadPoolExecutor(8) as pool:
        granted = sum(pool.map(one, range(120)))
    assert granted == 101
    assert world.month(issued.record.id)["reserved_units"] == 101


def test_batches_in_opposite_key_order_do_not_deadlock(world: World) -> None:
    issued = [world.key() for _ in range(6)]
    together = threading.Barrier(4)

    def batches(direction: int) -> int:
        together.wait()
        granted = 0
        for _ in range(15):
            texts = [key.secret.text for key in issued[::direction]]
            queries = [Query(secrets.token_bytes(16), text, RESOLVE, "") for text in texts]
            granted += sum(code(answer) == "granted" for answer in world.authorizer.authorize(queries))
        return granted

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(batches, (1, -1, 1, -1))) == 4 * 15 * 6
    assert {world.month(key.record.id)["reserved_units"] for key in issued} == {60}


def test_no_table_holds_a_secret(world: World) -> None:
    issued = world.key()
    rotated = world.rotate(issued.record.id, timedelta(days=1))
    answer = world.ask(rotated.secret.text)
    world.settler.record([world.outcome(answer)])
    dump = world.dump()
    assert issued.record.id in dump
    for text in (issued.secret.text, rotated.secret.text):
        for start in range(16, 59 - 8):
            assert text[start : start + 8] not in dump


def test_the_first_answer_is_kept_with_its_time(world: World) -> None:
    issued = world.key()
    answer = world.ask(issued.secret.text)
    with world.database.reading() as connection:
        row = connection.execute(reservations.select()).mappings().one()
    assert (bytes(row["id"]), row["reserved_at"], row["state"]) == (answer.reservation_id, NOON, "held")
