"""Runs a service's command line on the data of `make run`: `python -m embedded.tool land …`.

`make run` may run at the same time. For commands of the edge it must run, since they call the other services.
"""

import os
import sys

from embedded.installation import BACKENDS, Installation
from embedded.processes import program


def main() -> None:
    service, *arguments = sys.argv[1:] or [""]
    if service not in (*BACKENDS, "edge"):
        sys.exit(f"usage: python -m embedded.tool edge|{'|'.join(BACKENDS)} ARGUMENTS…")
    os.umask(0o077)
    installation = Installation.from_environment()
    if not (installation.folder / "keys.sqlite").exists():
        sys.exit(f"no data in {installation.folder}: start `make run`, or name the folder of a run with DATA_DIR=…")
    os.execve(program(service), [service, *arguments], _environment(installation, service))  # noqa: S606


def _environment(installation: Installation, service: str) -> dict[str, str]:
    if service != "edge":
        return installation.backend_environment(service)
    record = installation.read_record()
    if record is None or not record.ports:
        sys.exit(f"nothing runs in {installation.folder}: start it with `make run`")
    return installation.edge_environment(0, record.ports)


if __name__ == "__main__":
    main()
