"""Programs of the system that some tests need."""

import os
import shutil

import pytest


def required(name: str, package: str) -> str:
    """The path of a program. If it is missing, skips the test, or fails it if REQUIRE_ALL is set."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail(f"{name} is missing: it is part of {package}")
        pytest.skip(f"{name} is not installed")
    return found
