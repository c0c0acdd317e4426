"""Hooks of schemathesis for test_conformance.py: the requests that it must not judge."""

from typing import Any

import schemathesis


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Refuses bodies with values that count as absent, which the schemas do not say."""
    return not _has_empty_value(case.body)


def _has_empty_value(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    return any(
        value in ("", {}) or (value == [] and name != "include") or _has_empty_value(value)
        for name, value in body.items()
    )
