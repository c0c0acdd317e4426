"""Which requests a key allows: access, rates, quota and allowances, on SQLite and PostgreSQL."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from keys_world import NOON, Answer, Grant, World
from sqlalchemy import insert, update

from contract.counters import Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE, USAGE
from keys.store.price_terms import write_terms
from keys.store.tables import key_terms, partners
from keys.values import secret
from keys.values.lease_rules import Denial, Later, RateLimit
from keys.values.policy import AssistantMode, AssistantPolicy
from keys.values.pricing import Terms, Tier
from keys.values.secret import KeyMode


def code(answer: Answer) -> str:
    """Why it was denied, "later" if units are under way, or "granted"."""
    if isinstance(answer.decision, Later):
        return "later"
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
        assert answer == Answer(answer.lease_id, Denial("invalid_key"), None, ())
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
    answers = [world.serve(issued.secret.text, endpoint) for endpoint in (GEOJSON, RESOLVE, GEOJSON, RESOLVE, RESOLVE)]
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
    assert [code(world.serve(issued.secret.text)) for _ in range(2)] == ["granted", "quota_exhausted"]
    world.clock.advance(seconds=1)
    assert code(world.ask(issued.secret.text)) == "granted"
    assert world.month(issued.record.id, "2026-04") == {"reserved_units": 1}


def test_a_soft_quota_counts_and_grants(world: World) -> None:
    issued = world.key(quota={"monthly_units": 1, "hard": False})
    assert [code(world.ask(issued.secret.text)) for _ in range(3)] == ["granted"] * 3
    assert world.month(issued.record.id)["reserved_units"] == 3


def add_terms(world: World, key_id: str) -> None:
    terms = Terms(
        monthly_fee=Decimal("10"), included_units=2, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
    )
    with world.database.writing() as connection:
        connection.execute(insert(key_terms).values(key_id=key_id, from_month="2026-01", **write_terms(terms)))


def test_a_spend_cap_denies_the_unit_that_would_exceed_it(world: World) -> None:
    issued = world.key(quota={"spend_cap": Decimal("11.00")})
    add_terms(world, issued.record.id)
    assert [code(world.serve(issued.secret.text)) for _ in range(5)] == ["granted"] * 4 + ["spend_cap_reached"]


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
    answers = [world.serve(issued.secret.text, DIVIDE_LAND) for _ in range(3)]
    assert [code(answer) for answer in answers] == ["granted", "granted", "assistant_allowance_exhausted"]
    assert answers[0].decision == Grant(10, AssistantMode.RULES)
    until = datetime(2026, 3, 31, 22, 0, tzinfo=UTC) - NOON
    assert retry_after(answers[2]) == until.total_seconds() + 1


def test_assistant_tokens_are_reserved_up_to_what_is_left(world: World) -> None:
    issued = world.key(assistant=AssistantPolicy(AssistantMode.MODEL, monthly_tokens=10_000))
    answers = [world.ask(issued.secret.text, DIVIDE_LAND) for _ in range(3)]
    assert answers[0].decision == Grant(10, AssistantMode.MODEL, 8_000)
    assert answers[1].decision == Grant(10, AssistantMode.MODEL, 2_000)
    assert code(answers[2]) == "later", "the two calls may use fewer"


def test_a_lease_stays_below_the_spend_cap_as_a_whole(world: World) -> None:
    issued = world.key(quota={"spend_cap": Decimal("11.00")})  # four units
    add_terms(world, issued.record.id)
    first = world.lease(issued.secret.text, expected=Counters(100, 100))
    assert first.counters == Counters(100, 3)
    second = world.lease(issued.secret.text, expected=Counters(100, 100))
    assert second.counters.units == 1
    world.end(first.end(Counters(98, 1)), second.end(Counters(99, 0)))
    assert world.lease(issued.secret.text, GEOJSON).code == "later"
    assert world.lease(issued.secret.text).code == "granted"


def test_both_secrets_of_a_rotated_key_lease_until_the_grace_period_ends(world: World) -> None:
    issued = world.key()
    rotated = world.rotate(issued.record.id, timedelta(days=1))
    wrong = secret.generate(KeyMode.LIVE, issued.record.id)
    codes = [code(world.ask(key.text)) for key in (wrong, issued.secret, rotated.secret, issued.secret)]
    assert codes == ["invalid_key", "granted", "granted", "granted"]
    assert world.month(issued.record.id) == {"reserved_units": 3}
    world.clock.advance(days=1)
    assert [code(world.ask(key.text)) for key in (issued.secret, rotated.secret)] == ["invalid_key", "granted"]
