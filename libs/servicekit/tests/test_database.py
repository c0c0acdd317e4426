"""The databases that a URL selects."""

import resource
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from servicekit.database import close_engine, open_engine


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql", "postgres"])
def test_the_usual_schemes_of_postgresql_select_its_driver(scheme: str) -> None:
    engine = open_engine(f"{scheme}://keys:p%40ss@keys-db-rw.land-partner:5432/keys")
    assert engine.dialect.driver == "psycopg"
    assert engine.url.password == "p@ss"


def test_a_large_temporary_table_is_not_in_memory(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/store.db")

    def resident_bytes() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TEMPORARY TABLE rows (content BLOB)")
        before = resident_bytes()
        connection.exec_driver_sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)"
            " INSERT INTO rows SELECT randomblob(1000000) FROM n"
        )
        assert resident_bytes() - before < 50_000_000
    engine.dispose()


def test_a_connection_in_use_is_closed_when_it_comes_back(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/store.db")
    with engine.connect() as connection:
        close_engine(engine)
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1
        used: Any = connection.connection.driver_connection
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        used.execute("SELECT 1")
