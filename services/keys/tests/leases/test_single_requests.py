"""A single request with an Idempotency-Key: one run at a time, and one charge for all its runs."""

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest
from keys_world import RULES, Answer, Grant, World
from sqlalchemy import select

from contract.endpoints import DIVIDE_LAND, RESOLVE
from keys.store.request_lines import MAX_RUNS, LineRequest
from keys.store.tables import events, usage_hours
from keys.values.lease_rules import Denial
from keys.values.outcomes import AnsweredLines, AssistantUse, Outcome
from keys.values.policy import AssistantMode, AssistantPolicy
from keys.values.pricing import Terms, Tier
from servicekit.errors import InvalidPayload

WEIGHT = RULES.weight(DIVIDE_LAND)
LASTS_S = 30
TERMS = Terms(monthly_fee=Decimal(10), included_units=0, tiers=(Tier(None, Decimal("0.50")),), vat_rate=Decimal("0.20"))


@dataclass
class Partner:
    """A key, and its requests with one Idempotency-Key."""

    world: World
    key_id: str
    secret: str

    def __post_init__(self) -> None:
        self.request = LineRequest(id=secrets.token_bytes(16), lines=1, digest=b"digest", run=1, lasts_s=LASTS_S)

    def begin(self, run: int, **changes: Any) -> tuple[Answer, str]:
        """Takes a run's counters of a lease and reserves its line. Returns what it took, and the code of the denial or
        "".
        """
        answer = self.world.ask(self.secret, DIVIDE_LAND, reserves_line=True)
        assert isinstance(answer.decision, Grant)
        return answer, self.reserve(replace(self.request, run=run, **changes))

    def reserve(self, request: LineRequest, endpoint: str = DIVIDE_LAND) -> str:
        """Reserves the line. Returns the code of the denial or ""."""
        while (leased := self.world.lease(self.secret, endpoint, goes_on=True, lines=request)).code == "later":
            pass
        return leased.code if isinstance(leased.answer.decision, Denial) else ""

    def outcome(self, answer: Answer, run: int, status: int = 200, **changes: Any) -> Outcome:
        lines = AnsweredLines(request_id=self.request.id, run=run, first_line=0, succeeded=b"", is_last=True)
        return self.world.outcome(answer, DIVIDE_LAND, status, lines=lines, **changes)

    def month(self, *names: str) -> tuple[int, ...]:
        month = self.world.month(self.key_id)
        return tuple(month.get(name, 0) for name in names or ("requests", "units", "reserved_units"))


def partner_of(world: World, **changes: Any) -> Partner:
    issued = world.key(**{"assistant": AssistantPolicy(AssistantMode.RULES), **changes})
    return Partner(world, issued.record.id, issued.secret.text)


@pytest.fixture
def partner(world: World) -> Partner:
    return partner_of(world)


def stored_units(world: World) -> list[Sequence[int]]:
    """Returns the units of each event, and those of the hours."""
    with world.database.reading() as connection:
        by_event = connection.execute(select(events.c.units).order_by(events.c.units)).scalars().all()
        by_hour = connection.execute(select(usage_hours.c.units)).scalars().all()
    return [by_event, by_hour]


def test_the_lease_has_no_units_and_the_line_does(partner: Partner) -> None:
    answer = partner.world.ask(partner.secret, DIVIDE_LAND, reserves_line=True)
    assert answer.decision == Grant(0, AssistantMode.RULES)
    assert partner.month() == (0, 0, 0)
    assert partner.begin(1)[1] == ""
    assert partner.month() == (0, 0, WEIGHT)


def test_a_request_and_its_repetitions_are_charged_once(partner: Partner) -> None:
    for run in (1, 2, 3):
        answer, denial = partner.begin(run)
        assert denial == ""
        assert partner.month("reserved_units") == (WEIGHT if run == 1 else 0,)
        partner.world.record([partner.outcome(answer, run)] * 2)
    assert partner.month() == (3, WEIGHT, 0)
    assert stored_units(partner.world) == [[0, 0, WEIGHT], [WEIGHT]]


