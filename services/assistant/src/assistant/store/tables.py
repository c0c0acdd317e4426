"""The tables of the assistant's database."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

from servicekit.database import Instant

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("id", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True),
    Column("created_at", Instant(), nullable=False),
    Column("request_id", String(128), nullable=False),
    Column("key_id", String(100), nullable=False),
    Column("prompt_id", String(60), nullable=False),
    Column("prompt_version", String(20), nullable=False),
    Column("rules_version", String(20), nullable=False),
    Column("language", String(2), nullable=False),
    Column("question", Text(), nullable=False),
    Column("provider", String(20), nullable=False),
    Column("model", String(100), nullable=False),
    Column("input_tokens", BigInteger(), nullable=False),
    Column("output_tokens", BigInteger(), nullable=False),
    Column("latency_ms", Integer(), nullable=False),
    Column("outcome", String(40), nullable=False),  # answered, cancelled, failed, or the failure for which rules wrote
    Column("tokens_estimated", Boolean(), nullable=False),  # from the texts, since the server reported none
    Index("ix_runs_created_at", "created_at"),
    Index("ix_runs_key_id", "key_id", "created_at"),
)
