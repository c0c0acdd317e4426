"""Rights of legal persons on parcels."""

from sqlalchemy import Index

from land.datasets.owners.records import OwnerRecord
from land.store.prepared import of_parcels
from land.store.repository import Repository
from land.store.tables import table_of

owner = table_of(
    OwnerRecord, "owner", ["commune_code", "parcel_id", "right_code", "holder"], Index("owner_department", "department")
)
OWNERS = Repository(owner, OwnerRecord, ["department"])
MAX_ROWS = 5_000
"""Rows that one request reads: a parcel has five at most in the files seen."""
owners_on = OWNERS.reading(
    OWNERS.of_parcels(["commune_code", "parcel_id", "right_code", "holder"], MAX_ROWS), of_parcels
)
"""The rights on these parcels, at most MAX_ROWS."""
DEPARTMENTS = OWNERS.values_of_communes("department")
has_owners = OWNERS.has_rows()
"""Whether the loaded file names any legal person in the commune. Each commune owns land itself."""
