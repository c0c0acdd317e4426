"""Random tokens for sessions, setup and automation. Each has 256 bits, is shown once, and is stored as its SHA-256."""

import base64
import hashlib
import hmac
import secrets

from keys.issuing.secret import SECRET_BYTES, SECRET_LENGTH, base62

BEARER_PREFIX = "lpa_"


def new_session_token() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def new_setup_token() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def new_bearer_token() -> str:
    return BEARER_PREFIX + base62(int.from_bytes(secrets.token_bytes(SECRET_BYTES)), SECRET_LENGTH)


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def csrf_token(session_token: str) -> str:
    """Returns the CSRF token of a session. The session's token cannot be computed from it."""
    derived = hmac.digest(session_token.encode(), b"csrf", "sha256")
    return base64.urlsafe_b64encode(derived).decode().rstrip("=")


def is_same(left: str, right: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())
