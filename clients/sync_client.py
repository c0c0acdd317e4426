"""Writes the synchronous Python client from the asynchronous one, as httpcore does.

`make clients` runs it. With --check, it writes nothing and reports an outdated file.
"""

import re
import subprocess
import sys
from pathlib import Path

from generated_files import update

_PACKAGE = Path(__file__).resolve().parent / "python/src/landpartner_client"
_SOURCE, _WRITTEN = _PACKAGE / "aio.py", _PACKAGE / "client.py"
_REPLACEMENTS = (
    (
        r'"""The client for asyncio\."""',
        '"""The client for programs that wait for each answer.\n\n'
        '`make clients` writes this file from aio.py: do not edit it.\n"""',
    ),
    (r"Tasks of one event loop can share it", "Threads can share it"),
    (r"\basyncio\b", "time"),
    (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync(Client|Generator|Iterator)\b", r"\1"),
    (r"\bAbstractAsyncContextManager\b", "AbstractContextManager"),
    (r"\b(?:async|await) ", ""),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\ba(close|closing|iter_bytes)\b", r"\1"),
)


def main() -> int:
    return update({_WRITTEN: synchronous(_SOURCE.read_text(encoding="utf-8"))}, "make clients")


def synchronous(code: str) -> str:
    for pattern, replacement in _REPLACEMENTS:
        code = re.sub(pattern, replacement, code)
    code = _ruff(code, "check", "--select", "I,UP028", "--fix-only", "--unsafe-fixes", "--quiet")
    return _ruff(code, "format")


def _ruff(code: str, *options: str) -> str:
    command = [str(Path(sys.executable).with_name("ruff")), *options, "--stdin-filename", str(_WRITTEN), "-"]
    return subprocess.run(command, input=code, capture_output=True, check=True, text=True).stdout  # noqa: S603 (ours)


if __name__ == "__main__":
    sys.exit(main())
