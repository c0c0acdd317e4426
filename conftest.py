"""Services have one process unless a test sets another number: many tests start services, and CI has few cores."""

import os

for _service in ("EDGE", "LAND", "KEYS", "ASSISTANT"):
    os.environ.setdefault(f"{_service}_PROCESSES", "1")
