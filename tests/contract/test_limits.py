"""Limits that two services state are the same."""

from edge.admin.requests import PASSWORD_MAX
from keys.access.passwords import PASSWORD_MAX_BYTES


def test_the_edge_passes_on_every_password_that_keys_may_have_set() -> None:
    assert PASSWORD_MAX == PASSWORD_MAX_BYTES
