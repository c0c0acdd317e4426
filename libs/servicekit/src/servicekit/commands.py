"""Command groups that import the module of a command only when it runs, and programs that run until a signal."""

import gc
import os
import signal
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import click


def lazy_group(commands: Mapping[str, str]) -> type[click.Group]:
    """A class for `click.group(cls=…)`. `commands` gives `package.module.function` by the name of the command.

    A command does not wait for the imports of the others.
    """

    class Commands(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(commands)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in commands:
                return None
            module, _, function = commands[cmd_name].rpartition(".")
            gc.disable()  # imported objects stay: the search for garbage among them takes a tenth of a start
            try:
                command: click.Command = getattr(import_module(module), function)
            finally:
                gc.enable()
            return command

    return Commands


def run_until_signalled(run: Callable[[Callable[[], bool]], None]) -> None:
    """Runs a program, which ends soon after its argument returns True: at SIGTERM or SIGINT.

    The program calls its argument at each pass of its loop. Each call touches the file that the variable ALIVE_FILE
    names, so that a platform can see whether a program without a port still runs.
    """
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    alive_file = os.environ.get("ALIVE_FILE")

    def is_ending() -> bool:
        if alive_file:
            Path(alive_file).touch()
        return ending.is_set()

    run(is_ending)
