"""The edge, HAProxy and nginx agree where a request ends. Else a client could get the answer to another's request."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from answer_schemas import checked
from framing_servers import PAUSE_S, TIMEOUT_S, Answer, Echo, Received, answers, echo, exchange, haproxy, nginx, serving

from edge import server
from edge.server import MAX_HEADERS

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SMUGGLED), SMUGGLED)
NEXT = b"GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
LENGTH = f"Content-Length: {len(SMUGGLED)}"
TE = "Transfer-Encoding: chunked"
HAPROXY, NGINX, NGINX_STREAMING = "haproxy", "nginx", "nginx streaming"
BOTH = (HAPROXY, NGINX)
PROXIES = (*BOTH, NGINX_STREAMING)


def head(*lines: str, start: str = "POST /first HTTP/1.1", host: str = "Host: x\r\n") -> bytes:
    return f"{start}\r\n{host}".encode() + b"".join(line.encode() + b"\r\n" for line in (*lines, ""))


@dataclass(frozen=True)
class Framing:
    """A request /first, which NEXT follows on its connection."""

    head: bytes
    body: bytes = b""
    is_accepted: bool = False
    """Whether the edge accepts it: the application sees it and NEXT. Else the edge answers 400 and closes."""
    differs: tuple[str, ...] = ()
    """Proxies that repair a wrong request, or that refuse a right one."""
    behind: tuple[str, ...] = BOTH
    """Proxies to which it is sent."""


def accepted(sent: bytes, body: bytes = b"", **options: Any) -> Framing:
    return Framing(sent, body, is_accepted=True, **options)


def chunks(body: bytes, **options: Any) -> Framing:
    return Framing(head(TE), body, **options)


FRAMINGS: Mapping[str, Framing] = {
    "length": accepted(head(LENGTH), SMUGGLED),
    "chunks": accepted(head(TE), CHUNKED),
    "GET with a body": accepted(head(LENGTH, start="GET /first HTTP/1.1"), SMUGGLED),
    "no body": accepted(head()),
    "empty lines first": accepted(b"\r\n\r\n" + head(LENGTH), SMUGGLED),
    "expect": accepted(head(LENGTH, "Expect: 100-continue"), SMUGGLED),
    "upper case chunked": accepted(head("TRANSFER-ENCODING: CHUNKED"), CHUNKED),
    "chunk extension": accepted(head(TE), CHUNKED.replace(b"\r\n", b";a=b\r\n", 1)),
    # upgrades
    "upgrade": accepted(head("Connection: Upgrade", "Upgrade: foo", start="GET /first HTTP/1.1")),
    "upgrade, as Java sends it": accepted(
        head(
            "Connection: Upgrade, HTTP2-Settings",
            "Content-Length: 0",
            "HTTP2-Settings: AAEAAEAAAAIAAAAB",
            "Upgrade: h2c",
        )
    ),
    "upgrade without Connection": accepted(head("Upgrade: foo", LENGTH), SMUGGLED, differs=(NGINX,)),
    "Connection without upgrade": accepted(head("Connection: Upgrade", LENGTH), SMUGGLED),
    "upgrade, length": accepted(head("Connection: Upgrade", "Upgrade: foo", LENGTH), SMUGGLED),
    "upgrade, chunks": accepted(head("Connection: Upgrade", "Upgrade: foo", TE), CHUNKED),
    "upgrade, expect": accepted(head("Connection: Upgrade", "Upgrade: foo", LENGTH, "Expect: 100-continue"), SMUGGLED),
    "upgrade in a list": accepted(
        head(LENGTH, "Upgrade: foo", "Connection: keep-alive", "Connection: x, UPGRADE"), SMUGGLED
    ),
    "two upgrades": accepted(head("Connection: Upgrade", "Upgrade: h2c", "Upgrade: foo", LENGTH), SMUGGLED),
    "upgrade, Proxy-Connection": accepted(head("Proxy-Connection: upgrade", "Upgrade: foo", LENGTH), SMUGGLED),
    "upgrade, length and chunks": Framing(
        head("Connection: Upgrade", "Upgrade: foo", LENGTH, TE), CHUNKED, differs=(HAPROXY,)
    ),
    "upgrade, two lengths": Framing(head("Connection: Upgrade", "Upgrade: foo", "Content-Length: 0", LENGTH), SMUGGLED),
    "CONNECT": Framing(head(start="CONNECT x:80 HTTP/1.1", host="Host: x:80\r\n")),
    # HAProxy ends a CONNECT after its head, so what follows is the next request of the same client
    "CONNECT, length": Framing(head(LENGTH, start="CONNECT x:80 HTTP/1.1"), SMUGGLED, behind=(NGINX,)),
    "CONNECT, path": Framing(head(LENGTH, start="CONNECT /first HTTP/1.1"), SMUGGLED),
    # lengths and encodings
    "length and chunks": Framing(head(LENGTH, TE), CHUNKED, differs=(HAPROXY,)),
    "chunks and length": Framing(head(TE, LENGTH), CHUNKED, differs=(HAPROXY,)),
    "equal lengths": Framing(head(LENGTH, LENGTH), SMUGGLED, differs=(HAPROXY,)),
    "two lengths": Framing(head("Content-Length: 0", LENGTH), SMUGGLED),
    "list of lengths": Framing(head(f"{LENGTH}, {len(SMUGGLED)}"), SMUGGLED, differs=(HAPROXY,)),
    "signed length": Framing(head(f"Content-Length: +{len(SMUGGLED)}"), SMUGGLED),
    "empty length": Framing(head("Content-Length:"), SMUGGLED),
    "space before the colon": Framing(head(f"Content-Length : {len(SMUGGLED)}"), SMUGGLED),
    "gzip": Framing(head("Transfer-Encoding: gzip"), SMUGGLED),
    "gzip, GET": Framing(head("Transfer-Encoding: gzip", start="GET /first HTTP/1.1"), SMUGGLED),
    "identity and length": Framing(head("Transfer-Encoding: identity", LENGTH), SMUGGLED),
    "gzip in chunks": Framing(head("Transfer-Encoding: gzip, chunked"), CHUNKED),
    "gzip in chunks, two lines": Framing(head("Transfer-Encoding: gzip", TE), CHUNKED),
    "chunks in gzip": Framing(head("Transfer-Encoding: chunked, gzip"), CHUNKED),
    "chunks twice": Framing(head(TE, TE), CHUNKED),
    "vertical tab before chunked": Framing(head("Transfer-Encoding: \x0bchunked"), CHUNKED),
    "empty encoding and length": Framing(head("Transfer-Encoding:", LENGTH), SMUGGLED),
    "HTTP/1.0, chunks": Framing(head(TE, start="POST /first HTTP/1.0"), CHUNKED),
    "HTTP/1.0, keep-alive, chunks": Framing(head(TE, "Connection: keep-alive", start="POST /first HTTP/1.0"), CHUNKED),
    "chunk without its end": chunks(b"%x\r\n%s0\r\n\r\n" % (len(SMUGGLED), SMUGGLED)),
    "chunk size with a prefix": chunks(b"0x" + CHUNKED),
    "chunk size too large": chunks(b"1" + b"0" * 16 + CHUNKED),
    "chunk size and bare LF": chunks(CHUNKED.replace(b"\r\n", b"\n", 1), differs=BOTH),
    "trailers and bare LF": chunks(b"0\r\nx: y\n\n", differs=BOTH),
    "length in a trailer": chunks(b"0\r\n%s\r\n\r\n" % LENGTH.encode(), differs=BOTH),
    # lines
    "folded header": Framing(head("X: a\r\n b", LENGTH), SMUGGLED, differs=(HAPROXY,)),
    "folded encoding": Framing(head("Transfer-Encoding:\r\n chunked"), CHUNKED, differs=(HAPROXY,)),
    "folded first header": Framing(head(LENGTH, host=" Host: x\r\n"), SMUGGLED),
    "bare LF": Framing(head(LENGTH).replace(b"\r\n", b"\n"), SMUGGLED, differs=BOTH),
    "bare LF before the length": Framing(head(f"X: a\n{LENGTH}"), SMUGGLED, differs=BOTH),
    "bare LF at the end": Framing(head(LENGTH)[:-2] + b"\n", SMUGGLED, differs=BOTH),
    "bare CR": Framing(head(f"X: a\r{LENGTH}"), SMUGGLED),
    "NUL in a name": Framing(head("X\0: a", LENGTH), SMUGGLED),
    "NUL in a value": Framing(head("X: a\0b", LENGTH), SMUGGLED),
    "NUL in the path": Framing(head(LENGTH, start="POST /fi\0rst HTTP/1.1"), SMUGGLED),
    "line without a colon": Framing(head("Content-Length"), SMUGGLED),
    "HTTP/0.9": Framing(b"GET /first\r\n\r\n", behind=()),
    "HTTP/1.2": Framing(head(start="GET /first HTTP/1.2"), differs=BOTH),
    "HTTP/2.0": Framing(head(start="GET /first HTTP/2.0"), differs=(HAPROXY,)),
    "HTTP/2": Framing(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", behind=()),
    # hosts and targets
    "no Host": Framing(head(host="")),
    "empty Host": Framing(head(host="Host:\r\n")),
    "second Host": Framing(head("Host: y"), differs=(HAPROXY,)),
    "equal second Host": Framing(head("Host: x"), differs=(HAPROXY,)),
    "second Host, HTTP/1.0": Framing(head("Host: y", start="GET /first HTTP/1.0"), differs=(HAPROXY,)),
    "list of hosts": Framing(head(host="Host: x, y\r\n")),
    "Host with a path": Framing(head(host="Host: x/y\r\n")),
    "Host with a port": accepted(head(host="Host: example.org:8080\r\n")),
    "Host between spaces": accepted(head(host="Host:  x  \r\n")),
    "Host of IPv6": accepted(head(host="Host: [::1]:8080\r\n")),
    "absolute target": accepted(head(LENGTH, start="POST http://x/first HTTP/1.1"), SMUGGLED),
    "absolute target, other case and port": accepted(head(LENGTH, start="POST HTTP://X:80/first HTTP/1.1"), SMUGGLED),
    "absolute target of another host": Framing(
        head(LENGTH, start="POST http://y/first HTTP/1.1"), SMUGGLED, differs=(NGINX,)
    ),
    "absolute target of another port": Framing(
        head(LENGTH, start="POST http://x:81/first HTTP/1.1"), SMUGGLED, differs=(NGINX,)
    ),
    "absolute target of a user": Framing(head(LENGTH, start="POST http://x@y/first HTTP/1.1"), SMUGGLED),
    "absolute target without Host": Framing(head(start="GET http://x/first HTTP/1.1", host="")),
    "absolute target, ftp": Framing(head(start="GET ftp://x/first HTTP/1.1"), differs=(NGINX,)),
}
PROXY_REFUSALS = (400, 405, 422, 501, 505)


@pytest.fixture(scope="module")
def _echo_server() -> Iterator[tuple[Echo, int]]:
    application = Echo()
    with serving(application) as port:
        yield application, port


@pytest.fixture
def application(_echo_server: tuple[Echo, int]) -> Echo:
    application, _ = _echo_server
    application.received.clear()
    application.slow_paths = ()
    return application


@pytest.fixture
def edge_port(_echo_server: tuple[Echo, int]) -> int:
    return _echo_server[1]


@pytest.fixture(scope="module")
def proxy_port(
    _echo_server: tuple[Echo, int], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], int]]:
    """Starts a proxy at its first use. Returns its port."""
    ports: dict[str, int] = {}
    with ExitStack() as proxies:

        def port(name: str) -> int:
            if name not in ports:
                folder = tmp_path_factory.mktemp("proxy")
                if name == HAPROXY:
                    ports[name] = proxies.enter_context(haproxy(_echo_server[1], folder))
                else:
                    ports[NGINX], ports[NGINX_STREAMING] = proxies.enter_context(nginx(_echo_server[1], folder))
            return ports[name]

        yield port


def program_of(proxy: str) -> str:
    return proxy.split(maxsplit=1)[0]


def segments_of(framing: Framing, count: int) -> list[bytes]:
    """The request and NEXT: in one segment, or with the body apart from its head."""
    if count == 1:
        return [framing.head + framing.body + NEXT]
    return [framing.head, framing.body + NEXT] if framing.body else [framing.head[:-9], framing.head[-9:] + NEXT]


def final(received: bytes) -> list[Answer]:
    """The answers without 100 Continue."""
    return [answer for answer in answers(received) if answer.status != 100]


def echoes(requests: Sequence[Received]) -> list[Answer]:
    return [Answer(200, echo(*request)) for request in requests]


def requests_of(framing: Framing) -> list[Received]:
    """What the application receives if the request is accepted."""
    method = framing.head.split()[0].decode()
    return [Received(method, "/first", SMUGGLED if SMUGGLED in framing.body else b""), Received("GET", "/next")]


@pytest.mark.parametrize("segments", [1, 2])
@pytest.mark.parametrize("name", FRAMINGS)
def test_a_request_is_read_to_its_end_or_refused(application: Echo, edge_port: int, name: str, segments: int) -> None:
    framing = FRAMINGS[name]
    responses = final(exchange(edge_port, *segments_of(framing, segments)))
    if framing.is_accepted:
        assert application.received == requests_of(framing)
        assert responses == echoes(application.received)
    else:
        assert application.received == []
        assert [answer.status for answer in responses] == [400]


@pytest.mark.parametrize("segments", [1, 2])
@pytest.mark.parametrize(
    ("proxy", "name"),
    [(proxy, name) for proxy in PROXIES for name in FRAMINGS if program_of(proxy) in FRAMINGS[name].behind],
)
def test_a_proxy_and_the_edge_agree_where_a_request_ends(
    application: Echo, proxy_port: Callable[[str], int], proxy: str, name: str, segments: int
) -> None:
    framing = FRAMINGS[name]
    first, *following = final(exchange(proxy_port(proxy), *segments_of(framing, segments)))
    differs = program_of(proxy) in framing.differs
    if first.status == 200:
        assert framing.is_accepted or differs
        assert application.received == requests_of(framing)[: 1 + len(following)]
        assert following or not framing.is_accepted
        assert [first, *following] == echoes(application.received)
    else:
        assert not framing.is_accepted or differs
        assert first.status in PROXY_REFUSALS
        assert application.received == [Received("GET", "/next")][: len(following)]
        assert following == echoes(application.received)


@pytest.mark.parametrize("connection", ["Connection", "Proxy-Connection"])
@pytest.mark.parametrize("proxy", PROXIES)
def test_fifteen_other_clients_get_their_own_answers(
    application: Echo, proxy_port: Callable[[str], int], proxy: str, connection: str
) -> None:
    application.slow_paths = ("/first", "/smuggled")
    port = proxy_port(proxy)
    exchange(port, NEXT)  # the proxy has a connection to the edge now
    application.received.clear()
    body = SMUGGLED * 15
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as attacker:
        attacker.sendall(head(f"Content-Length: {len(body)}", f"{connection}: Upgrade", "Upgrade: foo"))
        time.sleep(PAUSE_S)
        attacker.sendall(body)
        attacker.recv(1)
        for number in range(15):
            sent = head("Connection: close", start=f"GET /client-{number} HTTP/1.1")
            assert answers(exchange(port, sent)) == echoes([Received("GET", f"/client-{number}")])
    assert "/smuggled" not in {request.path for request in application.received}


def test_a_refusal_is_a_problem_that_tells_what_to_send(edge_port: int) -> None:
    received = exchange(edge_port, *segments_of(FRAMINGS["list of hosts"], 2))
    answer_head, _, body = received.partition(b"\r\n\r\n")
    assert b"\r\nconnection: close" in answer_head
    assert b"\r\ncontent-type: application/problem+json\r\n" in answer_head
    problem = checked("Problem", body)
    assert problem["code"] == "invalid_payload"
    assert "Exactly one valid Host header" in problem["detail"]
    assert len(problem["request_id"]) == 32
    assert f"x-request-id: {problem['request_id']}".encode() in answer_head


@pytest.mark.parametrize("name", ["list of hosts", "chunk without its end", "bare LF"])
def test_a_refusal_follows_the_answers_to_earlier_requests(application: Echo, edge_port: int, name: str) -> None:
    application.slow_paths = ("/slow",)
    earlier = b"".join(head(start=f"GET {path} HTTP/1.1") for path in ("/slow", "/second"))
    responses = answers(exchange(edge_port, earlier + segments_of(FRAMINGS[name], 1)[0]))
    assert application.received == [Received("GET", "/slow"), Received("GET", "/second")]
    assert responses[:-1] == echoes(application.received)
    assert responses[-1].status == 400


def test_a_broken_body_after_the_answer_gets_no_second_answer(edge_port: int) -> None:
    sent = head(TE, start="POST /early HTTP/1.1")
    assert answers(exchange(edge_port, sent, b"broken" + NEXT)) == echoes([Received("POST", "/early")])


def test_nothing_is_read_after_a_request_that_closes(application: Echo, edge_port: int) -> None:
    for segments in ([NEXT + SMUGGLED], [NEXT, SMUGGLED]):
        assert answers(exchange(edge_port, *segments)) == echoes([Received("GET", "/next")])
    assert {request.path for request in application.received} == {"/next"}


def test_http_1_0_needs_no_host_and_gets_one_answer(application: Echo, edge_port: int) -> None:
    sent = head(LENGTH, "Connection: keep-alive", "Expect: 100-continue", start="POST /first HTTP/1.0", host="")
    for segments in ([sent + SMUGGLED + NEXT], [sent, SMUGGLED + NEXT]):
        assert answers(exchange(edge_port, *segments)) == echoes([Received("POST", "/first", SMUGGLED)])
    assert {request.path for request in application.received} == {"/first"}


@pytest.mark.parametrize(
    ("lines", "status"),
    [(["Host: y"], 400), ([f"X-{number}: y" for number in range(MAX_HEADERS)], 431)],
    ids=["two hosts", "too many headers"],
)
def test_a_client_that_sends_a_long_body_first_can_read_the_refusal(
    edge_port: int, lines: Sequence[str], status: int
) -> None:
    body = b"x" * 8_000_000
    responses = answers(exchange(edge_port, head(f"Content-Length: {len(body)}", *lines), body))
    assert [answer.status for answer in responses] == [status]


def test_a_refused_client_that_goes_on_sending_is_disconnected(edge_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LINGER_S", 0.05)
    with socket.create_connection(("127.0.0.1", edge_port), timeout=TIMEOUT_S) as client:
        client.sendall(FRAMINGS["list of hosts"].head)
        with pytest.raises(ConnectionError):
            for _ in range(1_000):
                client.sendall(SMUGGLED)
                time.sleep(0.005)
