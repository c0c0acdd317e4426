"""Names of the subjects of the audit log, instead of ids."""

from typing import NamedTuple

from servicekit.languages import Text

_ERASED = Text("{id} (effacé)", "{id} (erased)")


class Subject(NamedTuple):
    name: Text
    is_erased: bool


def named(name: str) -> Subject:
    return Subject(Text(name, name), is_erased=False)


def quoted(name: str) -> Subject:
    return Subject(Text(f"« {name} »", f"“{name}”"), is_erased=False)


def key(label: str, prefix: str, partner: str) -> Subject:
    return Subject(Text(f"« {label} » ({prefix}) de {partner}", f"“{label}” ({prefix}) of {partner}"), is_erased=False)


def erased(subject_id: str) -> Subject:
    """A record that was erased, or that there is no more."""
    return Subject(_ERASED.format(id=subject_id), is_erased=True)
