"""Log lines of real processes."""

import json
import os
import subprocess
import sys

BEGIN = """
import logging, os
from servicekit import logs
from servicekit.settings import Settings
logs.configure("service", Settings())
"""


def run(program: str, **variables: str) -> tuple[int, list[str]]:
    """The exit status and the lines of standard error."""
    command = [sys.executable, "-c", BEGIN + program]
    ended = subprocess.run(command, env={**os.environ, **variables}, check=False, stderr=subprocess.PIPE, timeout=60)
    return ended.returncode, ended.stderr.decode().splitlines()


def test_a_line_is_one_object_with_its_service_and_traceback() -> None:
    program = """
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("own").exception("no \u00e9 result")
logging.getLogger("own").debug("hidden")
"""
    status, [line] = run(program)
    written = json.loads(line)
    assert (status, written["service"], written["logger"], written["level"]) == (0, "service", "own", "ERROR")
    assert (written["message"], written["exc_info"][-35:]) == ("no é result", "ZeroDivisionError: division by zero")
    assert run(program, LOG_FORMAT="text")[1][0] == "service   ERROR   no é result"


def test_a_crash_writes_its_stack() -> None:
    status, lines = run("os.abort()")
    assert status < 0
    assert lines[0] == "Fatal Python error: Aborted"
