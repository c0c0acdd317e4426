"""For all tests: services have one process unless a test sets another number, since CI has few cores and many tests
start services. Hypothesis measures no time.
"""

import os

import hypothesis

for _service in ("EDGE", "LAND", "KEYS", "ASSISTANT"):
    os.environ.setdefault(f"{_service}_PROCESSES", "1")
hypothesis.settings.register_profile("without a clock", deadline=None)
hypothesis.settings.load_profile("without a clock")
