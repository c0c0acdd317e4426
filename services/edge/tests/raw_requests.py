"""Requests as bytes, for tests that leave before an answer or send what no client library would."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from fakes import wait_until


def head(path: str, key: str, *lines: str) -> bytes:
    """The head of a POST with these further header lines."""
    fixed = (f"POST {path} HTTP/1.1", "host: localhost", f"x-api-key: {key}", "content-type: application/json")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


def request(path: str, key: str, body: bytes, *lines: str) -> bytes:
    """A whole POST."""
    return head(path, key, f"content-length: {len(body)}", *lines) + body


async def send_and_leave(port: int, sent: bytes, is_time: Callable[[], bool]) -> None:
    """Sends the bytes and closes the connection once the condition holds."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    await wait_until(is_time)
    writer.close()


def asgi_scope(method: str, target: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """A request as the server hands it to the application: with a decoded path, which is not normalized."""
    raw_path, _, query = target.partition("?")
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": unquote(raw_path), "raw_path": raw_path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip
