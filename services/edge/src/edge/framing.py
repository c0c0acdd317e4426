"""Refuses request heads that a proxy in front may read differently (RFC 9112), so that both see the same requests."""

import re
from collections.abc import Sequence

import httptools
import orjson

from edge.problems import MEDIA_TYPE, Problem, problem_json
from servicekit.context import REQUEST_ID_HEADER, accept_request_id, request_id
from servicekit.languages import Text

_HOST = re.compile(rb"(?:[\w.!~*'()&$+;=%-]+|\[[\dA-Fa-f:.]+\])(?::\d*)?")
"""A comma would be valid too, but a list is how a proxy joins two Host headers."""
_ABSOLUTE_TARGET = re.compile(rb"([A-Za-z][A-Za-z\d+.-]*)://([^/?#]*)")
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}

Headers = Sequence[tuple[bytes, bytes]]


class Refused(Exception):
    """Stops the parser. `answer` is a whole response, which closes the connection."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer


def refusal(text: Text, status: str = "400 Bad Request") -> bytes:
    """A problem in both languages: the header that chooses one may not be read yet. Its log line has the same id."""
    request_id.set(accept_request_id(None))
    problem = Problem("invalid_payload", _bilingual(text))
    body = orjson.dumps(
        {**problem_json(problem, ""), "title": _bilingual(problem.title), "status": int(status[:3])},
    )
    head = f"HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
    head += f"{REQUEST_ID_HEADER}: {request_id.get()}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
    return head.encode() + body


def _bilingual(text: Text) -> str:
    return f"{text.read('fr')} · {text.read('en')}"


HEAD_TOO_LARGE = Text(
    "Les en-têtes de la requête sont trop longs ou trop nombreux.",
    "The headers of the request are too long or too many.",
)
MALFORMED = Text("La requête HTTP est mal formée.", "The HTTP request is malformed.")
_VERSION = Text("La version doit être HTTP/1.1 ou HTTP/1.0.", "The version must be HTTP/1.1 or HTTP/1.0.")
_CONNECT = Text(
    "CONNECT n’est pas disponible : ce serveur n’est pas un proxy.",
    "CONNECT is not available: this server is not a proxy.",
)
_TRANSFER_ENCODING = Text(
    "Transfer-Encoding doit être chunked, une seule fois, en HTTP/1.1.",
    "Transfer-Encoding must be chunked, once, in HTTP/1.1.",
)
_HOST_HEADER = Text("Il faut exactement un en-tête Host valide.", "Exactly one valid Host header is required.")
_TARGET = Text(
    "L’adresse de la requête doit être en http ou https et avoir le même hôte que l’en-tête Host.",
    "The address of the request must be http or https and have the same host as the Host header.",
)


def check_head(method: bytes, target: bytes, version: str, headers: Headers) -> None:
    """Raises Refused unless every proxy reads the same end and the same host from this head.

    `headers` have lower-case names. The parser has refused bad lengths, also one together with Transfer-Encoding.
    It reads no body after CONNECT: the bytes of one would be parsed as the next request.
    HTTP/1.0 needs no Host, since health checks of proxies often have none.
    """
    hosts = [value.strip(b" \t").lower() for name, value in headers if name == b"host"]
    encodings = [value.strip(b" \t").lower() for name, value in headers if name == b"transfer-encoding"]
    if version not in ("1.0", "1.1"):
        raise Refused(refusal(_VERSION))
    if method == b"CONNECT":  # also without a body: what follows is for another host, in any protocol
        raise Refused(refusal(_CONNECT))
    if encodings and (encodings != [b"chunked"] or version == "1.0"):
        raise Refused(refusal(_TRANSFER_ENCODING))
    if len(hosts) > 1 or (not hosts and version == "1.1") or not all(_HOST.fullmatch(host) for host in hosts):
        raise Refused(refusal(_HOST_HEADER))
    if absolute := _ABSOLUTE_TARGET.match(target):
        scheme, authority = absolute[1].lower(), absolute[2].lower()
        port = _DEFAULT_PORTS.get(scheme)
        if port is None or any(host.removesuffix(port) != authority.removesuffix(port) for host in hosts):
            raise Refused(refusal(_TARGET))


def head_without_upgrade(parser: httptools.HttpRequestParser, target: bytes, headers: Headers) -> bytes:
    """The head that the parser has read, without its offers of another protocol. `headers` have lower-case names."""
    start = b"%b %b HTTP/%b\r\n" % (parser.get_method(), target, parser.get_http_version().encode())
    return b"".join((start, *[b"%b: %b\r\n" % header for header in headers if header[0] != b"upgrade"], b"\r\n"))
