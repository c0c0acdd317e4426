"""Reads the names of what audit entries are about, with one query for each kind of record."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from keys.store.admin_tables import admin_tokens, admins
from keys.store.audit_log import AuditEntry
from keys.store.erasures import ERASED
from keys.store.tables import keys, partners, plans
from keys.values.checks import folded
from keys.values.secret import KeyMode
from servicekit.languages import Text

_KEYS = select(keys.c.id, keys.c.label, keys.c.mode, partners.c.name).join(partners, partners.c.id == keys.c.partner_id)
_KINDS: Mapping[str, tuple[Select[Any], ColumnElement[str], Callable[[Any], Text]]] = {
    "key": (
        _KEYS,
        keys.c.id,
        lambda row: _unless_erased(row.name, row.id, _key(row)),
    ),
    "partner": (
        select(partners.c.id, partners.c.name),
        partners.c.id,
        lambda row: _unless_erased(row.name, row.id, _quoted(row.name)),
    ),
    "plan": (select(plans.c.id, plans.c.name), plans.c.id, lambda row: _quoted(row.name)),
    "admin": (
        select(admins.c.id, admins.c.email),
        admins.c.id,
        lambda row: _unless_erased(row.email, row.id, _same(row.email)),
    ),
    "token": (
        select(admin_tokens.c.id, admin_tokens.c.label),
        admin_tokens.c.id,
        lambda row: _quoted(row.label),
    ),
}
_KIND_OF = {"bill": "partner", "session": "admin", "refused": "admin"}
"""The kind of record of an action's first part, if it has another name."""


def subjects(connection: Connection, entries: Iterable[AuditEntry]) -> dict[int, Text]:
    """Returns the subject of each entry that is about a record, by the entry's id."""
    subject_of: dict[int, Text] = {}
    ids_by_kind: dict[str, dict[int, str]] = {}
    for entry in entries:
        kind = _kind(entry.action)
        if kind == "invitation":  # its record is deleted, so the entry has the address
            address = str(entry.changes.get("email", ""))
            is_erased = not address or address.startswith(f"{ERASED}-")
            subject_of[entry.id] = _erased(entry.subject) if is_erased else _same(address)
        elif kind in _KINDS and entry.subject:
            ids_by_kind.setdefault(kind, {})[entry.id] = entry.subject
    for kind, ids in ids_by_kind.items():
        statement, column, name = _KINDS[kind]
        rows = connection.execute(statement.where(column.in_(set(ids.values()))))
        name_of = {row.id: name(row) for row in rows}
        subject_of |= {entry_id: name_of.get(subject, _erased(subject)) for entry_id, subject in ids.items()}
    return subject_of


def ids_named(connection: Connection, text: str) -> list[str]:
    """Returns the text itself, and the ids of the partners (with their keys), plans, admins and keys that it names
    exactly. The subject of a bill is its partner.
    """
    is_key = any(text.startswith(mode.prefix) for mode in KeyMode)
    ids = [text, text.removeprefix(KeyMode.LIVE.prefix).removeprefix(KeyMode.TEST.prefix)[:8]] if is_key else [text]
    name = folded(text)
    for column, value in ((partners.c.folded_name, name), (plans.c.folded_name, name), (admins.c.email, text.lower())):
        ids += connection.execute(select(column.table.c.id).where(column == value)).scalars()
    return ids + list(connection.execute(select(keys.c.id).where(keys.c.partner_id.in_(ids))).scalars())


def _kind(action: str) -> str:
    first = action.partition(".")[0]
    return _KIND_OF.get(first, first)


def _unless_erased(name: str, record_id: str, subject: Text) -> Text:
    return _erased(record_id) if name.startswith(f"{ERASED}-") else subject


def _erased(subject_id: str) -> Text:
    """A record that was erased, or that there is no more."""
    return Text(f"{subject_id} (effacé)", f"{subject_id} (erased)")


def _key(row: Any) -> Text:
    prefix = f"{KeyMode(row.mode).prefix}{row.id}"
    return Text(f"« {row.label} » ({prefix}) de {row.name}", f"“{row.label}” ({prefix}) of {row.name}")


def _quoted(name: str) -> Text:
    return Text(f"« {name} »", f"“{name}”")


def _same(name: str) -> Text:
    return Text(name, name)
