"""Runs several commands of one service in one process, since importing its libraries takes most of the time.

As a program (`python -m embedded.commands SERVICE`), it reads the commands from standard input as JSON and writes their
results to standard output as JSON. It stops after the first command that fails.
"""

import contextlib
import importlib
import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass


class CommandFailed(Exception):
    """A command failed. The message has its name and the end of its error output."""


@dataclass(frozen=True)
class Ended:
    """The exit status and the standard output of a command."""

    status: int
    output: str


def run_commands(
    service: str, commands: Sequence[Sequence[str]], environment: Mapping[str, str], *, last_may_fail: bool = False
) -> list[Ended]:
    """Runs the commands in order and returns their results. Raises CommandFailed if one fails."""
    done = subprocess.run(
        [sys.executable, "-m", "embedded.commands", service],
        env=environment,
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    ended = [Ended(**command) for command in json.loads(done.stdout or "[]")]
    succeeded = [command for command in ended if command.status == 0]
    if len(succeeded) < len(commands) - (1 if last_may_fail else 0):
        failed = commands[len(succeeded)]
        last_words = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise CommandFailed(f"`{service} {failed[0]}` failed\n{last_words}")
    return ended


def main() -> None:
    ended: list[Ended] = []
    for arguments in json.loads(sys.stdin.read()):
        ended.append(run(sys.argv[1], arguments))
        if ended[-1].status:
            break
    sys.stdout.write(json.dumps([asdict(command) for command in ended]))


def run(service: str, arguments: Sequence[str]) -> Ended:
    """Runs a command in this process."""
    command_line = importlib.import_module(f"{service}.cli").main
    output = io.StringIO()
    status: object = 0
    with contextlib.redirect_stdout(output):
        try:
            command_line(args=list(arguments), prog_name=service)
        except SystemExit as exit_:
            status = exit_.code or 0
            if isinstance(status, str):
                sys.stderr.write(f"{status}\n")
    return Ended(status if isinstance(status, int) else 1, output.getvalue())


if __name__ == "__main__":
    main()
