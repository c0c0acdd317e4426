"""The leases of one key: no I/O, and the times are those of the tests."""

from typing import Any

import pytest

from contract.counters import Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, OTHER, RESOLVE, SUGGEST, TILES
from edge.leases.decisions import Denied, Grant, Later, RequestKind
from edge.leases.key_leases import DENIED_S, KeyLeases
from landpartner.keys.v1 import keys_pb2

GEOJSON_KIND, RESOLVE_KIND = RequestKind(GEOJSON, "203.0.113.9"), RequestKind(RESOLVE, "203.0.113.9")
DIVIDE_KIND = RequestKind(DIVIDE_LAND, "203.0.113.9")
GOES_ON = RequestKind(RESOLVE, "203.0.113.9", goes_on=True)
LEASE_ID = b"l" * 16
ASKED_AT = 100.0
WEIGHTS = {GEOJSON: 2, RESOLVE: 1, DIVIDE_LAND: 10}


def response(
    terms: dict[str, Any] | None = None, valid_ms: int = 1_000, *, is_only_holder: bool = True, **counters: Any
) -> keys_pb2.LeaseResponse:
    standard = {"key_id": "key-1", "partner_id": "partner-1", "mode": keys_pb2.KEY_MODE_LIVE, "weights": WEIGHTS}
    grant = keys_pb2.LeaseGrant(
        terms=keys_pb2.KeyTerms(**{**standard, **(terms or {})}),
        counters=keys_pb2.Counters(**counters),
        valid_ms=valid_ms,
        leased_at="2026-11-20T10:00:00Z",
        is_only_holder=is_only_holder,
    )
    limits = [
        keys_pb2.RateLimitState(policy="minute", limit=60, remaining=40, window_s=60, reset_s=9),
        keys_pb2.RateLimitState(policy="month", limit=500, remaining=300, window_s=99, reset_s=9),
    ]
    return keys_pb2.LeaseResponse(grant=grant, rate_limits=limits)


def denial(code: str, key_id: str = "key-1") -> keys_pb2.LeaseResponse:
    return keys_pb2.LeaseResponse(denial=keys_pb2.Denial(code=code, key_id=key_id))


def answer(
    leases: KeyLeases, kind: RequestKind, answered: keys_pb2.LeaseResponse, now: float = ASKED_AT
) -> keys_pb2.LeaseRequest:
    """Asks for a lease at ASKED_AT, and accepts the answer."""
    request = leases.request(LEASE_ID, "secret", kind, ASKED_AT)
    leases.accept(request, answered, ASKED_AT, now)
    return request


def open_leases(kind: RequestKind = GEOJSON_KIND, terms: dict[str, Any] | None = None, **counters: Any) -> KeyLeases:
    leases = KeyLeases(b"h" * 16)
    answer(leases, kind, response(terms, **counters))
    return leases


def test_a_grant_names_the_lease_and_what_it_took() -> None:
    grant = open_leases(requests=2, units=5).decide(GEOJSON_KIND, ASKED_AT)
    assert isinstance(grant, Grant)
    assert (grant.key_id, grant.partner_id, grant.mode) == ("key-1", "partner-1", keys_pb2.KEY_MODE_LIVE)
    assert (grant.lease_id, grant.leased_at, grant.units) == (LEASE_ID, "2026-11-20T10:00:00Z", 2)
    assert (grant.assistant_mode, grant.token_limit) == (keys_pb2.ASSISTANT_MODE_UNSPECIFIED, None)


@pytest.mark.parametrize("answered_after_s", [0.0, 0.9])
def test_nothing_is_granted_from_the_end_on_counted_from_before_the_question(answered_after_s: float) -> None:
    leases = KeyLeases(b"h" * 16)
    lease = response(requests=9, units=9, valid_ms=1_000)
    answer(leases, RESOLVE_KIND, lease, now=ASKED_AT + answered_after_s)
    assert isinstance(leases.decide(RESOLVE_KIND, ASKED_AT + 0.999), Grant)
    assert leases.decide(RESOLVE_KIND, ASKED_AT + 1.0) is None
    assert leases.decide(GOES_ON, ASKED_AT + 1.0) is None


