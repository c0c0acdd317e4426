"""Buildings of all sources."""

from sqlalchemy import BigInteger, Column, Integer

from land.datasets.buildings.records import BuildingRecord
from land.store.tables import table_of

building = table_of(
    BuildingRecord,
    "building",
    [],
    Column("key", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
)
"""The key is partition, dataset and place as one number, so that the rows of a partition are adjacent."""
