"""Response headers: security headers, and HEAD answered as GET without its body."""

from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.middleware.client_address import Networks, is_https

RawHeaders = tuple[tuple[bytes, bytes], ...]

TILE_HOST = "https://data.geopf.fr"
"""IGN's public tiles, the background of the map. The pages load nothing else from other hosts."""


def _content_security_policy(*tile_hosts: str) -> bytes:
    tile_sources = "".join(f" {host}" for host in tile_hosts)
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' data: blob:{tile_sources}",
            "font-src 'self'",
            f"connect-src 'self'{tile_sources}",
            "worker-src 'self'",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ).encode()


_ALWAYS: RawHeaders = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_POLICY: RawHeaders = ((b"content-security-policy", _content_security_policy()),)
_POLICY_WITH_TILES: RawHeaders = ((b"content-security-policy", _content_security_policy(TILE_HOST)),)
_WITH_TILES = ("/terrain", "/playground")
_NO_INDEX: RawHeaders = ((b"x-robots-tag", b"noindex"),)
_HSTS: RawHeaders = ((b"strict-transport-security", b"max-age=31536000"),)
"""Sent over TLS only (RFC 6797 §7.2)."""
_API_PREFIX = "/api/v1/"
_INDEXABLE_API = ("/api/v1/openapi", "/api/v1/health", "/api/v1/status", "/api/v1/docs")


@dataclass(frozen=True)
class SecurityHeaders:
    """Adds security headers, and noindex: the licence of the sales data forbids indexing by search engines."""

    app: ASGIApp
    trusted_proxies: Networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        added = _ALWAYS + (_POLICY_WITH_TILES if path in _WITH_TILES else _POLICY)
        if not path.startswith(_INDEXABLE_API):
            added += _NO_INDEX
        if is_https(scope, self.trusted_proxies):
            added += _HSTS
        is_api = path.startswith(_API_PREFIX)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = [*message.get("headers", ())]
                if is_api and all(key.lower() != b"cache-control" for key, _ in present):
                    present.append((b"cache-control", b"no-store"))
                message["headers"] = [*present, *added]
            await send(message)

        await self.app(scope, receive, send_with_headers)


IS_HEAD = "edge.is_head"


@dataclass(frozen=True)
class HeadAsGet:
    """Every path that answers GET answers HEAD without a body: with the headers of GET, if that costs nothing."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        as_get = {**scope, "method": "GET", IS_HEAD: True}
        await self.app(as_get, receive, send_without_body)
        scope["route"] = as_get.get("route")  # RequestLogging counts requests by route