def test_a_late_answer_gives_no_lease() -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, RESOLVE_KIND, response(requests=9, units=9), now=ASKED_AT + 1.5)
    assert leases.decide(RESOLVE_KIND, ASKED_AT + 1.5) is None
    end = leases.end(ASKED_AT + 1.5)
    assert end is not None
    assert end.unused.requests == 9


@pytest.mark.parametrize(
    ("kind", "counters", "unused"),
    [
        (GEOJSON_KIND, {"requests": 1, "units": 2}, Counters()),
        (RequestKind(TILES, ""), {"requests": 1}, Counters()),
        (RequestKind(OTHER, ""), {"requests": 1}, Counters()),
        (RequestKind(SUGGEST, ""), {"requests": 1, "suggestions": 1, "units": 1}, Counters(units=1)),
        (DIVIDE_KIND, {"requests": 1, "units": 10, "calls": 1}, Counters()),
        (
            DIVIDE_KIND._replace(reserves_line=True),
            {"requests": 1, "units": 10, "calls": 1},
            Counters(units=10),
        ),
    ],
)
def test_a_request_takes_each_counter_once(kind: RequestKind, counters: dict[str, Any], unused: Counters) -> None:
    leases = open_leases(kind, **counters)
    assert isinstance(leases.decide(kind, ASKED_AT), Grant)
    assert leases.decide(kind, ASKED_AT) is None
    end = leases.end(ASKED_AT + 1)
    assert end is not None
    assert Counters.of(end.unused) == unused


@pytest.mark.parametrize("missing", ["requests", "units", "calls", "tokens"])
def test_a_lease_without_one_of_the_counters_grants_nothing_and_loses_nothing(missing: str) -> None:
    terms = {"limits_tokens": True, "tokens_per_call": 900, "assistant_mode": keys_pb2.ASSISTANT_MODE_MODEL}
    counters = {"requests": 1, "units": 10, "calls": 1, "tokens": 900}
    leases = open_leases(DIVIDE_KIND, terms, **{**counters, missing: 0})
    assert leases.decide(DIVIDE_KIND, ASKED_AT) is None
    end = leases.end(ASKED_AT + 1)
    assert end is not None
    assert end.unused == keys_pb2.Counters(**{**counters, missing: 0})


@pytest.mark.parametrize(
    ("terms", "limits"),
    [
        ({"limits_tokens": True, "assistant_mode": keys_pb2.ASSISTANT_MODE_MODEL}, [900, 900, 100, "none"]),
        ({"limits_tokens": False, "assistant_mode": keys_pb2.ASSISTANT_MODE_MODEL}, [None, None, None, None]),
        ({"limits_tokens": True, "assistant_mode": keys_pb2.ASSISTANT_MODE_RULES}, [None, None, None, None]),
    ],
)
def test_calls_of_a_model_share_the_tokens(terms: dict[str, Any], limits: list[Any]) -> None:
    counters = {"requests": 9, "units": 90, "calls": 9, "tokens": 1_900}
    leases = open_leases(DIVIDE_KIND, {"tokens_per_call": 900, **terms}, **counters)
    grants = [leases.decide(DIVIDE_KIND, ASKED_AT) for _ in limits]
    assert [grant.token_limit if isinstance(grant, Grant) else "none" for grant in grants] == limits
    assert isinstance(grants[0], Grant)
    assert grants[0].assistant_mode == terms["assistant_mode"]


@pytest.mark.parametrize(
    ("terms", "code", "facts"),
    [
        ({"scopes": [GEOJSON]}, "scope_denied", {"endpoint": DIVIDE_LAND}),
        ({"networks": ["198.51.100.0/24"]}, "ip_denied", {}),
        ({"assistant_mode": keys_pb2.ASSISTANT_MODE_DISABLED}, "assistant_denied", {}),
    ],
)
def test_an_open_lease_denies_what_the_key_does_not_allow(
    terms: dict[str, Any], code: str, facts: dict[str, str]
) -> None:
    leases = open_leases(terms=terms, requests=1, units=10, calls=1)
    denied = leases.decide(DIVIDE_KIND, ASKED_AT)
    assert isinstance(denied, Denied)
    assert (denied.denial.code, denied.denial.key_id, dict(denied.denial.facts)) == (code, "key-1", facts)
    assert leases.decide(DIVIDE_KIND, ASKED_AT + 1) is None


