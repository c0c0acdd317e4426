"""The tables of the assistant's database."""

from datetime import UTC, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator


class Instant(TypeDecorator[datetime]):
    """An instant in UTC. SQLite stores no time zone, so UTC is added on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


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
    Column("outcome", String(40), nullable=False),
    Column("tokens_estimated", Boolean(), nullable=False),
    Index("ix_runs_created_at", "created_at"),
    Index("ix_runs_key_id", "key_id", "created_at"),
)
