"""Removes personal data from rows. Bills, counts and the audit log stay, without names, as the law requires."""

import json
import re
from collections.abc import Callable, Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Text, cast, delete, or_, select, update

from keys.store.admin_tables import admin_tokens, admins, invitations
from keys.store.admins import end_sessions
from keys.store.database import among
from keys.store.event_records import owner_of
from keys.store.event_tables import webhooks
from keys.store.lease_states import lock
from keys.store.tables import audit_entries, customers, events, held_bills, idempotent_creations, keys, partners
from keys.values.records import Json
from keys.values.secret import KeyMode

ERASED = "erased"
_PARTNER_MEMBERS = frozenset(
    {
        *("name", "partner", "label", "metadata", "allowed_cidrs"),
        *("legal_name", "contact", "billing_address", "siren", "vat_number"),
    }
)
"""Members of audit entries that may identify a partner or its people."""

_ERASED_KEY = {"label": ERASED, "folded_label": ERASED, "metadata": {}, "allowed_cidrs": []}


def erase_partner(connection: Connection, partner_id: str, now: datetime) -> list[str]:
    """Disables the partner, revokes its keys, and removes names, labels, metadata, networks, request ids, endpoints
    of webhooks and its data as a customer. Returns the ids of the keys.
    """
    key_ids = list(connection.execute(select(keys.c.id).where(keys.c.partner_id == partner_id)).scalars())
    lock(connection, key_ids)
    of_partner = keys.c.partner_id == partner_id
    connection.execute(update(keys).where(of_partner, keys.c.revoked_at.is_(None)).values(revoked_at=now))
    connection.execute(update(keys).where(of_partner).values(_ERASED_KEY))
    connection.execute(delete(idempotent_creations).where(among(connection, idempotent_creations.c.key_id, key_ids)))
    of_keys = among(connection, events.c.key_id, key_ids)  # the partner chooses its request ids
    connection.execute(update(events).where(of_keys, events.c.request_id.is_not(None)).values(request_id=None))
    name = f"{ERASED}-{partner_id}"
    named = {"name": name, "folded_name": name, "is_active": False, "metadata": {}}
    connection.execute(update(partners).where(partners.c.id == partner_id).values(named))
    webhooks.delete_all(connection, [owner_of(partner_id, mode) for mode in KeyMode])
    connection.execute(delete(customers).where(customers.c.partner_id == partner_id))
    h = held_bills.c  # they are never issued, since the buyer is unknown
    for month, content in connection.execute(select(h.month, h.content).where(h.partner_id == partner_id)).all():
        lines = [{**line, "payer": ERASED} for line in content["lines"]]
        is_row = (h.month == month, h.partner_id == partner_id)
        connection.execute(update(held_bills).where(*is_row).values(content={**content, "lines": lines}))
    of_subjects = among(connection, audit_entries.c.subject, [partner_id, *key_ids])
    _rewrite(connection, of_subjects, lambda value: _without(value, _PARTNER_MEMBERS))
    connection.execute(update(audit_entries).where(of_subjects).values(client_address=""))
    return key_ids


def erase_admin(connection: Connection, admin_id: str, email: str) -> None:
    """Disables the admin, ends the sessions, and replaces the email address with a meaningless name everywhere."""
    alias = f"{ERASED}-{admin_id}"
    end_sessions(connection, admin_id)
    emptied = {column.name: None for column in admins.columns if column.nullable}
    values = {**emptied, "email": alias, "password_hash": "", "is_active": False}
    connection.execute(update(admins).where(admins.c.id == admin_id).values(values))
    erase_address(connection, email, admin_id)


def erase_address(connection: Connection, email: str, erased_id: str) -> bool:
    """Replaces the email address with a meaningless name in the audit log, tokens and invitations. An invitation of the
    address ends. Returns whether the address was found.
    """
    alias = f"{ERASED}-{erased_id}"
    e, actor, new_actor = audit_entries.c, f"admin {email}", f"admin {alias}"
    was_invited = connection.execute(delete(invitations).where(invitations.c.email == email)).rowcount > 0
    for column in (admin_tokens.c.created_by, invitations.c.created_by, idempotent_creations.c.actor):
        connection.execute(update(column.table).where(column == actor).values({column: new_actor}))
    by_admin = or_(e.actor == actor, e.subject.in_([erased_id, email]))
    connection.execute(update(audit_entries).where(by_admin).values(client_address=""))
    connection.execute(update(audit_entries).where(e.actor == actor).values(actor=new_actor))
    connection.execute(update(audit_entries).where(e.subject == email).values(subject=alias))
    text = cast(e.changes, Text)
    forms = {email, json.dumps(email)[1:-1]}
    mentions = or_(*(text.contains(form, autoescape=True) for form in sorted(forms)))
    whole = re.compile(rf"(?<![\w.+-]){re.escape(email)}(?![\w-]|\.\w)")  # not the end or start of another address
    return _rewrite(connection, mentions, lambda value: _replaced(value, whole, alias)) or was_invited


def _rewrite(connection: Connection, which: ColumnElement[bool], change: Callable[[Json], Json]) -> bool:
    """Rewrites the stored changes of audit entries. Returns whether any changed."""
    c, is_found = audit_entries.c, False
    for row in connection.execute(select(c.id, c.changes).where(which)).all():
        changed = change(row.changes)
        if changed != row.changes:
            connection.execute(update(audit_entries).where(c.id == row.id).values(changes=changed))
            is_found = True
    return is_found


def _without(value: Json, members: Collection[str]) -> Json:
    """Returns the value with ERASED in place of these members, at any depth."""
    match value:
        case dict():
            remaining = {name: _without(item, members) for name, item in value.items() if _top(name) not in members}
            return remaining | {_top(name): ERASED for name in value if _top(name) in members}
        case list():
            return [_without(item, members) for item in value]
    return value


def _top(name: str) -> str:
    """Returns the first member of a path such as `metadata.mail`."""
    return name.partition(".")[0]


def _replaced(value: Json, old: re.Pattern[str], new: str) -> Json:
    """Returns the value with the new text in place of each match, at any depth."""
    match value:
        case dict():
            return {name: _replaced(item, old, new) for name, item in value.items()}
        case list():
            return [_replaced(item, old, new) for item in value]
        case str():
            return old.sub(new, value)
    return value
