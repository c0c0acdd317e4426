"""Ids of records other than keys."""

import secrets

from keys.issuing.secret import ALPHABET

_LENGTH = 12


def new_record_id() -> str:
    """12 random base62 characters: about 71 bits, so that no two are ever the same."""
    return "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH))
