"""Runs: the prompt, model, key, question, cost and outcome of each answer."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select

from assistant.store.tables import runs
from servicekit.database import LOADING, close_engine, for_writing, open_engine, set_limits
from servicekit.postgres import check_database
from servicekit.schema import Accepted, upgrade
from servicekit.settings import RpcSettings

MIGRATIONS = "assistant:store/migrations"
SCHEMA = Accepted(oldest="0001", newest="0001")
_INSERT = insert(runs)


_PROBE = {
    "created_at": datetime(2000, 1, 1, tzinfo=UTC),
    "request_id": "probe",
    "key_id": "",
    "prompt_id": "",
    "prompt_version": "",
    "rules_version": "",
    "language": "",
    "question": "",
    "provider": "",
    "model": "",
    "input_tokens": 0,
    "output_tokens": 0,
    "tokens_estimated": False,
    "latency_ms": 0,
    "outcome": "",
}
"""The health probe inserts it and rolls back."""


class RunStore:
    """The database of runs. Each call is one transaction."""

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self.engine = open_engine(url, pool_size=pool_size, name="assistant")
        self._writing = for_writing(self.engine)

    def record(self, run: Mapping[str, object]) -> None:
        """Stores a run with the values of all columns."""
        with self._writing.begin() as connection:
            connection.execute(_INSERT, run)

    def check_writable(self) -> None:
        """Raises SQLAlchemyError if runs cannot be recorded."""
        with self._writing.connect() as connection, connection.begin() as transaction:
            connection.execute(_INSERT, _PROBE)
            transaction.rollback()

    def purge(self, before: datetime) -> int:
        """Deletes the runs older than `before`. Returns their number."""
        with self._writing.begin() as connection:
            set_limits(connection, LOADING)  # there may be many
            return connection.execute(delete(runs).where(runs.c.created_at < before)).rowcount

    def erase(self, key_ids: Sequence[str]) -> int:
        """Deletes the runs of these keys. Returns their number."""
        with self._writing.begin() as connection:
            return connection.execute(delete(runs).where(runs.c.key_id.in_(key_ids))).rowcount

    def latest(self, limit: int) -> Sequence[Row[Any]]:
        """The newest runs, newest first."""
        columns = [column for column in runs.columns if column.name != "id"]
        with self.engine.begin() as connection:
            return connection.execute(select(*columns).order_by(runs.c.id.desc()).limit(limit)).all()

    def migrate(self) -> None:
        """Migrates to the newest revision of this code. Raises SchemaMismatch."""
        upgrade(self.engine, MIGRATIONS)

    def check(self, settings: RpcSettings) -> None:
        """Raises DatabaseUnfit if the database does not suit all replicas of the service, and SQLAlchemyError."""
        check_database(self.engine, MIGRATIONS, SCHEMA, settings)

    def close(self) -> None:
        close_engine(self.engine)
