"""Files of lines: resumed after a lost connection, and billed once."""

import json
from typing import Any

import pytest

from client_calls import Call
from landpartner_client import IncompleteStream, ServiceError, UnexpectedAnswer
from scripted_server import Answer, ScriptedServer, problem

METHOD = "resolve_lines"


def answer_of(count: int, *, total: int = 3, **options: Any) -> Answer:
    lines = [{"line": number, "status": 200} for number in range(1, count + 1)]
    body = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return Answer(200, body, {"content-type": "application/x-ndjson", "line-count": str(total)}, **options)


def test_a_lost_connection_is_resumed_after_the_last_line(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(503, "unavailable", Retry_After="0"), answer_of(2, missing_bytes=9), answer_of(3)]
    lines = call(server.url, METHOD, [{"label": "é"}, {}, {}])
    assert [line["line"] for line in lines] == [1, 2, 3]
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1
    assert {request.body for request in server.received} == {'{"label": "é"}\n{}\n{}\n'.encode()}
    assert server.received[0].headers["content-type"] == "application/x-ndjson"


def test_a_refused_file_is_an_error(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(429, "quota_exhausted", Retry_After="86400")]
    with pytest.raises(ServiceError, match="quota_exhausted"):
        call(server.url, "land_unit_lines", [{"parcel_ids": []}], idempotency_key="file-1")
    [request] = server.received
    assert (request.path, request.headers["idempotency-key"]) == ("/api/v1/land-units/batch", "file-1")


def test_an_answer_that_is_none_of_this_api_is_reported(call: Call, server: ScriptedServer) -> None:
    server.answers = [answer_of(2)]
    with pytest.raises(IncompleteStream, match="before its last line"):
        call(server.url, METHOD, [{}])
    kind = {"content-type": "application/x-ndjson"}
    for answer in (Answer(), Answer(200, b"x\n", kind), Answer(200, b"x" * 3000, kind)):
        server.received.clear()
        server.answers = [answer]
        with pytest.raises(UnexpectedAnswer):
            call(server.url, METHOD, [{}], options={"max_answer_bytes": 2000})
