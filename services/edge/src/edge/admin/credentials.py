"""The credentials of an admin: a session cookie with its CSRF token, or a bearer token.

This module reads them from the request. keys verifies them once before routing, and again in the transaction of each
call.
"""

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import Response

from edge.middleware.client_address import Networks, client_address, is_https
from edge.problems import Problem
from landpartner.keys.v1.admin_pb2 import Caller
from servicekit.languages import Text

CSRF_HEADER = "x-csrf-token"
SECURE_COOKIE = "__Host-landpartner_session"
LOOPBACK_COOKIE = "landpartner_session"
"""Browsers accept neither Secure nor the prefix for plain http to loopback."""

_BEARER = "bearer"
_MAX_CREDENTIAL = 512
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def caller_of(connection: HTTPConnection, trusted: Networks) -> Caller:
    """The credentials of the request. A bearer token takes precedence over a cookie."""
    address = client_address(connection.scope, trusted)
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == _BEARER and token.strip():
        return Caller(bearer_token=_bounded(token.strip()), client_address=address)
    cookie = SECURE_COOKIE if is_https(connection.scope, trusted) else LOOPBACK_COOKIE
    if cookie == LOOPBACK_COOKIE and not _is_loopback(connection):
        cookie = SECURE_COOKIE
    return Caller(
        session_token=_bounded(connection.cookies.get(cookie, "")),
        csrf_token=_bounded(connection.headers.get(CSRF_HEADER, "")),
        client_address=address,
    )


def refuse_cross_origin(connection: HTTPConnection) -> None:
    """Raises Problem if the headers say that another site sent this change."""
    if connection.scope["method"] in _SAFE_METHODS:
        return
    origin = connection.headers.get("origin")
    site = connection.headers.get("sec-fetch-site", "same-origin")
    is_own = origin is None or urlsplit(origin).netloc.lower() == connection.headers.get("host", "").lower()
    if not is_own or site not in ("same-origin", "none"):
        raise Problem("csrf_failed", Text("La requête vient d’un autre site.", "The request comes from another site."))


def set_session_cookie(response: Response, connection: HTTPConnection, trusted: Networks, token: str) -> None:
    is_plain = not is_https(connection.scope, trusted) and _is_loopback(connection)
    response.set_cookie(
        LOOPBACK_COOKIE if is_plain else SECURE_COOKIE,
        token,
        path="/",
        secure=not is_plain,
        httponly=True,
        samesite="strict",
    )


def clear_session_cookie(response: Response) -> None:
    response.delete_cookie(SECURE_COOKIE, path="/", secure=True, httponly=True, samesite="strict")
    response.delete_cookie(LOOPBACK_COOKIE, path="/", httponly=True, samesite="strict")


def _is_loopback(connection: HTTPConnection) -> bool:
    host = urlsplit(f"//{connection.headers.get('host', '')}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _bounded(text: str) -> str:
    return text if len(text) <= _MAX_CREDENTIAL and text.isascii() else ""
