"""An endpoint of a partner, for tests: it records messages, and answers or does what a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Message(NamedTuple):
    headers: dict[str, str]
    body: bytes

    @property
    def content(self) -> dict[str, Any]:
        return dict(json.loads(self.body))

    @property
    def event_id(self) -> str:
        """The id of the event in the feed of its service."""
        return self.headers["webhook-id"].removeprefix("keys-")


class Receiver:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/events"
        self.messages: list[Message] = []
        self.answer: Callable[[Message], tuple[int, bytes]] = accept

    def ids(self) -> list[str]:
        """The ids of the events, in the order in which they came."""
        return [message.event_id for message in self.messages if "challenge" not in message.content["data"]]


def accept(message: Message) -> tuple[int, bytes]:
    """Answers the challenge, and accepts every event."""
    return 200, str(message.content["data"].get("challenge", "")).encode()


@contextmanager
def local_receiver() -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            if len(body := self.rfile.read(length)) < length:
                return  # the sender was killed
            message = Message({name.lower(): value for name, value in self.headers.items()}, body)
            receiver.messages.append(message)
            status, answer = receiver.answer(message)
            self.send_response(status)
            self.send_header("location", receiver.url)
            self.send_header("content-length", str(len(answer)))
            with suppress(OSError):
                self.end_headers()
            with suppress(OSError):
                self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield receiver
        server.shutdown()
        thread.join()
