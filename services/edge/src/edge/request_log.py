"""The line of each request, written as the other log lines are but at a fraction of their cost: it is the one line that
every request waits for.
"""

import logging
import sys
import time
from typing import Any

import orjson

from servicekit.context import request_id
from servicekit.settings import Settings

FIELDS = ("method", "route", "status", "duration_ms")
"""What a line says of a request: nothing of who asked, or what for."""

logger = logging.getLogger("edge.requests")


class RequestLine(logging.Formatter):
    """JSON with the members that servicekit's log lines have."""

    def __init__(self) -> None:
        super().__init__()
        self._second = -1
        self._time = ""

    def format(self, record: logging.LogRecord) -> str:
        if int(record.created) != self._second:
            self._second = int(record.created)
            self._time = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(self._second))
        line: dict[str, Any] = {
            "time": self._time,
            "level": record.levelname,
            "service": "edge",
            "logger": record.name,
            "message": record.msg,
            "request_id": request_id.get() or None,
        }
        for field in FIELDS:
            line[field] = getattr(record, field, None)
        return orjson.dumps(line).decode()


def configure(settings: Settings) -> None:
    """Takes the lines of requests out of the common way, where logs are JSON."""
    if settings.log_format != "json":
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RequestLine())
    logger.handlers[:] = [handler]
    logger.propagate = False


def write(method: str, route: str, status: int, seconds: float) -> None:
    if logger.isEnabledFor(logging.INFO):
        record = logging.LogRecord(logger.name, logging.INFO, "", 0, "request", None, None)
        record.__dict__.update(method=method, route=route, status=status, duration_ms=round(seconds * 1000, 2))
        logger.handle(record)
