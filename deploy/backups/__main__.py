"""Makes, verifies and restores backups: `python -m backups make|verify|restore [--docker] FOLDER`."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from backups import manifest
from backups.manifest import PEPPERS, SPOOL, BackupError, Manifest, dump_name
from backups.stores import SERVICES, Installation

WITHOUT_LAND = "land is not in this backup: import its files again, or let requests load them"
_SHOWN = 20


def make(installation: Installation, folder: Path, *, with_land: bool) -> None:
    """The spool comes first: an outcome that keys counts meanwhile is in both, and keys counts it once."""
    folder.mkdir(mode=0o700)
    parts = {}
    installation.save_spool(folder / SPOOL)
    parts[SPOOL] = manifest.part(folder / SPOOL)
    for service in SERVICES if with_land else SERVICES[:-1]:
        _print(f"copying {service}")
        path = folder / dump_name(service)
        revision = installation.revision(service)
        installation.dump(service, path)
        if installation.revision(service) != revision:
            raise BackupError(f"the schema of {service} was migrated meanwhile: make another backup")
        parts[path.name] = manifest.part(path, revision, installation.version(service))
    manifest.private_file(folder / PEPPERS, installation.peppers().encode() + b"\n")
    parts[PEPPERS] = manifest.part(folder / PEPPERS)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    Manifest(installation.store, now, parts, notes=[] if with_land else [WITHOUT_LAND]).write(folder)
    verify(folder)
    installation.command("keys", "record-backup")


def verify(folder: Path) -> Manifest:
    backup = manifest.read(folder)
    for note in backup.notes:
        _print(note)
    _print(f"{folder} is complete: {len(backup.parts)} files of {backup.created_at}, {backup.store}")
    return backup


def restore(installation: Installation, folder: Path, *, withdraw: bool, is_confirmed: bool) -> None:
    """Replaces nothing before everything is loaded, migrated and compared."""
    backup = verify(folder)
    if backup.store != installation.store:
        raise BackupError(f"this is a backup of {backup.store}, and the installation uses {installation.store}")
    services = [service for service in SERVICES if dump_name(service) in backup.parts]
    peppers = _united(installation.peppers(), (folder / PEPPERS).read_text(encoding="ascii").strip())
    for service in services:
        _print(f"loading {service} beside the current database")
        installation.stage(service, folder / dump_name(service))
    if not is_confirmed:
        _compare(installation, peppers, withdraw=False)
        if input("Replace the current databases? [yes/no] ") != "yes":
            raise BackupError("nothing was replaced")
    with installation.quiet():
        _compare(installation, peppers, withdraw=withdraw)
        installation.set_peppers(peppers)
        replaced = installation.swap(services)
        installation.add_spool(folder / SPOOL)
    _print(f"restored the state of {backup.created_at}. The replaced databases: {replaced}")


def _compare(installation: Installation, peppers: str, *, withdraw: bool) -> None:
    state = installation.access_state()
    if not state or _is_new(json.loads(state)):
        state = ""
        _print("the current database of keys cannot be read, or is new: nobody knows what changed since the backup.")
        _print("Compare the keys, admins and tokens with your records, and revoke again what was revoked.")
    _report(json.loads(installation.check_keys(state, peppers, withdraw=withdraw)), withdraw=withdraw)


def _is_new(state: dict[str, Any]) -> bool:
    """Whether nobody has used this installation: admins that it does not have were not erased here. `make run` creates
    one key at its first start.
    """
    is_revoked = any(key["is_revoked"] for key in state["keys"].values())
    return not (state["admins"] or state["usage"] or is_revoked or len(state["keys"]) > 1)


def _united(current: str, restored: str) -> str:
    """The peppers of both; that of the backup for a version that both have."""
    entries = [entry for text in (current, restored) for entry in text.split(",") if entry]
    by_version = dict(entry.strip().split(":", 1) for entry in entries)
    return ",".join(f"{version}:{by_version[version]}" for version in sorted(by_version, key=int))


def _report(changes: dict[str, Any], *, withdraw: bool) -> None:
    titles = {
        "revoked_keys": "keys that were revoked since and would work again",
        "disabled_partners": "partners that were disabled since and would be active again",
        "rotated_keys": "keys that were rotated since: their old secret works again, the new one does not",
        "unknown_keys": "keys that were created since and will be unknown",
        "admins": "admins that changed since: old passwords, roles and second factors are valid again",
        "revoked_tokens": "admin tokens that were revoked or deleted since and would work again",
        "lost_usage": "usage that is lost, by key and month",
        "lost_changes": "changes that are lost, by the audit log",
    }
    for name, title in titles.items():
        items = changes.get(name) or []
        if not items:
            continue
        _print(f"{len(items)} {title}:")
        for item in items[:_SHOWN]:
            values = item.values() if isinstance(item, dict) else item if isinstance(item, list) else [item]
            sys.stdout.write(f"    {'  '.join(map(str, values))}\n")
        if len(items) > _SHOWN:
            sys.stdout.write(f"    … and {len(items) - _SHOWN} more\n")
    if changes.get("lost_requests"):
        _print(f"lost in total: {changes['lost_requests']} requests, {changes['lost_units']} units")
    if any(changes.get(name) for name in ("revoked_keys", "disabled_partners", "admins", "revoked_tokens")):
        done = "Withdrawn again" if withdraw else "--withdraw withdraws them again"
        _print(f"{done}: keys and tokens revoked, admins disabled or lowered, changed passwords made useless.")


def _installation(*, is_docker: bool) -> Installation:
    if is_docker:
        from backups.compose import ComposeInstallation  # noqa: PLC0415

        return ComposeInstallation()
    from backups.embedded import EmbeddedInstallation  # noqa: PLC0415
    from embedded.installation import Installation as Embedded  # noqa: PLC0415

    return EmbeddedInstallation(Embedded.from_environment())


def _print(text: str) -> None:
    sys.stdout.write(f"backup: {text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="backups")
    parser.add_argument("command", choices=["make", "verify", "restore"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--docker", action="store_true", help="the installation of Compose, not that of `make run`")
    parser.add_argument("--without-land", action="store_true", help="land can be loaded again from its publishers")
    parser.add_argument("--withdraw", action="store_true", help="withdraw again what was withdrawn since the backup")
    parser.add_argument("--yes", action="store_true", help="do not ask before the databases are replaced")
    options = parser.parse_args()
    try:
        match options.command:
            case "make":
                make(_installation(is_docker=options.docker), options.folder, with_land=not options.without_land)
            case "verify":
                verify(options.folder)
            case "restore":
                installation = _installation(is_docker=options.docker)
                restore(installation, options.folder, withdraw=options.withdraw, is_confirmed=options.yes)
    except (BackupError, OSError) as error:
        sys.stderr.write(f"backup: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
