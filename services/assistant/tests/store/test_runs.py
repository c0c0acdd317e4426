"""The store of runs on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assistant.store.runs import MIGRATIONS, SCHEMA, RunStore
from assistant.store.tables import metadata
from servicekit.migrations import differences
from servicekit.schema import is_accepted

NOW = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
RUN: dict[str, Any] = {
    "created_at": NOW,
    "request_id": "trace-1",
    "key_id": "key-1",
    "prompt_id": "divide-land",
    "prompt_version": "1.0.0",
    "rules_version": "1.0.0",
    "language": "fr",
    "question": "Diviser en 2 lots — « façade »",
    "provider": "rules",
    "model": "rules-1.0.0",
    "input_tokens": 0,
    "output_tokens": 0,
    "tokens_estimated": False,
    "latency_ms": 12,
    "outcome": "answered",
}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.docker)])
def store(request: pytest.FixtureRequest) -> Iterator[RunStore]:
    store = RunStore(request.getfixturevalue(f"{request.param}_url"))
    store.migrate()
    store.purge(datetime.max.replace(tzinfo=UTC))
    yield store
    store.close()


def test_a_run_is_stored_completely_and_the_newest_is_first(store: RunStore) -> None:
    store.record(RUN)
    store.record({**RUN, "question": "second"})
    assert [run._asdict() for run in store.latest(5)] == [{**RUN, "question": "second"}, RUN]
    assert store.latest(1)[0].question == "second"


def test_a_purge_deletes_only_older_runs(store: RunStore) -> None:
    for days in (0, 29, 31, 400):
        store.record({**RUN, "created_at": NOW - timedelta(days=days), "question": f"{days} days"})
    assert store.purge(NOW - timedelta(days=30)) == 2
    assert {run.question for run in store.latest(10)} == {"0 days", "29 days"}
    assert store.purge(NOW - timedelta(days=30)) == 0


def test_the_migrations_create_the_declared_tables(store: RunStore) -> None:
    with store.engine.connect() as connection:
        assert differences(connection, metadata, ["spatial_ref_sys"]) == []  # from the container's image


def test_migrating_again_changes_nothing(store: RunStore) -> None:
    store.record(RUN)
    store.migrate()
    assert is_accepted(store.engine, MIGRATIONS, SCHEMA)
    assert [run._asdict() for run in store.latest(5)] == [RUN]


def test_a_database_without_schema_is_not_accepted(sqlite_url: str) -> None:
    store = RunStore(sqlite_url)
    assert not is_accepted(store.engine, MIGRATIONS, SCHEMA)
    store.close()


def test_erasing_keys_deletes_only_their_runs(store: RunStore) -> None:
    for key_id in ("key-1", "key-2", "key-3", "key-1"):
        store.record({**RUN, "key_id": key_id})
    assert store.erase(["key-1", "key-2", "unknown"]) == 3
    assert [run.key_id for run in store.latest(10)] == ["key-3"]
    assert store.erase([]) == 0
