"""Answers that are the same for all clients. Their bytes, also the compressed ones, are made once."""

import asyncio
import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Generic, TypeVar

from backports import zstd
from fastapi import Request
from starlette.responses import Response

from edge.middleware.compression import MIN_COMPRESSED_BYTES, chosen_encoding
from servicekit.languages import Language

T = TypeVar("T")

_COMPRESSIBLE = ("text/", "application/javascript", "application/json", "application/vnd.oai", "image/svg+xml")


@dataclass(frozen=True)
class StaticAnswer:
    content: bytes
    encoded: Mapping[str, bytes]
    """The compressed content by encoding, best first."""
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str = "application/json", brotli: bytes | None = None) -> "StaticAnswer":
        """Compresses a content that gets shorter by it. It may have been compressed with brotli before."""
        encoded = {} if brotli is None else {"br": brotli}
        if media_type.startswith(_COMPRESSIBLE) and len(content) > MIN_COMPRESSED_BYTES:
            encoded |= {"zstd": zstd.compress(content), "gzip": gzip.compress(content, mtime=0)}
        return cls(content, encoded, media_type, f'"{sha256(content).hexdigest()[:32]}"')

    def response(self, request: Request, cache_control: str, language: Language | None = None) -> Response:
        """304 if the client has this content. `language` is that of a content that exists in several."""
        headers = {"etag": self.etag, "cache-control": cache_control, "vary": "accept-encoding"}
        if language is not None:
            headers |= {"content-language": language, "vary": "accept-language, accept-encoding"}
        if self.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        content = self.content
        if encoding := chosen_encoding(request.headers.get("accept-encoding"), tuple(self.encoded)):
            content = self.encoded[encoding]
            headers["content-encoding"] = encoding
        return Response(content, headers=headers, media_type=self.media_type)


class MadeOnce(Generic[T]):
    """Calls a function once for the same arguments, in a thread, since it may take a tenth of a second.

    Calls with other arguments wait, so that the first requests of many clients take one thread. An error is raised to
    the caller, and the function is called again.
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self._make = make
        self._made: dict[tuple[object, ...], T] = {}
        self._lock = asyncio.Lock()

    async def __call__(self, *arguments: object) -> T:
        if arguments not in self._made:
            async with self._lock:
                if arguments not in self._made:
                    self._made[arguments] = await asyncio.to_thread(self._make, *arguments)
        return self._made[arguments]
