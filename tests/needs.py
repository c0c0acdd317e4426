"""What some tests need beside Python. Where it is missing, they are skipped, or fail if REQUIRE_ALL is 1."""

import os
from pathlib import Path
from typing import NoReturn

import pytest


def more_than_python(what: str) -> None:
    """Fails a test that --python-only should have left out."""
    if os.environ.get("PYTHON_ONLY") == "1":
        pytest.fail(f"This test needs {what}: its marker (conftest.py, LEFT_OUT) is missing")


def missing(reason: str) -> NoReturn:
    """Skips the test, or fails it if REQUIRE_ALL is 1."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def sample_data(name: str = "") -> Path:
    """The folder of real open data that LAND_TEST_DATA names, or a file of it."""
    more_than_python("real open data")
    folder = os.environ.get("LAND_TEST_DATA")
    if not folder:
        missing("real open data (LAND_TEST_DATA)")
    path = Path(folder) / name
    if not path.exists():
        missing(f"{name or path} of the real open data (LAND_TEST_DATA)")
    return path
