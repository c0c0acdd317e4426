"""Hooks of schemathesis for test_conformance.py: the requests that it must not send, or must not judge."""

from typing import Any

import schemathesis

ENDS_THE_TEST = {
    ("DELETE", "/api/v1/admin/session"),  # the credential of the test
    ("DELETE", "/api/v1/admin/tokens/{tokenId}"),
    ("PATCH", "/api/v1/admin/access-policy"),  # then only sessions with a second factor may go on
}


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Refuses what ends the test, and bodies with values that count as absent, which the schemas do not say."""
    if (case.method.upper(), case.operation.path) in ENDS_THE_TEST:
        return False
    return not _has_empty_value(case.body)


def _has_empty_value(body: Any) -> bool:
    if not isinstance(body, dict):
        return False
    return any(value in ("", {}, []) or _has_empty_value(value) for name, value in body.items() if name != "include")
