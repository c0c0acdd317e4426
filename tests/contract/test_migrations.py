"""Migrations only expand a schema, so that versions N and N+1 of a service can share it (docs/upgrading.md).

The tests check the SQL that a migration would run on PostgreSQL.
"""

import re
from io import StringIO
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from alembic import op
from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from assistant.store.runs import MIGRATIONS as ASSISTANT
from assistant.store.runs import SCHEMA as ASSISTANT_SCHEMA
from keys.store.database import MIGRATIONS as KEYS
from keys.store.database import SCHEMA as KEYS_SCHEMA
from land.server import SCHEMA as LAND_SCHEMA
from land.store import MIGRATIONS as LAND
from servicekit.schema import Accepted

SERVICES = {
    "keys": (KEYS, KEYS_SCHEMA, "0001"),
    "land": (LAND, LAND_SCHEMA, "0001"),
    "assistant": (ASSISTANT, ASSISTANT_SCHEMA, "0001"),
}
"""The migrations, the accepted revisions, and the last revision before this rule."""

CONTRACTING = {
    "removes or renames": r"\bDROP (?:TABLE|COLUMN)\b|\bRENAME\b",
    "demands a value that the old code does not write": r"\bSET NOT NULL\b"
    r"|\bADD COLUMN\b(?!.*\bDEFAULT\b)[^,]*\bNOT NULL\b|\bDROP DEFAULT\b",
    "changes a type": r"\bALTER COLUMN \S+ TYPE\b",
    "constrains what the old code writes": r"\bADD (?:CONSTRAINT|UNIQUE|CHECK|FOREIGN)\b"
    r"|\bCREATE UNIQUE INDEX \S+ ON (?!\S+ \((\w+)\) WHERE \1 <> '')",  # nor with what it writes by default
}
"""Allowed if `contract` in the migration says why no running code needs it."""
CHANGING_DATA = {"changes data": r"^(?:INSERT|UPDATE|DELETE|TRUNCATE|WITH)\b"}
"""Allowed if `changes_data` in the migration says why later writes of an old replica need no such change."""


def chain(migrations: str) -> list[object]:
    """The migrations of a service, the oldest first."""
    config = Config()
    config.set_main_option("script_location", migrations)
    return list(reversed(list(ScriptDirectory.from_config(config).walk_revisions())))


def statements_of(module: object) -> list[str]:
    buffer = StringIO()
    options = {"as_sql": True, "output_buffer": buffer, "literal_binds": True}
    with Operations.context(MigrationContext.configure(dialect_name="postgresql", opts=options)):
        module.upgrade()  # type: ignore[attr-defined]
    return [" ".join(statement.split()) for statement in buffer.getvalue().split(";\n") if statement.strip()]


def violations(module: object) -> list[str]:
    """The statements of a migration that do not expand the schema and have no stated reason."""
    statements = statements_of(module)
    new_tables = set(re.findall(r"CREATE TABLE (\S+)", "\n".join(statements)))
    rules = {} if getattr(module, "contract", "") else dict(CONTRACTING)
    rules |= {} if getattr(module, "changes_data", "") else CHANGING_DATA
    faults = [
        f"{rule}: {statement}"
        for statement in statements
        for rule, pattern in rules.items()
        if re.search(pattern, statement)
        and not ("CREATE UNIQUE INDEX" in statement and re.search(r" ON (\S+)", statement)[1] in new_tables)  # type: ignore[index]
    ]
    if getattr(module, "contract", "") and not getattr(module, "oldest_code", ""):
        faults.append("removes something and does not say by `oldest_code` which code still works")
    return faults


@pytest.mark.parametrize("service", SERVICES)
def test_migrations_only_expand(service: str) -> None:
    migrations, _, baseline = SERVICES[service]
    later = [migration for migration in chain(migrations) if migration.revision > baseline]  # type: ignore[attr-defined]
    faults = {migration.revision: violations(migration.module) for migration in later}  # type: ignore[attr-defined]
    assert not any(faults.values()), faults


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_accepts_revisions_up_to_its_newest(service: str) -> None:
    migrations, accepted, _ = SERVICES[service]
    revisions = [migration.revision for migration in chain(migrations)]  # type: ignore[attr-defined]
    assert isinstance(accepted, Accepted)
    assert revisions[-1] == accepted.newest
    assert accepted.oldest in revisions


def add_required_column() -> None:
    op.add_column("keys", sa.Column("colour", sa.String(9), nullable=False))


def add_column_with_default() -> None:
    op.add_column("keys", sa.Column("colour", sa.String(9), nullable=False, server_default="red"))
    op.add_column("keys", sa.Column("size", sa.Integer()))


def create_table_with_unique_index() -> None:
    op.create_table("things", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text, nullable=False))
    op.create_index("things_name", "things", ["name"], unique=True)


@pytest.mark.parametrize(
    "upgrade",
    [
        lambda: op.drop_table("keys"),
        lambda: op.drop_column("keys", "label"),
        lambda: op.rename_table("keys", "api_keys"),
        lambda: op.alter_column("keys", "label", new_column_name="name"),
        lambda: op.alter_column("keys", "expires_at", nullable=False),
        lambda: op.alter_column("keys", "burst", type_=sa.SmallInteger()),
        lambda: op.create_index("keys_label", "keys", ["label"], unique=True),
        lambda: op.create_unique_constraint("keys_label", "keys", ["label"]),
        lambda: op.execute("INSERT INTO usage_days SELECT * FROM usage_hours"),
        lambda: op.execute("UPDATE keys SET burst = 1"),
        add_required_column,
    ],
)
def test_a_migration_that_does_more_than_expand_is_refused(upgrade: object) -> None:
    assert len(violations(SimpleNamespace(upgrade=upgrade))) == 1


@pytest.mark.parametrize("upgrade", [add_column_with_default, create_table_with_unique_index])
def test_a_migration_that_expands_is_allowed(upgrade: object) -> None:
    assert violations(SimpleNamespace(upgrade=upgrade)) == []


def test_a_removal_needs_a_reason_and_the_oldest_code_that_works_without() -> None:
    removal = SimpleNamespace(upgrade=lambda: op.drop_column("keys", "label"), contract="nothing reads it since 0009")
    assert len(violations(removal)) == 1
    removal.oldest_code = "0009"
    assert violations(removal) == []
