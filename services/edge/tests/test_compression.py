"""Compression of answers."""

import gzip
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from backports import zstd
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from edge.middleware.compression import MIN_COMPRESSED_BYTES, Compression, chosen_encoding

LONG = {"text": "Diviser un terrain. " * 200}
SHORT = {"text": "Diviser un terrain."}


@pytest.mark.parametrize(
    ("header", "encoding"),
    [
        (None, None),
        ("", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("GZIP;Q=1", "gzip"),
        ("zstd;q=0.5, gzip", "gzip"),
        ("gzip;q=0, zstd;q=0", None),
        ("*", "zstd"),
        ("*;q=0.5, zstd;q=0", "gzip"),
        ("br, deflate", None),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip", "gzip"),
        ("gzip;q=nonsense", None),
    ],
)
def test_the_encoding_follows_the_quality_values(header: str | None, encoding: str | None) -> None:
    assert chosen_encoding(header) == encoding


async def asked(response: Response, accept: str = "zstd, gzip") -> httpx.Response:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await response(scope, receive, send)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(Compression(app)), base_url="http://edge") as client:
        return await client.send(client.build_request("GET", "/", headers={"accept-encoding": accept}), stream=True)


async def raw(response: httpx.Response) -> bytes:
    return b"".join([chunk async for chunk in response.aiter_raw()])


@pytest.mark.parametrize(("accept", "unpack"), [("zstd", zstd.decompress), ("gzip", gzip.decompress)])
async def test_a_long_answer_is_compressed_without_loss(accept: str, unpack: Any) -> None:
    response = JSONResponse(LONG, headers={"etag": '"1"', "vary": "accept-language"})
    answer = await asked(response, accept)
    content = await raw(answer)
    assert answer.headers["content-encoding"] == accept
    assert int(answer.headers["content-length"]) == len(content) < 500
    assert unpack(content) == response.body
    assert answer.headers["etag"] == 'W/"1"'
    assert answer.headers["vary"].lower() == "accept-language, accept-encoding"


async def test_an_uncompressed_long_answer_has_vary() -> None:
    answer = await asked(JSONResponse(LONG), "identity")
    assert "content-encoding" not in answer.headers
    assert answer.headers["vary"].lower() == "accept-encoding"


@pytest.mark.parametrize(
    "response",
    [
        JSONResponse(SHORT),
        Response(b"x" * MIN_COMPRESSED_BYTES, media_type="application/json"),
        Response(b"x" * 10_000, media_type="image/png"),
        Response(b"x" * 10_000, media_type="text/css", headers={"content-encoding": "gzip"}),
        Response(status_code=304, headers={"etag": '"1"'}),
    ],
)
async def test_short_or_compressed_answers_are_unchanged(response: Response) -> None:
    answer = await asked(response)
    assert await raw(answer) == response.body
    assert answer.headers.get("content-encoding") in (None, "gzip")
    assert "vary" not in answer.headers


async def test_events_are_not_compressed() -> None:
    async def events() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"event: answer.delta\ndata: " + b"x" * 2_000 + b"\n\n"

    answer = await asked(StreamingResponse(events(), media_type="text/event-stream"))
    assert "content-encoding" not in answer.headers
    assert (await raw(answer)).count(b"event: ") == 3


async def test_a_stream_of_text_is_not_compressed() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"a" * 5_000
        yield b"b" * 5_000

    answer = await asked(StreamingResponse(pieces(), media_type="text/csv"))
    assert await raw(answer) == b"a" * 5_000 + b"b" * 5_000
