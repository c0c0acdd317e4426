"""Random tokens for sessions, setup, invitations and automation. Each has 256 bits and is shown once. Its SHA-256 is
stored.
"""

import base64
import hashlib
import hmac
import secrets

from contract.key_text import SECRET_BYTES, SECRET_LENGTH, base62
from keys.values.records import RECORD_ID_LENGTH

BEARER_PREFIX = "lpa_"


def new_token() -> str:
    """Returns a token of a session or of setup."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_invitation_token(invitation_id: str) -> str:
    """Begins with the id, by which the invitation is found. So only its digest is compared, in constant time."""
    return invitation_id + secrets.token_urlsafe(SECRET_BYTES)


def invitation_id(token: str) -> str:
    return token[:RECORD_ID_LENGTH]


def new_bearer_token() -> str:
    return BEARER_PREFIX + base62(int.from_bytes(secrets.token_bytes(SECRET_BYTES)), SECRET_LENGTH)


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def csrf_token(session_token: str) -> str:
    """Returns the CSRF token of a session. The session's token cannot be computed from it."""
    derived = hmac.digest(session_token.encode(), b"csrf", "sha256")
    return base64.urlsafe_b64encode(derived).decode().rstrip("=")


def is_same(first: str, second: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(first.encode(), second.encode())
