"""Answers in fewer bytes for those who take them so: zstd or gzip (RFC 9110 §12.5.3, RFC 8878)."""

import asyncio
import gzip
from collections.abc import Callable, Mapping

from backports import zstd
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.weights import weights

WORTH_IT_BYTES = 1024
LARGE_BYTES = 32 * 1024
"""Longer answers are compressed in a thread: it takes milliseconds, and the encoders release the interpreter lock."""
COMPRESSIBLE = ("text/", "application/json", "application/geo+json", "application/problem+json", "image/svg+xml")
_STREAMED = "text/event-stream"
"""Its events are to leave as they come."""

ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda content: zstd.compress(content, 3),
    "gzip": lambda content: gzip.compress(content, 4, mtime=0),
}
"""Best first. The levels give most of the saving in a fraction of the time."""


def chosen_encoding(header: str | None, offered: tuple[str, ...] = tuple(ENCODERS)) -> str | None:
    """The one of those offered that the client prefers, in their order where it does not care; None for none.

    What the client does not name weighs as its `*`; plain content is acceptable to all but wins only where it is given
    the greater weight.
    """
    asked = weights(header or "")
    best, best_weight = None, 0.0
    for encoding in offered:
        weight = asked.get(encoding, asked.get("*", 0.0))
        if weight > best_weight:
            best, best_weight = encoding, weight
    return best if best_weight >= asked.get("identity", 0.0) else None


class Compression:
    """Compresses answers that are whole in one piece and long enough; streams and what is compressed already pass."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        accepted = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-encoding"), "")
        started: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start" and _is_compressible(message):
                started = message
                return
            if started is not None:
                start, started = started, None
                if len(message.get("body", b"")) > LARGE_BYTES:
                    message = await asyncio.to_thread(_compressed, start, message, accepted)
                else:
                    message = _compressed(start, message, accepted)
                await send(start)
            await send(message)

        await self._app(scope, receive, send_compressed)


def _is_compressible(start: Message) -> bool:
    headers = MutableHeaders(raw=start["headers"])
    kind = headers.get("content-type", "")
    return "content-encoding" not in headers and kind.startswith(COMPRESSIBLE) and not kind.startswith(_STREAMED)


def _compressed(start: Message, body: Message, accepted: str) -> Message:
    """The body, smaller where that is worth it, and the headers in `start` that go with it."""
    content = body.get("body", b"")
    if body["type"] != "http.response.body" or body.get("more_body") or len(content) <= WORTH_IT_BYTES:
        return body
    headers = MutableHeaders(raw=start["headers"])
    headers.add_vary_header("accept-encoding")
    encoding = chosen_encoding(accepted)
    if encoding is not None:
        content = ENCODERS[encoding](content)
        headers["content-encoding"] = encoding
        headers["content-length"] = str(len(content))
        if (etag := headers.get("etag", "")).startswith('"'):
            headers["etag"] = f"W/{etag}"  # the same answer, in other bytes
    start["headers"] = headers.raw
    return {**body, "body": content}
