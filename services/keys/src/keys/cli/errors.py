"""How commands report errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from keys.settings import StoreSettings
from keys.values.errors import KeysError, Unavailable
from servicekit.errors import InvalidPayload


@contextmanager
def report_errors() -> Iterator[None]:
    """Ends the process with the error's message."""
    try:
        yield
    except InvalidPayload as error:
        fail("; ".join(f"{wrong.pointer} {wrong.detail}" for wrong in error.violations) or str(error.detail))
    except Unavailable as error:
        fail(
            f"{error.detail} Is {StoreSettings.load().database_url.get_secret_value().rpartition('@')[2]},"
            " from KEYS_DATABASE_URL, reachable, and did `keys migrate` run?"
        )
    except KeysError as error:
        fail(str(error.detail))


def fail(message: str) -> NoReturn:
    raise click.ClickException(message)
