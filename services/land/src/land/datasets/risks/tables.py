"""Risks."""

from sqlalchemy import Column, Index, Integer, String, Table, Text

from land.store.tables import metadata

risk_answer = Table(
    "risk_answer",
    metadata,
    Column("commune_code", String(5), primary_key=True),
    Column("place", String(14), primary_key=True, comment="a parcel id or a commune code"),
    Column("question", String(40), primary_key=True),
    Column("retrieved_at", String(20), nullable=False),
    Column("status", String(11), nullable=False, comment="present, none or not_covered"),
    Column("level", Text),
    Column("label", Text),
    Column("total", Integer, nullable=False),
    Column("findings", Text, nullable=False, comment="JSON"),
    Index("risk_answer_retrieved", "retrieved_at"),
    comment="Answers of Géorisques, imported or kept from requests.",
)
