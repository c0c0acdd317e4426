"""Limits that two services declare are equal."""

from edge.admin.requests import PASSWORD_MAX
from keys.access.passwords import PASSWORD_MAX_BYTES


def test_the_edge_accepts_every_password_that_keys_accepts() -> None:
    assert PASSWORD_MAX == PASSWORD_MAX_BYTES
