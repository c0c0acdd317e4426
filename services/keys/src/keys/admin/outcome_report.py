"""Usage by HTTP status and problem code, and the 95th percentile of latencies, over whole days of Europe/Paris.

What an earlier version counted has no status. It is the difference to the other rollups of the same days.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from keys.metering.buckets import Range
from keys.metering.latencies import percentile_ms
from keys.metering.outcomes import FIRST_ERROR
from keys.store import rollups, usage_outcomes
from keys.store.change import Transaction
from keys.store.rollups import Scope, Sums
from keys.store.usage_outcomes import UNKNOWN_STATUS, OutcomeCount

_SHARE = 0.95


class CodeCount(NamedTuple):
    """`code` is None without a problem, or if it is unknown. `status` is None if it is unknown."""

    code: str | None
    status: int | None
    requests: int


@dataclass(frozen=True)
class Outcomes:
    """`statuses` are in order, with None for the requests of an unknown status."""

    statuses: Sequence[tuple[int | None, int]] = ()
    p95_latency_ms: float | None = None


@dataclass(frozen=True)
class OutcomeReport:
    total: Outcomes
    endpoints: Mapping[str, Outcomes]
    codes: Sequence[CodeCount]
    """Errors only, the most frequent first."""


def outcome_report(transaction: Transaction, period: Range, scope: Scope) -> OutcomeReport:
    # The sums first: what another transaction counts between the two queries is not unknown.
    sums = rollups.sums_by_endpoint(transaction.connection, period.touched(), scope)
    found = usage_outcomes.counts(transaction.connection, period, scope)
    latencies = usage_outcomes.latencies(transaction.connection, period, scope)
    by_endpoint: dict[str, list[OutcomeCount]] = defaultdict(list)
    for each in found:
        by_endpoint[each.endpoint].append(each)
    total = sum(sums.values(), Sums())
    endpoints = {
        name: _outcomes(by_endpoint[name], latencies.get(name, ()), sums.get(name, Sums()))
        for name in {*sums, *by_endpoint}
    }
    all_latencies = [sum(each) for each in zip(*latencies.values(), strict=True)]
    return OutcomeReport(_outcomes(found, all_latencies, total), endpoints, _codes(found, total))


def _outcomes(counts: Sequence[OutcomeCount], latencies: Sequence[int], sums: Sums) -> Outcomes:
    statuses: Counter[int] = Counter()
    for each in counts:
        statuses[each.status] += each.requests
    uncounted = max(0, sums.requests - statuses.total())
    unknown = statuses.pop(UNKNOWN_STATUS, 0) + uncounted
    listed: list[tuple[int | None, int]] = [*sorted(statuses.items())]
    return Outcomes(listed + [(None, unknown)] * (unknown > 0), percentile_ms(latencies, _SHARE))


def _codes(counts: Sequence[OutcomeCount], sums: Sums) -> list[CodeCount]:
    codes: Counter[tuple[str | None, int | None]] = Counter()
    for each in counts:
        if each.status >= FIRST_ERROR:
            codes[each.code or None, each.status] += each.requests
    if (unknown := sums.errors - codes.total()) > 0:
        codes[None, None] = unknown
    return [CodeCount(*key, count) for key, count in sorted(codes.items(), key=lambda item: (-item[1], str(item[0])))]
