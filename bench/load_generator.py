"""Sends requests and measures the answers: n clients, each with one connection that it keeps open and one request at a
time. One thread, plain sockets: it uses about 0.05 ms of processor an answer, and states how much it used.
"""

import math
import selectors
import socket
import time
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httptools

ANSWERS_WITHIN_S = 60.0
_READ = 1 << 18


class WrongAnswer(Exception):
    """An answer has the wrong status or content, or is missing."""


@dataclass(frozen=True)
class Call:
    """One request as bytes, and what its answer must be."""

    message: bytes
    contains: bytes = b""
    statuses: Container[int] = (200,)


@dataclass
class Load:
    """What a number of calls took. Answers are in the order of their calls if they are kept."""

    wall_s: float = 0.0
    own_cpu_s: float = 0.0
    """Processor time of this process."""
    latencies_ms: list[float] = field(default_factory=list)
    answers: list[tuple[int, bytes]] = field(default_factory=list)

    @property
    def per_s(self) -> float:
        return len(self.latencies_ms) / self.wall_s


class _Connection:
    """One client. Its answer is complete when `is_complete` is true."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=ANSWERS_WITHIN_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._parser = httptools.HttpResponseParser(self)

    def ask(self, number: int, call: Call) -> None:
        self.number, self.call = number, call
        self.is_complete, self.parts = False, list[bytes]()
        self.asked_at = time.perf_counter()
        self.socket.sendall(call.message)

    def receive(self) -> None:
        """Reads what has arrived. Raises WrongAnswer."""
        data = self.socket.recv(_READ)
        if not data:
            raise WrongAnswer("the connection was closed")
        self._parser.feed_data(data)
        if self.is_complete:
            status, body = self.answer
            if status not in self.call.statuses or self.call.contains not in body:
                raise WrongAnswer(f"{status}: {body[:300].decode(errors='replace')}")

    @property
    def answer(self) -> tuple[int, bytes]:
        return self._parser.get_status_code(), b"".join(self.parts)

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)

    def on_message_complete(self) -> None:
        self.is_complete = True


class Clients:
    """The clients of one URL. They stay connected from one load to the next."""

    def __init__(self, url: str, count: int) -> None:
        parts = urlsplit(url)
        self._connections: list[_Connection] = []
        try:
            for _ in range(count):
                self._connections.append(_Connection((parts.hostname or "", parts.port or 80)))
        except OSError:
            self.__exit__(None, None, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for connection in self._connections:
            connection.socket.close()

    def send(self, calls: Iterable[Call], seconds: float = math.inf, *, keep: bool = False) -> Load:
        """Sends the calls until none is left or the time is over, and waits for every answer. Raises WrongAnswer."""
        numbered: Iterator[tuple[int, Call]] = iter(enumerate(calls))
        load, answers = Load(), dict[int, tuple[int, bytes]]()
        used, started = time.process_time(), time.perf_counter()
        with selectors.DefaultSelector() as selector:

            def ask(connection: _Connection) -> bool:
                following = next(numbered, None) if time.perf_counter() - started < seconds else None
                if following is not None:
                    connection.ask(*following)
                return following is not None

            for connection in self._connections:
                if ask(connection):
                    selector.register(connection.socket, selectors.EVENT_READ, connection)
            while selector.get_map():
                ready = selector.select(ANSWERS_WITHIN_S)
                if not ready:
                    raise WrongAnswer(f"no answer within {ANSWERS_WITHIN_S:.0f} s")
                for key, _ in ready:
                    connection = key.data
                    connection.receive()
                    if not connection.is_complete:
                        continue
                    load.latencies_ms.append((time.perf_counter() - connection.asked_at) * 1000)
                    if keep:
                        answers[connection.number] = connection.answer
                    if not ask(connection):
                        selector.unregister(connection.socket)
        load.wall_s, load.own_cpu_s = time.perf_counter() - started, time.process_time() - used
        load.answers = [answers[number] for number in sorted(answers)]
        return load
