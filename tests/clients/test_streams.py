"""Streamed divisions: complete, interrupted and hostile ones."""

import gzip
import random
from contextlib import closing

import pytest

from client_calls import Call
from landpartner_client import Client, ConnectionFailed, IncompleteStream, ServiceError, UnexpectedAnswer
from landpartner_client.events import EventParser
from scripted_server import Answer, ScriptedServer, problem, stream

ANSWER = {"format": "markdown", "text": "Oui. é", "grounded_on": []}
COMPLETE = stream(
    ("answer.delta", {"text": "Non. "}),
    ("something.new", {"a": 1}),
    ("answer.delta", {"text": "Oui. é"}),
    ("answer", ANSWER),
    ("done", {}),
)
METHOD = "stream_divide_land"


def test_a_stream_gives_its_known_events_in_order(call: Call, server: ScriptedServer) -> None:
    server.answers = [COMPLETE]
    events = call(server.url, METHOD, parcel_ids=["00001000AA0001"])
    assert [event.name for event in events] == ["answer.delta", "answer.delta", "answer"]
    assert events[-1].data == ANSWER
    [request] = server.received
    assert request.headers["accept"] == "text/event-stream"
    assert request.headers["idempotency-key"]


def test_a_stream_is_repeated_only_before_its_first_event(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(503, "commune_loading", Retry_After="0"), stream(missing_bytes=50), COMPLETE]
    assert len(call(server.url, METHOD)) == 3
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1
    server.received.clear()
    server.answers = [stream(("answer.delta", {"text": "Half"}), missing_bytes=50), COMPLETE]
    with pytest.raises(IncompleteStream, match="broke off"):
        call(server.url, METHOD)
    assert len(server.received) == 1


def test_a_stream_that_ends_without_done_is_incomplete(call: Call, server: ScriptedServer) -> None:
    server.answers = [stream(("answer", ANSWER))]
    with pytest.raises(IncompleteStream, match="without `done`"):
        call(server.url, METHOD)


def test_an_error_in_the_middle_is_raised_as_such(call: Call, server: ScriptedServer) -> None:
    failed = {"status": 502, "code": "upstream_failed", "detail": "It broke.", "request_id": "r-4"}
    server.answers = [stream(("answer.delta", {"text": "Half"}), ("error", failed))]
    with pytest.raises(ServiceError, match=r"502 upstream_failed: It broke\. \(request r-4\)"):
        call(server.url, METHOD)


def test_an_error_before_the_stream_is_raised_as_such(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(403, "assistant_denied")]
    with pytest.raises(ServiceError, match="assistant_denied"):
        call(server.url, METHOD)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"{}", headers={"content-type": "application/json"}),
        Answer(body=b"event: answer\ndata: half\n\n", headers={"content-type": "text/event-stream"}),
        Answer(body=b"event: error\ndata: []\n\n", headers={"content-type": "text/event-stream"}),
        Answer(body=b"data: " + b"x" * 3000, headers={"content-type": "text/event-stream"}),
        Answer(body=b"data: x\n" * 500, headers={"content-type": "text/event-stream"}),
    ],
    ids=["no stream", "no JSON", "no object", "an endless line", "endless lines"],
)
def test_a_stream_that_is_none_of_this_api_is_reported(call: Call, server: ScriptedServer, answer: Answer) -> None:
    server.answers = [answer]
    with pytest.raises(UnexpectedAnswer):
        call(server.url, METHOD, options={"max_answer_bytes": 2000})


def test_a_stream_that_hangs_ends_at_the_deadline(call: Call, server: ScriptedServer) -> None:
    server.answers = [stream(("answer", {"text": "x" * 500}), pause_s=0.1)]
    with pytest.raises(ConnectionFailed, match=r"not complete after 0\.5 s"):
        call(server.url, METHOD, options={"deadline_s": 0.5})


def test_a_compressed_stream_is_read(call: Call, server: ScriptedServer) -> None:
    compressed = gzip.compress(COMPLETE.body)
    server.answers = [Answer(200, compressed, {**COMPLETE.headers, "content-encoding": "gzip"})]
    assert len(call(server.url, METHOD)) == 3


def test_a_caller_who_leaves_closes_the_connection(server: ScriptedServer) -> None:
    server.answers = [stream(("answer.delta", {"text": "a"}), ("answer.delta", {"text": "b"}), missing_bytes=9)]
    with Client("lp_test_key", base_url=server.url) as client:
        with closing(client.stream_divide_land(parcel_ids=["00001000AA0001"])) as events:
            assert next(events).name == "answer.delta"
        server.answers = [Answer()]
        client.usage()
        assert len(server.received) == 2


def test_events_are_the_same_wherever_the_bytes_are_divided() -> None:
    text = "\r\n".join(
        [": a comment", "event: a", 'data: {"é": 1,', "data:  2}", "id: 7", "", "", "data", "", "event:b\rdata:x\r\r"]
    ).encode()
    expected = [("a", '{"é": 1,\n 2}'.encode()), ("message", b""), ("b", b"x")]
    chance = random.Random(20)  # noqa: S311
    for _ in range(200):
        cuts = sorted(chance.choices(range(len(text) + 1), k=6))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        parser = EventParser(1000)
        assert [event for piece in pieces for event in parser.feed(piece)] == expected
