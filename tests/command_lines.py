"""Runs command lines in forks of a process that has imported them: their imports cost a second of processor time."""

import contextlib
import io
import os
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from subprocess import CalledProcessError
from typing import NamedTuple

from embedded.commands import Ended, run

PRELOADED = ("__main__", "keys.cli.commands", "land.cli.store", "land.cli.importing")
"""What the process imports that is forked."""
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(list(PRELOADED))


class Reply(NamedTuple):
    ended: Ended
    errors: str


def run_command(service: str, arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Returns the output of a service's command line. Raises CalledProcessError, with its messages."""
    reply = reply_of(service, arguments, environment)
    if reply.ended.status:
        error = CalledProcessError(reply.ended.status, [service, *arguments], reply.ended.output, reply.errors)
        error.add_note(reply.errors)
        raise error
    return reply.ended.output


def reply_of(service: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Reply:
    receiver, sender = _CONTEXT.Pipe(duplex=False)
    child = _CONTEXT.Process(target=_run, args=(sender, service, arguments, dict(environment)))
    child.start()
    sender.close()
    with receiver, contextlib.closing(child):
        reply: Reply = receiver.recv()
        child.join()
    return reply


def _run(sender: Connection, service: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        ended = run(service, arguments)
    sender.send(Reply(ended, errors.getvalue()))
