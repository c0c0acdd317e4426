"""Altitudes of parcels."""

from sqlalchemy import Index

from land.datasets.relief.records import ParcelAltitudes
from land.store.tables import table_of

altitude = table_of(
    ParcelAltitudes, "altitude", ["commune_code", "parcel_id"], Index("altitude_retrieved", "retrieved_at")
)
