"""Compresses answers with zstd or gzip, as the client accepts (RFC 9110 §12.5.3, RFC 8878)."""

import asyncio
import gzip
from collections.abc import Callable, Mapping

from backports import zstd
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.negotiation import quality_values

MIN_COMPRESSED_BYTES = 1024
LARGE_BYTES = 32 * 1024
"""Longer answers are compressed in a thread, since that takes milliseconds. The encoders release the GIL."""
COMPRESSIBLE = (
    "text/", "application/json", "application/geo+json", "application/problem+json",
    "application/vnd.mapbox-vector-tile", "image/svg+xml",
)  # fmt: skip
_STREAMED = "text/event-stream"
"""Events are sent immediately, without compression."""

ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda content: zstd.compress(content, 3),
    "gzip": lambda content: gzip.compress(content, 4, mtime=0),
}
"""Best first. Higher levels take much more time for little gain."""


def chosen_encoding(header: str | None, offered: tuple[str, ...] = tuple(ENCODERS)) -> str | None:
    """The offered encoding that the client prefers; the first one if it prefers none. None for no encoding.

    An encoding that the header does not name has the weight of `*`. Uncompressed content is chosen only if `identity`
    has a greater weight.
    """
    weights = quality_values(header or "")
    best, best_weight = None, 0.0
    for encoding in offered:
        weight = weights.get(encoding, weights.get("*", 0.0))
        if weight > best_weight:
            best, best_weight = encoding, weight
    return best if best_weight >= weights.get("identity", 0.0) else None


class Compression:
    """Compresses long answers that are sent in one piece. Streams and compressed content pass unchanged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and _is_compressible(message):
                started = message
                return
            if started is not None:
                start, started = started, None
                length = len(message.get("body", b""))
                if length > LARGE_BYTES:
                    message = await asyncio.to_thread(_compressed, start, message, scope)
                elif length > MIN_COMPRESSED_BYTES:
                    message = _compressed(start, message, scope)
                await send(start)
            await send(message)

        await self._app(scope, receive, send_compressed)


def _is_compressible(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind = headers.get("content-type", "")
    return "content-encoding" not in headers and kind.startswith(COMPRESSIBLE) and not kind.startswith(_STREAMED)


def _compressed(start: Message, body: Message, scope: Scope) -> Message:
    """Returns the body, compressed if it is complete, and sets the matching headers in `start`."""
    content = body["body"]
    if body["type"] != "http.response.body" or body.get("more_body"):
        return body
    headers = MutableHeaders(raw=start["headers"])
    headers.add_vary_header("accept-encoding")
    encoding = chosen_encoding(Headers(scope=scope).get("accept-encoding"))
    if encoding is not None:
        content = ENCODERS[encoding](content)
        headers["content-encoding"] = encoding
        headers["content-length"] = str(len(content))
        if (etag := headers.get("etag", "")).startswith('"'):
            headers["etag"] = f"W/{etag}"  # the content is the same, the bytes are not
    start["headers"] = headers.raw
    return {**body, "body": content}
