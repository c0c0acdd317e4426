"""Programs of the system that some tests need."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from needs import missing, more_than_python


def required(name: str, package: str) -> str:
    """The path of a program. If it is missing, skips the test, or fails it if REQUIRE_ALL is set."""
    more_than_python(name)
    path = shutil.which(name)
    if path is None:
        missing(f"{name} of {package}")
    return path


def run(
    *command: str,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    timeout_s: float | None = None,
) -> str:
    """Returns what a program prints. Its environment is that of this process, with other `variables`.

    Raises RuntimeError with the program's output and errors if it fails, and subprocess.TimeoutExpired.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.strip()


def run_qgis(home: Path, script: str, *arguments: str) -> str:
    """Returns what a script of tests/clients prints in the system's Python, which has QGIS. Raises RuntimeError."""
    required("/usr/lib/qgis/crssync", "qgis-providers, which python3-qgis needs too")
    variables = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "QT_QPA_PLATFORM": "offscreen"}
    return run("/usr/bin/python3", str(Path(__file__).parent / "clients" / script), *arguments, variables=variables)
