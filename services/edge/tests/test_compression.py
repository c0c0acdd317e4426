"""Compression of answers."""

import gzip
import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from backports import zstd
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from edge.middleware import compression
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


@pytest.mark.parametrize("media_type", ["text/csv", "application/x-ndjson"])
@pytest.mark.parametrize(("accept", "unpack"), [("zstd", zstd.decompress), ("gzip", gzip.decompress)])
async def test_a_file_of_lines_is_compressed_piece_by_piece(media_type: str, accept: str, unpack: Any) -> None:
    pieces = [b"a" * 5_000, b"b" * 40_000, b"c" * 10]

    async def lines() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    answer = await asked(StreamingResponse(lines(), media_type=media_type), accept)
    assert answer.headers["content-encoding"] == accept
    assert answer.headers["vary"].lower() == "accept-encoding"
    content = await raw(answer)
    assert len(content) < 1_000
    assert unpack(content) == b"".join(pieces)
    plain = await asked(StreamingResponse(lines(), media_type=media_type), "identity")
    assert "content-encoding" not in plain.headers
    assert await raw(plain) == b"".join(pieces)


@pytest.mark.parametrize(
    ("encoding", "decompressor"), [("zstd", zstd.ZstdDecompressor()), ("gzip", zlib.decompressobj(31))]
)
def test_each_piece_can_be_read_when_it_arrives(encoding: str, decompressor: Any) -> None:
    piece = compression.Stream(encoding).compress(b"first line\n", is_last=False)
    assert decompressor.decompress(piece) == b"first line\n"
