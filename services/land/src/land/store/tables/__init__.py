"""The schema. Primary keys start with the commune code, so that tables can be partitioned and distributed by territory.

Only loads write, one `land.partitions.Partition` in each transaction.
"""

from land.store.tables.addresses import (
    address,
    address_commune,
    cog_commune,
    cog_movement,
    commune_postcodes,
    commune_streets,
    locality,
    street,
    street_start,
)
from land.store.tables.base import metadata
from land.store.tables.easements import easement, easement_detail, easement_document
from land.store.tables.history import energy_rating, market_sale, permit, permit_reference, placement, sale
from land.store.tables.loads import dataset_load, dropped_partition, fetch, revision
from land.store.tables.parcels import (
    altitude,
    building,
    commune_territory,
    joint_ownership,
    owner,
    parcel,
    retired_parcel,
)
from land.store.tables.planning import (
    planning_commune,
    planning_document,
    planning_in_force,
    planning_information,
    planning_prescription,
    planning_zone,
)
from land.store.tables.risks import risk_answer

__all__ = [
    "address", "address_commune", "altitude", "building", "cog_commune", "cog_movement", "commune_postcodes",
    "commune_streets", "commune_territory", "dataset_load", "dropped_partition", "easement", "easement_detail",
    "easement_document", "energy_rating", "fetch", "joint_ownership", "locality", "market_sale", "metadata", "owner",
    "parcel", "permit", "permit_reference", "placement", "planning_commune", "planning_document", "planning_in_force",
    "planning_information", "planning_prescription", "planning_zone", "retired_parcel", "revision", "risk_answer",
    "sale", "street", "street_start",
]  # fmt: skip
