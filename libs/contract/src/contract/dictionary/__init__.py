"""The field dictionary: what each member, parameter and value means, in both languages, with its unit and source.

Five files: operations.toml, objects.toml, fields.toml (by object), parameters.toml (by operation or body) and
values.toml (enum values and codes, by group). The API description and the page /api/docs/dictionary derive from them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from servicekit.languages import Text


@dataclass(frozen=True, slots=True)
class Entry:
    text: Text
    unit: str | None = None
    source: str | None = None
    """The id of the dataset; `computed` by this service; `service` for what is about the service itself."""
    values: str | None = None
    """The group of its values in values.toml."""


@dataclass(frozen=True, slots=True)
class OperationTexts:
    summary: Text
    description: Text


@dataclass(frozen=True, slots=True)
class Dictionary:
    objects: Mapping[str, Entry]
    fields: Mapping[tuple[str, str], Entry]
    """The members of answers, by object and member."""
    operations: Mapping[str, OperationTexts]
    parameters: Mapping[tuple[str, str], Entry]
    """The members of request bodies, and the parameters by operation; `*` stands for several operations."""
    values: Mapping[tuple[str, str], Entry]
    """The values and codes, by group and value."""


@cache
def dictionary() -> Dictionary:
    """Reads the files once. A service that only writes answers never reads them."""
    return Dictionary(
        objects={name: _entry(**entry) for name, entry in _read("objects.toml").items()},
        fields=_nested("fields.toml"),
        operations={
            name: OperationTexts(Text(**entry["summary"]), Text(entry["fr"], entry["en"]))
            for name, entry in _read("operations.toml").items()
        },
        parameters=_nested("parameters.toml"),
        values=_nested("values.toml"),
    )


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(files(__name__).joinpath(name).read_text(encoding="utf-8"))


def _nested(name: str) -> Mapping[tuple[str, str], Entry]:
    return {(outer, inner): _entry(**entry) for outer, group in _read(name).items() for inner, entry in group.items()}


def _entry(fr: str, en: str, **more: str) -> Entry:
    return Entry(Text(fr, en), **more)
