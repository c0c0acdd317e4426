"""The callers of a service, known by the digests of their tokens. A service never stores a token of a caller.

Written as `edge:<SHA-256 of the token>`, separated by commas or spaces. A caller may have two tokens while one replaces
the other.
"""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Sequence
from typing import Self

MAX_TOKENS = 2
_ENTRY = re.compile(r"([a-z][a-z0-9-]{0,30}):([0-9a-f]{64})")
_SEPARATORS = re.compile(r"[\s,]+")


class Callers:
    def __init__(self, digests: Sequence[tuple[str, bytes]]) -> None:
        self._digests = tuple(digests)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError, which repeats nothing of the text."""
        entries = [_ENTRY.fullmatch(entry) for entry in _SEPARATORS.split(text.strip())]
        digests = [(entry[1], bytes.fromhex(entry[2])) for entry in entries if entry is not None]
        if len(digests) != len(entries):
            raise ValueError("must be CALLER:SHA-256 of its token in lower-case hexadecimal, separated by commas")
        if max(Counter(caller for caller, _ in digests).values()) > MAX_TOKENS:
            raise ValueError(f"a caller has at most {MAX_TOKENS} tokens")
        if len({digest for _, digest in digests}) != len(digests):
            raise ValueError("a token belongs to one caller, and is listed once")
        return cls(digests)

    def caller_of(self, token: str | bytes) -> str | None:
        """The caller with this token; None if there is none."""
        token_digest = hashlib.sha256(token.encode() if isinstance(token, str) else token).digest()
        return next((caller for caller, digest in self._digests if hmac.compare_digest(digest, token_digest)), None)


def entry(caller: str, token: str) -> str:
    """The entry of a caller's token."""
    return f"{caller}:{hashlib.sha256(token.encode()).hexdigest()}"
