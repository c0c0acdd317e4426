"""Runs, as they are kept: which prompt and model answered which key's question, at what cost, and how it ended."""

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select

from assistant.store.tables import runs
from servicekit.database import for_writing, open_engine
from servicekit.migrations import is_current, upgrade

MIGRATIONS = "assistant:store/migrations"


@dataclass(frozen=True)
class Run:
    created_at: datetime
    request_id: str
    key_id: str
    prompt_id: str
    prompt_version: str
    rules_version: str
    language: str
    question: str
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool | None
    """Counted from bytes, since the server told nothing. None for runs from before this was kept."""
    latency_ms: int
    outcome: str
    """answered, cancelled, failed, or the code of the model's failure where the rules took over."""


class RunStore:
    """The database of runs. Each call is one transaction."""

    def __init__(self, url: str, *, pool_size: int = 8) -> None:
        self._engine = open_engine(url, pool_size=pool_size)
        self._writing = for_writing(self._engine)

    def record(self, run: Run) -> None:
        with self._writing.begin() as connection:
            connection.execute(insert(runs).values(asdict(run)))

    def purge(self, before: datetime) -> int:
        """Forgets the runs older than `before`. Returns how many there were."""
        with self._writing.begin() as connection:
            return connection.execute(delete(runs).where(runs.c.created_at < before)).rowcount

    def latest(self, limit: int) -> list[Run]:
        """The newest runs, newest first."""
        columns = [column for column in runs.columns if column.name != "id"]
        with self._engine.begin() as connection:
            rows = connection.execute(select(*columns).order_by(runs.c.id.desc()).limit(limit))
            return [Run(**row._mapping) for row in rows]

    def migrate(self) -> None:
        upgrade(self._engine, MIGRATIONS)

    def is_current(self) -> bool:
        """Whether the schema is at the newest revision that this code knows."""
        return is_current(self._engine, MIGRATIONS)

    def close(self) -> None:
        self._engine.dispose()
