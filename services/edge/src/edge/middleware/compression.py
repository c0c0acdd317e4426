"""Compresses answers with zstd or gzip, as the client accepts (RFC 9110 §12.5.3, RFC 8878)."""

import asyncio
import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from backports import zstd
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge.negotiation import quality_values

MIN_COMPRESSED_BYTES = 1024
LARGE_BYTES = 32 * 1024
"""Longer answers are compressed in a thread, since that takes milliseconds. The encoders release the GIL."""
COMPRESSIBLE = (
    "text/", "application/json", "application/geo+json", "application/problem+json",
    "application/vnd.mapbox-vector-tile", "application/vnd.oai.openapi+json", "image/svg+xml", "application/x-ndjson",
)  # fmt: skip
_STREAMED = "text/event-stream"
"""Events are sent immediately, without compression."""
_ZSTD_LEVEL, _GZIP_LEVEL = 3, 4
"""Higher levels take much more time for little gain."""

ENCODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "zstd": lambda content: zstd.compress(content, _ZSTD_LEVEL),
    "gzip": lambda content: gzip.compress(content, _GZIP_LEVEL, mtime=0),
}
"""Best first."""


class Stream:
    """Compresses a body piece by piece. A client can read each piece when it arrives."""

    def __init__(self, encoding: str) -> None:
        self._compressor = (
            zstd.ZstdCompressor(_ZSTD_LEVEL)
            if encoding == "zstd"
            else zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)
        )

    def compress(self, content: bytes, *, is_last: bool) -> bytes:
        compressor = self._compressor
        if isinstance(compressor, zstd.ZstdCompressor):
            return compressor.compress(content, compressor.FLUSH_FRAME if is_last else compressor.FLUSH_BLOCK)
        return compressor.compress(content) + compressor.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)


def chosen_encoding(header: str | None, offered: tuple[str, ...] = tuple(ENCODERS)) -> str | None:
    """The offered encoding that the client prefers; the first one if it prefers none. None for no encoding.

    An encoding that the header does not name has the weight of `*`. Uncompressed content is chosen only if `identity`
    has a greater weight.
    """
    weights = quality_values(header or "")
    accepted = [(encoding, weight) for encoding in offered if (weight := weights.get(encoding, weights.get("*", 0.0)))]
    best, best_weight = max(accepted, key=itemgetter(1), default=(None, 0.0))
    return best if best_weight >= weights.get("identity", 0.0) else None


@dataclass(frozen=True)
class Compression:
    """Compresses long answers and files of lines. Events and compressed content pass unchanged."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started: Message | None = None
        compress: Callable[..., bytes] | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal started, compress
            if message["type"] == "http.response.start" and _is_compressible(message):
                started = message
                return
            start, started = started, None
            content, is_last = message.get("body", b""), not message.get("more_body", False)
            if start is not None and (not is_last or len(content) > MIN_COMPRESSED_BYTES):
                compress = _compressor(start, scope, is_whole=is_last)
            if compress is not None:
                work = partial(compress, content, is_last=is_last)
                content = await asyncio.to_thread(work) if len(content) > LARGE_BYTES else work()
                message = {**message, "body": content}
            if start is not None:
                if compress is not None and is_last:
                    start["headers"] = [*start["headers"], (b"content-length", str(len(content)).encode())]
                await send(start)
            await send(message)

        await self.app(scope, receive, send_compressed)


def _is_compressible(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind = headers.get("content-type", "")
    return "content-encoding" not in headers and kind.startswith(COMPRESSIBLE) and not kind.startswith(_STREAMED)


def _compressor(start: Message, scope: Scope, *, is_whole: bool) -> Callable[..., bytes] | None:
    """What compresses a body, whole or in pieces; None for no compression. Sets the matching headers in `start`."""
    headers = MutableHeaders(raw=[*start["headers"]])
    start["headers"] = headers.raw
    headers.add_vary_header("accept-encoding")
    encoding = chosen_encoding(Headers(scope=scope).get("accept-encoding"))
    if encoding is None:
        return None
    headers["content-encoding"] = encoding
    if "content-length" in headers:
        del headers["content-length"]
    if (etag := headers.get("etag", "")).startswith('"'):
        headers["etag"] = f"W/{etag}"  # the content is the same, the bytes are not
    return (lambda content, is_last: ENCODERS[encoding](content)) if is_whole else Stream(encoding).compress
