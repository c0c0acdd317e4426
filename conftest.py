"""For all tests: services have one process unless a test sets another number, since CI has few cores and many tests
start services. Hypothesis measures no time.
"""

import gc
import os

import hypothesis
import pytest

for _service in ("EDGE", "LAND", "KEYS", "ASSISTANT"):
    os.environ.setdefault(f"{_service}_PROCESSES", "1")
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
