"""The field dictionary: what each member, parameter and value means, in both languages, with its unit and source.

Each file of `texts` is one subject and has all texts about it. A block of a land unit has the file of its name.
Tables are:

    [operation.ID]          an operation, with a short summary; [operation.ID.NAME] is one of its parameters, and
                            [operation.ID.forms] what headers of HTTP select. The operation "*" has the parameters of
                            several operations.
    [body.NAME.MEMBER]      a member of a request body
    [object.NAME]           an object of an answer; [object.NAME.MEMBER] is a member, with its unit and source
    [fact.MEMBER]           a member that only the facts of events have
    [value.GROUP.NAME]      an enum value or a code. A member names the group of its values. A problem also has its
                            status and its sentences, and a warning of land its sentence.

`source` is a dataset of land, `sitadel` for all four of Sitadel's; `computed` by this service; or `service` for what is
about the service itself. The API description and the page /api/docs/dictionary derive from the files.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from contract.enums import BLOCKS
from servicekit.languages import Text

SUBJECTS = (
    "problems", "answers", "addresses", "land_units", "history", *BLOCKS, "parcels", "features", "statistics",
    "divisions", "files", "account", "coverage", "events", "service", "admin_sessions", "admin_keys", "admin_partners",
    "admin_bills", "admin_installation", "admin_usage", "admins", "description",
)  # fmt: skip
"""The files, in the order of their values in the dictionary. A group of values may have a part in each."""


@dataclass(frozen=True, slots=True)
class Entry:
    text: Text
    unit: str | None = None
    source: str | None = None
    values: str | None = None
    """The group of its values."""
    dataset: str | None = None
    """The dataset that a warning is about."""


_NONE = Entry(Text("", ""))


@dataclass(frozen=True, slots=True)
class OperationTexts:
    summary: Text
    description: Text
    forms: Text
    """What headers of a request select; empty if they select nothing. A tool of agents has no headers."""


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
    description: Mapping[tuple[str, str], Text]
    """The titles, tags and headers of the API description and the members of facts, by kind and name."""


@cache
def dictionary() -> Dictionary:
    """All texts, which are read once. Raises ValueError if two files have an entry for the same thing."""
    entries: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for subject in SUBJECTS:
        for path, entry in _entries(read_texts(subject)):
            if path in entries:
                raise ValueError(f"{'.'.join(path)} has two entries")
            entries[path] = entry
    parameters = _members(entries, "body", "operation")
    summaries = {name: parameters.pop((name, "summary")).text for name in _named(entries, "operation")}
    forms = {name: parameters.pop((name, "forms"), _NONE).text for name in summaries}
    return Dictionary(
        objects=_named(entries, "object"),
        fields=_members(entries, "object"),
        operations={
            name: OperationTexts(summaries[name], entry.text, forms[name])
            for name, entry in _named(entries, "operation").items()
        },
        parameters=parameters,
        values=_members(entries, "value"),
        description={
            (kind, name): entry.text
            for kind in ("title", "tag", "header", "fact")
            for name, entry in _named(entries, kind).items()
        },
    )


def read_texts(subject: str) -> Mapping[str, Any]:
    """The tables of a subject."""
    return tomllib.loads(files("contract").joinpath("texts", f"{subject}.toml").read_text(encoding="utf-8"))


def _entries(tables: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields each table that has a text, with its path."""
    if "en" in tables and isinstance(tables["en"], str):
        yield path, {name: value for name, value in tables.items() if isinstance(value, str)}
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from _entries(value, (*path, name))


def _named(entries: Mapping[tuple[str, ...], Any], kind: str) -> dict[str, Entry]:
    return {path[1]: _entry(**entry) for path, entry in entries.items() if path[:-1] == (kind,)}


def _members(entries: Mapping[tuple[str, ...], Any], *kinds: str) -> dict[tuple[str, str], Entry]:
    members = {}
    for path, entry in entries.items():
        match path:
            case (kind, name, member) if kind in kinds:
                members[name, member] = _entry(**entry)
    return members


def _entry(fr: str, en: str, **more: str) -> Entry:
    return Entry(Text(fr, en), **more)
