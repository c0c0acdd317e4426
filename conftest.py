"""Settings of all tests: which run, how Hypothesis searches, what is missing, and that no collected test is garbage."""

import gc
from collections import Counter

import hypothesis
import pytest

NEEDS_MORE = {"docker", "browser", "samples", "programs"}
"""The markers of tests that need more than Python."""
NEEDED_BY_FIXTURES = {"docker_engine", "samples", "sample_data", "browser", "proxy_port"}
"""The fixtures of tests that need more than Python."""

hypothesis.settings.register_profile("without a clock", deadline=None)
hypothesis.settings.load_profile("without a clock")

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
    parser.addoption("--python-only", action="store_true", help="leave out the tests that need more than Python")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("python_only"):
        return
    left_out = [item for item in items if _needs_more(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not _needs_more(item)]


def _needs_more(item: pytest.Item) -> bool:
    fixtures = NEEDED_BY_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return bool(fixtures) or any(mark.name in NEEDS_MORE for mark in item.iter_markers())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints each reason for which tests were skipped, with their number."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"missing for {count} tests: {reason}")
