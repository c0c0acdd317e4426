"""The mails to send. A mail is written in the transaction of its cause, and deleted once the server has taken it."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from keys.store import buyers, partner_records
from keys.store.admin_tables import admins, invitations
from keys.store.event_tables import key_events, mails
from keys.store.tables import customers, held_bills, issued_bills, keys
from keys.values.clock import PARIS
from keys.values.records import Role, new_record_id

_a, _e, _h, _b = admins.c, key_events.c, held_bills.c, issued_bills.c

log = logging.getLogger(__name__)

BILL = "bill"
"""The event of a month that closes, and the mail about it."""
BACK_OFF_S = (60, 300, 1_800, 7_200, 18_000, 36_000, 36_000, 36_000)
"""Waits after each try. After the last one, the mail is deleted."""


@dataclass(frozen=True)
class Mail:
    """The recipient is empty if there is nobody to write to any more. The facts are those of the templates."""

    id: str
    kind: str
    recipient: str
    facts: Mapping[str, str]


def add(connection: Connection, causes: Sequence[Mapping[str, object]], now: datetime) -> None:
    """Stores a mail for each cause: an `event_id`, an `invitation_id`, or the `admin_id`, `partner_id` and `month` of a
    held bill; the `admin_id` alone is of a test.
    """
    rows = [{"id": new_record_id(), "created_at": now, "next_at": now, "tries": 0, **cause} for cause in causes]
    if rows:
        connection.execute(insert(mails), rows)


def add_of_held_bill(connection: Connection, partner_id: str, month: str, now: datetime) -> None:
    """Stores a mail to each admin who may correct the facts about the buyer."""
    ids = connection.execute(select(_a.id).where(_a.is_active, _a.role.in_((Role.OPERATOR, Role.OWNER)))).scalars()
    add(connection, [{"admin_id": id_, "partner_id": partner_id, "month": month} for id_ in ids], now)


def take(connection: Connection, now: datetime) -> Mail | None:
    """Returns the mail that is due for longest, and sets when it is tried again unless it is removed first. Several
    processes get different ones.
    """
    due = select(mails).where(mails.c.next_at <= now).order_by(mails.c.next_at).limit(1)
    due = due.with_for_update(skip_locked=True)
    while (row := connection.execute(due).first()) and row.tries == len(BACK_OFF_S):
        log.error("a mail could not be sent", extra={"mail": row.id})
        remove(connection, row.id)
    if row is None:
        return None
    next_at = now + timedelta(seconds=BACK_OFF_S[row.tries])
    connection.execute(update(mails).where(mails.c.id == row.id).values(next_at=next_at, tries=row.tries + 1))
    if row.invitation_id:
        return _invitation(connection, row.id, row.invitation_id)
    if row.admin_id and not row.partner_id:
        address = connection.execute(select(_a.email).where(_a.id == row.admin_id, _a.is_active)).scalar()
        return Mail(id=row.id, kind="test", recipient=address or "", facts={})
    if row.admin_id:
        return _held_bill(connection, row.id, row.admin_id, row.partner_id, row.month)
    return _event(connection, row.id, row.event_id)


def waiting(connection: Connection) -> tuple[int, datetime | None]:
    """Returns how many mails no program has sent yet, and when the oldest one was stored."""
    count, since = connection.execute(select(func.count(), func.min(mails.c.created_at))).one()
    return count, since


def remove(connection: Connection, mail_id: str) -> None:
    connection.execute(delete(mails).where(mails.c.id == mail_id))


def _invitation(connection: Connection, mail_id: str, invitation_id: str) -> Mail:
    row = connection.execute(select(invitations).where(invitations.c.id == invitation_id)).first()
    if row is None:
        return Mail(id=mail_id, kind="invitation", recipient="", facts={})
    return Mail(
        id=mail_id,
        kind="invitation",
        recipient=row.email,
        facts={"role": row.role.name.lower(), "date": _date(row.expires_at)},
    )


def _held_bill(connection: Connection, mail_id: str, admin_id: str, partner_id: str, month: str) -> Mail:
    """Returns the mail without a recipient if the bill is not held any more."""
    address = connection.execute(select(_a.email).where(_a.id == admin_id, _a.is_active)).scalar()
    reasons = buyers.reasons(connection, [partner_id], month).get(partner_id)
    if not reasons:
        return Mail(id=mail_id, kind="held_bill", recipient="", facts={})
    partner = partner_records.find_all(connection, [partner_id])[partner_id]
    facts = {"partner": f"{partner.name} ({partner_id})", "month": month}
    texts = {f"reasons_{name}": " ".join(getattr(text, name) for text in reasons) for name in ("fr", "en")}
    return Mail(id=mail_id, kind="held_bill", recipient=address or "", facts=facts | texts)


def _event(connection: Connection, mail_id: str, event_id: int) -> Mail:
    statement = (
        select(key_events, keys.c.label, customers.c.contact_email)
        .outerjoin(keys, keys.c.id == _e.key_id)
        .outerjoin(customers, customers.c.partner_id == _e.partner_id)
        .where(_e.id == event_id)
    )
    row = connection.execute(statement).first()
    if row is None:
        return Mail(id=mail_id, kind="", recipient="", facts={})
    if row.kind == BILL:
        return _bill(connection, mail_id, row)
    facts = {
        "key": f"{row.label} ({row.key_id})",
        "month": row.month or "",
        "threshold": str(row.threshold),
        "amount": str(row.amount),
        "date": _date(row.expires_at) if row.expires_at else "",
    }
    return Mail(id=mail_id, kind=row.kind, recipient=row.contact_email or "", facts=facts)


def _bill(connection: Connection, mail_id: str, event: Row[Any]) -> Mail:
    """Returns the mail with what the numbered bill of the month states. Nobody is written to about nothing, nor while
    the bill is held. Without a seller there are no numbered bills.
    """
    is_held = select(_h.month).where(_h.month == event.month, _h.partner_id == event.partner_id)
    if not event.amount or connection.execute(is_held).first():
        return Mail(id=mail_id, kind=BILL, recipient="", facts={})
    documents = select(_b.id, _b.content).where(_b.partner_id == event.partner_id, _b.corrected_id.is_(None))
    bills = (row for row in connection.execute(documents) if row.content["month"] == event.month)
    kind, facts = BILL, {"month": event.month, "amount": format(event.amount, ".2f")}
    if row := next(bills, None):
        kind, bill = "numbered_bill", row.content
        facts |= {"number": bill["number"], "due_on": bill["due_on"], "amount": bill["gross"]}
        facts |= {"seller": bill["seller"]["legal_name"], "bill_id": row.id}
    facts["amount_fr"] = facts["amount"].replace(".", ",")
    return Mail(id=mail_id, kind=kind, recipient=event.contact_email or "", facts=facts)


def add_of_issued_bill(connection: Connection, partner_id: str, month: str, now: datetime) -> None:
    """Stores the mail about a bill that was held before."""
    ids = select(_e.id).where(_e.kind == BILL, _e.partner_id == partner_id, _e.month == month)
    add(connection, [{"event_id": event_id} for event_id in connection.execute(ids).scalars()], now)


def _date(instant: datetime) -> str:
    """The date in Europe/Paris."""
    return instant.astimezone(PARIS).date().isoformat()
