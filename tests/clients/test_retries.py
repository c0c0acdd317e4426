"""What the clients repeat, and what they raise."""

import json
import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from client_calls import KEY, Call
from landpartner_client import AsyncClient, Client, ConnectionFailed, ServiceError, UnexpectedAnswer
from scripted_server import Answer, ScriptedServer, problem
from stacks import free_port

RESOLVED = Answer(body=b'{"parcel_ids": ["00001000AA0001"]}')
LOST = Answer(closes_at_once=True)
CUT = Answer(body=b'{"parcel', missing_bytes=100)
PROXY = Answer(504, b"<html>timeout</html>", {"content-type": "text/html"})


@pytest.mark.parametrize(
    "failure",
    [
        problem(429, "rate_limited", Retry_After="0"),
        problem(503, "unavailable"),
        problem(503, "commune_loading", Retry_After="0"),
        Answer(503, b"busy"),
        problem(502, "upstream_failed"),
        problem(504, "deadline_exceeded"),
    ],
    ids=lambda answer: f"{answer.status}",
)
@pytest.mark.parametrize("method", ["resolve", "usage", "divide_land"])
def test_an_error_that_passes_and_costs_nothing_is_repeated(
    call: Call, server: ScriptedServer, failure: Answer, method: str
) -> None:
    server.answers = [failure, failure, RESOLVED]
    assert call(server.url, method) == {"parcel_ids": ["00001000AA0001"]}
    assert len(server.received) == 3
    assert len({request.body for request in server.received}) == 1


@pytest.mark.parametrize("failure", [LOST, CUT, PROXY], ids=["no answer", "half an answer", "proxy"])
@pytest.mark.parametrize(
    ("method", "is_repeated"),
    [("usage", True), ("divide_land", True), ("resolve", False), ("land_unit", False)],
)
def test_a_request_of_unknown_fate_is_repeated_only_if_it_cannot_be_billed_twice(
    call: Call, server: ScriptedServer, failure: Answer, method: str, is_repeated: bool
) -> None:
    server.answers = [failure, Answer()]
    if is_repeated:
        assert call(server.url, method) == {}
        assert len(server.received) == 2
    else:
        with pytest.raises((ConnectionFailed, ServiceError)):
            call(server.url, method)
        assert len(server.received) == 1


def test_all_attempts_of_a_division_have_the_same_idempotency_key(call: Call, server: ScriptedServer) -> None:
    server.answers = [LOST, problem(503, "unavailable"), Answer()]
    call(server.url, "divide_land", parcel_ids=["00001000AA0001"])
    call(server.url, "divide_land", parcel_ids=["00001000AA0001"])
    call(server.url, "divide_land", parcel_ids=["00001000AA0001"], idempotency_key="order-17")
    keys = [request.headers["idempotency-key"] for request in server.received]
    assert len(keys) == 5
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3
    assert keys[4] == "order-17"


def test_a_division_that_still_runs_is_awaited(call: Call, server: ScriptedServer) -> None:
    running = problem(409, "idempotency_in_progress", Retry_After="0")
    server.answers = [LOST, running, running, Answer()]
    assert call(server.url, "divide_land", parcel_ids=["00001000AA0001"]) == {}
    server.received.clear()
    server.answers = [problem(422, "idempotency_mismatch"), Answer()]
    with pytest.raises(ServiceError, match="idempotency_mismatch"):
        call(server.url, "divide_land", parcel_ids=["00001000AA0001"])


def test_no_other_error_is_repeated_and_all_of_it_is_reported(call: Call, server: ScriptedServer) -> None:
    violations = [{"pointer": "/label", "code": "wrong_type", "detail": "no text"}]
    body = {
        "status": 400,
        "code": "invalid_payload",
        "detail": "See.",
        "request_id": "r-2",
        "errors": violations,
    }
    server.answers = [Answer(400, json.dumps(body).encode(), {"content-type": "application/problem+json"})]
    with pytest.raises(ServiceError) as raised:
        call(server.url, "resolve", label="x")
    error = raised.value
    assert (error.status, error.code, error.detail, error.request_id) == (400, "invalid_payload", "See.", "r-2")
    assert error.errors == violations
    assert error.retry_after_s is None
    assert str(error) == "400 invalid_payload: See. (request r-2)"
    assert len(server.received) == 1


def test_an_answer_of_a_proxy_is_an_error_with_what_is_known(call: Call, server: ScriptedServer) -> None:
    server.answers = [Answer(403, b"[]", {"x-request-id": "r-3"})]
    with pytest.raises(ServiceError, match=r"^403 unknown: .* \(request r-3\)$"):
        call(server.url, "usage")


def test_attempts_are_limited(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(503, "unavailable")]
    with pytest.raises(ServiceError, match="unavailable"):
        call(server.url, "resolve", label="x", options={"attempts": 3})
    assert len(server.received) == 3


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_pause_that_the_service_asks_for_is_kept(call: Call, server: ScriptedServer, form: str) -> None:
    retry_after = "1" if form == "seconds" else format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    server.answers = [problem(429, "rate_limited", Retry_After=retry_after), Answer()]
    started = time.monotonic()
    call(server.url, "resolve", label="x")
    assert time.monotonic() - started > 0.9
    assert len(server.received) == 2


@pytest.mark.parametrize("retry_after", ["soon", "-1", "1.5", "٣", "Mon, 01 Jan 0001 00:00:00 +2359"])
def test_a_pause_that_cannot_be_read_is_ignored(call: Call, server: ScriptedServer, retry_after: str) -> None:
    server.answers = [Answer(503, headers={"retry-after": retry_after.encode().decode("latin-1")}), Answer()]
    assert call(server.url, "usage") == {}


