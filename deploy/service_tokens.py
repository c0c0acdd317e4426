"""Tokens between services. A caller has another token for each service that it calls, and the service has its digest.

`<caller>/<service>-token` contains the token. `<service>/callers` contains the digests of the newest token of each
caller and of the one before.
"""

import hashlib
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from secret_files import replace, write_once

CALLERS = {"land": ("edge",), "keys": ("edge",), "assistant": ("edge",)}
"""The callers of each service. Each service states what each caller may do, in `rpc`."""
SEEN_WITHIN_S = 5.0
"""Services read changed files every two seconds."""


def create(root: Path) -> None:
    """Creates missing tokens, and adds missing digests."""
    for service, caller, token_file in _token_files(root):
        _accept(root, service, caller, write_once(token_file, _new))


def rotate(root: Path) -> None:
    """Replaces all tokens. The ones before stay valid until the next rotation, or until `retire`."""
    tokens = {token_file: _new() for _, _, token_file in _token_files(root)}
    for service, caller, token_file in _token_files(root):
        _accept(root, service, caller, tokens[token_file])
    time.sleep(SEEN_WITHIN_S)
    for token_file, token in tokens.items():
        replace(token_file, token + "\n")


def retire(root: Path) -> None:
    """Leaves only the newest token of each caller valid."""
    time.sleep(SEEN_WITHIN_S)  # a rotation may just have ended
    for service in CALLERS:
        file = root / service / "callers"
        newest = {entry.partition(":")[0]: entry for entry in reversed(_entries(file))}
        replace(file, "".join(f"{entry}\n" for entry in newest.values()))


def _accept(root: Path, service: str, caller: str, token: str) -> None:
    """Adds the digest of a token, and keeps the one before."""
    entry = f"{caller}:{hashlib.sha256(token.encode('ascii')).hexdigest()}"
    file = root / service / "callers"
    entries = _entries(file)
    if entry in entries:
        return
    previous = [line for line in entries if line.startswith(f"{caller}:")][:1]
    other_callers = [line for line in entries if not line.startswith(f"{caller}:")]
    replace(file, "".join(f"{line}\n" for line in [entry, *previous, *other_callers]))


def _entries(file: Path) -> list[str]:
    return file.read_text(encoding="ascii").split() if file.exists() else []


def _token_files(root: Path) -> Iterator[tuple[str, str, Path]]:
    for service, callers in CALLERS.items():
        for caller in callers:
            yield service, caller, root / caller / f"{service}-token"


def _new() -> str:
    """Returns 256 random bits in hexadecimal."""
    return secrets.token_hex(32)
