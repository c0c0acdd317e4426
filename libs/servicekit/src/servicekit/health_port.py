"""Health over HTTP, for checks that speak neither gRPC nor TLS: one small answer for each connection.

GET /readyz is 200 while the service can work, GET /livez while its event loop runs. Everything else is 404.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

MAX_HEAD_BYTES = 4096
TIMEOUT_S = 2.0
"""For reading the request and for writing the answer."""
MAX_CONNECTIONS = 32
"""A further connection is closed."""
_REASONS = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}


class HealthPort:
    """Listens on a port."""

    def __init__(self, host: str, port: int, is_serving: Callable[[], bool]) -> None:
        self._host, self._port = host, port
        self._is_serving = is_serving
        self._server: asyncio.Server | None = None
        self._open = 0

    async def start(self) -> int:
        """Starts to listen. Returns the port. Raises OSError if the address is in use."""
        self._server = await asyncio.start_server(self._answer, self._host, self._port, limit=MAX_HEAD_BYTES)
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= MAX_CONNECTIONS:
                await self._exchange(reader, writer)
        finally:
            self._open -= 1
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(TIMEOUT_S):
                head = await reader.readuntil(b"\r\n\r\n")
                status = self._status(head.split(b"\r\n", 1)[0].split(b" "))
                writer.write(
                    f"HTTP/1.0 {status} {_REASONS[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )
                await writer.drain()

    def _status(self, request_line: list[bytes]) -> int:
        match request_line:
            case [b"GET", b"/livez", _]:
                return 200
            case [b"GET", b"/readyz", _]:
                return 200 if self._is_serving() else 503
        return 404
