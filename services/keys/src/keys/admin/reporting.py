"""The usage report: a summary, the keys with the highest usage and their costs, the endpoints, a timeline, and a
month's bills.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from keys import pricing
from keys.admin.outcome_report import OutcomeReport, outcome_report
from keys.clock import start_of_day, start_of_hour
from keys.issuing.secret import KeyMode
from keys.metering.buckets import Bucket, Range
from keys.quota import months
from keys.records import KeyRecord
from keys.store import billing, key_records, rollups
from keys.store.billing import Bills
from keys.store.change import Transaction
from keys.store.price_terms import terms_of
from keys.store.rollups import Scope, Sums

TOP_KEYS = 100


@dataclass(frozen=True)
class TopKey:
    """`cost` is net, in EUR: the growth of the key's bills in the range. A monthly fee counts at the start of its
    month.
    """

    key: KeyRecord
    sums: Sums
    cost: Decimal


@dataclass(frozen=True)
class UsageReport:
    range: Range
    total: Sums
    active_keys: int
    top_keys: Sequence[TopKey]
    timeline: Sequence[tuple[datetime, Sums]]
    """Without buckets of the future."""
    endpoints: Sequence[tuple[str, Sums]]
    outcomes: OutcomeReport
    bills: Bills
    keys: Mapping[str, KeyRecord]
    """The keys of `top_keys` and `bills`, by id."""


def report(transaction: Transaction, period: Range, bucket: Bucket, scope: Scope, billing_month: str) -> UsageReport:
    by_key = rollups.sums_by_key(transaction.connection, period, scope)
    total = sum(by_key.values(), Sums())
    timeline = dict.fromkeys(period.buckets(bucket), Sums())
    for instant, sums in _sums(transaction, period, bucket, scope):
        timeline[max(period.start, bucket.start(instant))] += sums
    by_endpoint = rollups.sums_by_endpoint(transaction.connection, period, scope)
    bills = billing.bills_of(transaction.connection, billing_month, scope)
    top = sorted(by_key, key=lambda key_id: (-by_key[key_id].units, -by_key[key_id].requests, key_id))[:TOP_KEYS]
    records = _records(transaction, [*top, *(bill.key_id for bill in bills.bills)])
    top = [key_id for key_id in top if key_id in records]
    costs = _costs(transaction, period, [key_id for key_id in top if records[key_id].mode is KeyMode.LIVE])
    return UsageReport(
        period,
        total,
        len(by_key),
        [TopKey(records[key_id], by_key[key_id], costs.get(key_id, Decimal("0.00"))) for key_id in top],
        [(start, sums) for start, sums in timeline.items() if start <= transaction.now or sums.requests],
        sorted(by_endpoint.items(), key=lambda item: (-item[1].units, -item[1].requests, item[0])),
        outcome_report(transaction, period, scope),
        bills,
        records,
    )


def _sums(transaction: Transaction, period: Range, bucket: Bucket, scope: Scope) -> list[tuple[datetime, Sums]]:
    """Returns sums per hour or day, each with an instant in its bucket."""
    if bucket is Bucket.HOUR:
        by_hour = rollups.sums_by_hour(transaction.connection, period, scope)
        return [(start_of_hour(hour), sums) for hour, sums in by_hour.items()]
    by_day = rollups.sums_by_day(transaction.connection, period, scope)
    return [(start_of_day(day), sums) for day, sums in by_day.items()]


def _records(transaction: Transaction, key_ids: Sequence[str]) -> dict[str, KeyRecord]:
    found = key_records.find_all(transaction.connection, sorted(set(key_ids)), transaction.now)
    return {record.id: record for record in found}


def _costs(transaction: Transaction, period: Range, key_ids: list[str]) -> dict[str, Decimal]:
    costs = dict.fromkeys(key_ids, Decimal("0.00"))
    for month, part in period.months():
        terms = terms_of(transaction.connection, key_ids, month)
        start = months.start_of(month)
        until_start = rollups.units_by_key(transaction.connection, Range(start, part.start), key_ids)
        within = rollups.units_by_key(transaction.connection, part, key_ids)
        for key_id, dated in terms.items():
            before = until_start.get(key_id, 0)
            after = pricing.net(dated.terms, before + within.get(key_id, 0))
            costs[key_id] += after - (pricing.net(dated.terms, before) if part.start > start else Decimal("0.00"))
    return costs
