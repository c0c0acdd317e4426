"""Runs the edge on uvicorn: uvloop, httptools, no access log of its own, and a bound on a request's head."""

import asyncio
import logging
import signal

import uvicorn
from prometheus_client import start_http_server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from edge.app import create_app
from edge.settings import EdgeSettings

log = logging.getLogger(__name__)

MAX_HEAD_BYTES = 64 * 1024
HEAD_DEADLINE_S = 20.0
"""How long a connection may take to send the head of a request."""
KEEP_ALIVE_S = 75
_HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHead(HttpToolsProtocol):
    """Ends a connection whose request line and headers grow without end, or never come to their end."""

    head_deadline_s = HEAD_DEADLINE_S

    _in_head = False
    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_deadline_s, self.transport.close)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._in_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD_BYTES:
            self.transport.write(_HEAD_TOO_LARGE)
            self.transport.close()


def make_server(settings: EdgeSettings) -> uvicorn.Server:
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=BoundedHead,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # client_address decides whom to believe
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(settings.drain_s),
        ssl_certfile=settings.tls_cert_file,
        ssl_keyfile=settings.tls_key_file,
    )
    return uvicorn.Server(config)


def serve(settings: EdgeSettings) -> None:
    """Serves until SIGTERM or SIGINT, then drains. Ends the process with status 1 where the address is taken."""
    logging.getLogger("uvicorn.error").addFilter(_without_colours)
    if settings.metrics_port is not None:
        start_http_server(settings.metrics_port, settings.host)
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, _noted)  # uvicorn raises the signal again once it has drained: that is a clean end
    make_server(settings).run()


def _without_colours(record: logging.LogRecord) -> bool:
    """uvicorn says everything twice, once for terminals."""
    record.__dict__.pop("color_message", None)
    return True


def _noted(signum: int, _: object) -> None:
    log.debug("drained", extra={"signal": signum})
