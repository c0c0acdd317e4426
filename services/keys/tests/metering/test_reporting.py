"""The usage report on a real database, each test on SQLite and PostgreSQL."""

from datetime import UTC, datetime
from decimal import Decimal

from keys_world import World

from contract.endpoints import GEOJSON, RESOLVE
from keys.metering.reporting import UsageReport, report
from keys.store.change import Transaction
from keys.store.rollups import Scope, Sums
from keys.values.buckets import Bucket, read_range
from keys.values.pricing import Terms, Tier
from keys.values.secret import KeyMode

TERMS = Terms(
    monthly_fee=Decimal("10"), included_units=2, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20")
)


def ask(world: World, start: str, end: str, bucket: Bucket = Bucket.DAY, scope: Scope | None = None) -> UsageReport:
    with world.database.reading() as connection:
        at = Transaction(connection, world.clock())
        return report(at, read_range(start, end, bucket, at.now), bucket, scope or Scope(), "2026-03")


def use(world: World, secret: str, status: int = 200, latency_us: int = 2_000) -> None:
    outcome = world.outcome(world.ask(secret, GEOJSON), GEOJSON, status, latency_us=latency_us)
    world.record([outcome])


def test_a_report_without_usage_is_all_zeros(world: World) -> None:
    usage = ask(world, "2026-03-01", "2026-03-03")
    assert (usage.total, usage.active_keys, usage.top_keys) == (Sums(), 0, [])
    assert usage.total.average_latency_ms is None
    assert [sums for _, sums in usage.timeline] == [Sums()] * 3


def test_sums_keys_and_timeline_agree(world: World) -> None:
    busy, quiet = world.key(label="busy", pricing=TERMS), world.key(label="quiet", scopes=(GEOJSON,))
    world.clock.now = datetime(2026, 3, 28, 22, 59, tzinfo=UTC)  # the last minute of the 28th in Paris
    use(world, busy.secret.text, latency_us=1_000)
    use(world, quiet.secret.text, 404, latency_us=3_000)
    world.clock.now = datetime(2026, 3, 29, 21, 59, tzinfo=UTC)  # the last minute of the 29th, an hour shorter
    use(world, busy.secret.text, latency_us=5_000)
    world.report_denial(world.ask(quiet.secret.text))
    world.clock.now = datetime(2026, 3, 29, 22, 0, tzinfo=UTC)
    use(world, busy.secret.text, latency_us=7_000)

    usage = ask(world, "2026-03-28", "2026-03-30")
    assert usage.total == Sums(requests=5, errors=2, units=6, timed=4, latency_us=16_000)
    assert usage.total.average_latency_ms == 4.0
    assert usage.active_keys == 2
    assert [(top_key.key.label, top_key.sums.requests, top_key.sums.units) for top_key in usage.top_keys] == [
        ("busy", 3, 6),
        ("quiet", 2, 0),
    ]
    assert [(sums.requests, sums.errors) for _, sums in usage.timeline] == [(2, 1), (2, 1), (1, 0)]
    hourly = ask(world, "2026-03-28", "2026-03-30", Bucket.HOUR)
    assert len(hourly.timeline) == 24 + 23 + 1, "no hours of the future"
    assert [(name, sums.requests) for name, sums in usage.endpoints] == [(GEOJSON, 4), (RESOLVE, 1)]
    assert sum((sums for _, sums in usage.endpoints), Sums()) == usage.total
    assert sum((sums for _, sums in hourly.timeline), Sums()) == usage.total
    monthly = ask(world, "2026-03-28", "2026-03-30", Bucket.MONTH)
    assert [sums for _, sums in monthly.timeline] == [usage.total]


def test_costs_of_adjoining_ranges_add_up_to_the_bill(world: World) -> None:
    issued = world.key(pricing=TERMS)
    for day in (2, 10, 20):
        world.clock.now = datetime(2026, 3, day, 12, tzinfo=UTC)
        use(world, issued.secret.text)
    costs = []
    for start, end in (("2026-03-01", "2026-03-04"), ("2026-03-05", "2026-03-14"), ("2026-03-15", "2026-03-31")):
        (usage,) = ask(world, start, end).top_keys
        costs.append(usage.cost)
    assert costs == [Decimal("10.00"), Decimal("1.00"), Decimal("1.00")]
    (bill,) = ask(world, "2026-03-01", "2026-03-31").bills.bills
    assert bill.total.net == sum(costs)


def test_the_cost_of_a_key_has_no_fee_of_months_after_its_end(world: World) -> None:
    issued = world.key(pricing=TERMS)
    use(world, issued.secret.text)
    world.revoke(issued.record.id)
    world.clock.now = datetime(2026, 6, 10, 12, tzinfo=UTC)
    (usage,) = ask(world, "2026-03-01", "2026-06-10").top_keys
    assert usage.cost == Decimal("10.00")


def test_a_test_key_is_counted_and_costs_nothing(world: World) -> None:
    issued = world.key(mode=KeyMode.TEST, pricing=TERMS)
    use(world, issued.secret.text)
    usage = ask(world, "2026-03-01", "2026-03-31")
    assert [(top_key.sums.units, top_key.cost) for top_key in usage.top_keys] == [(2, Decimal("0.00"))]
    assert usage.bills.bills == []


def test_a_report_is_narrowed_to_a_key_or_a_partner(world: World) -> None:
    first, second = world.key(), world.key(partner="Bornage")
    use(world, first.secret.text)
    for _ in range(2):
        use(world, second.secret.text)
    assert ask(world, "", "", scope=Scope(key_id=first.record.id)).total.requests == 1
    assert ask(world, "", "", scope=Scope(partner_id=second.record.partner.id)).total.requests == 2
    assert ask(world, "", "").total.requests == 3
