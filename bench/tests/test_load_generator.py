import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from load_generator import Call, Clients, WrongAnswer


@contextmanager
def server(*answers: bytes) -> Iterator[str]:
    """Answers the requests of one connection in order, then closes it. Yields the URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                for answer in answers:
                    connection.recv(65_536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def answer(body: bytes, status: int = 200) -> bytes:
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body)


CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"


def test_answers_are_counted_and_kept_in_order() -> None:
    calls = [Call(b"1", b"one"), Call(b"2", b"bcd"), Call(b"3", statuses=(404,))]
    with server(answer(b"one"), CHUNKED, answer(b"none", 404)) as url, Clients(url, 1) as clients:
        load = clients.send(calls, keep=True)
    assert load.answers == [(200, b"one"), (200, b"abcde"), (404, b"none")]
    assert len(load.latencies_ms) == 3
    assert load.per_s == pytest.approx(3 / load.wall_s)


@pytest.mark.parametrize(
    ("sent", "message"),
    [(answer(b"good", 503), "503: good"), (answer(b"other"), "200: other"), (b"", "the connection was closed")],
)
def test_an_answer_with_the_wrong_status_or_content_is_an_error(sent: bytes, message: str) -> None:
    with server(sent) as url, Clients(url, 1) as clients, pytest.raises(WrongAnswer, match=message):
        clients.send([Call(b"1", b"good")])
