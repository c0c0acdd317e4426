"""Joins the sales of deeds over several communes, whose files each have the whole price and a part of what was sold.

Only the publisher's first program gives the parts of a deed one `id_mutation`: see `mutations`. It numbers the rows of
one département after another, so a deed over two départements has two ids.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, delete, func, select, update

from land.datasets.partitions import Partition, department_of
from land.datasets.sales.mutations import is_numbered_by_price
from land.datasets.sales.queries import MARKET_SALES, SALES, market_sale, sale
from land.datasets.sales.records import MarketSale, Sale
from land.store import loads
from land.store.prepared import IN_COMMUNES, Prepared, any_of
from land.store.repository import replace_all

ENOUGH_SALES = 50
"""So many sales of one commune and year show which program numbered them."""

_other = sale.alias("other")
_is_same_id = (_other.c.id_mutation == sale.c.id_mutation) & (_other.c.part == sale.c.part)
_ELSEWHERE = Prepared(
    select(_other.c.commune_code, _other.c.id_mutation)
    .distinct()
    .where(sale.c.commune_code == bindparam("commune"), sale.c.part == bindparam("year"), _is_same_id)
    .where(_other.c.commune_code != sale.c.commune_code, _other.c.date_mutation == sale.c.date_mutation)
    .where(func.substr(_other.c.commune_code, 1, func.length(bindparam("department"))) == bindparam("department"))
)
_SALES = Prepared(SALES.select().where(sale.c.commune_code.in_(IN_COMMUNES), sale.c.part == bindparam("year")))
_parcel_count = select(func.count()).select_from(_other).where(_is_same_id, _other.c.commune_code.in_(IN_COMMUNES))
_CHANGES = [
    statement.where(
        statement.table.c.id_mutation.in_(any_of("ids")),
        statement.table.c.part == bindparam("year"),
        statement.table.c.commune_code.in_(IN_COMMUNES),
    )
    for statement in (
        update(sale).values(parcel_count=_parcel_count.correlate(sale).scalar_subquery()),
        delete(market_sale),
    )
]


def write_sales(
    connection: Connection, dataset: str, partition: Partition, sales: Sequence[Sale], market: Iterable[MarketSale]
) -> None:
    """Replaces the sales of a commune and year. The sale of a deed that is also in another loaded commune then counts
    the parcels of both, and is compared in neither.
    """
    department, year = department_of(partition.code), partition.part
    loads.lock(connection, f"deeds {department} {year}")  # of two loads, the later one sees the sales of both
    replace_all(SALES, MARKET_SALES)(connection, dataset, partition, sales, market)
    of_commune = {"commune": partition.code, "year": year, "department": department}
    is_unclear = is_numbered_by_price(sales)
    shared = [] if is_unclear and len(sales) >= ENOUGH_SALES else _ELSEWHERE.rows(connection, of_commune)
    others = sorted({commune for commune, _ in shared})
    deeds = {"communes": [partition.code, *others], "year": year, "ids": [mutation for _, mutation in shared]}
    if not shared or (is_unclear and is_numbered_by_price(SALES.read(connection, _SALES, deeds))):
        return
    for statement in _CHANGES:
        connection.execute(statement, deeds)
    for load in loads.of_partitions(connection, others):
        if load.partition.part == year:
            loads.put_retrieval(connection, load, load.retrieved_at)  # what was computed from the old rows is not valid