def test_a_pause_beyond_the_deadline_is_not_begun(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(429, "quota_exhausted", Retry_After="86400")]
    started = time.monotonic()
    with pytest.raises(ServiceError) as raised:
        call(server.url, "resolve", label="x")
    assert raised.value.retry_after_s == 86400
    assert time.monotonic() - started < 30
    assert len(server.received) == 1


def test_an_answer_that_arrives_too_slowly_ends_at_the_deadline(call: Call, server: ScriptedServer) -> None:
    server.answers = [Answer(body=b" " * 1000, pause_s=0.1)]
    started = time.monotonic()
    with pytest.raises(ConnectionFailed, match=r"not complete after 0\.5 s"):
        call(server.url, "resolve", label="x", options={"deadline_s": 0.5})
    assert time.monotonic() - started < 30


def test_a_server_that_stops_sending_is_left_after_the_timeout(call: Call, server: ScriptedServer) -> None:
    server.answers = [Answer(body=b"{}", pause_s=3)]
    with pytest.raises(ConnectionFailed, match="ReadTimeout"):
        call(server.url, "resolve", label="x", options={"timeout_s": 0.2})
    assert len(server.received) == 1


def test_a_server_that_cannot_be_reached_is_tried_again_with_growing_pauses(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest: list[float] = []

    def jitter(low: float, high: float) -> float:
        longest.append(high)
        return low / 1000

    monkeypatch.setattr("landpartner_client.core.random.uniform", jitter)
    with pytest.raises(ConnectionFailed, match="ConnectError"):
        call(f"http://127.0.0.1:{free_port()}", "resolve", label="x", options={"attempts": 7})
    assert longest == [0.5, 1, 2, 4, 8, 8, 8]


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (b"<html>", {}),
        (b"[]", {}),
        (b'{"a": 1', {}),
        (b"[" * 100_000, {}),
        (b" " * 2000 + b"{}", {"max_answer_bytes": 1000}),
    ],
    ids=["HTML", "a list", "half", "deep", "large"],
)
def test_an_answer_that_is_none_of_this_api_is_reported(
    call: Call, server: ScriptedServer, body: bytes, options: dict[str, Any]
) -> None:
    server.answers = [Answer(body=body)]
    with pytest.raises(UnexpectedAnswer):
        call(server.url, "usage", options=options)
    assert len(server.received) == 1


def test_a_redirect_is_not_followed_with_the_key(call: Call, server: ScriptedServer) -> None:
    server.answers = [Answer(302, headers={"location": f"{server.url}/elsewhere"})]
    with pytest.raises(ServiceError, match="302"):
        call(server.url, "usage")
    assert [request.path for request in server.received] == ["/api/v1/usage"]


def test_pages_follow_each_other_and_no_page_leads_to_itself(call: Call, server: ScriptedServer) -> None:
    def page(dataset: str, cursor: str | None) -> Answer:
        return Answer(body=json.dumps({"datasets": [{"dataset": dataset}], "next_cursor": cursor}).encode())

    server.answers = [page("a", "c1"), page("b", "c/2&"), page("c", None)]
    datasets = call(server.url, "coverage", commune_code="00001", limit=1)
    assert [dataset["dataset"] for dataset in datasets] == ["a", "b", "c"]
    assert [request.path.partition("?")[2] for request in server.received] == [
        "commune_code=00001&limit=1",
        "commune_code=00001&limit=1&cursor=c1",
        "commune_code=00001&limit=1&cursor=c%2F2%26",
    ]
    server.answers = [page("a", "c1")]
    with pytest.raises(UnexpectedAnswer, match="leads to itself"):
        call(server.url, "coverage")


def test_the_key_is_sent_and_appears_nowhere_else(
    call: Call, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = [problem(503, "unavailable"), LOST]
    with pytest.raises(ConnectionFailed) as raised:
        call(server.url, "usage", options={"attempts": 3})
    assert {request.headers["x-api-key"] for request in server.received} == {KEY}
    error = raised.value
    assert error.__cause__ is None
    assert error.__context__ is None, "httpx's error holds the request with its headers"
    for text in (caplog.text, repr(error), repr(vars(error))):
        assert KEY not in text


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("key", ["", "lp_live_é", "lp_live_a\nb", f"{KEY} "])
def test_a_key_that_no_header_can_hold_is_refused_without_its_text(kind: type[Client], key: str) -> None:
    with pytest.raises(ValueError, match="API key") as raised:
        kind(key, base_url="http://localhost")
    assert "lp_" not in str(raised.value)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    "url", ["", "localhost:8080", "ftp://a.example", "https://me:secret@a.example", "https://a/?b"]
)
def test_a_base_url_that_cannot_be_right_is_refused(kind: type[Client], url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        kind(KEY, base_url=url)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_shows_its_url_alone(kind: type[Client]) -> None:
    client = kind(KEY, base_url="https://a.example/prefix")
    assert repr(client) == f"{kind.__name__}(base_url='https://a.example/prefix/')"
    assert KEY not in repr(vars(client))


def test_language_and_prefix_reach_the_server(call: Call, server: ScriptedServer) -> None:
    call(f"{server.url}/prefix", "usage", options={"language": "en"})
    [request] = server.received
    assert request.path == "/prefix/api/v1/usage"
    assert request.headers["accept-language"] == "en"
