"""Buildings of all sources."""

from sqlalchemy import BigInteger, Column, Index, Integer, text

from land.datasets.buildings.records import BuildingRecord
from land.store.tables import table_of

IS_RNB = text("dataset = 'rnb'")
building = table_of(
    BuildingRecord,
    "building",
    [],
    Column("key", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=False),
    Index("building_rnb", "building_id", sqlite_where=IS_RNB, postgresql_where=IS_RNB),
)
"""The key is partition, dataset and place as one number, so that the rows of a partition are adjacent."""
