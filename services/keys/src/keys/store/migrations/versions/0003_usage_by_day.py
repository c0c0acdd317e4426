"""Adds usage by day of Europe/Paris, computed from the existing usage by hour."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
oldest_code = "0003"
branch_labels = None
depends_on = None

_COUNTS = ("requests", "errors", "units", "timed_requests", "latency_us", "input_tokens", "output_tokens")


def upgrade() -> None:
    days = op.create_table(
        "usage_days",
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key_id", sa.String(length=8), nullable=False),
        sa.Column("endpoint", sa.String(length=40), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _COUNTS),
        sa.PrimaryKeyConstraint("day", "key_id", "endpoint", name="pk_usage_days"),
    )
    op.create_index("ix_usage_days_key_id_day", "usage_days", ["key_id", "day"], unique=False)
    hours = sa.table("usage_hours", *(sa.column(name) for name in ("hour", "key_id", "endpoint", *_COUNTS)))
    sums: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
    for row in op.get_bind().execute(sa.select(hours)).mappings():
        start = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=row["hour"])
        day = start.astimezone(ZoneInfo("Europe/Paris")).toordinal()
        sums[day, row["key_id"], row["endpoint"]].update({name: row[name] for name in _COUNTS})
    rows = [
        {"day": day, "key_id": key_id, "endpoint": endpoint, **{name: count[name] for name in _COUNTS}}
        for (day, key_id, endpoint), count in sums.items()
    ]
    if rows:
        op.bulk_insert(days, rows)
