"""Joint ownerships of the national register, by parcel."""

from sqlalchemy import Index

from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.store.prepared import of_parcels
from land.store.repository import Repository
from land.store.tables import table_of

joint_ownership = table_of(
    JointOwnershipRecord,
    "joint_ownership",
    ["commune_code", "parcel_id", "id"],
    Index("joint_ownership_department", "department"),
)
JOINT_OWNERSHIPS = Repository(joint_ownership, JointOwnershipRecord, ["department"])
MAX_ROWS = 5_000
"""Rows that one request reads."""
DEPARTMENTS = JOINT_OWNERSHIPS.values_of_communes("department")
joint_ownerships_on = JOINT_OWNERSHIPS.reading(
    JOINT_OWNERSHIPS.of_parcels(["commune_code", "parcel_id", "id"], MAX_ROWS), of_parcels
)
"""The joint ownerships that name one of these parcels, with each of the parcels; at most MAX_ROWS."""
