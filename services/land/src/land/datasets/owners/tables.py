"""Rights of legal persons."""

from sqlalchemy import Index

from land.datasets.owners.records import OwnerRecord
from land.store.tables import table_of

owner = table_of(
    OwnerRecord, "owner", ["commune_code", "parcel_id", "right_code", "holder"], Index("owner_department", "department")
)
