"""Values of request bodies."""

from collections.abc import Iterable
from typing import Any, Literal

PRINTABLE = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f]*$"


def absent_if_empty(value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
    return None if value in ("", [], {}) else value


def one_of_names(names: Iterable[str]) -> Any:
    return Literal[tuple(names)]
