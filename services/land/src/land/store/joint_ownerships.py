"""Joint ownerships of the national register, by parcel."""

from collections.abc import Sequence

from sqlalchemy import Connection

from land.records.joint_ownerships import JointOwnershipRecord
from land.store.parameters import IN_COMMUNES, WITH_IDS, of_parcels
from land.store.prepared import Pending, Prepared
from land.store.repository import Repository
from land.store.tables import joint_ownership

JOINT_OWNERSHIPS = Repository(joint_ownership, JointOwnershipRecord, ["department"])
MAX_ROWS = 5_000
"""Rows that one request reads."""

_columns = joint_ownership.c
_ON_PARCELS = Prepared(
    JOINT_OWNERSHIPS.select()
    .where(_columns.commune_code.in_(IN_COMMUNES), _columns.parcel_id.in_(WITH_IDS))
    .order_by(_columns.commune_code, _columns.parcel_id, _columns.id)
    .limit(MAX_ROWS)
)


def joint_ownerships_on(connection: Connection, parcel_ids: Sequence[str]) -> Pending[list[JointOwnershipRecord]]:
    """Those that name one of these parcels, with each of the parcels; at most MAX_ROWS."""
    return JOINT_OWNERSHIPS.start(connection, _ON_PARCELS, of_parcels(parcel_ids))
