"""The running service, once embedded and once in Docker per test session."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import stacks

BROWSER = Path(__file__).parent / "browser"
LONGEST = [Path(__file__).parent / "e2e" / name for name in ("test_compose.py", "test_metering_faults.py")]
"""Files that mostly wait. Each occupies a test process for minutes, so they start first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-corpus", action="store_true", help="write the expected answers of the corpus anew")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the longest files first and the browser tests last.

    Playwright's event loop runs in the main thread from the first browser test on. No asynchronous test can run after
    that. The longest files of the browser start first, so that no process ends alone with one of them. Several
    processes take the files in this order if pytest runs with --no-loadscope-reorder.
    """
    counts = Counter(item.path for item in items if BROWSER in item.path.parents)
    items.sort(key=lambda item: (item.path not in LONGEST, BROWSER in item.path.parents, -counts[item.path]))


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stacks.Embedded]:
    with stacks.embedded(tmp_path_factory.mktemp("embedded")) as stack:
        yield stack


@pytest.fixture(scope="session")
def compose(docker_engine: None) -> Iterator[stacks.Compose]:
    with stacks.compose() as stack:
        yield stack


@pytest.fixture(scope="session")
def docker_engine() -> None:
    """Skips if no Docker engine with Compose is available; fails if REQUIRE_ALL is set."""
    for command in (["docker", "info"], ["docker", "compose", "version"]):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=30)
        except (OSError, subprocess.SubprocessError) as error:
            if os.environ.get("REQUIRE_ALL") == "1":
                raise
            pytest.skip(f"no Docker engine with Compose answers: {error}")
