"""How commands report errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from keys.values.errors import KeysError
from servicekit.errors import InvalidPayload


@contextmanager
def report_errors() -> Iterator[None]:
    """Ends the process with the error's message."""
    try:
        yield
    except InvalidPayload as error:
        fail("; ".join(f"{wrong.pointer} {wrong.detail}" for wrong in error.violations) or str(error.detail))
    except KeysError as error:
        fail(str(error.detail))


def fail(message: str) -> NoReturn:
    raise click.ClickException(message)
