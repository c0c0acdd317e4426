"""Makes a private authority and a certificate for each service, with openssl.

    python deploy/certificates.py FOLDER create             what is missing, or has less than a third of its time left
    python deploy/certificates.py FOLDER renew              all certificates, by the newest authority
    python deploy/certificates.py FOLDER next-authority     a new authority, which services trust besides the one before
    python deploy/certificates.py FOLDER retire-authority   services trust only the newest

`FOLDER/<service>/tls` contains what the service reads: tls.crt, tls.key, ca.crt. `FOLDER/authority` contains the keys
of the authorities. Keep it where no service can read it. Running services read changed files within seconds.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from secret_files import replace

SERVICES = ("edge", "land", "keys", "assistant")
DAYS, AUTHORITY_DAYS = 365, 3650
_RENEWED_BEFORE_S = DAYS * 86_400 // 3
SEEN_WITHIN_S = 5.0
_CONFIGURATION = """\
[req]
distinguished_name = subject
prompt = no
[subject]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[service]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:{name}
authorityKeyIdentifier = keyid
"""


class NotReady(Exception):
    """A certificate is still signed by an authority that would be removed."""


def create(root: Path, *, days: int = DAYS) -> None:
    if not _authorities(root):
        next_authority(root)
    for service in SERVICES:
        certificate = root / service / "tls" / "tls.crt"
        if not certificate.exists() or not _is_valid_for(certificate, min(_RENEWED_BEFORE_S, days * 86_400 // 3)):
            _issue(root, service, days)
    _publish(root)


def renew(root: Path, *, days: int = DAYS) -> None:
    _publish(root)
    time.sleep(SEEN_WITHIN_S)  # the newest authority must be trusted before a certificate has its signature
    for service in SERVICES:
        _issue(root, service, days)


def next_authority(root: Path) -> None:
    before = _authorities(root)
    number = int(before[-1].stem) + 1 if before else 1
    folder = root / "authority"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sign(f"land partner authority {number}", folder / f"{number}.crt", folder / f"{number}.key", AUTHORITY_DAYS, None)
    for old in before[:-1]:
        _remove(old)
    _publish(root)


def retire_authority(root: Path) -> None:
    """Raises NotReady."""
    *old, newest = _authorities(root)
    for service in SERVICES:
        certificate = root / service / "tls" / "tls.crt"
        if _openssl("verify", "-CAfile", str(newest), str(certificate), is_checked=False):
            raise NotReady(f"the certificate of {service} is not signed by the newest authority: renew first")
    for each in old:
        _remove(each)
    _publish(root)


def _authorities(root: Path) -> list[Path]:
    """Their certificates, the oldest first."""
    return sorted((root / "authority").glob("*.crt"), key=lambda each: int(each.stem))


def _remove(authority: Path) -> None:
    authority.with_suffix(".key").unlink(missing_ok=True)
    authority.unlink()


def _publish(root: Path) -> None:
    """Gives all services the certificates of all authorities."""
    trusted = "".join(each.read_text(encoding="ascii") for each in _authorities(root))
    for service in SERVICES:
        file = root / service / "tls" / "ca.crt"
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="ascii") != trusted:
            replace(file, trusted)


def _issue(root: Path, service: str, days: int) -> None:
    folder = root / service / "tls"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _sign(service, folder / "tls.crt", folder / "tls.key", days, _authorities(root)[-1])


def _sign(name: str, certificate: Path, key: Path, days: int, authority: Path | None) -> None:
    """Makes a key and a certificate, signed by the authority or by itself."""
    with tempfile.TemporaryDirectory() as scratch:
        made, made_key, configuration = (Path(scratch) / part for part in ("crt", "key", "cnf"))
        configuration.write_text(_CONFIGURATION.format(name=name), encoding="ascii")
        signer = [] if authority is None else ["-CA", str(authority), "-CAkey", str(authority.with_suffix(".key"))]
        _openssl(
            "req", "-x509", "-config", str(configuration), "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
            "-noenc", "-keyout", str(made_key), "-out", str(made), "-days", str(days),
            "-extensions", "service" if signer else "authority", *signer,
        )  # fmt: skip
        replace(key, made_key.read_text(encoding="ascii"))
        replace(certificate, made.read_text(encoding="ascii"))


def _is_valid_for(certificate: Path, seconds: int) -> bool:
    return _openssl("x509", "-noout", "-checkend", str(seconds), "-in", str(certificate), is_checked=False) == 0


def _openssl(*arguments: str, is_checked: bool = True) -> int:
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if is_checked and done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")
    return done.returncode


COMMANDS = {
    "create": create,
    "renew": renew,
    "next-authority": next_authority,
    "retire-authority": retire_authority,
}


def main() -> None:
    match sys.argv[1:]:
        case [folder, command] if command in COMMANDS:
            try:
                COMMANDS[command](Path(folder))
            except NotReady as error:
                sys.exit(str(error))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
