"""Settings of all tests: Hypothesis measures no time, and what was collected is no garbage."""

import gc

import hypothesis
import pytest

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
