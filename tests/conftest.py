"""The running service, embedded or in Docker."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

import stacks
from needs import missing

BROWSER = Path(__file__).parent / "browser"
LONGEST = [
    Path(__file__).parent / name
    for name in ("e2e/test_compose.py", "e2e/test_metering_faults.py", "faults/test_faults.py")
]
"""Files that mostly wait. Each occupies a test process for minutes, so they start first."""

SHARE_A_SERVICE = {
    f"tests/{name}.py"
    for name in (
        "clients/test_agents",
        "clients/test_gis",
        "clients/test_ogc_conformance",
        "clients/test_served",
        "clients/test_service",
        "clients/test_typescript",
        "contract/test_corpus",
        "contract/test_denials",
        "e2e/test_embedded",
        "load/test_attacks",
    )
}
"""Files that use the fixture `embedded`."""


class Scheduling(LoadFileScheduling):  # type: ignore[misc]
    """Each file runs in one process, and the files that share a service run in the same: its start is expensive.

    Two processes share the browser tests: each starts a browser and a service.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if file.startswith("tests/browser/"):
            return "admin pages" if file.startswith("tests/browser/test_admin_") else "public pages"
        return "embedded" if file in SHARE_A_SERVICE else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-corpus", action="store_true", help="write the expected answers of the corpus anew")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the longest files first and the browser tests last. The other files of this folder mostly wait for
    processes, so they are spread evenly over the files that compute.

    Playwright's event loop runs in the main thread from the first browser test on. No asynchronous test can run after
    that. The longest files of the browser start first, so that no process ends alone with one of them. Several
    processes take the files in this order if pytest runs with --no-loadscope-reorder.
    """
    counts = Counter(item.path for item in items)
    paths = [path for path in counts if path not in LONGEST and BROWSER not in path.parents]
    folder = Path(__file__).parent
    turn = {
        path: number / len(files)
        for files in ([path for path in paths if (folder in path.parents) == is_here] for is_here in (True, False))
        for number, path in enumerate(files)
    }
    items.sort(
        key=lambda item: (
            item.path not in LONGEST,
            BROWSER in item.path.parents,
            turn.get(item.path, -counts[item.path]),
        )
    )


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stacks.Embedded]:
    with stacks.forked(tmp_path_factory.mktemp("embedded"), stacks.PATIENT) as stack:
        yield stack


@pytest.fixture(scope="module")
def compose(docker_engine: None) -> Iterator[stacks.Compose]:
    """Ends with the module: its health checks use a tenth of a processor."""
    with stacks.compose() as stack:
        yield stack


@pytest.fixture(scope="session")
def docker_engine() -> None:
    """Skips if no Docker engine with Compose is available; fails if REQUIRE_ALL is set."""
    for command in (["docker", "info"], ["docker", "compose", "version"]):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        except (OSError, subprocess.SubprocessError):
            missing("a Docker engine with Compose")
