"""Corrections of bills. The bill of a closed month never changes, so the next bill that closes has the correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, insert, select, update

from keys.bills.pricing import Adjustment
from keys.metering.rollups import Scope
from keys.store.tables import corrections
from servicekit.languages import Text


@dataclass(frozen=True)
class Correction(Adjustment):
    id: int = 0


def add(connection: Connection, adjustment: Adjustment, reason: Text, now: datetime) -> None:
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
