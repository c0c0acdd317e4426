"""A store with keys, and a clock that tests set, for the tests of all folders."""

import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import event, select

from contract.counters import NAMES, NOTHING, Counters
from contract.endpoints import DIVIDE_LAND, GEOJSON, RESOLVE
from keys.api_keys import changes as key_changes
from keys.partners import changes as partner_changes
from keys.store import admin_tables  # noqa: F401 (for the dump of all tables)
from keys.store.audit_log import Actor
from keys.store.change import Change, changing
from keys.store.database import Database
from keys.store.lease_book import LeaseEnd
from keys.store.lease_states import RATES, lease_of
from keys.store.leasing import Granted, LeaseAnswer, LeaseRequest, Leasing
from keys.store.request_lines import LineRequest
from keys.store.settling import RefusedRequests, Settlement, Settler
from keys.store.tables import key_activity, key_months, leases, line_requests, metadata
from keys.values.hashing import Peppers
from keys.values.lease_rules import Asking, Denial, Later, Lease, RateLimit, limits_tokens
from keys.values.outcomes import Outcome
from keys.values.policy import AssistantMode, AssistantPolicy, KeyPolicy, Quota, Rules
from keys.values.rates import RateState
from keys.values.records import IssuedKey, KeyDraft, KeyRecord, PartnerDraft, PartnerRecord, Role

HOLDER = b"an edge of a test"[:16]
LEASE_TIME = timedelta(seconds=1)
RAW_DAYS = 40
NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
ACTOR = Actor("admin:ann@example.org", "192.0.2.1")
RULES = Rules({RESOLVE: 1, GEOJSON: 2, DIVIDE_LAND: 10}, 8_000)
DRAFT = KeyDraft(
    partner="Cadastra", label="tests", quota=Quota(None, 60_000, 1_000), assistant=AssistantPolicy(AssistantMode.RULES)
)


@contextmanager
def statements(world: "World") -> Iterator[list[str]]:
    """The statements that run inside the block. One for many rows counts once."""
    statement_texts: list[str] = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        statement_texts.append(statement)

    event.listen(world.database.engine, "before_cursor_execute", note)
    yield statement_texts
    event.remove(world.database.engine, "before_cursor_execute", note)


@dataclass(frozen=True)
class Grant:
    """What a request took of its lease."""

    units: int
    assistant: AssistantMode | None = None
    token_limit: int | None = None


@dataclass(frozen=True)
class Answer:
    """The decision on one request. `lease_id` is that of its lease."""

    lease_id: bytes
    decision: Grant | Denial | Later
    key: KeyPolicy | None
    limits: Sequence[RateLimit]


