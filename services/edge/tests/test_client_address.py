"""The client address and the scheme behind proxies, and the language."""

from ipaddress import ip_network
from typing import Any

import pytest

from edge.middleware.client_address import client_address, is_https
from edge.negotiation import negotiate

PROXIES = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def scope(peer: str | None, **headers: str) -> dict[str, Any]:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "scheme": "http", "client": (peer, 1) if peer else None, "headers": raw}


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),  # not from a proxy
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"),  # a client can forge the first one
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("::ffff:10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("fd00::1", "::ffff:198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1:4711", "10.0.0.1"),
    ],
)
def test_the_last_untrusted_address_is_the_client(peer: str, forwarded: str, expected: str) -> None:
    assert client_address(scope(peer, x_forwarded_for=forwarded), PROXIES) == expected


def test_without_trusted_proxies_forwarded_headers_are_ignored() -> None:
    forged = scope("10.0.0.1", x_forwarded_for="198.51.100.1", x_forwarded_proto="https")
    assert client_address(forged, ()) == "10.0.0.1"
    assert not is_https(forged, ())
    assert client_address(scope(None), PROXIES) == ""


def test_forwarded_https_counts_only_from_a_trusted_proxy() -> None:
    assert is_https(scope("10.0.0.1", x_forwarded_proto="https"), PROXIES)
    assert not is_https(scope("10.0.0.1", x_forwarded_proto="http"), PROXIES)
    assert not is_https(scope("203.0.113.5", x_forwarded_proto="https"), PROXIES)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, "fr"),
        ("", "fr"),
        ("en", "en"),
        ("EN-us", "en"),
        ("en;q=0.1, fr;q=0.2", "fr"),
        ("en;q=0", "fr"),
        ("de", "fr"),
        ("en;q=abc", "fr"),
        ("," * 10_000, "fr"),
    ],
)
def test_malformed_language_headers_are_accepted(header: str | None, expected: str) -> None:
    assert negotiate(header) == expected
