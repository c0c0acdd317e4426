"""Sales. Ids of mutations are unique in the file of a year, which is a part."""

from sqlalchemy import Index, text

from land.datasets.sales.records import MarketSale, Sale
from land.store.tables import table_of

_FORMER = text("ancien_id_parcelle <> ''")
sale = table_of(
    Sale,
    "sale",
    ["commune_code", "id_parcelle", "part", "id_mutation"],
    Index("sale_former_parcel", "commune_code", "ancien_id_parcelle"),
    Index("sale_former_id", "ancien_id_parcelle", sqlite_where=_FORMER, postgresql_where=_FORMER),
)
market_sale = table_of(
    MarketSale,
    "market_sale",
    ["commune_code", "part", "id_mutation"],
    Index("market_sale_place", "commune_code", "lat", "lon", "kind"),
    Index("market_sale_date", "commune_code", "date_mutation"),
)
