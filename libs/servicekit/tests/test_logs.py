"""Lines that others write to standard error, in real processes."""

import json
import os
import subprocess
import sys
import time

import pytest

from servicekit.standard_error import MAX_LINE_BYTES

BEGIN = """
import logging, os, subprocess, sys
from servicekit import logs
from servicekit.settings import Settings
logs.configure_server("service", Settings())
"""
ABSL = "1124 21:29:23.197891   25329 chttp2_transport.cc:1435] Received a GOAWAY"
OLDER_ABSL = "W0000 00:00:1732483763.197891   25329 thread.cc:2] older"


def run(program: str, **variables: str) -> tuple[int, list[str]]:
    """The exit status and the lines of standard error."""
    command = [sys.executable, "-W", "ignore", "-c", BEGIN + program]  # Python 3.12 warns of forks
    ended = subprocess.run(command, env={**os.environ, **variables}, check=False, stderr=subprocess.PIPE, timeout=60)
    return ended.returncode, ended.stderr.decode().splitlines()


def written(lines: list[str]) -> list[tuple[str, str, str]]:
    """The logger, the level and the message of JSON lines."""
    return [(line["logger"], line["level"], line["message"]) for line in map(json.loads, lines)]


def test_lines_of_others_are_log_lines() -> None:
    status, lines = run(f"""
logging.getLogger("own").info("own line")
os.write(2, b"E{ABSL}\\nW{ABSL}\\nI{ABSL}\\n{OLDER_ABSL}\\n")
os.write(2, b"half a line, ")
os.write(2, "and é \\xff\\n".encode("latin-1"))
subprocess.run(["sh", "-c", "echo from a program >&2"])
if os.fork() == 0:
    os.write(2, b"from a fork\\n")
    sys.exit()
os.wait()
os.write(2, b"x" * {3 * MAX_LINE_BYTES} + b"\\n")
os.write(2, b"without an end")
""")
    message = ABSL.split(maxsplit=3)[-1]
    assert (status, written(lines)[0]) == (0, ("own", "INFO", "own line"))
    assert written(lines)[1:] == [
        ("grpc", "ERROR", message),
        ("grpc", "WARNING", message),
        ("grpc", "INFO", message),
        ("grpc", "WARNING", "thread.cc:2] older"),
        ("stderr", "WARNING", "half a line, and \\xe9 \\xff"),
        ("stderr", "WARNING", "from a program"),
        ("stderr", "WARNING", "from a fork"),
        ("stderr", "WARNING", "x" * MAX_LINE_BYTES),
        ("stderr", "WARNING", "without an end"),
    ]
    assert all(json.loads(line)["service"] == "service" for line in lines)


def test_the_last_lines_before_the_end_are_written() -> None:
    status, lines = run("""
for number in range(5000):
    os.write(2, b"%d\\n" % number)
raise ValueError("the reason")
""")
    assert status == 1
    messages = [message for _, _, message in written(lines)]
    assert messages[:5000] == [str(number) for number in range(5000)]
    assert (messages[5000], messages[-1]) == ("Traceback (most recent call last):", "ValueError: the reason")


def test_the_log_level_hides_lines_and_text_logs_stay_as_they_are() -> None:
    program = f'os.write(2, b"I{ABSL}\\nE{ABSL}\\n")'
    assert [level for _, level, _ in written(run(program, LOG_LEVEL="WARNING")[1])] == ["ERROR"]
    assert run(program, LOG_FORMAT="text")[1] == [f"I{ABSL}", f"E{ABSL}"]


def test_a_crash_writes_its_stack() -> None:
    status, lines = run("os.abort()")
    assert status < 0
    assert lines[0] == "Fatal Python error: Aborted"


@pytest.mark.parametrize("line", ['logging.getLogger().error("own %s")', 'os.write(2, b"of others\\n")'])
def test_a_log_that_nobody_reads_stops_nothing(line: str) -> None:
    program = f"{BEGIN}sys.stdin.read()\nfor _ in range(100): {line}\n"
    popen = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    with popen as process:
        assert process.stderr is not None
        process.stderr.close()
        began = time.monotonic()
        process.communicate()
    assert process.returncode in (0, 120)  # 120: Python could not flush its own stream
    assert time.monotonic() - began < 30
