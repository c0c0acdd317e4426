"""Reads what others than the log handlers write to standard error: gRPC's core, other libraries in C, tracebacks.

File descriptor 2 becomes a pipe, and a thread reads its lines. Log handlers write to the descriptor that 2 was before.
"""

import atexit
import faulthandler
import fcntl
import logging
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TextIO

MAX_LINE_BYTES = 8_192
"""The rest of a longer line is dropped."""
PIPE_BYTES = 1 << 20
QUIET_S = 1.0
"""How long no line has come when the reader is left: processes that this one started may hold the pipe open."""
_FD = 2
_READ_BYTES = 1 << 16
_ABSL_LINE = re.compile(r"([IWEF])\d{4} \d\d:\d\d:\d+\.\d+ +\d+ (\S+:\d+\] .*)", re.DOTALL)
_ABSL_LEVELS = {"I": logging.INFO, "W": logging.WARNING, "E": logging.ERROR, "F": logging.CRITICAL}


def redirect(format_line: Callable[[logging.LogRecord], str]) -> TextIO:
    """Formats a record of each line in a thread and writes the text. Returns a stream to the earlier descriptor.

    A full pipe drops lines: code in C that waits with the interpreter's lock would stop the thread that empties it.
    A crash of the interpreter writes its stack to the earlier descriptor. Call it once.
    """
    output = open(os.dup(_FD), "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    faulthandler.enable(output)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(AttributeError, OSError):  # not Linux, or no more than the default is allowed
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    os.dup2(writing, _FD)
    os.close(writing)
    reader = _Reader(reading, output.fileno(), format_line)
    reader.start()

    def restore() -> None:
        sys.stderr.flush()
        os.dup2(output.fileno(), _FD)  # closes the pipe, so that the reader ends
        lines = -1
        while reader.is_alive() and lines < reader.lines:
            lines = reader.lines
            reader.join(QUIET_S)

    atexit.register(restore)
    return output


class _Reader(Thread):
    """Writes the text of each line of a pipe to a descriptor."""

    def __init__(self, reading: int, writing: int, format_line: Callable[[logging.LogRecord], str]) -> None:
        super().__init__(name="standard error", daemon=True)
        self.lines = 0
        """That were written."""
        self._reading = reading
        self._writing = writing
        self._format_line = format_line

    def run(self) -> None:
        line = b""
        while read := os.read(self._reading, _READ_BYTES):
            *ends, beginning = read.split(b"\n")
            for end in ends:
                self._write(line + end)
                line = b""
            line = (line + beginning)[:MAX_LINE_BYTES]
        if line:
            self._write(line)

    def _write(self, line: bytes) -> None:
        text = self._format_line(_record(line))
        if text:
            with suppress(OSError):  # nobody reads the log
                os.write(self._writing, f"{text}\n".encode())
        self.lines += 1


def _record(line: bytes) -> logging.LogRecord:
    text = line[:MAX_LINE_BYTES].decode(errors="backslashreplace")
    name, level = "stderr", logging.WARNING
    if absl := _ABSL_LINE.fullmatch(text):
        name, level, text = "grpc", _ABSL_LEVELS[absl[1]], absl[2]
    return logging.LogRecord(name, level, "", 0, text, None, None)
