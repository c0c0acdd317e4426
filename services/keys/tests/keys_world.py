"""A store with keys, and a clock that tests set, for the tests of all folders."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

from sqlalchemy import event, select

from keys.admin import key_changes, partner_changes
from keys.issuing.hashing import Peppers
from keys.metering.outcomes import Outcome
from keys.quota.policy import AssistantMode, AssistantPolicy, Quota, Rules
from keys.records import IssuedKey, KeyDraft, KeyRecord, PartnerDraft, PartnerRecord, Role
from keys.store import (
    access_tables,  # noqa: F401 (for the dump of all tables)
    driver,
)
from keys.store.audit import Actor
from keys.store.authorizing import Authorizer
from keys.store.change import Change, changing
from keys.store.database import Database
from keys.store.decisions import Answer, Query
from keys.store.refused_requests import RefusedRequests
from keys.store.settling import Settler
from keys.store.tables import key_months, metadata
from servicekit.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
ACTOR = Actor("admin:ann@example.org", "192.0.2.1")
RULES = Rules({RESOLVE: 1, GEOJSON: 2, DIVIDE_LAND: 10}, 8_000)
DRAFT = KeyDraft("Cadastra", "tests", Quota(None, 60_000, 1_000), AssistantPolicy(AssistantMode.RULES))


@contextmanager
def statements(world: "World") -> Iterator[list[str]]:
    """The statements that run inside the block, by SQLAlchemy or by the driver. One for many rows counts once."""
    statement_texts: list[str] = []
    run, run_each = driver._run, driver._run_each

    def note(_: object, __: object, statement: str, *___: object) -> None:
        statement_texts.append(statement)

    def note_run(connection: Any, text: str, values: driver.Values) -> Any:
        statement_texts.append(text)
        return run(connection, text, values)

    def note_run_each(connection: Any, text: str, rows: Sequence[driver.Values]) -> None:
        statement_texts.append(text)
        run_each(connection, text, rows)

    event.listen(world.database.engine, "before_cursor_execute", note)
    with mock.patch.multiple(driver, _run=note_run, _run_each=note_run_each):
        yield statement_texts
    event.remove(world.database.engine, "before_cursor_execute", note)


@dataclass
class SetClock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **by: float) -> None:
        self.now += timedelta(**by)


@dataclass
class World:
    """The parts of keys below gRPC."""

    database: Database
    clock: SetClock = field(default_factory=SetClock)
    peppers: Peppers = field(default_factory=lambda: Peppers({1: secrets.token_bytes(32)}))

    def __post_init__(self) -> None:
        self.refusals = RefusedRequests(self.database)
        self.authorizer = Authorizer(self.database, self.peppers, RULES, self.clock, self.refusals)
        self.settler = Settler(self.database, RULES, self.clock)

    def key(self, **changes: Any) -> IssuedKey:
        """Creates a key. `quota` takes the members that differ from the default."""
        if isinstance(changes.get("quota"), dict):
            changes["quota"] = replace(DRAFT.quota, **changes["quota"])
        with self.change() as change:
            return key_changes.create(change, self.peppers, replace(DRAFT, **changes))

    def change(self) -> AbstractContextManager[Change]:
        return changing(self.database, self.clock, ACTOR)

    def partner(self, name: str, **members: Any) -> PartnerRecord:
        with self.change() as change:
            return partner_changes.create(change, PartnerDraft(name, **members))

    def change_partner(self, partner_id: str, role: Role = Role.OWNER, **changes: Any) -> PartnerRecord:
        def edit(record: PartnerRecord) -> PartnerDraft:
            partner = record.partner
            before = PartnerDraft(partner.name, partner.is_active, partner.metadata, record.customer)
            return replace(before, **changes)

        with self.change() as change:
            as_role = replace(change, role=role)
            return partner_changes.update(as_role, partner_id, edit, changes_status="is_active" in changes)

    def revoke(self, key_id: str) -> KeyRecord:
        with self.change() as change:
            return key_changes.revoke(change, key_id)

    def rotate(self, key_id: str, grace: timedelta) -> IssuedKey:
        with self.change() as change:
            return key_changes.rotate(change, self.peppers, key_id, grace)

    def ask(
        self,
        secret: str,
        endpoint: str = RESOLVE,
        address: str = "192.0.2.7",
        *,
        reservation: bytes = b"",
        reserves_line: bool = False,
    ) -> Answer:
        reservation = reservation or secrets.token_bytes(16)
        return self.authorizer.authorize([Query(reservation, secret, endpoint, address, reserves_line)])[0]

    def outcome(self, answer: Answer, endpoint: str = RESOLVE, status: int = 200, **changes: Any) -> Outcome:
        assert answer.key is not None
        outcome = Outcome(
            secrets.token_bytes(16),
            answer.reservation_id,
            answer.key.key_id,
            endpoint,
            status,
            1_500,
            0,
            0,
            self.clock(),
        )
        return replace(outcome, **changes)

    def month(self, key_id: str, month: str = "2026-03") -> dict[str, int]:
        """The non-zero counts of a key, including refused requests of this replica."""
        self.refusals.flush()
        with self.database.reading() as connection:
            query = select(key_months).where(key_months.c.key_id == key_id, key_months.c.month == month)
            row = connection.execute(query).mappings().one_or_none()
        return {name: value for name, value in (row or {}).items() if isinstance(value, int) and value}

    def dump(self) -> str:
        """Every cell of every table. Binary cells are also shown as text."""
        cells = []
        with self.database.reading() as connection:
            for table in metadata.sorted_tables:
                for row in connection.execute(table.select()):
                    cells += [cell.decode("latin-1") if isinstance(cell, bytes) else repr(cell) for cell in row]
        return "\n".join(cells)
