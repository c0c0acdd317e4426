"""Writes many keys directly into the database of an embedded service."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from keys.store import partner_records, tables
from keys.store.database import Database

LABELS = ("label", "folded_label")


def write_keys(folder: Path, count: int) -> None:
    """Keys "bulk 00000" and so on, of a hundred partners, in the service of this folder. Nobody has their secrets."""
    started = datetime(2026, 1, 1, tzinfo=UTC)
    common = {"mode": "live", "monthly_units": 1000, "per_minute": 60, "burst": 10, "is_hard": True}
    common |= {"assistant_mode": "rules", "scopes": [], "allowed_cidrs": [], "metadata": {}}
    key_rows = [
        {
            "id": f"{number:08}",
            **dict.fromkeys(LABELS, f"bulk {number:05}"),
            "created_at": started + timedelta(seconds=number),
        }
        for number in range(count)
    ]
    database = Database(f"sqlite:///{folder / 'keys.sqlite'}")
    with database.writing() as connection:
        partners = [partner_records.find_or_add(connection, f"Partner {n:03}", started).id for n in range(100)]
        rows = [{**key, **common, "partner_id": partners[n % 100]} for n, key in enumerate(key_rows)]
        connection.execute(insert(tables.keys), rows)
        secret = {"version": 1, "pepper_version": 1, "digest": b"", "ending": "none"}
        secrets = [{**secret, "key_id": key["id"], "created_at": key["created_at"]} for key in key_rows]
        connection.execute(insert(tables.key_secrets), secrets)
    database.close()
