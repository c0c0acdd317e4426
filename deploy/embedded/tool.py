"""Runs one service's command line on the data of `make run`, also while that runs: `python -m embedded.tool land …`."""

import os
import sys

from embedded.installation import BACKENDS, Installation
from embedded.processes import program


def main() -> None:
    service, *arguments = sys.argv[1:] or [""]
    if service not in BACKENDS:
        sys.exit(f"usage: python -m embedded.tool {'|'.join(BACKENDS)} ARGUMENTS…")
    os.umask(0o077)
    installation = Installation.from_environment()
    installation.make_folders()
    os.execve(program(service), [service, *arguments], installation.backend_environment(service))  # noqa: S606


if __name__ == "__main__":
    main()
