"""Runs the edge on uvicorn with uvloop and httptools, limits heads, and refuses malformed requests."""

import asyncio
import logging
import signal
import sys
import time
from types import FrameType

import httptools
import uvicorn
from prometheus_client import start_http_server
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from edge.app import create_app
from edge.framing import HEAD_TOO_LARGE, MALFORMED, Refused, check_head, head_without_upgrade, refusal
from edge.settings import EdgeSettings

log = logging.getLogger(__name__)

MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
LINGER_S = 5.0
"""How long a refused client may send the rest of its request and read the refusal."""
KEEP_ALIVE_S = 75
SWITCH_INTERVAL_S = 0.0005
"""How long the event loop waits for a thread that computes, whenever it needs the interpreter: with Python's 5 ms, p99
was 24 ms beside one, with this 2 ms.
"""
_HEADER_EXTRA_BYTES = len(b": \r\n")
_TOO_LARGE = "431 Request Header Fields Too Large"


class BoundedHttp(HttpToolsProtocol):
    """Closes a connection with a slow head or an unread answer. Refuses large heads and malformed requests.

    HAProxy has these limits too. Here they keep an edge without a proxy alive: uvicorn waits for a head without a limit
    of time or size, and for a client that does not read its answer.
    """

    head_deadline_s = 20.0
    """Timeout for the request line and the headers."""
    write_deadline_s = 60.0
    """Timeout for a client that does not read its answer."""

    _ignores_upgrade = False
    """The parser has a head that offers another protocol, and reads it again without the offer."""
    _in_head = False
    _in_body = False
    _parsed_bytes = 0
    _parsed_headers = 0
    _unparsed_bytes = 0
    _body_bytes = 0
    _refusal: bytes | None = None
    """The last answer of the connection. Nothing is parsed once it is set."""
    _answering: RequestResponseCycle | None = None
    _timers: dict[str, asyncio.TimerHandle]
    """What closes the connection: a deadline for the client to send (`close`), or to read (`write`)."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._timers = {}
        self._close_after(self.head_deadline_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer("close")
        self._stop_timer("write")
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True  # uvicorn marks the last request of the connection only
            self._answering.message_event.set()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if "write" not in self._timers:
            self._timers["write"] = self.loop.call_later(self.write_deadline_s, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_timer("write")
        super().resume_writing()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._parsed_bytes = self._parsed_headers = self._unparsed_bytes = 0
        if "close" not in self._timers:
            self._close_after(self.head_deadline_s)

    def on_url(self, url: bytes) -> None:
        self._count_parsed(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keeps a header. Trailers after a chunked body are counted and dropped, since they are not request headers."""
        self._parsed_headers += 1
        self._count_parsed(len(name) + len(value) + _HEADER_EXTRA_BYTES)
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        version = self.parser.get_http_version()
        check_head(self.parser.get_method(), self.url, version, self.headers)
        self._ignores_upgrade = self.parser.should_upgrade()
        if self._ignores_upgrade:
            return
        if version == "1.0":
            self.expect_100_continue = False  # such a client would take 100 for its answer (RFC 9110 §10.1.1)
        self._in_head = False
        self._stop_timer("close")
        super().on_headers_complete()
        self._in_body = True

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._ignores_upgrade:
            return
        self._in_body = False
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None or self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._body_bytes = 0
        try:
            self._parse(data)
        except httptools.HttpParserError as error:
            refused = error.__context__
            self._refuse(refused.answer if isinstance(refused, Refused) else refusal(MALFORMED))
            return
        if self._in_head:
            # the parser reports a header only when it is complete
            self._unparsed_bytes += len(data) - self._body_bytes
            if self._unparsed_bytes > MAX_HEAD_BYTES:
                self._refuse(refusal(HEAD_TOO_LARGE, _TOO_LARGE))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        was_last = not self.pipeline
        super().on_response_complete()
        if self._refusal is not None and was_last and not self.transport.is_closing():
            self._send_refusal()

    def _parse(self, data: bytes) -> None:
        """Parses all requests in the data. The offer of another protocol is ignored (RFC 9110 §7.8).

        The parser reads no body after an offer, so a new one gets the head without it, and then what follows.
        """
        unparsed = memoryview(data)
        while unparsed:
            try:
                self.parser.feed_data(unparsed)
                return
            except httptools.HttpParserUpgrade as upgrade:
                unparsed = unparsed[upgrade.args[0] :]
                head = head_without_upgrade(self.parser, self.url, self.headers)
                self.parser = httptools.HttpRequestParser(self)
                self.parser.feed_data(head)

    def _count_parsed(self, count: int) -> None:
        self._parsed_bytes += count
        if self._parsed_bytes > MAX_HEAD_BYTES or self._parsed_headers > MAX_HEADERS:
            raise Refused(refusal(HEAD_TOO_LARGE, _TOO_LARGE))

    def _refuse(self, answer: bytes) -> None:
        """Refuses the request that is being parsed, after the answers to earlier ones, and all that follows it."""
        log.warning("a request was refused before it was parsed completely")
        self._refusal = answer
        self._stop_timer("close")
        if self._in_body and self.pipeline:
            self.pipeline.popleft()  # the application has not seen it
        elif self._in_body:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._refusal = b"" if self.cycle.response_started else answer
            self._send_refusal()
        elif self.cycle is None or self.cycle.response_complete:
            self._send_refusal()

    def _send_refusal(self) -> None:
        """Sends the refusal and drops what still arrives. A close would reset the connection, and the client might lose
        the refusal (RFC 9112 §9.6).
        """
        self.transport.write(self._refusal or b"")
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()
        self._close_after(LINGER_S)

    def _close_after(self, seconds: float) -> None:
        self._timers["close"] = self.loop.call_later(seconds, self.transport.close)

    def _stop_timer(self, name: str) -> None:
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()


class _Server(uvicorn.Server):
    """Serves on for `leave_s` after the first SIGTERM, with a /readyz of 503. Then drains."""

    leave_s = 0.0
    _drains_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if sig == signal.SIGTERM and self.leave_s and self._drains_at is None:
            self.should_exit = False
            self._drains_at = time.monotonic() + self.leave_s
            self.config.app.state.is_leaving = True  # type: ignore[union-attr]

    async def on_tick(self, counter: int) -> bool:
        if self._drains_at is not None and time.monotonic() >= self._drains_at:
            self.should_exit = True
        return await super().on_tick(counter)


def make_server(settings: EdgeSettings) -> uvicorn.Server:
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=BoundedHttp,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # client_address decides which proxies are trusted
        server_header=False,
        limit_concurrency=settings.max_connections + 1,  # uvicorn refuses from this number on
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=int(settings.drain_s - settings.leave_s),
        ssl_certfile=settings.tls_cert_file,
        ssl_keyfile=settings.tls_key_file,
    )
    server = _Server(config)
    server.leave_s = settings.leave_s
    return server


def serve(settings: EdgeSettings) -> None:
    """Serves until SIGTERM or SIGINT, then drains. Exits with status 1 if the address is in use."""
    logging.getLogger("uvicorn.error").addFilter(_without_colours)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if settings.metrics_port is not None:
        start_http_server(settings.metrics_port, settings.host)
    server = make_server(settings)
    for signum in (signal.SIGTERM, signal.SIGINT):
        # uvicorn raises the signal again after it has drained; exit normally then
        signal.signal(signum, lambda number, _: log.debug("drained", extra={"signal": number}))
    server.run()


def _without_colours(record: logging.LogRecord) -> bool:
    """Removes uvicorn's copy of the message with terminal colours."""
    record.__dict__.pop("color_message", None)
    return True
