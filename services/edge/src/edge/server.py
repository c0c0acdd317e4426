"""Runs the edge on uvicorn: uvloop, httptools, no access log of its own, and a bound on a request's head."""

import logging
import signal

import uvicorn
from prometheus_client import start_http_server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from edge.app import create_app
from edge.settings import EdgeSettings

log = logging.getLogger(__name__)

MAX_HEAD_BYTES = 64 * 1024
KEEP_ALIVE_S = 75
_HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class BoundedHead(HttpToolsProtocol):
    """Ends a connection whose request line and headers grow without end."""

    _in_head = False
    _head_bytes = 0

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

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
    if settings.metrics_port is not None:
        start_http_server(settings.metrics_port, settings.host)
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, _noted)  # uvicorn raises the signal again once it has drained: that is a clean end
    make_server(settings).run()


def _noted(signum: int, _: object) -> None:
    log.debug("drained", extra={"signal": signum})
