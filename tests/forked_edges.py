"""Processes of the edge that are forks of one that has imported it: its imports cost more than a second."""

import asyncio
import os
import resource
import signal
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import NamedTuple

import command_lines

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([*command_lines.PRELOADED, "edge.cli.serving", "edge.server"])


class EdgeProcess(NamedTuple):
    """A running `edge serve`. It is a child of the server that forks."""

    child: ForkServerProcess

    @property
    def returncode(self) -> int | None:
        """Its status, or the negative number of the signal that ended it. None while it runs."""
        return self.child.exitcode

    def send_signal(self, signum: int) -> None:
        """Does nothing if it has ended."""
        if self.child.exitcode is None and self.child.pid is not None:
            os.kill(self.child.pid, signum)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int | None:
        """Waits until it has ended. Returns its status."""
        await asyncio.to_thread(self.child.join)
        return self.child.exitcode


def start_edge(environment: Mapping[str, str], log_file: Path | None, largest_file_bytes: int | None) -> EdgeProcess:
    child = _CONTEXT.Process(target=_serve, args=(dict(environment), log_file, largest_file_bytes), daemon=True)
    child.start()
    return EdgeProcess(child)


def _serve(environment: Mapping[str, str], log_file: Path | None, largest_file_bytes: int | None) -> None:
    os.environ.clear()
    os.environ.update(environment)
    if log_file is not None:
        with log_file.open("w") as log:
            os.dup2(log.fileno(), 2)
    if largest_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file_bytes, largest_file_bytes))
    from edge.cli import main  # noqa: PLC0415 (only the forked process runs it)

    main(args=["serve"], prog_name="edge")
