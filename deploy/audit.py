"""Checks the Python and npm locks for known vulnerabilities.

Fails if a package has one, and if a package could not be looked up. pip-audit alone succeeds in the second case.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NPM_FOLDERS = ("services/edge/web", "deploy/openapi", "protos")
TIMEOUT_S = 900


class NotAudited(Exception):
    """Not all packages could be checked. The message gives the reason."""


def audit_python(folder: Path, pip_audit: str) -> list[str]:
    """The known vulnerabilities of the packages in the folder's locks, one per line. Raises NotAudited."""
    options = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
    locks = [part for lock in sorted(folder.glob("*.lock")) for part in ("--requirement", lock.name)]
    report = _report([pip_audit, *options, *locks], folder)
    packages = report.get("dependencies")
    if not packages:
        raise NotAudited("pip-audit reports no package")
    skipped = [package for package in packages if "skip_reason" in package]
    if skipped:
        raise NotAudited(f"{len(skipped)} of {len(packages)} packages: {skipped[0]['skip_reason']}")
    lines = {
        f"{package['name']} {package['version']}: {vulnerability['id']}, "
        f"fixed in {', '.join(vulnerability['fix_versions']) or 'none'}"
        for package in packages
        for vulnerability in package["vulns"]
    }
    return sorted(lines)  # a package can be in several locks


def audit_npm(folder: Path, npm: str) -> list[str]:
    """Returns a line for each vulnerable package in the folder's package-lock.json. Raises NotAudited."""
    report = _report([npm, "audit", "--json"], folder)
    if "vulnerabilities" not in report or "metadata" not in report:
        error = report.get("error")
        summary = error.get("summary") if isinstance(error, dict) else error
        raise NotAudited(str(report.get("message") or summary or "npm reports nothing"))
    return [f"{name}: {package['severity']}" for name, package in sorted(report["vulnerabilities"].items())]


def _report(command: Sequence[str], folder: Path) -> dict[str, Any]:
    """The JSON output of the command. Its exit status does not show whether the audit ran. Raises NotAudited."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotAudited(f"{command[0]}: {error}") from error
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = None
    if not isinstance(report, dict):
        raise NotAudited((done.stderr.strip().splitlines() or ["no report"])[-1])
    return report


def run(audits: Sequence[tuple[str, Callable[[], list[str]]]]) -> int:
    """Runs each audit and prints its findings. Returns the exit status: 1 if an audit failed or found something."""
    is_well = True
    for name, audit in audits:
        try:
            vulnerabilities = audit()
        except NotAudited as error:
            is_well = False
            print(f"{name}: NOT AUDITED: {error}")
            continue
        is_well &= not vulnerabilities
        print(f"{name}: {len(vulnerabilities) or 'no'} known vulnerabilities")
        for line in vulnerabilities:
            print(f"  {line}")
    if not is_well:
        print("The audit failed: see the lines above.", file=sys.stderr)
    return 0 if is_well else 1


def main() -> int:
    pip_audit, npm = sys.argv[1:]
    python = ("requirements/*.lock", lambda: audit_python(ROOT / "requirements", pip_audit))
    pages = [(f"{folder}/package-lock.json", partial(audit_npm, ROOT / folder, npm)) for folder in NPM_FOLDERS]
    return run([python, *pages])


if __name__ == "__main__":
    sys.exit(main())