@dataclass(frozen=True)
class Leased:
    """A lease, and the answer of keys that grants or denies it."""

    id: bytes
    answer: LeaseAnswer

    @property
    def granted(self) -> Granted:
        assert isinstance(self.answer.decision, Granted), self.answer.decision
        return self.answer.decision

    @property
    def counters(self) -> Counters:
        return self.granted.counters

    @property
    def code(self) -> str:
        """Why it was denied, "later", or "granted"."""
        decision = self.answer.decision
        return decision.code if isinstance(decision, Denial) else type(decision).__name__.lower()

    def end(self, unused: Counters | None = NOTHING) -> LeaseEnd:
        assert self.answer.key is not None
        return LeaseEnd(self.id, self.answer.key.key_id, unused)


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
        self.leasing = Leasing(self.database, self.peppers, RULES, self.clock, LEASE_TIME)
        self.settler = Settler(self.database, RULES, self.clock, raw_days=RAW_DAYS)

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
            before = PartnerDraft(
                name=partner.name, is_active=partner.is_active, metadata=partner.metadata, customer=record.customer
            )
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

    def lease(
        self,
        secret: str,
        endpoint: str = RESOLVE,
        expected: Counters = NOTHING,
        *,
        lease_id: bytes = b"",
        holder: bytes = HOLDER,
        address: str = "192.0.2.7",
        reserves_line: bool = False,
        goes_on: bool = False,
        ended: Sequence[LeaseEnd] = (),
        lines: LineRequest | None = None,
    ) -> Leased:
        lease_id = lease_id or secrets.token_bytes(16)
        asking = Asking(
            endpoint=endpoint, client_address=address, reserves_line=reserves_line, goes_on=goes_on, expected=expected
        )
        return Leased(
            lease_id,
            self.leasing.lease(
                LeaseRequest(lease_id=lease_id, holder=holder, api_key=secret, asking=asking, ended=ended, lines=lines)
            ),
        )

    def end(self, *ended: LeaseEnd) -> None:
        self.settle(Settlement(ended=ended))

    def settle(self, settlement: Settlement) -> list[bytes]:
        """Settles, and sends again what is postponed, as an edge does. Returns the acknowledged ids."""
        settled = self.settler.settle(settlement)
        acknowledged = [*settled.counted, *settled.ended]
        while settled.postponed:
            postponed = set(settled.postponed)
            settled = self.settler.settle(
                Settlement(
                    [outcome for outcome in settlement.outcomes if outcome.event_id in postponed],
                    [end for end in settlement.ended if end.lease_id in postponed],
                )
            )
            acknowledged += [*settled.counted, *settled.ended]
        return acknowledged

    def ask(
        self,
        secret: str,
        endpoint: str = RESOLVE,
        address: str = "192.0.2.7",
        *,
        lease_id: bytes = b"",
        reserves_line: bool = False,
    ) -> Answer:
        """Leases what one request needs, and ends the lease as an edge does after the request took it."""
        while True:
            leased = self.lease(secret, endpoint, lease_id=lease_id, address=address, reserves_line=reserves_line)
            if leased.code != "later" or all(lease.is_ended for lease in self.leases()):  # else another thread ends it
                break
        answer = leased.answer
        if isinstance(answer.decision, Denial | Later):
            return Answer(leased.id, answer.decision, answer.key, answer.limits)
        assert answer.key is not None
        counters = leased.counters
        self.end(leased.end())
        is_call = endpoint == DIVIDE_LAND
        grant = Grant(
            counters.units,
            answer.key.assistant.mode if is_call else None,
            counters.tokens if is_call and limits_tokens(answer.key) else None,
        )
        return Answer(leased.id, grant, answer.key, answer.limits)

    def serve(self, secret: str, endpoint: str = RESOLVE) -> Answer:
        """Asks, and counts the request if it is granted."""
        answer = self.ask(secret, endpoint)
        if isinstance(answer.decision, Grant):
            self.record([self.outcome(answer, endpoint)])
        return answer

    def outcome(self, answer: Answer, endpoint: str = RESOLVE, status: int = 200, **changes: Any) -> Outcome:
        assert answer.key is not None
        assert isinstance(answer.decision, Grant)
        outcome = Outcome(
            event_id=secrets.token_bytes(16),
            lease_id=answer.lease_id,
            key_id=answer.key.key_id,
            endpoint=endpoint,
            status=status,
            latency_us=1_500,
            input_tokens=0,
            output_tokens=0,
            occurred_at=self.clock(),
            leased_at=self.clock(),
            units=answer.decision.units,
            assistant_mode=answer.decision.assistant,
            token_limit=answer.decision.token_limit or 0,
        )
        return replace(outcome, **changes)

    def record(self, outcomes: Sequence[Outcome]) -> list[bytes]:
        """Counts the outcomes. Returns the acknowledged ids."""
        return self.settle(Settlement(outcomes))

    def report_denial(self, answer: Answer, endpoint: str = RESOLVE, requests: int = 1) -> None:
        """Counts requests that the edge refused as this answer says."""
        assert answer.key is not None
        assert isinstance(answer.decision, Denial)
        refused = RefusedRequests(
            key_id=answer.key.key_id,
            endpoint=endpoint,
            code=answer.decision.code,
            requests=requests,
            occurred_at=self.clock(),
        )
        self.settler.settle(Settlement(refused=[refused]))

    def month(self, key_id: str, month: str = "2026-03") -> dict[str, int]:
        """The non-zero counts of a key."""
        with self.database.reading() as connection:
            query = select(key_months).where(key_months.c.key_id == key_id, key_months.c.month == month)
            row = connection.execute(query).mappings().one_or_none()
        return {name: value for name, value in (row or {}).items() if isinstance(value, int) and value}

    def leases(self) -> list[Lease]:
        """The stored leases with something left."""
        with self.database.reading() as connection:
            stored = [lease_of(row) for row in connection.execute(select(leases).order_by(leases.c.id)).mappings()]
        return [lease for lease in stored if not lease.is_over]

    def rates(self, key_id: str) -> RateState:
        with self.database.reading() as connection:
            query = select(*(key_activity.c[name] for name in RATES)).where(key_activity.c.key_id == key_id)
            return RateState(*connection.execute(query).one())

    def units_of_lines(self, key_id: str) -> int:
        """The charged units of the key's requests with lines."""
        with self.database.reading() as connection:
            query = select(line_requests.c.charged, line_requests.c.weight).where(line_requests.c.key_id == key_id)
            rows = connection.execute(query).all()
        return sum(int.from_bytes(charged, "little").bit_count() * weight for charged, weight in rows)

    def check_reserved(self) -> None:
        """Checks that what the keys reserve is the sum of what is left in leases and in requests with lines."""
        stored = self.leases()
        reserved: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        requests: Counter[str] = Counter()
        for lease in stored:
            reserved[lease.key_id, lease.month].update({name: getattr(lease.left, name) for name in NAMES[1:]})
            requests[lease.key_id] += lease.left.requests
            assert min(vars(lease.left).values()) >= 0
            assert not (lease.is_ended and lease.left.requests)
        with self.database.reading() as connection:
            for row in connection.execute(select(line_requests)).mappings():
                reserved[row["key_id"], row["month"]]["units"] += row["reserved_units"]
            for row in connection.execute(select(key_months)).mappings():
                expected = reserved.pop((row["key_id"], row["month"]), Counter())
                assert {name: row[f"reserved_{name}"] for name in NAMES[1:]} == {
                    name: expected[name] for name in NAMES[1:]
                }
            activity = connection.execute(select(key_activity.c.key_id, key_activity.c.leased)).all()
        assert not any(map(Counter.total, reserved.values()))
        assert {key_id: count for key_id, count in activity if count} == dict(+requests)

    def dump(self) -> str:
        """Every cell of every table. Binary cells are also shown as text."""
        cells = []
        with self.database.reading() as connection:
            for table in metadata.sorted_tables:
                for row in connection.execute(table.select()):
                    cells += [cell.decode("latin-1") if isinstance(cell, bytes) else repr(cell) for cell in row]
        return "\n".join(cells)
