"""The cadastral plan."""

from sqlalchemy import Index

from land.datasets.parcels.records import ParcelRecord, RetiredParcelRecord, TerritoryRecord
from land.store.tables import table_of

parcel = table_of(
    ParcelRecord,
    "parcel",
    ["commune_code", "parcel_id"],
    Index("parcel_reference", "commune_code", "section", "number", "prefix"),
)
commune_territory = table_of(TerritoryRecord, "commune_territory", ["commune_code"])
retired_parcel = table_of(RetiredParcelRecord, "retired_parcel", ["commune_code", "parcel_id"])
