"""Joint ownerships."""

from sqlalchemy import Index

from land.datasets.joint_ownerships.records import JointOwnershipRecord
from land.store.tables import table_of

joint_ownership = table_of(
    JointOwnershipRecord,
    "joint_ownership",
    ["commune_code", "parcel_id", "id"],
    Index("joint_ownership_department", "department"),
)
