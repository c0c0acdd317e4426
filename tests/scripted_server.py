"""An HTTP server whose answers a test writes down in advance, to see what clients do after each of them."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    missing_bytes: int = 0
    """How much longer the body should be than what is sent before the connection is closed."""
    closes_at_once: bool = False
    """Closes the connection without an answer."""
    pause_s: float = 0.0
    """Waits between the bytes of the body."""


def problem(status: int, code: str, **headers: str) -> Answer:
    body = {"title": "T", "status": status, "detail": "In words.", "code": code, "request_id": "r-1"}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(body).encode(), {"content-type": "application/problem+json", **sent})


def stream(*events: tuple[str, object], **options: Any) -> Answer:
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events).encode()
    return Answer(200, body, {"content-type": "text/event-stream"}, **options)


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class ScriptedServer:
    """Gives the answers one after the other. The last one is repeated."""

    url: str = ""
    answers: Sequence[Answer] = (Answer(),)
    received: list[Received] = field(default_factory=list)

    def next_answer(self, request: Received) -> Answer:
        self.received.append(request)
        return self.answers[min(len(self.received), len(self.answers)) - 1]


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    script = ScriptedServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = script.next_answer(Received(self.command, self.path, headers, body))
            self.close_connection = True
            if answer.closes_at_once:
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body) + answer.missing_bytes))
            self.send_header("connection", "close")
            self.end_headers()
            step = 1 if answer.pause_s else len(answer.body) or 1
            for start in range(0, len(answer.body), step):
                try:
                    self.wfile.write(answer.body[start : start + step])
                except OSError:
                    return  # the client has closed the connection
                time.sleep(answer.pause_s)

        do_GET = do_POST = _answer  # noqa: N815 (the names that the base class calls)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it)
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
