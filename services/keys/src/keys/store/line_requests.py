"""Reserves and charges requests by lines: a file of addresses has many, a single request with an Idempotency-Key one.

A request reserves the units of all its lines at once. Outcomes then charge the lines that succeeded, in parts. The row
of the request has a bit for each charged line, so a line is charged once, however often it is answered or reported. A
client that lost its connection sends the request again with the same id. That begins another run, while the earlier one
may still be answered.

The units of the lines that are not charged yet stay reserved until the last run has ended. The runs of a request share
them, since a line costs nothing in a second run. The end of one run releases nothing that another one still needs. A
single request has one open run at a time.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import BindParameter, bindparam, select

from keys import texts
from keys.clock import Clock, hour_of
from keys.errors import NotFound
from keys.metering.outcomes import AnsweredLines, Outcome
from keys.quota import decision as deciding
from keys.quota import months
from keys.quota.decision import Call, Consumption, Denial, RateLimit
from keys.quota.policy import Rules
from keys.quota.rates import RateState
from keys.store import driver, rollups
from keys.store.database import Database, putting_rows
from keys.store.driver import Store
from keys.store.locking import ReadStates, lock
from keys.store.rollups import RollupKey
from keys.store.tables import keys, line_requests
from servicekit.endpoints import DIVIDE_LAND, LINE_ENDPOINTS, LINES_RESERVED_S, MAX_LINES
from servicekit.errors import InvalidPayload

MAX_RUNS = 10
"""How often a request is answered, since the lines that are charged cost nothing the next time."""
RESUMABLE = timedelta(hours=24)
LIFETIME = timedelta(seconds=LINES_RESERVED_S)
"""The edge renews the reservation of a run more often, and sends no line of an older one."""
ID_BYTES = 16
_LAPSE_BATCH = 500
_ENDED_AT = 0
"""Stands in `runs` for the end of a run that was reported."""

_IN_PROGRESS = Denial("idempotency_in_progress", retry_after_s=2)
_MISMATCH = Denial("idempotency_mismatch")
_ENDED = Denial("deadline_exceeded")
_USED_UP = Denial("idempotency_mismatch", facts={"subject": "used_up"})
_COLUMNS = tuple(line_requests.c.keys())
_IDS: BindParameter[list[bytes]] = bindparam("ids", expanding=True)
_KNOWN = select(*line_requests.c).where(line_requests.c.id.in_(_IDS))
_OVERDUE = (
    select(line_requests.c.id)
    .join(keys, keys.c.id == line_requests.c.key_id)
    .where(line_requests.c.reserved_units > 0, line_requests.c.renewed_at < bindparam("before"))
    .order_by(line_requests.c.renewed_at)
    .limit(_LAPSE_BATCH)
    .with_for_update(key_share=True, skip_locked=True, of=keys)
)


@dataclass(frozen=True)
class LineRequest:
    """A request to reserve. A new number of `run` begins a run, a known one renews its reservation."""

    id: bytes
    key_id: str
    endpoint: str
    lines: int
    digest: bytes
    client_address: str
    run: int
    lasts_s: int = LINES_RESERVED_S
    """Seconds until the run ends without a renewal."""

    @property
    def max_lines(self) -> int:
        return MAX_LINES if self.endpoint in LINE_ENDPOINTS else int(self.endpoint == DIVIDE_LAND)


@dataclass(frozen=True)
class LinesGrant:
    units: int


@dataclass(frozen=True)
class LinesAnswer:
    decision: LinesGrant | Denial
    limits: Sequence[RateLimit]


class LineReservations:
    def __init__(self, database: Database, rules: Rules, clock: Clock) -> None:
        self._database = database
        self._rules = rules
        self._clock = clock

    def reserve(self, request: LineRequest) -> LinesAnswer:
        """Raises InvalidPayload for a malformed request, NotFound for an unknown key, Blocked if a lock times out, and
        Unavailable. Nothing is reserved then.
        """
        if len(request.id) != ID_BYTES:
            raise InvalidPayload(texts.WRONG_RESERVATION_ID.format(size=ID_BYTES))
        if not 0 < request.lines <= request.max_lines or not 0 < request.lasts_s <= LINES_RESERVED_S:
            raise InvalidPayload(texts.WRONG_LINES.format(most=MAX_LINES))
        with self._database.pipelined() as connection:
            lock(connection, [request.key_id])
            now = self._clock()
            reading = ReadStates(connection, [request.key_id], now)
            rows = _known(connection, [request.id])
            state = reading.states().get(request.key_id)
            if state is None:
                raise NotFound(texts.NO_SUCH_KEY)
            row = rows.get(request.id) or self._new_row(request, now)
            policy, month = state.policy, months.month_of(now)
            rates = (state.rates or RateState.full(policy.quota.burst, 0)).at(
                int(now.timestamp() * 1_000_000), policy.quota.per_minute, policy.quota.burst
            )
            units = (row["lines"] - _count_bits(row["charged"])) * row["weight"]
            reserved_before = row["reserved_units"] if row["month"] == month else 0
            denial = (
                _check(row, request, now)
                or deciding.check_access(policy, Call(request.endpoint, request.client_address), now)
                or deciding.check_quota(policy, state.month, max(0, units - reserved_before), now)
            )
            if denial is not None:
                return LinesAnswer(denial, deciding.rate_limits(policy, Consumption(rates, state.month), now))
            counts = _releasing(row)
            counts[request.key_id, month]["reserved_units"] += units
            runs = {**row["runs"], str(request.run): ceil(now.timestamp()) + request.lasts_s}
            changed = {**row, "renewed_at": now, "month": month, "runs": runs, "reserved_units": units}
            driver.write_together(
                connection,
                [putting_rows(connection, line_requests, [changed]), rollups.adding_to_months(connection, counts)],
            )
            driver.wait(connection)
            reserved = replace(state.month, reserved_units=state.month.reserved_units - reserved_before + units)
            limits = deciding.rate_limits(policy, Consumption(rates, reserved), now)
            return LinesAnswer(LinesGrant(units), limits)

    def lapse(self) -> int:
        """Ends the runs of requests that were not renewed for 15 minutes, and releases their units. Returns the number
        of these requests.
        """
        with self._database.writing() as connection:
            before = self._clock() - LIFETIME
            candidates = connection.execute(_OVERDUE, {"before": before}).scalars().all()
            rows = _known(connection, candidates)  # as they are now that their keys are locked
            overdue = [row for row in rows.values() if row["reserved_units"] and row["renewed_at"] < before]
            counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
            for row in overdue:
                counts[row["key_id"], row["month"]]["reserved_units"] -= row["reserved_units"]
            ended = [{**row, "runs": dict.fromkeys(row["runs"], _ENDED_AT), "reserved_units": 0} for row in overdue]
            driver.write_each(connection, *putting_rows(connection, line_requests, ended))
            rollups.add_months(connection, counts)
        return len(overdue)

    def _new_row(self, request: LineRequest, now: datetime) -> dict[str, Any]:
        return _row(
            request.id,
            request.key_id,
            request.endpoint,
            now,
            digest=request.digest,
            lines=request.lines,
            weight=self._rules.line_weight(request.endpoint),
        )


def charge(connection: Store, outcomes: Sequence[Outcome], rules: Rules, now: datetime) -> dict[bytes, int]:
    """Charges the lines that are not charged yet. The keys must be locked.

    Counts the units of files. Returns those of single requests by event id; the caller counts them.
    """
    with_lines = [(outcome, outcome.lines) for outcome in outcomes if outcome.lines is not None]
    if not with_lines:
        return {}
    units_by_event: dict[bytes, int] = {}
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    hours: dict[RollupKey, Counter[str]] = defaultdict(Counter)
    rows = _known(connection, list({lines.request_id for _, lines in with_lines}))
    for outcome, lines in with_lines:
        succeeded = lines.succeeded if outcome.is_of_file else bytes([outcome.is_charged])
        units, row = 0, rows.get(lines.request_id)
        if row is None and any(succeeded):  # the database was restored
            at, weight = min(outcome.occurred_at, now), rules.line_weight(outcome.endpoint)
            row = _row(lines.request_id, outcome.key_id, outcome.endpoint, at, weight=weight)
        if row is not None and row["key_id"] == outcome.key_id:
            rows[lines.request_id], units = _charged(row, replace(lines, succeeded=succeeded), counts, now)
        if not outcome.is_of_file:
            units_by_event[outcome.event_id] = units
        elif row is not None and units:
            counts[row["key_id"], row["month"]]["units"] += units
            hours[RollupKey(hour_of(row["renewed_at"]), row["key_id"], row["endpoint"])]["units"] += units
    driver.write_each(connection, *putting_rows(connection, line_requests, [rows[id_] for id_ in sorted(rows)]))
    rollups.add_months(connection, counts)
    rollups.add(connection, hours)
    return units_by_event


def known_ids(connection: Store, ids: Sequence[bytes]) -> set[bytes]:
    """The ids of requests that are stored."""
    return set(_known(connection, ids))


def _charged(
    row: dict[str, Any], lines: AnsweredLines, counts: dict[tuple[str, str], Counter[str]], now: datetime
) -> tuple[dict[str, Any], int]:
    """Returns the row after the outcome, and the units of the lines that it charges. Counts the released units."""
    before = int.from_bytes(row["charged"], "little")
    after = before | int.from_bytes(lines.succeeded, "little") << lines.first_line
    units = (after ^ before).bit_count() * row["weight"]
    reserved = max(0, row["reserved_units"] - units)
    run = str(lines.run)
    runs = {**row["runs"], run: _ENDED_AT} if lines.is_last and run in row["runs"] else row["runs"]
    if not _has_open_run(runs, now):
        reserved = 0
    counts[row["key_id"], row["month"]]["reserved_units"] += reserved - row["reserved_units"]
    charged = after.to_bytes((after.bit_length() + 7) // 8, "little")
    return {**row, "charged": charged, "runs": runs, "reserved_units": reserved}, units


def _check(row: dict[str, Any], request: LineRequest, now: datetime) -> Denial | None:
    if (row["key_id"], row["endpoint"], row["digest"]) != (request.key_id, request.endpoint, request.digest):
        return _MISMATCH
    run_ends_at = row["runs"].get(str(request.run))
    if run_ends_at is not None:
        return _ENDED if run_ends_at == _ENDED_AT else None
    if len(row["runs"]) >= MAX_RUNS or row["reserved_at"] < now - RESUMABLE:
        return _USED_UP
    is_single = request.endpoint not in LINE_ENDPOINTS
    return _IN_PROGRESS if is_single and _has_open_run(row["runs"], now) else None


def _has_open_run(runs: Mapping[str, int], now: datetime) -> bool:
    return any(ends_at > now.timestamp() for ends_at in runs.values())


def _row(
    request_id: bytes, key_id: str, endpoint: str, at: datetime, *, weight: int, digest: bytes = b"", lines: int = 0
) -> dict[str, Any]:
    return {
        "id": request_id,
        "key_id": key_id,
        "endpoint": endpoint,
        "digest": digest,
        "lines": lines,
        "weight": weight,
        "reserved_at": at,
        "renewed_at": at,
        "month": months.month_of(at),
        "runs": {},
        "reserved_units": 0,
        "charged": b"",
    }


def _known(connection: Store, ids: Sequence[bytes]) -> dict[bytes, dict[str, Any]]:
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in driver.read(connection, _KNOWN, {"ids": ids})]
    return {row["id"]: row for row in rows}


def _count_bits(charged: bytes) -> int:
    return int.from_bytes(charged, "little").bit_count()


def _releasing(row: dict[str, Any]) -> dict[tuple[str, str], Counter[str]]:
    """The counts of months without what the request reserves now."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    if row["reserved_units"]:
        counts[row["key_id"], row["month"]]["reserved_units"] -= row["reserved_units"]
    return counts
