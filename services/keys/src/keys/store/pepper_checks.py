"""Checks that the peppers are those that the database was used with.

With other peppers keys would refuse every API key. The check stops the process at its start.
"""

import hmac

from sqlalchemy import Connection, select

from keys.store.admin_tables import admins
from keys.store.database import insert_new
from keys.store.tables import key_secrets, keys, pepper_checks
from keys.values.errors import WrongPeppers
from keys.values.hashing import Peppers

_PURPOSE = b"pepper check"


def check(connection: Connection, peppers: Peppers) -> None:
    """Raises WrongPeppers if a pepper in use is missing or differs. Stores a digest of each new pepper."""
    missing = sorted(_used(connection) - peppers.versions)
    if missing:
        raise WrongPeppers(
            f"the peppers of version {', '.join(map(str, missing))} are missing, which the database's secrets were "
            "hashed under: restore the peppers from their backup"
        )
    c = pepper_checks.c
    digests = {version: bytes(digest) for version, digest in connection.execute(select(c.version, c.digest))}
    for version in sorted(peppers.versions):
        digest = peppers.derive(version, _PURPOSE)
        if version not in digests:
            insert_new(connection, pepper_checks, {"version": version, "digest": digest})
        elif not hmac.compare_digest(digests[version], digest):
            raise WrongPeppers(
                f"the pepper of version {version} is not the one that this database was used with: restore the peppers "
                "from their backup, or add a new one under another version"
            )


def _used(connection: Connection) -> set[int]:
    """Returns the pepper versions of second factors and of keys that are not revoked."""
    of_keys = select(key_secrets.c.pepper_version).join(keys, keys.c.id == key_secrets.c.key_id)
    of_keys = of_keys.where(keys.c.revoked_at.is_(None)).distinct()
    of_factors = select(admins.c.totp_pepper_version).where(admins.c.totp_pepper_version.is_not(None)).distinct()
    versions = {*connection.execute(of_keys).scalars(), *connection.execute(of_factors).scalars()}
    return {version for version in versions if version is not None}
