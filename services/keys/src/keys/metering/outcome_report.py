"""Usage by HTTP status and problem code, and the 95th percentile of latencies, over whole days of Europe/Paris."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from keys.store import answered_requests
from keys.store.answered_requests import UNKNOWN_STATUS, OutcomeCount
from keys.store.change import Transaction
from keys.store.rollups import Scope
from keys.values.buckets import Range
from keys.values.outcomes import FIRST_ERROR, percentile_ms

_SHARE = 0.95


class CodeCount(NamedTuple):
    """`code` is None without a problem. `status` is None if it is unknown."""

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
    counts = answered_requests.counts(transaction.connection, period, scope)
    latencies = answered_requests.latencies(transaction.connection, period, scope)
    by_endpoint: dict[str, list[OutcomeCount]] = defaultdict(list)
    for count in counts:
        by_endpoint[count.endpoint].append(count)
    endpoints = {name: _outcomes(of_endpoint, latencies.get(name, ())) for name, of_endpoint in by_endpoint.items()}
    all_latencies = [sum(of_class) for of_class in zip(*latencies.values(), strict=True)]
    return OutcomeReport(_outcomes(counts, all_latencies), endpoints, _codes(counts))


def _outcomes(counts: Sequence[OutcomeCount], latencies: Sequence[int]) -> Outcomes:
    requests: Counter[int] = Counter()
    for count in counts:
        requests[count.status] += count.requests
    unknown = requests.pop(UNKNOWN_STATUS, 0)
    statuses: list[tuple[int | None, int]] = [*sorted(requests.items())]
    return Outcomes(statuses + [(None, unknown)] * (unknown > 0), percentile_ms(latencies, _SHARE))


def _codes(counts: Sequence[OutcomeCount]) -> list[CodeCount]:
    requests: Counter[tuple[str | None, int | None]] = Counter()
    for count in counts:
        if count.status >= FIRST_ERROR or (count.status == UNKNOWN_STATUS and count.code):
            requests[count.code or None, count.status or None] += count.requests
    most_frequent = sorted(requests.items(), key=lambda item: (-item[1], str(item[0])))
    return [CodeCount(code, status, number) for (code, status), number in most_frequent]
