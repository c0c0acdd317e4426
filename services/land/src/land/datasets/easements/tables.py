"""Public easements: pieces of the land that bears them, what surrounds them, and the documents of each département."""

from sqlalchemy import BigInteger, Column, Index, Text

from land.datasets.easements.records import EasementDetailRecord, EasementDocumentRecord, EasementRecord
from land.store.tables import table_of

easement = table_of(
    EasementRecord,
    "easement",
    [],
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("easement_partition", "partition", "part"),
    geometry_kind=None,
)
easement_detail = table_of(
    EasementDetailRecord,
    "easement_detail",
    [],
    Column("partition", Text, nullable=False),
    Column("part", Text, nullable=False),
    Index("easement_detail_partition", "partition", "part"),
    Index("easement_detail_key", "document", "kind", "key"),
)
easement_document = table_of(EasementDocumentRecord, "easement_document", ["department", "document"])
