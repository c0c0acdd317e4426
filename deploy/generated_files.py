"""Writes generated files. With --check, reports outdated ones instead."""

import sys
from collections.abc import Mapping
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def update(contents: Mapping[Path, str], command: str) -> int:
    """Returns the status of the program: 1 if files are outdated and only checked. `command` writes them."""
    is_check = sys.argv[1:] == ["--check"]
    outdated = [path for path in contents if not path.exists() or path.read_text(encoding="utf-8") != contents[path]]
    for path in outdated:
        if is_check:
            sys.stderr.write(f"{path.relative_to(_ROOT)} is not current, run `{command}`\n")
        else:
            path.write_text(contents[path], encoding="utf-8")
    return 1 if is_check and outdated else 0
