"""Corrections of bills. The bill of a closed month never changes, so the next bill that closes has the correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, insert, select, update

from keys import months, texts
from keys.bills.pricing import Adjustment, cents
from keys.checks import MAX_PRICE, NAME_LENGTH, Fault, out_of_range, refuse, require, text
from keys.checks import month as a_month
from keys.errors import NotFound
from keys.keys import records as key_records
from keys.keys.secret import KeyMode
from keys.metering.rollups import Scope
from keys.plans import price_terms
from keys.records import KeyRecord
from keys.store.change import Change
from keys.store.tables import corrections
from servicekit.languages import Text

_REASON = text(NAME_LENGTH)


@dataclass(frozen=True)
class Correction(Adjustment):
    id: int = 0


def correct(change: Change, key_id: str, month: str, net: Decimal, reason: Text, vat_rate: Decimal | None) -> KeyRecord:
    """Adds the net amount to the next bill of the key; a negative one is a credit. The VAT rate is that of the key's
    terms in the month, unless it is given. Raises NotFound or InvalidPayload.
    """
    record = key_records.find(change.connection, key_id, change.now)
    if record is None:
        raise NotFound(texts.NO_SUCH_KEY)
    _check(change, record, month, net, reason)
    if vat_rate is None:
        dated = price_terms.terms_of(change.connection, [key_id], month).get(key_id)
        if dated is None:
            detail = Text("la clé n’a pas de tarif ce mois-là", "the key has no price terms in this month")
            raise refuse("/vat_rate", Fault("required", detail))
        vat_rate = dated.terms.vat_rate
    elif not 0 <= vat_rate <= 1:
        raise refuse("/vat_rate", out_of_range(0, 1))
    _add(change.connection, Adjustment(key_id, month, 0, net, vat_rate), reason, change.now)
    change.audit(
        "bill.correct",
        key_id,
        {"month": month, "net": str(net), "vat_rate": str(vat_rate), "reason_fr": reason.fr, "reason_en": reason.en},
    )
    return record


def _check(change: Change, record: KeyRecord, month: str, net: Decimal, reason: Text) -> None:
    require(a_month, month, "/month")
    for language, wording in (("fr", reason.fr), ("en", reason.en)):
        if not wording.strip():
            detail = Text("le motif est obligatoire", "a reason is required")
            raise refuse(f"/reason_{language}", Fault("required", detail))
        require(_REASON, wording, f"/reason_{language}")
    if record.mode is not KeyMode.LIVE:
        raise refuse("/key_id", Fault("unknown_value", Text("une clé de test n’a pas de facture", "no live key")))
    if not months.month_of(record.created_at) <= month <= months.month_of(change.now):
        raise refuse("/month", out_of_range(months.month_of(record.created_at), months.month_of(change.now)))
    if not net or net != cents(net) or abs(net) > MAX_PRICE:
        raise refuse("/amount", out_of_range(-MAX_PRICE, MAX_PRICE))


def _add(connection: Connection, adjustment: Adjustment, reason: Text, now: datetime) -> None:
    connection.execute(
        insert(corrections).values(
            key_id=adjustment.key_id,
            month=adjustment.month,
            net=adjustment.net,
            vat_rate=adjustment.vat_rate,
            reason_fr=reason.fr,
            reason_en=reason.en,
            created_at=now,
        )
    )


def unbilled(connection: Connection, scope: Scope) -> list[Correction]:
    """Returns the corrections that no closed month has billed, the oldest first."""
    c = corrections.c
    statement = select(corrections).where(c.billed_month.is_(None), scope.of(c.key_id)).order_by(c.id)
    return [
        Correction(
            row["key_id"],
            row["month"],
            0,
            Decimal(row["net"]),
            Decimal(row["vat_rate"]),
            Text(row["reason_fr"], row["reason_en"]),
            row["id"],
        )
        for row in connection.execute(statement).mappings()
    ]


def mark_billed(connection: Connection, billed: Sequence[Correction], month: str) -> None:
    for correction in billed:
        connection.execute(update(corrections).where(corrections.c.id == correction.id).values(billed_month=month))
