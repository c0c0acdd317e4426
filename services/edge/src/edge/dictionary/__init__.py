"""The field dictionary: what each member, parameter and value means, in both languages, with its unit and source.

Five files: operations.toml, objects.toml, fields.toml (by object), parameters.toml (by operation or body) and
values.toml (enum values and codes, by group). The API description and the page /api/docs/dictionary derive from them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from servicekit.languages import Language


@dataclass(frozen=True, slots=True)
class Entry:
    fr: str
    en: str
    unit: str | None = None
    source: str | None = None
    """The id of the dataset; `computed` by this service; `service` for what is about the service itself."""
    values: str | None = None
    """The group of its values in values.toml."""

    def text(self, language: Language) -> str:
        return self.fr if language == "fr" else self.en


@dataclass(frozen=True, slots=True)
class OperationTexts:
    summary_in: Mapping[str, str]
    fr: str
    en: str

    def summary(self, language: Language) -> str:
        return self.summary_in[language]

    def text(self, language: Language) -> str:
        return self.fr if language == "fr" else self.en


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(files(__name__).joinpath(name).read_text(encoding="utf-8"))


def _nested(name: str) -> Mapping[tuple[str, str], Entry]:
    return {(outer, inner): Entry(**entry) for outer, group in _read(name).items() for inner, entry in group.items()}


OBJECTS: Mapping[str, Entry] = {name: Entry(**entry) for name, entry in _read("objects.toml").items()}
FIELDS = _nested("fields.toml")
"""By object and member."""
OPERATIONS: Mapping[str, OperationTexts] = {
    name: OperationTexts(entry["summary"], entry["fr"], entry["en"]) for name, entry in _read("operations.toml").items()
}
PARAMETERS = _nested("parameters.toml")
"""By request body and member, or by operation and parameter; `*` for those of several operations."""
VALUES = _nested("values.toml")
"""By group and value."""
