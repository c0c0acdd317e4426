"""Idempotency-Key on the embedded service, with a language model that answers when the test lets it."""

import contextlib
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from stacks import PATIENCE_S, PATIENT, Forked, create_key, forked

pytestmark = pytest.mark.thorough

DIVIDE = "/api/v1/assistant/divide-land"
BODY: dict[str, object] = {"parcel_ids": ["00001000AA0001"]}
DEADLINE_S = 20
EVENTS, DXF = "text/event-stream", "application/dxf"
TOKENS = 366


class Model:
    """A chat-completions server. Answers while `is_open` is set: it copies the first fact, and judges for nothing that
    all sentences are true. `call_count` counts the first.
    """

    def __init__(self) -> None:
        self.call_count = 0
        self.is_open = threading.Event()
        self.is_open.set()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][1]["content"]
                fact = re.search(r"^f1: (.*)$", asked, re.MULTILINE)
                content: dict[str, Any] = {"false": []}
                usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
                if asked.startswith("# ") and fact is not None:
                    model.call_count += 1
                    model.is_open.wait(60)
                    content = {"sentences": [{"text": fact[1], "facts": ["f1"]}]}
                    usage = {"prompt_tokens": 321, "completion_tokens": 45, "total_tokens": TOKENS}
                message = {"role": "assistant", "content": json.dumps(content)}
                choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
                answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
                body = json.dumps({**answer, "usage": usage}).encode()
                with contextlib.suppress(OSError):  # the assistant may have cancelled the call
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Writes nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.is_open.set()
    model.server.shutdown()
    model.server.server_close()