def test_each_run_uses_the_allowance_of_the_assistant(world: World) -> None:
    policy = AssistantPolicy(AssistantMode.MODEL, monthly_calls=2, monthly_tokens=100_000)
    partner = partner_of(world, assistant=policy)
    for run in (1, 2):
        answer, _ = partner.begin(run)
        outcome = partner.outcome(answer, run, assistant_use=AssistantUse.MODEL, input_tokens=700)
        world.record([outcome])
    assert partner.month("units", "calls", "tokens", "reserved_tokens") == (WEIGHT, 2, 1_400, 0)
    refusal = world.ask(partner.secret, DIVIDE_LAND, reserves_line=True).decision
    assert isinstance(refusal, Denial)
    assert refusal.code == "assistant_allowance_exhausted"


@pytest.mark.parametrize("status", [400, 422, 429, 500, 503, 504])
def test_a_failed_run_is_free_and_the_next_one_is_charged(partner: Partner, status: int) -> None:
    answer, _ = partner.begin(1)
    partner.world.record([partner.outcome(answer, 1, status)])
    assert partner.month() == (1, 0, 0)
    answer, denial = partner.begin(2)
    assert denial == ""
    partner.world.record([partner.outcome(answer, 2)])
    assert partner.month() == (2, WEIGHT, 0)


def test_a_client_that_disconnected_is_charged_once(partner: Partner) -> None:
    for run in (1, 2):
        answer, _ = partner.begin(run)
        partner.world.record([partner.outcome(answer, run, 499)])
    assert partner.month() == (2, WEIGHT, 0)


def test_a_second_run_waits_for_the_end_of_the_first(partner: Partner) -> None:
    answer, _ = partner.begin(1)
    refused, denial = partner.begin(2)
    assert denial == "idempotency_in_progress"
    assert partner.begin(1)[1] == ""  # a retry of the call of run 1
    partner.world.record([partner.outcome(refused, 2, 409)])  # ends no run
    assert partner.begin(2)[1] == "idempotency_in_progress"
    partner.world.record([partner.outcome(answer, 1)])
    assert partner.begin(2)[1] == ""


def test_a_run_that_nobody_reports_ends_by_itself_and_its_late_outcome_charges_nothing_twice(partner: Partner) -> None:
    """The edge of run 1 was killed, and another edge finds its outcome later."""
    killed, _ = partner.begin(1)
    partner.world.clock.advance(seconds=LASTS_S - 1)
    assert partner.begin(2)[1] == "idempotency_in_progress"
    partner.world.clock.advance(seconds=2)
    answer, denial = partner.begin(2)
    assert (denial, partner.month("reserved_units")) == ("", (WEIGHT,))
    partner.world.record([partner.outcome(answer, 2)])
    assert partner.month("units", "reserved_units") == (WEIGHT, 0)
    partner.world.record([partner.outcome(killed, 1)])
    assert partner.month() == (2, WEIGHT, 0)


def test_a_run_releases_nothing_of_an_answer_that_goes_on_after_its_time(partner: Partner) -> None:
    """A client reads a stream slowly, and sends the same request again so that it is refused."""
    stream, _ = partner.begin(1)
    partner.world.clock.advance(seconds=LASTS_S + 2)
    refused, denial = partner.begin(2)
    partner.world.record([partner.outcome(refused, 2, 422)])
    assert (denial, partner.month()) == ("", (1, 0, WEIGHT))
    partner.world.record([partner.outcome(stream, 1)])
    assert partner.month() == (2, WEIGHT, 0)


def test_the_units_of_a_killed_edge_are_released(partner: Partner) -> None:
    partner.begin(1)
    partner.world.clock.advance(minutes=16)
    assert partner.world.leasing.lapse() == 2  # the line, and the call of the lease
    assert partner.month() == (0, 0, 0)
    answer, _ = partner.begin(2)
    partner.world.record([partner.outcome(answer, 2)])
    assert partner.month() == (1, WEIGHT, 0)


