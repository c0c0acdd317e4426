"""Sales on parcels, and sales nearby to compare with."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, func, select

from land.records.sales import MarketSale, Sale
from land.store.boxes import Box
from land.store.parameters import IN_COMMUNES, WITH_IDS, any_of, of_parcels
from land.store.prepared import Prepared
from land.store.repository import Repository
from land.store.tables import market_sale, sale

SALES = Repository(sale, Sale, ["commune_code", "part"])
MARKET_SALES = Repository(market_sale, MarketSale, ["commune_code", "part"])
MAX_SALES = 2_000
"""Sales that one request reads, the newest first. More of them change no comparison."""

_IN_COMMUNE = SALES.select().where(sale.c.commune_code.in_(IN_COMMUNES))
_ON_PARCELS = Prepared(
    _IN_COMMUNE.where(sale.c.id_parcelle.in_(WITH_IDS)).union_all(
        _IN_COMMUNE.where(sale.c.ancien_id_parcelle.in_(WITH_IDS), sale.c.id_parcelle.not_in(WITH_IDS))
    )
)
_market = market_sale.c
_IN_BOX = Prepared(
    MARKET_SALES.select()
    .where(
        _market.commune_code.in_(IN_COMMUNES),
        _market.kind.in_(any_of("kinds")),
        _market.lat.between(bindparam("south"), bindparam("north")),
        _market.lon.between(bindparam("west"), bindparam("east")),
    )
    # Not the bare column: then SQLite reads all sales of the commune by the index on dates, not those in the box.
    .order_by(func.coalesce(_market.date_mutation, "").desc(), _market.commune_code, _market.part, _market.id_mutation)
    .limit(MAX_SALES)
)
_NEWEST = Prepared(select(func.max(_market.date_mutation)).where(_market.commune_code == bindparam("commune")))
"""For one commune: both databases read one row from the end of the index. For several they read the whole index."""


def sales_on(connection: Connection, parcel_ids: Sequence[str]) -> list[Sale]:
    """Sales on these parcels, under their present or their former id, newest first."""
    found = SALES.read(connection, _ON_PARCELS, of_parcels(parcel_ids))
    found.sort(key=lambda each: (each.id_parcelle, each.id_mutation))
    found.sort(key=lambda each: each.date_mutation or "", reverse=True)
    return found


def sales_in_box(connection: Connection, communes: Sequence[str], kinds: Sequence[str], box: Box) -> list[MarketSale]:
    """Sales of these kinds in these communes with their point in the box, newest first, at most MAX_SALES."""
    wanted = {"communes": list(communes), "kinds": list(kinds), **box._asdict()}
    return MARKET_SALES.read(connection, _IN_BOX, wanted)


def newest_sale_on(connection: Connection, communes: Sequence[str]) -> str | None:
    """The date of the newest comparable sale in these communes; None without one."""
    found = [date for commune in communes for date in _NEWEST.values(connection, {"commune": commune})]
    return max((date for date in found if date is not None), default=None)
