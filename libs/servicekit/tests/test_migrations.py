"""Versions N and N+1 of a service on one schema, with test migrations."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Column, Engine, Integer, MetaData, Table, text

from servicekit.database import open_engine
from servicekit.migrations import differences
from servicekit.schema import Accepted, SchemaMismatch, is_accepted, upgrade

ENV = "from sqlalchemy import MetaData\nfrom servicekit.migrations import run_migrations\nrun_migrations(MetaData())\n"
METADATA = MetaData()
THINGS = Table("things", METADATA, Column("id", Integer, primary_key=True))
OLD = Accepted(oldest="0001", newest="0002")
STATEMENTS = {
    "0001": "CREATE TABLE things (id INTEGER NOT NULL PRIMARY KEY)",
    "0002": "ALTER TABLE things ADD COLUMN size INTEGER",
    "0003": "ALTER TABLE things ADD COLUMN colour VARCHAR(9)",
    "0004": "ALTER TABLE things DROP COLUMN size",
}


def version(folder: Path, newest: str, **oldest_code: str) -> str:
    """Writes the migrations up to `newest`. `oldest_code` has declarations by revision, such as `at_0004="0003"`."""
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text(ENV)
    before: str | None = None
    for revision, statement in STATEMENTS.items():
        if revision > newest:
            break
        declared = oldest_code.get(f"at_{revision}")
        (folder / "versions" / f"{revision}.py").write_text(
            f"from alembic import op\nrevision = {revision!r}\ndown_revision = {before!r}\n"
            + (f"oldest_code = {declared!r}\n" if declared else "")
            + f"def upgrade():\n    op.execute({statement!r})\n"
        )
        before = revision
    return str(folder)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{tmp_path}/things.sqlite")
    yield engine
    engine.dispose()


@pytest.fixture
def old(tmp_path: Path) -> str:
    return version(tmp_path / "old", "0002")


def test_a_database_without_a_schema_is_not_accepted(engine: Engine, old: str) -> None:
    assert not is_accepted(engine, old, OLD)


def test_a_version_accepts_its_schema_and_those_that_it_declares(engine: Engine, old: str, tmp_path: Path) -> None:
    upgrade(engine, old)
    upgrade(engine, old)
    assert is_accepted(engine, old, OLD)
    new = version(tmp_path / "new", "0003")
    assert is_accepted(engine, new, Accepted(oldest="0002", newest="0003"))
    assert not is_accepted(engine, new, Accepted(oldest="0003", newest="0003"))


def test_an_old_version_accepts_an_expanded_schema(engine: Engine, old: str, tmp_path: Path) -> None:
    upgrade(engine, old)
    upgrade(engine, version(tmp_path / "new", "0003"))
    assert is_accepted(engine, old, OLD)
    upgrade(engine, old)  # as by the migration job of an old version after a restart
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "0003"


def test_an_old_version_refuses_a_newer_schema_from_which_something_was_removed(
    engine: Engine, old: str, tmp_path: Path
) -> None:
    upgrade(engine, old)
    upgrade(engine, version(tmp_path / "newer", "0004", at_0004="0003"))
    assert not is_accepted(engine, old, OLD)
    with pytest.raises(SchemaMismatch, match="0004"):
        upgrade(engine, old)
    between = version(tmp_path / "between", "0003")
    assert is_accepted(engine, between, Accepted(oldest="0002", newest="0003"))


def test_a_newer_schema_without_declaration_is_refused(engine: Engine, old: str, tmp_path: Path) -> None:
    upgrade(engine, version(tmp_path / "new", "0003"))
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE schema_compatibility"))
    assert not is_accepted(engine, old, OLD)


def test_a_difference_between_schema_and_tables_is_found(engine: Engine, tmp_path: Path) -> None:
    upgrade(engine, version(tmp_path / "first", "0001"))
    with engine.connect() as connection:
        assert differences(connection, METADATA) == []
    upgrade(engine, version(tmp_path / "second", "0002"))
    with engine.connect() as connection:
        assert len(differences(connection, METADATA)) == 1