def test_concurrent_runs_are_one(partner: Partner) -> None:
    answers = [partner.world.ask(partner.secret, DIVIDE_LAND, reserves_line=True) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        requests = [replace(partner.request, run=run) for run in range(1, 9)]
        denials = list(pool.map(partner.reserve, requests))
    assert sorted(denials) == ["", *["idempotency_in_progress"] * 7]
    outcomes = [
        partner.outcome(answer, run, 409 if denial else 200)
        for run, (answer, denial) in enumerate(zip(answers, denials, strict=True), 1)
    ]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda outcome: partner.world.record([outcome]), outcomes))
    assert partner.month() == (8, WEIGHT, 0)


def test_another_request_with_the_same_key_is_refused_and_changes_nothing(partner: Partner) -> None:
    answer, _ = partner.begin(1)
    other, denial = partner.begin(2, digest=b"other")
    assert denial == "idempotency_mismatch"
    partner.world.record([partner.outcome(other, 2, 422)])
    assert partner.month() == (1, 0, WEIGHT)
    partner.world.record([partner.outcome(answer, 1)])
    assert partner.month() == (2, WEIGHT, 0)


def test_a_refused_reservation_leaves_no_trace(world: World) -> None:
    partner = partner_of(world, quota={"monthly_units": WEIGHT - 1})
    answer, denial = partner.begin(1)
    assert denial == "quota_exhausted"
    world.record([partner.outcome(answer, 1, 429)])
    assert partner.begin(2, digest=b"other")[1] == "quota_exhausted"  # the key was not used


def test_a_repetition_needs_no_quota(world: World) -> None:
    partner = partner_of(world, quota={"monthly_units": WEIGHT})
    answer, _ = partner.begin(1)
    world.record([partner.outcome(answer, 1)])
    assert partner.begin(2)[1] == ""
    assert partner.begin(1, id=secrets.token_bytes(16))[1] == "quota_exhausted"


def test_the_spend_cap_the_scopes_and_the_rates_hold(world: World) -> None:
    capped = partner_of(world, quota={"spend_cap": Decimal(5)}, pricing=TERMS)
    assert capped.begin(1)[1] == "spend_cap_reached"
    for changes, code in (
        ({"scopes": frozenset({RESOLVE})}, "scope_denied"),
        ({"assistant": AssistantPolicy(AssistantMode.DISABLED)}, "assistant_denied"),
    ):
        partner = partner_of(world, **changes)
        decision = world.ask(partner.secret, DIVIDE_LAND, reserves_line=True).decision
        assert isinstance(decision, Denial)
        assert decision.code == code
        assert partner.reserve(partner.request) == code
    hurried = partner_of(world, quota={"per_minute": 1, "burst": 1})
    hurried.begin(1)
    decision = world.ask(hurried.secret, DIVIDE_LAND, reserves_line=True).decision
    assert isinstance(decision, Denial)
    assert decision.code == "rate_limited"


def test_a_key_is_used_up_after_ten_runs(partner: Partner) -> None:
    for run in range(1, MAX_RUNS + 1):
        answer, denial = partner.begin(run)
        assert denial == ""
        partner.world.record([partner.outcome(answer, run)])
    assert partner.begin(MAX_RUNS + 1)[1] == "idempotency_used_up"


def test_an_outcome_whose_lease_and_line_are_unknown_is_charged_once(partner: Partner) -> None:
    """The database was restored."""
    answer = partner.world.ask(partner.secret, DIVIDE_LAND, reserves_line=True)
    outcome = replace(partner.outcome(answer, 1), lease_id=secrets.token_bytes(16))
    partner.world.record([outcome])
    partner.world.record([replace(outcome, event_id=secrets.token_bytes(16))])
    assert partner.month() == (2, WEIGHT, 0)


def test_malformed_requests_are_refused(partner: Partner) -> None:
    wrong: tuple[dict[str, Any], ...] = ({"lines": 2}, {"lines": 0}, {"lasts_s": 0}, {"lasts_s": 901})
    for changes in wrong:
        with pytest.raises(InvalidPayload):
            partner.reserve(replace(partner.request, **changes))
    with pytest.raises(InvalidPayload):
        partner.reserve(partner.request, RESOLVE)
