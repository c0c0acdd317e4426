"""The whole service, running: once embedded and once in Docker for a session of tests."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import stacks

BROWSER = Path(__file__).parent / "browser"
LONGEST = [Path(__file__).parent / "e2e" / name for name in ("test_compose.py", "test_metering_faults.py")]
"""Files that mostly wait: each keeps one process busy for minutes, so that they begin first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-corpus", action="store_true", help="write the expected answers of the corpus anew")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first. Tests in the browser come last: Playwright's event loop runs in the main
    thread from the first of them to the end of the session, and no asynchronous test can run after it began. Where
    several processes share the files, each takes them in this order, given --no-loadscope-reorder. The browser's
    longest files begin first, so that no process ends alone with one of them.
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
    """Skips, or fails where nothing may be skipped, when no Docker engine with Compose answers."""
    for command in (["docker", "info"], ["docker", "compose", "version"]):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=30)
        except (OSError, subprocess.SubprocessError) as error:
            if os.environ.get("REQUIRE_ALL") == "1":
                raise
            pytest.skip(f"no Docker engine with Compose answers: {error}")
