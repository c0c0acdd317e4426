"""What holds in thousands of simulated histories of leases, and that the simulation notices each broken rule.

`make leases` runs a million. A violation prints its seed: `run_history(seed)` repeats it.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import hypothesis
import pytest
from leases.histories import run_history
from leases.simulation import LEASE_TIME, Edge, Keys, Outcome, Violation

from contract.counters import Counters
from edge.leases.key_leases import KeyLeases
from keys.store.lease_book import LeaseBook, LeaseEnd
from keys.values import lease_rules as rules
from keys.values.lease_rules import KeyState, Lease
from keys.values.rates import RateState
from landpartner.keys.v1 import keys_pb2

pytestmark = pytest.mark.thorough

HISTORIES = 20 * hypothesis.settings().max_examples
MOST_HISTORIES = 10_000
"""So many histories must notice a broken rule."""
FIRST_SEEDS = {"requests of a dead edge are returned": 29_930}
"""Where the search begins for a rule whose break few histories notice."""


def test_nothing_is_exceeded_lost_or_counted_twice() -> None:
    assert sum(len(run_history(seed).admitted) for seed in range(HISTORIES)) > HISTORIES


class AnsweringAtOnce(Keys):
    def narrowing_wait_s(self) -> float:
        return 0.0


class AnsweringEarly(Keys):
    def narrowing_wait_s(self) -> float:
        return 0.8


class CountingTwice(Keys):
    def _is_new(self, outcome: Outcome) -> bool:
        return True


class LeasingAgain(Keys):
    """A repeated request gets another lease."""

    def lease(self, request: keys_pb2.LeaseRequest) -> keys_pb2.LeaseResponse:
        other = keys_pb2.LeaseRequest()
        other.CopyFrom(request)
        other.lease_id = self.site.random.randbytes(16)
        return super().lease(other)


class ReturningUsedRequests(Keys):
    """A dead edge's requests go back to the bucket."""

    def _drop(self, dropped: list[Lease], now: object) -> None:
        with mock.patch.object(LeaseBook, "drop", _drop_with_requests):
            super()._drop(dropped, now)  # type: ignore[arg-type]


def _drop_with_requests(book: LeaseBook, lease: Lease) -> None:
    book.end(lease, None)
    book.use(lease, lease.left)


def _end_again(book: LeaseBook, lease: Lease, unused: Counters | None) -> None:
    current = book.current(lease)
    returned = current.left if unused is None else unused.at_most(current.left)
    book._ended[lease.key_id].append((current, returned.requests))
    book._put(lease, replace(current, is_ended=True, left=replace(current.left - returned, requests=0)))


_accept = KeyLeases.accept
_at = RateState.at


def _refill_over_leased(rates: RateState, now_us: int, per_minute: int, burst: int) -> RateState:
    return replace(_at(replace(rates, leased=0), now_us, per_minute, burst), leased=rates.leased)


_refused = rules.refused
_end_all = LeaseBook.end_all


def _refused_by(counts: Callable[[Lease, datetime], bool]) -> AbstractContextManager[object]:
    """Only some leases count as coming back. The units of the others stay reserved."""

    def refused(check: Any, state: KeyState, leases: Iterable[Lease], now: datetime, lease_time: timedelta) -> Any:
        counted, lost = [], 0
        for lease in leases:
            if counts(lease, now):
                counted.append(lease)
            elif lease.month == state.month_name:
                lost += lease.left.units

        def check_without(changed: KeyState) -> Any:
            reserved = max(changed.month.reserved_units, lost)
            return check(replace(changed, month=replace(changed.month, reserved_units=reserved)))

        return _refused(check_without, state, counted, now, lease_time)

    return mock.patch.object(rules, "refused", refused)


def _end_stored(book: LeaseBook, stored: Mapping[bytes, Lease], ended: Iterable[LeaseEnd], now: datetime) -> None:
    _end_all(book, stored, [end for end in ended if end.lease_id in stored], now)


BROKEN: dict[str, tuple[Callable[[], AbstractContextManager[object]], type[Keys]]] = {
    "a lease is not deducted": (lambda: mock.patch.object(rules, "leased", lambda state, _: state), Keys),
    "requests are not deducted": (lambda: mock.patch.object(RateState, "taken", lambda rates, _: rates), Keys),
    "a change is answered at once": (nullcontext, AnsweringAtOnce),
    "a change is answered too early": (nullcontext, AnsweringEarly),
    "the rest is returned twice": (lambda: mock.patch.object(LeaseBook, "end", _end_again), Keys),
    "an outcome is counted twice": (nullcontext, CountingTwice),
    "an outcome takes nothing of its lease": (lambda: mock.patch.object(rules, "used", lambda lease, _: lease), Keys),
    "the edge counts from the answer": (
        lambda: mock.patch.object(
            KeyLeases, "accept", lambda leases, request, response, _, now: _accept(leases, request, response, now, now)
        ),
        Keys,
    ),
    "a lease is valid for too long": (
        lambda: mock.patch.object(rules, "validity", return_value=LEASE_TIME * 1.5),
        Keys,
    ),
    "a request is denied while another edge may return units": (
        lambda: mock.patch.object(rules, "refused", lambda check, state, *_: check(state)),
        Keys,
    ),
    "units of requests under way are not waited for": (
        lambda: _refused_by(lambda lease, now: not lease.is_ended),
        Keys,
    ),
    "a lease is lost after ten seconds": (
        lambda: _refused_by(lambda lease, now: lease.leased_at > now - timedelta(seconds=10)),
        Keys,
    ),
    "an end that comes first is forgotten": (lambda: mock.patch.object(LeaseBook, "end_all", _end_stored), Keys),
    "a bucket is refilled over what is leased": (
        lambda: mock.patch.object(RateState, "at", _refill_over_leased),
        Keys,
    ),
    "a repeated request leases again": (nullcontext, LeasingAgain),
    "requests of a dead edge are returned": (nullcontext, ReturningUsedRequests),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_rule_is_noticed(broken: str) -> None:
    patched, keys_class = BROKEN[broken]
    with patched(), pytest.raises(Violation):
        for seed in range(first := FIRST_SEEDS.get(broken, 0), first + MOST_HISTORIES):
            run_history(seed, keys_class, Edge)
