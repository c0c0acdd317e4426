"""Settings of all tests: which run, how Hypothesis searches, what is missing, and that no collected test is garbage."""

import gc
import os
from collections import Counter, defaultdict

import hypothesis
import pytest

from embedded.processes import FIRST_PORT, LAST_PORT

LEFT_OUT = {"docker", "browser", "samples", "programs", "thorough"}
"""The markers of tests that --python-only leaves out."""
NEEDED_BY_FIXTURES = {
    "docker_engine", "postgis_url", "postgres_url", "samples", "sample_data", "browser", "proxy_port", "manifests",
    "promtool", "watched", "small_disk", "pages",
}  # fmt: skip
"""The fixtures of tests that need more than Python."""
EXAMPLES = 12
"""The examples of a property with --python-only."""
CASES = 8
"""The cases of a parametrized test with --python-only: they are spread evenly over all of its cases."""

hypothesis.settings.register_profile("without a clock", deadline=None)
hypothesis.settings.register_profile("a sample", deadline=None, max_examples=EXAMPLES, derandomize=True)

gc.disable()  # nothing of the collection becomes garbage


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Excludes the collected tests from garbage collection, which would search them again and again: a tenth of the
    processor time of tests that compute.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--python-only", action="store_true", help="a sample of the cases that need nothing but Python")
    parser.addoption("--beyond-sample", action="store_true", help="all that --python-only does not run as thoroughly")


def pytest_configure(config: pytest.Config) -> None:
    is_sample = config.getoption("python_only")
    hypothesis.settings.load_profile("a sample" if is_sample else "without a clock")
    if is_sample:
        os.environ["PYTHON_ONLY"] = "1"
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    share = (LAST_PORT - FIRST_PORT) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    first = FIRST_PORT + share * worker
    os.environ["FREE_PORTS"] = f"{first}-{first + share - 1}"  # two workers never choose the same port


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    is_sample, is_beyond = config.getoption("python_only"), config.getoption("beyond_sample")
    if not is_sample and not is_beyond:
        return
    sample = _sample(items)
    kept = [item for item in items if (item in sample if is_sample else item not in sample or _searches_more(item))]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


def _sample(items: list[pytest.Item]) -> set[pytest.Item]:
    """The cases that --python-only runs."""
    cases = defaultdict[object, list[pytest.Item]](list)
    for item in items:
        if not _is_left_out(item):
            cases[item.path, getattr(item, "originalname", item.name)].append(item)
    return {item for of_test in cases.values() for item in of_test[:: -(-len(of_test) // CASES)]}


def _searches_more(item: pytest.Item) -> bool:
    """Whether the test is a property, of which a sample has fewer examples."""
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def _is_left_out(item: pytest.Item) -> bool:
    fixtures = NEEDED_BY_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return bool(fixtures) or any(mark.name in LEFT_OUT for mark in item.iter_markers())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints each reason for which tests were skipped, with their number."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"missing for {count} tests: {reason}")
