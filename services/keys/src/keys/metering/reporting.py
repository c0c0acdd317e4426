"""The usage report: a summary, the keys with the highest usage and their costs, the endpoints, a timeline, and a
month's bills.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from keys.bills.costs import costs as key_costs
from keys.metering.outcome_report import OutcomeReport, outcome_report
from keys.store import billing, key_records, rollups
from keys.store.billing import Bills
from keys.store.change import Transaction
from keys.store.rollups import Scope, Sums
from keys.values.buckets import Bucket, Range
from keys.values.clock import start_of_day, start_of_hour
from keys.values.records import NamedKey
from keys.values.secret import KeyMode

TOP_KEYS = 100


@dataclass(frozen=True)
class TopKey:
    """`cost` is net, in EUR: the estimate of `keys.bills.costs`."""

    key: NamedKey
    sums: Sums
    cost: Decimal


@dataclass(frozen=True)
class UsageReport:
    range: Range
    total: Sums
    active_keys: int
    top_keys: Sequence[TopKey]
    timeline: Sequence[tuple[datetime, Sums]]
    """Buckets of the future are left out."""
    endpoints: Sequence[tuple[str, Sums]]
    outcomes: OutcomeReport
    bills: Bills
    keys: Mapping[str, NamedKey]
    """The keys of `top_keys` and `bills`, by id."""


def report(transaction: Transaction, period: Range, bucket: Bucket, scope: Scope, billing_month: str) -> UsageReport:
    by_key: dict[str, Sums] = defaultdict(Sums)
    by_endpoint: dict[str, Sums] = defaultdict(Sums)
    for (key_id, endpoint), sums in rollups.sums_by_key_and_endpoint(transaction.connection, period, scope):
        by_key[key_id] += sums
        by_endpoint[endpoint] += sums
    total = sum(by_endpoint.values(), Sums())
    timeline = dict.fromkeys(period.buckets(bucket), Sums())
    for instant, sums in _sums(transaction, period, bucket, scope):
        timeline[max(period.start, bucket.start(instant))] += sums
    bills = billing.bills_of(transaction.connection, billing_month, scope)
    top = sorted(by_key, key=lambda key_id: (-by_key[key_id].units, -by_key[key_id].requests, key_id))[:TOP_KEYS]
    named = key_records.named(transaction.connection, {*top, *(id_ for bill in bills.bills for id_ in bill.key_ids)})
    top = [key_id for key_id in top if key_id in named]
    live = [named[key_id] for key_id in top if named[key_id].mode is KeyMode.LIVE]
    costs = key_costs(transaction, period, live)
    return UsageReport(
        period,
        total,
        len(by_key),
        [TopKey(named[key_id], by_key[key_id], costs.get(key_id, Decimal("0.00"))) for key_id in top],
        [(start, sums) for start, sums in timeline.items() if start <= transaction.now or sums.requests],
        sorted(by_endpoint.items(), key=lambda item: (-item[1].units, -item[1].requests, item[0])),
        outcome_report(transaction, period, scope),
        bills,
        named,
    )


def _sums(transaction: Transaction, period: Range, bucket: Bucket, scope: Scope) -> list[tuple[datetime, Sums]]:
    """Returns sums per hour or day, each with an instant in its bucket."""
    if bucket is Bucket.HOUR:
        by_hour = rollups.sums_by_hour(transaction.connection, period, scope)
        return [(start_of_hour(hour), sums) for hour, sums in by_hour.items()]
    by_day = rollups.sums_by_day(transaction.connection, period, scope)
    return [(start_of_day(day), sums) for day, sums in by_day.items()]
