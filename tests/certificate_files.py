"""The certificate files of services, as cert-manager writes them, from an authority of the tests."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

SERVICES = ("edge", "land", "keys", "assistant")
LIFETIME = timedelta(days=90)


def issue(
    folder: Path,
    service: str,
    authority: trustme.CA,
    *,
    trusted: Iterable[trustme.CA] = (),
    expires: datetime | None = None,
) -> None:
    """Writes tls.crt, tls.key and ca.crt of a service. It trusts the issuing authority and those in `trusted`."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate = authority.issue_cert(
        service,
        not_before=datetime.now(UTC) - 2 * LIFETIME,
        not_after=expires or datetime.now(UTC) + LIFETIME,
        key_type=trustme.KeyType.ECDSA,
    )
    certificate.cert_chain_pems[0].write_to_path(folder / "tls.crt")
    certificate.private_key_pem.write_to_path(folder / "tls.key")
    trust(folder, authority, *trusted)


def issue_all(root: Path, authority: trustme.CA, *trusted: trustme.CA) -> None:
    """Writes the files of every service into a folder of its name."""
    for service in SERVICES:
        issue(root / service, service, authority, trusted=trusted)


def trust(folder: Path, *authorities: trustme.CA) -> None:
    (folder / "ca.crt").write_bytes(b"".join(authority.cert_pem.bytes() for authority in authorities))


def settings(root: Path) -> dict[str, str]:
    """The variables with which every service uses the files that `issue_all` wrote."""
    return {f"{'EDGE_UPSTREAM' if name == 'edge' else name.upper()}_TLS_DIR": str(root / name) for name in SERVICES}
