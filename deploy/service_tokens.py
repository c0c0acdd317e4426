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
"""By service. What each caller may do is stated in the service: `rpc/callers.py`."""
SEEN_WITHIN_S = 5.0
"""Services read changed files every two seconds."""
EARLIER = "service-token"
"""The one token of all services in earlier versions. A caller of such a version sends it until it is replaced."""


def create(root: Path) -> None:
    """Creates missing tokens, and adds missing digests."""
    for service, caller, token_file in _each(root):
        earlier = root / service / EARLIER
        if earlier.exists() and not (root / service / "callers").exists():
            _accept(root, service, caller, earlier.read_text(encoding="ascii").strip())
        _accept(root, service, caller, write_once(token_file, _new))


def rotate(root: Path) -> None:
    """Replaces all tokens. The ones before stay valid until the next rotation, or until `retire`."""
    made = {token_file: _new() for _, _, token_file in _each(root)}
    for service, caller, token_file in _each(root):
        _accept(root, service, caller, made[token_file])
        (root / service / EARLIER).unlink(missing_ok=True)
        (root / caller / EARLIER).unlink(missing_ok=True)
    time.sleep(SEEN_WITHIN_S)
    for token_file, token in made.items():
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
    known = _entries(file)
    if entry in known:
        return
    before = [each for each in known if each.startswith(f"{caller}:")][:1]
    others = [each for each in known if not each.startswith(f"{caller}:")]
    replace(file, "".join(f"{each}\n" for each in [entry, *before, *others]))


def _entries(file: Path) -> list[str]:
    return file.read_text(encoding="ascii").split() if file.exists() else []


def _each(root: Path) -> Iterator[tuple[str, str, Path]]:
    for service, callers in CALLERS.items():
        for caller in callers:
            yield service, caller, root / caller / f"{service}-token"


def _new() -> str:
    """256 bits in hexadecimal."""
    return secrets.token_hex(32)
