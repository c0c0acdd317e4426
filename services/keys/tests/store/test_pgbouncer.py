"""Keys through PgBouncer in transaction mode: transactions of several clients share a connection to the server."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import poolers
import pytest
from keys_world import Grant, World
from pydantic import SecretStr

from keys.settings import KeysSettings
from keys.store.database import LIMITS, Database
from keys.values.errors import Blocked
from servicekit.callers import entry
from servicekit.database import Limits
from servicekit.postgres import DatabaseUnfit

pytestmark = pytest.mark.docker

CLIENTS = 12
QUOTA = 60

T = TypeVar("T")


def settings(url: str) -> KeysSettings:
    return KeysSettings(
        database_url=SecretStr(url),
        peppers=SecretStr(f"1:{'00' * 32}"),
        callers=entry("edge", "a" * 32),
        replicas=100,
    )


def patiently(call: Callable[[Any], T], argument: Any) -> T:
    """Repeats the call while another transaction has locked the key for too long."""
    while True:
        with suppress(Blocked):
            return call(argument)


def test_a_quota_is_exact_and_every_outcome_counted(
    migrated_postgres: str, open_world: Callable[..., World], tmp_path: Path
) -> None:
    with poolers.pooled(migrated_postgres, LIMITS, tmp_path) as url:
        replicas = [open_world(url)]
        replicas.append(open_world(url, clock=replicas[0].clock, peppers=replicas[0].peppers))
        replicas[0].database.check(settings(url))  # the limits of PostgreSQL are not those of its clients
        key = replicas[0].key(quota={"monthly_units": QUOTA})

        def until_refused(number: int) -> int:
            world, granted = replicas[number % 2], 0
            while isinstance((answer := patiently(world.ask, key.secret.text)).decision, Grant):
                patiently(world.record, [world.outcome(answer)])
                granted += 1
            return granted

        with ThreadPoolExecutor(CLIENTS) as pool:
            assert sum(pool.map(until_refused, range(CLIENTS))) == QUOTA
        counts = replicas[0].month(key.record.id)
        assert counts["units"] == QUOTA
        assert "reserved_units" not in counts


def test_timeouts_that_the_pooler_drops_are_refused_at_the_start(migrated_postgres: str, tmp_path: Path) -> None:
    with poolers.pooled(migrated_postgres, Limits(0, 0, 0), tmp_path) as url:
        database = Database(url)
        with pytest.raises(DatabaseUnfit, match="ALTER ROLE … SET lock_timeout = 1000"):
            database.check(settings(url))
        database.close()
