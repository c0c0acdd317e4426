"""Sales that can be compared: written with the sales they are from, asked for by kind and place."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, func, select

from land.facts.market_sales import market_sales
from land.partitions import Partition
from land.records.sales import DvfRow, MarketSale
from land.store import bulk
from land.store.boxes import Box
from land.store.tables import market_sale

MAX_SALES = 2_000
"""Of one request, the newest: more than that within sight says no more."""

_column = market_sale.c
_IN_BOX = (
    select(*(_column[name] for name in MarketSale._fields))
    .where(
        _column.commune_code.in_(bindparam("communes", expanding=True)),
        _column.kind.in_(bindparam("kinds", expanding=True)),
        _column.lat.between(bindparam("south"), bindparam("north")),
        _column.lon.between(bindparam("west"), bindparam("east")),
    )
    # Not the bare column: SQLite would read the commune's sales in order of its index, rather than find the place.
    .order_by(func.coalesce(_column.date_mutation, "").desc(), _column.commune_code, _column.part, _column.id_mutation)
    .limit(MAX_SALES)
)
_NEWEST = select(func.max(_column.date_mutation)).where(_column.commune_code == bindparam("commune"))
"""Of one commune, which either database takes from the end of the index; of several they read all of it."""


def replace_market(connection: Connection, unit: Partition, rows: Sequence[DvfRow]) -> None:
    """The sales of one commune and year that can be compared."""
    connection.execute(delete(market_sale).where(_column.commune_code == unit.code, _column.part == unit.part))
    bulk.insert(connection, market_sale, ((s.commune_code, unit.part, *s[1:]) for s in market_sales(rows)))


def sales_in_box(connection: Connection, communes: Sequence[str], kinds: Sequence[str], box: Box) -> list[MarketSale]:
    """Sales of these kinds in these communes whose point lies in the box, newest first, MAX_SALES at most."""
    wanted = {"communes": list(communes), "kinds": list(kinds), **box._asdict()}
    return [MarketSale._make(row) for row in connection.execute(_IN_BOX, wanted)]


def newest_sale_on(connection: Connection, communes: Sequence[str]) -> str | None:
    """The day of the newest sale in these communes; None where there is none that can be compared."""
    found = (connection.scalar(_NEWEST, {"commune": commune}) for commune in communes)
    return max((day for day in found if day is not None), default=None)