@pytest.fixture(scope="module")
def stack(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    settings = PATIENT | {
        "ASSISTANT_OPENAI_MODEL": "m",
        "ASSISTANT_OPENAI_BASE_URL": model.url,
        "ASSISTANT_OPENAI_STREAM": "false",
        "EDGE_DIVIDE_LAND_DEADLINE_S": str(DEADLINE_S),
    }
    with forked(tmp_path_factory.mktemp("idempotency"), settings) as stack:
        yield stack


def eventually(condition: Any, timeout_s: float = PATIENCE_S) -> None:
    ends = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


class Partner:
    """A client with its API key, which may use the model."""

    def __init__(self, stack: Forked, name: str) -> None:
        self.stack = stack
        self.name = name
        self.secret = create_key(stack, name, "--assistant", "model")["secret"]

    def ask(self, accept: str = "application/json", body: dict[str, object] = BODY) -> httpx.Response:
        headers = {"x-api-key": self.secret, "idempotency-key": self.name, "accept": accept}
        return httpx.post(self.stack.url + DIVIDE, json=body, headers=headers, timeout=PATIENCE_S)

    def ask_until_answered(self, accept: str = "application/json") -> httpx.Response:
        """Repeats the request while another run of it is open."""
        ends = time.monotonic() + DEADLINE_S + PATIENCE_S
        while (response := self.ask(accept)).status_code == 409:
            assert response.json()["code"] == "idempotency_in_progress"
            assert time.monotonic() < ends
            time.sleep(min(0.5, float(response.headers["retry-after"])))
        return response

    def begin(self) -> socket.socket:
        """Sends the request and does not wait for the answer."""
        content = json.dumps(BODY).encode()
        head = (
            f"POST {DIVIDE} HTTP/1.1\r\nhost: x\r\nx-api-key: {self.secret}\r\nidempotency-key: {self.name}\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        connection = socket.create_connection(("127.0.0.1", self.stack.port))
        connection.sendall(head.encode() + content)
        return connection

    def usage(self) -> dict[str, int]:
        answer = httpx.get(
            f"{self.stack.url}/api/v1/usage", headers={"x-api-key": self.secret}, timeout=PATIENCE_S
        ).raise_for_status()
        usage: dict[str, int] = answer.json()
        return usage

    def is_billed(self, *, calls: int, units: int = 10) -> None:
        """Waits until all outcomes are counted. `calls` is the number of the model's answers that were charged."""
        eventually(lambda: self.usage()["assistant_calls"] == calls and self.usage()["units"] == units)
        time.sleep(1)
        usage = self.usage()
        counts = [usage[name] for name in ("units", "reserved_units", "assistant_calls", "assistant_tokens")]
        assert counts == [units, 0, calls, calls * TOKENS]


def test_repetitions_are_computed_again_and_billed_once(stack: Forked, model: Model) -> None:
    partner, calls_before = Partner(stack, "repetition"), model.call_count
    answers = [partner.ask_until_answered(accept) for accept in ("application/json", EVENTS, DXF, "application/json")]
    assert [answer.status_code for answer in answers] == [200] * 4
    assert answers[0].json()["prompt"]["provider"] == "openai"
    assert answers[2].headers["content-type"] == DXF
    assert model.call_count == calls_before + 4
    partner.is_billed(calls=4)
    partner.name = "another key"
    assert partner.ask().status_code == 200
    partner.is_billed(calls=5, units=20)


def test_another_body_is_refused(stack: Forked, model: Model) -> None:
    partner = Partner(stack, "mismatch")
    assert partner.ask().status_code == 200
    refused = partner.ask(body={**BODY, "question": "En trois ?"})
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_mismatch")
    partner.is_billed(calls=1)


def test_concurrent_requests_are_one_division(stack: Forked, model: Model) -> None:
    partner, calls_before = Partner(stack, "concurrent"), model.call_count
    model.is_open.clear()
    with ThreadPoolExecutor(6) as pool:
        requests = [pool.submit(partner.ask) for _ in range(6)]
        eventually(lambda: sum(request.done() for request in requests) == 5)
        model.is_open.set()
        answers = [request.result() for request in requests]
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"idempotency_in_progress"}
    assert model.call_count == calls_before + 1
    partner.is_billed(calls=1)


def test_a_disconnect_and_a_retry_are_billed_once(stack: Forked, model: Model) -> None:
    partner, calls_before = Partner(stack, "disconnect"), model.call_count
    model.is_open.clear()
    connection = partner.begin()
    eventually(lambda: model.call_count == calls_before + 1)
    connection.close()
    eventually(lambda: partner.usage()["units"] == 10)  # the client left after work began
    model.is_open.set()
    assert partner.ask_until_answered().status_code == 200
    eventually(lambda: partner.usage()["assistant_tokens"] >= TOKENS)
    time.sleep(1)
    usage = partner.usage()
    assert (usage["units"], usage["reserved_units"]) == (10, 0)


def test_a_failure_is_free_and_its_repetition_is_charged_once(stack: Forked, model: Model) -> None:
    partner, assistant = Partner(stack, "failure"), stack.record()["pids"]["assistant"]
    os.kill(assistant, signal.SIGSTOP)
    try:
        assert partner.ask().status_code in (503, 504)
    finally:
        os.kill(assistant, signal.SIGCONT)
    assert partner.ask_until_answered().status_code == 200
    assert partner.ask_until_answered().status_code == 200
    partner.is_billed(calls=2)


def test_after_a_kill_of_the_edge_a_retry_runs_and_is_billed_once(stack: Forked, model: Model) -> None:
    """The run of the killed request ends with the deadline, and its reservation lapses after 15 minutes."""
    partner, calls_before = Partner(stack, "kill"), model.call_count
    model.is_open.clear()
    connection = partner.begin()
    eventually(lambda: model.call_count == calls_before + 1)
    os.kill(stack.record()["pids"]["edge"], signal.SIGKILL)
    stack.stop()
    connection.close()
    model.is_open.set()
    stack.start()
    assert partner.ask_until_answered().status_code == 200
    assert partner.ask_until_answered().status_code == 200
    assert model.call_count == calls_before + 3
    partner.is_billed(calls=2)
