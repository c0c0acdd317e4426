"""Runs the samples of code that the pages show, each as a file of its language."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from programs import required
from stacks import REPOSITORY

LANGUAGES = ("curl", "Python", "JavaScript", "PHP")
_ENDINGS = {"curl": "sh", "Python": "py", "JavaScript": "mjs", "PHP": "php"}
_TIMEOUT_S = 60


def run_sample(language: str, code: str, folder: Path, key: str) -> subprocess.CompletedProcess[str]:
    """Runs the code unchanged, with the key in its variable. Skips if PHP is missing; fails if REQUIRE_ALL is set."""
    file = folder / f"sample.{_ENDINGS[language]}"
    file.write_text(code, encoding="utf-8")
    environment = {**os.environ, "LP_KEY": key}
    command = [_interpreter(language), str(file)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False, cwd=folder
    )


@cache
def _interpreter(language: str) -> str:
    match language:
        case "curl":
            return "bash"
        case "Python":
            return sys.executable
        case "JavaScript":
            folder = subprocess.run([REPOSITORY / "deploy" / "node.sh"], capture_output=True, check=True, text=True)
            return f"{folder.stdout.strip()}/node"
    return required("php", "Debian's package php-cli")