def test_what_goes_on_takes_nothing_and_needs_an_open_lease() -> None:
    leases = KeyLeases(b"h" * 16)
    assert leases.decide(GOES_ON, ASKED_AT) is None
    request = answer(leases, GOES_ON, response())
    assert request.goes_on
    assert isinstance(leases.decide(GOES_ON, ASKED_AT), Grant)
    assert isinstance(leases.decide(GOES_ON, ASKED_AT + 0.9), Grant)
    assert leases.decide(RESOLVE_KIND, ASKED_AT) is None


def test_a_denial_concerns_only_its_like_and_for_a_second() -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, GEOJSON_KIND, denial("quota_exhausted"), now=ASKED_AT + 0.5)
    denied = leases.decide(GEOJSON_KIND, ASKED_AT + DENIED_S - 0.01)
    assert isinstance(denied, Denied)
    assert denied.denial.code == "quota_exhausted"
    assert leases.decide(GEOJSON_KIND, ASKED_AT + DENIED_S) is None
    for other in (
        RESOLVE_KIND,
        GEOJSON_KIND._replace(client_address="203.0.113.8"),
        GEOJSON_KIND._replace(reserves_line=True),
        GEOJSON_KIND._replace(goes_on=True),
    ):
        assert leases.decide(other, ASKED_AT + 0.5) is None


def test_an_unknown_key_is_never_kept() -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, GEOJSON_KIND, denial("invalid_key", key_id=""))
    assert leases.decide(GEOJSON_KIND, ASKED_AT) is None


def test_a_lease_that_covers_a_denied_request_grants_it() -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, GEOJSON_KIND, denial("quota_exhausted"))
    answer(leases, RESOLVE_KIND, response(requests=2, units=2))
    assert isinstance(leases.decide(GEOJSON_KIND, ASKED_AT), Grant)


def test_later_applies_to_its_like_until_its_time() -> None:
    leases = KeyLeases(b"h" * 16)
    later = keys_pb2.LeaseResponse(later=keys_pb2.Later(retry_after_ms=700))
    answer(leases, GEOJSON_KIND, later, now=ASKED_AT + 0.1)
    decision = leases.decide(GEOJSON_KIND, ASKED_AT + 0.7)
    assert isinstance(decision, Later)
    assert decision.until == pytest.approx(ASKED_AT + 0.8)
    assert leases.decide(GEOJSON_KIND, ASKED_AT + 0.81) is None
    assert leases.decide(RESOLVE_KIND, ASKED_AT + 0.1) is None


def test_a_first_request_expects_what_waits() -> None:
    leases = KeyLeases(b"h" * 16)
    with leases.waiting(GEOJSON_KIND), leases.waiting(GEOJSON_KIND), leases.waiting(DIVIDE_KIND):
        assert leases.expected(ASKED_AT) == Counters(units=14, requests=3, calls=1)
    assert leases.expected(ASKED_AT) == Counters()


def test_the_use_of_the_last_second_is_expected_if_less_waits() -> None:
    leases = open_leases(requests=50, units=50)
    for tenth in range(5):
        leases.decide(RESOLVE_KIND, ASKED_AT + tenth / 10)
    used = Counters(units=5, requests=5)
    assert leases.expected(ASKED_AT + 0.9) == used
    with leases.waiting(GEOJSON_KIND), leases.waiting(GEOJSON_KIND), leases.waiting(GEOJSON_KIND):
        assert leases.expected(ASKED_AT + 0.9) == Counters(units=6, requests=5)
    assert leases.expected(ASKED_AT + 1.5) == used
    assert leases.expected(ASKED_AT + 2.0) == Counters()


