"""The TypeScript client: its types, and its calls to the service and to a server with scripted failures."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stacks
from client_calls import KEY
from scripted_server import Answer, ScriptedServer, problem, stream

pytestmark = pytest.mark.programs

CLIENT = stacks.REPOSITORY / "clients" / "typescript"
LABEL = "1 rue du 8 mai 1945 Exempleville-sur-Fiction"
PARCEL = "00001000AA0001"
LOST = Answer(closes_at_once=True)
CUT = Answer(body=b'{"parcel', headers={"content-type": "application/json"}, missing_bytes=100)
PROXY = Answer(504, b"<html>timeout</html>", {"content-type": "text/html"})
DONE = Answer(body=b"{}", headers={"content-type": "application/json"})

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Compiles the client and its tests, types included."""
    node = subprocess.run([stacks.REPOSITORY / "deploy" / "node.sh"], capture_output=True, check=True, text=True)
    environment = {**os.environ, "PATH": f"{node.stdout.strip()}:{os.environ['PATH']}"}
    subprocess.run([stacks.REPOSITORY / "deploy" / "npm_ci.sh"], cwd=CLIENT, env=environment, check=True)
    for project in (".", "tests"):
        compiled = subprocess.run(
            ["node_modules/.bin/tsc", "-p", project],
            check=False,
            cwd=CLIENT,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert compiled.returncode == 0, compiled.stdout
    return environment


@pytest.fixture(scope="module")
def call(environment: dict[str, str]) -> Call:
    """Makes one call in Node. Returns what it prints."""

    def run(url: str, method: str, *arguments: Any, key: str = KEY, **options: Any) -> Any:
        asked = {"url": url, "key": key, "method": method, "arguments": arguments, "options": options}
        script = Path("dist", "tests", "tests", "call.js")
        done = subprocess.run(
            ["node", script],
            check=False,
            cwd=CLIENT,
            env=environment,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def key(embedded: stacks.Embedded) -> str:
    return str(stacks.create_key(embedded, "typescript")["secret"])


def test_the_way_from_an_address_to_its_division(call: Call, embedded: stacks.Embedded, key: str) -> None:
    url = embedded.url
    resolved = call(url, "resolve", {"label": LABEL}, key=key)["result"]
    assert resolved["parcel_ids"] == [PARCEL]
    [feature] = call(url, "landUnit", {"parcel_ids": [PARCEL], "include": ["land"]}, key=key)["result"]["features"]
    assert {"history", "land"} <= feature["properties"].keys()
    division = call(url, "divideLand", {"parcel_ids": [PARCEL], "question": "Two lots?"}, key=key)["result"]
    assert division["prompt"]["question"] == "Two lots?"
    events = call(url, "divisionEvents", {"parcel_ids": [PARCEL]}, key=key)["result"]
    assert [event["name"] for event in events][:2] == ["quick_assessment", "context"]
    found = call(url, "searchParcels", {"neighbours_of": PARCEL, "limit": 1}, key=key)["result"]
    assert len(found) > 1, "more than one page"
    assert call(url, "usage", key=key)["result"]["requests"] > 0
    watch = call(url, "createWatch", {"commune_code": "00001"}, key=key)["result"]
    assert watch in call(url, "watches", key=key)["result"]["watches"]
    assert "result" not in call(url, "deleteWatch", watch["id"], key=key)
    assert call(url, "events", {"after": "3"}, key=key)["result"] == {"events": [], "next_after": "3"}
    assert call(url, "keyEvents", key=key)["error"]["code"] == "scope_denied"


def test_lines_of_a_file(call: Call, embedded: stacks.Embedded, key: str) -> None:
    first, second = call(embedded.url, "resolveLines", [{"id": "a", "label": LABEL}, {"id": "b"}], key=key)["result"]
    assert (first["id"], first["body"]["parcel_ids"]) == ("a", [PARCEL])
    assert (second["id"], second["problem"]["code"]) == ("b", "invalid_payload")


def test_an_error_of_the_service(call: Call, embedded: stacks.Embedded, key: str) -> None:
    unknown = {"parcel_ids": ["00001000AA9999"]}
    error = {"name": "ServiceError", "status": 404, "code": "parcel_not_found"}
    assert call(embedded.url, "landUnit", unknown, key=key) == {"error": error}


@pytest.mark.parametrize(
    "failure",
    [problem(429, "rate_limited", Retry_After="0"), problem(503, "unavailable"), problem(502, "upstream_failed")],
    ids=lambda answer: f"{answer.status}",
)
def test_an_error_that_passes_and_costs_nothing_is_repeated(
    call: Call, server: ScriptedServer, failure: Answer
) -> None:
    server.answers = [failure, DONE]
    assert call(server.url, "resolve", {"label": "a"}) == {"result": {}}
    assert len(server.received) == 2


@pytest.mark.parametrize("failure", [LOST, CUT, PROXY], ids=["no answer", "half an answer", "proxy"])
@pytest.mark.parametrize(
    ("method", "is_repeated"), [("usage", True), ("divideLand", True), ("resolve", False), ("landUnit", False)]
)
def test_a_request_of_unknown_fate_is_repeated_only_if_it_cannot_be_billed_twice(
    call: Call, server: ScriptedServer, failure: Answer, method: str, is_repeated: bool
) -> None:
    server.answers = [failure, DONE]
    answer = call(server.url, method, {})
    assert (answer == {"result": {}}, len(server.received)) == ((True, 2) if is_repeated else (False, 1))
    if not is_repeated:
        assert answer["error"]["name"] in ("ConnectionFailed", "ServiceError")


def test_the_attempts_and_the_deadline_are_bounds(call: Call, server: ScriptedServer) -> None:
    server.answers = [problem(503, "unavailable", Retry_After="0")]
    assert call(server.url, "usage", attempts=3)["error"]["status"] == 503
    assert len(server.received) == 3
    server.answers = [problem(429, "quota_exhausted", Retry_After="100000")]
    assert call(server.url, "usage")["error"]["code"] == "quota_exhausted"
    assert len(server.received) == 4


def test_the_same_division_is_sent_again_under_the_same_name(call: Call, server: ScriptedServer) -> None:
    server.answers = [LOST, DONE]
    call(server.url, "divideLand", {})
    names = [request.headers["idempotency-key"] for request in server.received]
    assert names[0] == names[1]
    assert {request.headers["x-api-key"] for request in server.received} == {KEY}


def test_a_stream_that_breaks_off_is_an_error(call: Call, server: ScriptedServer) -> None:
    server.answers = [stream(("quick_assessment", {}))]
    assert call(server.url, "divisionEvents", {})["error"]["name"] == "ConnectionFailed"


def test_a_file_goes_on_after_a_lost_connection(call: Call, server: ScriptedServer) -> None:
    headers = {"content-type": "application/x-ndjson", "line-count": "2"}
    server.answers = [
        Answer(body=b'{"line": 1}\n{"li', headers=headers, missing_bytes=9),
        Answer(body=b'{"line": 1}\n{"line": 2}\n', headers=headers),
    ]
    assert call(server.url, "resolveLines", [{}, {}]) == {"result": [{"line": 1}, {"line": 2}]}
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1
