"""The whole service, running: once embedded and once in Docker for a session of tests."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import stacks

BROWSER = Path(__file__).parent / "browser"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-corpus", action="store_true", help="write the expected answers of the corpus anew")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in the browser come last: Playwright's event loop runs in the main thread from the first of them to the end
    of the session, and no asynchronous test can run after it began. Where several processes share the files, each takes
    them in this order, given --no-loadscope-reorder.
    """
    items.sort(key=lambda item: BROWSER in item.path.parents)


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