def test_a_question_ends_the_open_lease_and_returns_the_rest() -> None:
    leases = open_leases(requests=3, units=3)
    leases.decide(RESOLVE_KIND, ASKED_AT)
    request = leases.request(b"2" * 16, "secret", DIVIDE_KIND, ASKED_AT + 0.1)
    assert (request.lease_id, request.holder, request.api_key) == (b"2" * 16, b"h" * 16, "secret")
    [end] = request.ended
    assert (end.lease_id, end.key_id, Counters.of(end.unused)) == (LEASE_ID, "key-1", Counters(2, 2))
    assert leases.decide(RESOLVE_KIND, ASKED_AT + 0.1) is None
    assert not leases.request(b"3" * 16, "secret", DIVIDE_KIND, ASKED_AT + 0.1).ended
    assert leases.end(ASKED_AT + 9) is None


def test_a_lease_ends_once_and_not_before_its_time() -> None:
    leases = open_leases(requests=3, units=3)
    assert leases.end(ASKED_AT + 0.999) is None
    assert leases.end(ASKED_AT + 1.0) is not None
    assert leases.end(ASKED_AT + 1.0) is None


def test_a_lease_that_is_used_up_ends_at_once() -> None:
    leases = open_leases(requests=1, units=3)
    assert leases.end(ASKED_AT) is None
    leases.decide(RESOLVE_KIND, ASKED_AT)
    end = leases.end(ASKED_AT)
    assert end is not None
    assert Counters.of(end.unused) == Counters(units=2)


def test_a_lease_for_what_goes_on_lasts_until_its_end() -> None:
    leases = open_leases(GOES_ON)
    assert isinstance(leases.decide(GOES_ON, ASKED_AT), Grant)
    assert leases.end(ASKED_AT) is None
    assert leases.end(ASKED_AT + 1) is not None


def test_the_end_of_a_lease_without_an_answer_names_the_key_and_says_nothing_of_its_use() -> None:
    """The first lease of a key, too: keys ends a lease only with the id of its key."""
    leases = KeyLeases(b"h" * 16)
    end = leases.unanswered(leases.request(b"2" * 16, "lp_live_key00001" + "x" * 49, GEOJSON_KIND, ASKED_AT))
    assert (end.lease_id, end.key_id, end.HasField("unused")) == (b"2" * 16, "key00001", False)


def test_an_empty_answer_is_an_error() -> None:
    leases = KeyLeases(b"h" * 16)
    with pytest.raises(ValueError, match="empty"):
        answer(leases, GEOJSON_KIND, keys_pb2.LeaseResponse())


@pytest.mark.parametrize(("is_only_holder", "free", "free_units"), [(True, 40, 300), (False, 0, 0)])
def test_the_rate_limits_are_what_is_certainly_left(is_only_holder: bool, free: int, free_units: int) -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, GEOJSON_KIND, response(requests=5, units=9, is_only_holder=is_only_holder))
    grant = leases.decide(GEOJSON_KIND, ASKED_AT)
    assert isinstance(grant, Grant)
    remaining = {limit.policy: limit.remaining for limit in grant.rate_limits}
    assert remaining == {"minute": free + 4, "month": free_units + 7}


def test_a_denial_for_the_rate_holds_for_requests_of_every_kind_and_another_one_does_not() -> None:
    leases = KeyLeases(b"h" * 16)
    answer(leases, GEOJSON_KIND, denial("quota_exhausted"))
    assert leases.over_rate(ASKED_AT) is None
    answer(leases, RESOLVE_KIND, denial("rate_limited"))
    denied = leases.decide(DIVIDE_KIND, ASKED_AT)
    assert isinstance(denied, Denied)
    assert denied.denial.code == "rate_limited"
    assert leases.decide(GOES_ON, ASKED_AT) is None  # it was counted
    assert leases.over_rate(ASKED_AT + DENIED_S) is None
    answer(leases, RESOLVE_KIND, response(requests=2, units=2))
    assert leases.over_rate(ASKED_AT) is None
