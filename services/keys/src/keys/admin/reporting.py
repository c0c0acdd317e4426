"""The usage report: a summary, the keys that used most with what that costs, a timeline, and a month's bills."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from keys import pricing
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
    """`cost` is net, in EUR: what the key's bills grow by in the range, a month's fee counted at its start."""

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
    bills: Bills
    keys: Mapping[str, KeyRecord]
    """The keys that are named above, by their ids."""


def report(transaction: Transaction, of: Range, bucket: Bucket, scope: Scope, billing_month: str) -> UsageReport:
    by_key = rollups.sums_by_key(transaction.connection, of, scope)
    total = sum(by_key.values(), Sums())
    timeline = dict.fromkeys(of.buckets(bucket), Sums())
    for instant, sums in _sums(transaction, of, bucket, scope):
        timeline[max(of.start, bucket.start(instant))] += sums
    bills = billing.bills_of(transaction.connection, billing_month, scope)
    top = sorted(by_key, key=lambda key_id: (-by_key[key_id].units, -by_key[key_id].requests, key_id))[:TOP_KEYS]
    records = _records(transaction, [*top, *(bill.key_id for bill in bills.bills)])
    top = [key_id for key_id in top if key_id in records]
    costs = _costs(transaction, of, [key_id for key_id in top if records[key_id].mode is KeyMode.LIVE])
    return UsageReport(
        of,
        total,
        len(by_key),
        [TopKey(records[key_id], by_key[key_id], costs.get(key_id, Decimal("0.00"))) for key_id in top],
        list(timeline.items()),
        bills,
        records,
    )


def _sums(transaction: Transaction, of: Range, bucket: Bucket, scope: Scope) -> list[tuple[datetime, Sums]]:
    """Sums as fine as the buckets need, each with an instant of its bucket."""
    if bucket is Bucket.HOUR:
        by_hour = rollups.sums_by_hour(transaction.connection, of, scope)
        return [(start_of_hour(hour), sums) for hour, sums in by_hour.items()]
    by_day = rollups.sums_by_day(transaction.connection, of, scope)
    return [(start_of_day(day), sums) for day, sums in by_day.items()]


def _records(transaction: Transaction, key_ids: Sequence[str]) -> dict[str, KeyRecord]:
    found = key_records.find_all(transaction.connection, sorted(set(key_ids)), transaction.now)
    return {record.id: record for record in found}


def _costs(transaction: Transaction, of: Range, key_ids: list[str]) -> dict[str, Decimal]:
    costs = dict.fromkeys(key_ids, Decimal("0.00"))
    for month, part in of.months():
        terms = terms_of(transaction.connection, key_ids, month)
        start = months.start_of(month)
        until_start = rollups.units_by_key(transaction.connection, Range(start, part.start), key_ids)
        within = rollups.units_by_key(transaction.connection, part, key_ids)
        for key_id, dated in terms.items():
            before = until_start.get(key_id, 0)
            after = pricing.net(dated.terms, before + within.get(key_id, 0))
            costs[key_id] += after - (pricing.net(dated.terms, before) if part.start > start else Decimal("0.00"))
    return costs
