"""Sales on parcels, and sales nearby to compare with."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, Index, bindparam, func, select, text

from contract.collections import SALE_FACT
from land.datasets.facts import Fact
from land.datasets.parcels.queries import communes_in_boxes, parcel
from land.datasets.partitions import Partition
from land.datasets.sales.records import MarketSale, Sale
from land.store.boxes import Box
from land.store.feature_rows import FeatureRows, at_points
from land.store.prepared import IN_COMMUNES, WITH_IDS, Prepared, any_of, of_parcels
from land.store.repository import Repository
from land.store.tables import table_of

_HAS_FORMER = text("ancien_id_parcelle <> ''")
sale = table_of(
    Sale,
    "sale",
    ["commune_code", "id_parcelle", "part", "id_mutation"],
    Index("sale_mutation", "id_mutation"),
    Index("sale_former_parcel", "commune_code", "ancien_id_parcelle"),
    Index("sale_former_id", "ancien_id_parcelle", sqlite_where=_HAS_FORMER, postgresql_where=_HAS_FORMER),
)
market_sale = table_of(
    MarketSale,
    "market_sale",
    ["commune_code", "part", "id_mutation"],
    Index("market_sale_place", "commune_code", "lat", "lon", "kind"),
    Index("market_sale_date", "commune_code", "date_mutation"),
)
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
_SINCE = (sale.c.commune_code.in_(IN_COMMUNES), sale.c.date_mutation >= bindparam("since"))
_SOLD_SINCE = Prepared(
    select(sale.c.id_parcelle)
    .where(*_SINCE, sale.c.id_parcelle.in_(WITH_IDS))
    .union(select(sale.c.ancien_id_parcelle).where(*_SINCE, sale.c.ancien_id_parcelle.in_(WITH_IDS)))
)
first_sales = Prepared(
    select(sale.c.id_parcelle, func.min(func.coalesce(sale.c.date_mutation, "")))
    .where(sale.c.commune_code.in_(IN_COMMUNES), sale.c.id_parcelle.in_(WITH_IDS))
    .group_by(sale.c.id_parcelle)
).pairs(of_parcels)
"""The parcels, of these, that a sale names by their present id, with the first date; empty if it is unknown."""
_IS_PRESENT = (parcel.c.commune_code == sale.c.commune_code) & (parcel.c.parcel_id == sale.c.id_parcelle)
_FORMER = Prepared(
    select(sale.c.ancien_id_parcelle, parcel.c.parcel_id)
    .select_from(sale.outerjoin(parcel, _IS_PRESENT))
    .where(sale.c.ancien_id_parcelle.in_(WITH_IDS), sale.c.ancien_id_parcelle != "")
    .distinct()
    .order_by(sale.c.ancien_id_parcelle, parcel.c.parcel_id)
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
_OF_COMMUNES = Prepared(MARKET_SALES.select().where(_market.commune_code.in_(IN_COMMUNES)))
_ALL_IN_BOX = Prepared(
    MARKET_SALES.select().where(
        _market.commune_code.in_(IN_COMMUNES),
        _market.lat.between(bindparam("south"), bindparam("north")),
        _market.lon.between(bindparam("west"), bindparam("east")),
    )
)
_NEWEST = Prepared(select(func.max(_market.date_mutation)).where(_market.commune_code == bindparam("commune")))
"""Reads one commune: both databases then read one row from the end of the index; for several, the whole index."""

_FACTS = Prepared(
    select(sale.c.id_parcelle, *(sale.c[name] for name in SALE_FACT)).where(
        sale.c.commune_code == bindparam("of_commune"), sale.c.part == bindparam("of_part")
    )
)


def facts(connection: Connection, _: str, partition: Partition) -> Iterator[Fact]:
    """The sales of a commune in a year."""
    rows = _FACTS.rows(connection, {"of_commune": partition.code, "of_part": partition.part})
    for parcel_id, date, *others in rows:
        yield Fact("sale", date or "", dict(zip(SALE_FACT, (date, *others), strict=True)), parcel_id)


FEATURES = FeatureRows(
    MARKET_SALES.select(),
    (_market.commune_code, _market.part, _market.id_mutation),
    "commune_code",
    at_points(
        lambda connection, box: communes_in_boxes(connection, [box]), _market.commune_code, _market.lon, _market.lat
    ),
    {"commune_code": _market.commune_code.in_},
)


def sales_on(connection: Connection, parcel_ids: Sequence[str]) -> list[Sale]:
    """Sales on these parcels, under their present or their former id, newest first."""
    on_parcels = SALES.read(connection, _ON_PARCELS, of_parcels(parcel_ids))
    on_parcels.sort(key=lambda row: (row.id_parcelle, row.id_mutation))
    on_parcels.sort(key=lambda row: row.date_mutation or "", reverse=True)
    return on_parcels


def sold_since(connection: Connection, parcel_ids: Sequence[str], since: str) -> set[str]:
    """The parcels, of these, that were sold on this date or later, under their present or their former id."""
    return set(_SOLD_SINCE.values(connection, of_parcels(parcel_ids) | {"since": since}))


def sold_under_former_ids(connection: Connection, parcel_ids: Sequence[str]) -> dict[str, list[str]]:
    """The former ids, of these, that a sale names, each with the existing parcels that sales pair with it."""
    present: dict[str, list[str]] = {}
    for former_id, parcel_id in _FORMER.rows(connection, of_parcels(parcel_ids)):
        present.setdefault(former_id, []).extend([parcel_id] if parcel_id else [])
    return present


def sales_in_box(connection: Connection, communes: Sequence[str], kinds: Sequence[str], box: Box) -> list[MarketSale]:
    """Sales of these kinds in these communes with their point in the box, newest first, at most MAX_SALES."""
    parameters = {"communes": list(communes), "kinds": list(kinds), **box._asdict()}
    return MARKET_SALES.read(connection, _IN_BOX, parameters)


def market_sales_in(
    connection: Connection, communes: Sequence[str], bounds: Sequence[float] | None = None
) -> list[MarketSale]:
    """The comparable sales of the communes, or those with their point in a box, in no order."""
    parameters: dict[str, object] = {"communes": list(communes)}
    return (
        MARKET_SALES.read(connection, _OF_COMMUNES, parameters)
        if bounds is None
        else MARKET_SALES.read(connection, _ALL_IN_BOX, parameters | Box(*bounds)._asdict())
    )


def newest_sale_on(connection: Connection, communes: Sequence[str]) -> str | None:
    """The date of the newest comparable sale in these communes; None without one."""
    dates = [date for commune in communes for date in _NEWEST.values(connection, {"commune": commune})]
    return max((date for date in dates if date is not None), default=None)
